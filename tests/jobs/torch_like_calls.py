"""The stand-in for PyTorch as Python programs reach it: torch_like.h by ctypes, and the driver beside it."""
import ctypes
import sys


class Value(ctypes.Structure):  # a vector is its three pointers
    _fields_ = [("index", ctypes.c_uint), ("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("device", ctypes.c_int),
                ("sizes", ctypes.c_void_p * 3), ("strides", ctypes.c_void_p * 3), ("storage_bytes", ctypes.c_uint64)]


class Call(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("composite", ctypes.c_bool), ("stream", ctypes.c_void_p),
                ("range", ctypes.c_bool), ("backward", ctypes.c_bool), ("sequence", ctypes.c_int64),
                ("thread", ctypes.c_uint64), ("parameter", ctypes.c_uint64), ("gradients", ctypes.c_void_p * 3)]


def functions_of(path, prototype=ctypes.CFUNCTYPE):
    """Of the library at `path`; `prototype`: ctypes.PYFUNCTYPE keeps the GIL."""

    class Functions(ctypes.Structure):
        _fields_ = [("observe", ctypes.c_void_p),
                    ("begin", prototype(ctypes.c_void_p, ctypes.POINTER(Call))),
                    ("end", prototype(None, ctypes.c_void_p, ctypes.c_char_p))]

    get = ctypes.CDLL(path).torch_like_functions
    get.restype = ctypes.POINTER(Functions)
    return get().contents


def caller_of(cuda):
    """A function that calls the driver, which must succeed."""

    def call(name, *arguments):
        result = getattr(cuda, name)(*arguments)
        if result != 0:
            sys.exit(f"{name}: error {result}")

    return call


def frames_here():
    """What Python itself sees of who calls this, the innermost first: file, line, function."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        frames.append((code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)))
        frame = frame.f_back
    return frames
