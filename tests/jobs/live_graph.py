#!/usr/bin/env python3
"""A Python program that ends with live graphs: live_graph.py WAY.

return: the interpreter ends by itself. sys_exit: with status 3, in a function. os_exit: os._exit(4), as
children of multiprocessing end. no_descriptors: return, and no descriptor is free from before cuInit.
The driver is reached by ctypes alone. Each graph fills memory; prints what is there at the end.
"""
import ctypes
import os
import resource
import sys

BYTES, REPLAYS = 4096, 20
cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result != 0:
        sys.exit(f"{name}: error {result}")


class Graph:
    def __init__(self, value):
        self.data, self.stream = ctypes.c_uint64(), ctypes.c_void_p()
        self.graph, self.executable = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuMemAlloc_v2", ctypes.byref(self.data), ctypes.c_size_t(BYTES))
        call("cuStreamCreate", ctypes.byref(self.stream), 1)
        call("cuStreamBeginCapture_v2", self.stream, 0)
        call("cuMemsetD8Async", self.data, ctypes.c_ubyte(value), ctypes.c_size_t(BYTES), self.stream)
        call("cuStreamEndCapture", self.stream, ctypes.byref(self.graph))
        call("cuGraphInstantiateWithFlags", ctypes.byref(self.executable), self.graph, ctypes.c_uint64(0))

    def replay(self):
        for _ in range(REPLAYS):
            call("cuGraphLaunch", self.executable, self.stream)

    def value(self):
        host = (ctypes.c_ubyte * BYTES)()
        call("cuStreamSynchronize", self.stream)
        call("cuMemcpyDtoH_v2", host, self.data, ctypes.c_size_t(BYTES))
        return sorted(set(host))


def main():
    if sys.argv[1] == "no_descriptors":
        free = os.open("/dev/null", os.O_RDONLY)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, free))
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    graphs = [Graph(value) for value in (1, 2, 3)]
    for graph in graphs:
        graph.replay()
    print([graph.value() for graph in graphs], flush=True)
    for graph in graphs:
        graph.replay()
    if sys.argv[1] == "sys_exit":
        sys.exit(3)
    if sys.argv[1] == "os_exit":
        os._exit(4)
    main.graphs = graphs  # alive until the interpreter is gone


main()
