#!/usr/bin/env python3
"""A Python program whose captured backward pass adds gradients to parameters: python_gradients.py LIBTORCH_CPU [--eager].

In the place of PyTorch's Python there are modules of the same names; the driver and the stand-in for PyTorch
(tests/jobs/torch_like) are reached by ctypes. Into each parameter of a model flow two gradients, each behind a
fill. --eager: without a capture, behind one operator.
"""
import ctypes
import sys
import types

from torch_like_calls import Call, Value, caller_of, functions_of

BYTES = 256
cuda = ctypes.CDLL("libcuda.so.1")
TORCH = {
    "torch": "import gc\n",
    "torch._C": """
class TensorBase:
    def __init__(self, address): self.address = address
    def data_ptr(self): return self.address
    def numel(self): return 64
    def element_size(self): return 4
""",
    "torch._tensor": "from torch._C import TensorBase\nclass Tensor(TensorBase): pass\n",
    "torch.nn": "",
    "torch.nn.parameter": "from torch._tensor import Tensor\nclass Parameter(Tensor): pass\n",
    "torch.nn.modules": "",
    "torch.nn.modules.module": """
class Module:
    def __init__(self, parameters, modules): self._parameters, self._modules, self._buffers = parameters, modules, {}
""",
}


call = caller_of(cuda)


def vector(array):
    begin = ctypes.addressof(array)
    end = begin + ctypes.sizeof(array)
    return (ctypes.c_void_p * 3)(begin, end, end)


def make_torch():
    for name, source in TORCH.items():
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(source, name, "exec"), module.__dict__)


def allocate():
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(BYTES))
    return address.value


def fill(address, value, stream):
    call("cuMemsetD8Async", ctypes.c_uint64(address), ctypes.c_ubyte(value), ctypes.c_size_t(BYTES), stream)


def accumulates(functions, gradient, parameter, stream):
    one, strides = (ctypes.c_int64 * 1)(BYTES // 4), (ctypes.c_int64 * 1)(1)
    values = (Value * 1)(Value(0, gradient, 6, 0, vector(one), vector(strides), BYTES))
    told = functions.begin(Call(b"torch::autograd::AccumulateGrad", True, stream, True, True, -1, 0, parameter,
                                vector(values)))
    fill(parameter, 0, stream)
    functions.end(told, bytes(48))


def nothing_operator(functions, stream):
    functions.end(functions.begin(Call(b"aten::ones", False, stream, False, False, -1, 0, 0, vector((Value * 0)()))), bytes(48))


def backward(functions, gradient, weights, stream):
    for _ in range(2):
        for parameter in (address for layer in weights for address in layer):
            fill(gradient, 7, stream)
            accumulates(functions, gradient, parameter, stream)


def make_model(weights):
    from torch.nn.modules.module import Module
    from torch.nn.parameter import Parameter
    layers = [Module({"weight": Parameter(weight), "bias": Parameter(bias)}, {}) for weight, bias in weights]
    return Module({}, {"layers": Module({}, {str(i): layer for i, layer in enumerate(layers)})})


def main():
    make_torch()
    functions = functions_of(sys.argv[1])
    device, context, stream = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuStreamCreate", ctypes.byref(stream), 1)
    weights = [(allocate(), allocate()) for _ in range(2)]
    gradient = allocate()
    model = make_model(weights)
    if sys.argv[2:] == ["--eager"]:
        nothing_operator(functions, stream)
        backward(functions, gradient, weights, stream)
    else:
        call("cuStreamBeginCapture_v2", stream, 1)
        backward(functions, gradient, weights, stream)
        call("cuStreamEndCapture", stream, ctypes.byref(graph))
        call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))
        call("cuGraphLaunch", executable, stream)
    call("cuStreamSynchronize", stream)
    print(len(model._modules))


main()
