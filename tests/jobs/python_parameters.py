#!/usr/bin/env python3
"""A Python program with modules whose parameters lie on the GPU: python_parameters.py TRUTH [--replays].

In the place of PyTorch's Python there are modules of the same names; the driver is reached by ctypes. Three
captures fill parameters and other memory; parameters come, go and move between them. Whatever of the program's
own code a reader of modules could call by mistake ends it with status 3. TRUTH gets a line for each capture:
JSON, the addresses of its nodes in order and what is expected to be said of each. Between them the program waits
until its parameters have been read again, while it captures nothing, or, with --replays, replays the last graph.
"""
import collections
import ctypes
import gc
import json
import os
import sys
import threading
import types

BYTES = 4096
cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result != 0:
        sys.exit(f"{name}: error {result}")


def never(*_, **__):
    os.write(2, b"code of the program was called\n")
    os._exit(3)


TORCH = {
    "torch": "",
    "torch.nn": "",
    "torch.nn.modules": "",
    "torch._C": """
asked = 0
class TensorBase:
    def __init__(self, address, elements=512):
        self.address, self.elements = address, elements
    def data_ptr(self):
        global asked
        asked += 1
        return self.address
    def numel(self): return self.elements
    def element_size(self): return 8
""",
    "torch._tensor": "from torch._C import TensorBase\nclass Tensor(TensorBase): pass\n",
    "torch.nn.parameter": "from torch._tensor import Tensor\nclass Parameter(Tensor): pass\n",
    "torch.nn.modules.module": """
class Module:
    def __init__(self):
        self.__dict__.update(_parameters={}, _buffers={}, _modules=OrderedDict())
    def __getattribute__(self, name):
        return object.__getattribute__(self, name) if name == "__dict__" else never()
""",
}


def make_torch():
    for name, source in TORCH.items():
        module = sys.modules[name] = types.ModuleType(name)
        module.__dict__.update(OrderedDict=collections.OrderedDict, never=never)
        exec(compile(source, name, "exec"), module.__dict__)


class Meta(type):
    __instancecheck__ = __subclasscheck__ = never


def define_program():
    from torch._tensor import Tensor
    from torch.nn.modules.module import Module
    from torch.nn.parameter import Parameter

    class Own(Tensor):
        data_ptr = numel = element_size = never

    class Layer(Module, metaclass=Meta):
        _parameters = property(never, never)
        __class__ = property(never)
        __eq__ = __hash__ = __bool__ = never

    class Network(Module):
        pass
    return Tensor, Parameter, Own, Layer, Network


def allocate():
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(BYTES))
    return address.value


class Captures:
    def __init__(self, path, replays):
        self.file, self.stream, self.replays = open(path, "w"), ctypes.c_void_p(), replays
        call("cuStreamCreate", ctypes.byref(self.stream), 1)

    def capture(self, names):
        """Fills what is at each address; `names`: what is expected to be said of it."""
        graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuStreamBeginCapture_v2", self.stream, 0)
        for address in names:
            call("cuMemsetD8Async", ctypes.c_uint64(address), ctypes.c_ubyte(1), ctypes.c_size_t(8), self.stream)
        call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))
        call("cuGraphLaunch", executable, self.stream)
        call("cuStreamSynchronize", self.stream)
        self.executable = executable
        self.file.write(json.dumps([[hex(address), name] for address, name in names.items()]) + "\n")

    def until_read(self):
        """Until the parameters have been read again."""
        torch, graph = sys.modules["torch._C"], ctypes.c_void_p()
        before = torch.asked
        while torch.asked == before:
            if self.replays:
                call("cuGraphLaunch", self.executable, self.stream)
            else:
                call("cuStreamBeginCapture_v2", self.stream, 0)
                call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
            threading.Event().wait(0.001)


def begin_cuda():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)


def parts(module, kind):
    return module.__dict__[kind]


def main():
    make_torch()
    Tensor, Parameter, Own, Layer, Network = define_program()
    begin_cuda()
    captures = Captures(sys.argv[1], sys.argv[2:] == ["--replays"])
    a, b, c, d, other = (allocate() for _ in range(5))

    network, first, second = Network(), Layer(), Layer()
    parts(network, "_modules").update(layers=first, none=None)
    parts(first, "_modules").update({"0": second})
    parts(first, "_parameters").update(weight=Parameter(a), bias=None)
    parts(second, "_parameters").update(weight=Parameter(b), own=Own(other))
    parts(second, "_buffers").update(mean=Tensor(c), meta=Tensor(0))
    # The first one begins before anything is known.
    captures.capture({a: "layers.weight", b + 100: "layers.0.weight", c: "layers.0.mean", other: None})

    # Names of two roots, some that moved, and one that is gone.
    twin, lone = Layer(), Layer()
    parts(twin, "_parameters").update(weight=Parameter(d))
    parts(lone, "_parameters").update(weight=Parameter(other, elements=2))
    parts(second, "_parameters")["weight"] = Parameter(a + 2048, elements=256)
    parts(first, "_parameters")["weight"] = Parameter(a, elements=256)
    parts(second, "_buffers").clear()
    captures.until_read()
    captures.capture({a: "layers.weight", a + 2048: "layers.0.weight", b: None, c: None, d: "Layer.weight",
                      other + 8: "Layer.weight", other + 16: None})

    # All but one root are gone.
    del network, first, second, lone
    gc.collect()
    captures.until_read()
    captures.capture({a: None, d: "weight"})


main()
