#!/usr/bin/env python3
"""A Python program that has memory of an allocator: python_allocations.py LIBTORCH_CPU LIBC10_CUDA TRUTH.

The driver and the stand-in for PyTorch (tests/jobs/torch_like) are reached by ctypes. Blocks are taken and given
back outside of captures, in an operator of one, and on a thread; one is free only later. TRUTH gets a line for
each event that has a place, JSON: the action, and the frames that Python itself sees, the innermost first.
"""
import ctypes
import json
import sys
import threading

from torch_like_calls import Call, caller_of, frames_here, functions_of

SEGMENT = 1 << 20
cuda = ctypes.CDLL("libcuda.so.1")
call = caller_of(cuda)
truth = []


class Pool(ctypes.Structure):
    _fields_ = [("first", ctypes.c_uint64), ("second", ctypes.c_uint64)]


class Allocator(ctypes.Structure):
    _fields_ = [("initialized", ctypes.CFUNCTYPE(ctypes.c_bool)),
                ("add_segment", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, Pool)),
                ("allocate", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, Pool)),
                ("free", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
                ("record_stream", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
                ("complete_frees", ctypes.CFUNCTYPE(None))]


def allocator_of(path):
    get = ctypes.CDLL(path).torch_like_allocator
    get.restype = ctypes.POINTER(Allocator)
    return get().contents


def allocate(size):
    block, frames = allocator.allocate(size, stream, Pool()), frames_here()
    truth.append(("ACTION_ALLOC" if block else "ACTION_OUT_OF_MEMORY", frames))
    return block


def free(block):
    frames = allocator.free(block) or frames_here()
    truth.append(("ACTION_FREE_REQUESTED", frames))


def held():
    yield allocate(512)
    yield allocate(2 * SEGMENT)


def operator():
    called = functions.begin(Call(b"aten::ones", False, stream, False, False, -1))
    block = allocate(4096)
    call("cuMemsetD8Async", ctypes.c_uint64(block), ctypes.c_ubyte(1), ctypes.c_size_t(4096), stream)
    functions.end(called, bytes(48))
    return block


def capture():
    graph = ctypes.c_void_p()
    call("cuStreamBeginCapture_v2", stream, 1)
    block = operator()
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    return block


def main():
    device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuStreamCreate", ctypes.byref(stream), 1)
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(SEGMENT))
    allocator.add_segment(memory.value, SEGMENT, stream, Pool())
    functions.end(functions.begin(Call(b"aten::empty", False, stream, False, False, -1)), bytes(48))  # it is watched now
    first, _ = held()
    shared = allocate(1024)
    allocator.record_stream(shared)
    blocks = [capture(), first, shared]
    thread = threading.Thread(target=lambda: blocks.append(allocate(2048)))
    thread.start()
    thread.join()
    for block in blocks:
        free(block)
    allocator.complete_frees()
    with open(sys.argv[3], "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in truth)
    print(len(truth))


functions, allocator, stream = functions_of(sys.argv[1]), allocator_of(sys.argv[2]), ctypes.c_void_p()
main()
