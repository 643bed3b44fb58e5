#!/usr/bin/env python3
"""A Python program that copies and fills in captures: python_copies.py LIBTORCH_CPU TRUTH.

It calls the driver itself, by ctypes, outside of operators, in every spelling of each call; then inside operators of
the stand-in for PyTorch (tests/jobs/torch_like), and where nothing is copied. TRUTH gets a line for each node, as that of
python_regions.py; none is in a compiled region.
"""
import ctypes
import json
import sys

import torch_like_calls

BYTES, DEVICE = 64, 2  # CU_MEMORYTYPE_DEVICE
cuda = ctypes.CDLL("libcuda.so.1")
call = torch_like_calls.caller_of(cuda)
truth = []
size_t, byte, short, word = ctypes.c_size_t, ctypes.c_ubyte, ctypes.c_ushort, ctypes.c_uint


def side(end, is_3d):
    where = [("X", size_t), ("Y", size_t)] + ([("Z", size_t), ("LOD", size_t)] if is_3d else [])
    what = [("type", word), ("host", ctypes.c_void_p), ("device", ctypes.c_uint64), ("array", ctypes.c_void_p)]
    rows = [("reserved", ctypes.c_void_p), ("pitch", size_t), ("height", size_t)] if is_3d else [("pitch", size_t)]
    return [(end + name, kind) for name, kind in where + what + rows]


class Copy2D(ctypes.Structure):  # CUDA_MEMCPY2D
    _fields_ = side("from_", False) + side("to_", False) + [("width", size_t), ("height", size_t)]


class Copy3D(ctypes.Structure):  # CUDA_MEMCPY3D; CUDA_MEMCPY3D_PEER has contexts in the reserved places
    _fields_ = side("from_", True) + side("to_", True) + [("width", size_t), ("height", size_t), ("depth", size_t)]


def note(operator=None):
    truth.append({"frames": torch_like_calls.frames_here()[1:], "operator": operator, "name": None})


def in_a_capture(work):
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuStreamBeginCapture_v2", stream, 1)
    work()
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))


def calls():
    parts = {"width": 16, "height": 2, "from_type": DEVICE, "to_type": DEVICE, "from_device": source.value,
             "to_device": target.value, "from_pitch": 32, "to_pitch": 32}
    flat, deep = Copy2D(**parts), Copy3D(**parts, depth=1, from_height=2, to_height=2)
    between = Copy3D(**parts, depth=1, from_height=2, to_height=2, from_reserved=context.value, to_reserved=context.value)
    rows = size_t(4), size_t(2)
    return {
        "cuMemcpyAsync": (target, source, size_t(BYTES)),
        "cuMemcpyHtoDAsync_v2": (target, host, size_t(BYTES)),
        "cuMemcpyDtoHAsync_v2": (host, source, size_t(BYTES)),
        "cuMemcpyDtoDAsync_v2": (target, source, size_t(BYTES)),
        "cuMemcpy2DAsync_v2": (ctypes.byref(flat),),
        "cuMemcpy3DAsync_v2": (ctypes.byref(deep),),
        "cuMemcpy3DPeerAsync": (ctypes.byref(between),),
        "cuMemsetD8Async": (target, byte(1), size_t(4)),
        "cuMemsetD16Async": (target, short(1), size_t(4)),
        "cuMemsetD32Async": (target, word(1), size_t(4)),
        "cuMemsetD2D8Async": (target, size_t(32), byte(1), *rows),
        "cuMemsetD2D16Async": (target, size_t(32), short(1), *rows),
        "cuMemsetD2D32Async": (target, size_t(32), word(1), *rows),
        "cuLaunchHostFunc": (stream, nothing, None),
    }


def in_every_spelling():
    for name, arguments in calls().items():
        for spelling in name, name + "_ptsz":
            function = getattr(cuda, spelling)
            if (note(), function(*arguments, *([] if stream in arguments else [stream])))[1] != 0:
                sys.exit(f"{spelling} has failed")


def fill(count=16):
    return cuda.cuMemsetD8Async(target, byte(1), size_t(count), stream)


def noted_fill():
    if (note(), cuda.cuMemsetD8Async(target, byte(1), size_t(16), stream))[1] != 0:
        sys.exit("nothing was filled")


def operator(name, composite=False, inside=fill):
    called = torch_like_calls.Call(name.encode(), composite, stream, sequence=-1)
    told = (begin(called), composite or note(name))[0]
    inside()
    end(told, bytes(48))


def around_operators():
    operator("aten::copy_")
    fill(count=0)
    operator("aten::to", composite=True, inside=noted_fill)
    fill(count=0)
    operator("aten::clone")


def begin_cuda():
    global context, source, target, stream, host, nothing
    device, context, stream = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    source, target, host = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_void_p()
    nothing = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuMemAlloc_v2", ctypes.byref(source), size_t(4096))
    call("cuMemAlloc_v2", ctypes.byref(target), size_t(4096))
    call("cuMemHostAlloc", ctypes.byref(host), size_t(4096), 0)
    call("cuStreamCreate", ctypes.byref(stream), 1)


def main():
    global begin, end
    functions = torch_like_calls.functions_of(sys.argv[1])
    begin, end = functions.begin, functions.end
    begin_cuda()
    in_a_capture(in_every_spelling)
    in_a_capture(around_operators)
    with open(sys.argv[2], "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in truth)


main()
