#!/usr/bin/env python3
"""A Python program with compiled regions in captures: python_regions.py LIBTORCH_CPU TRUTH.

The frames are those that the code of torch.compile has, by their files and functions; the driver and the stand-in
for PyTorch (tests/jobs/torch_like) are reached by ctypes. TRUTH gets a line for each kernel and operator, JSON: the
frames that Python itself sees when it is launched or called, the innermost first; its operator, if there is one; of
its region the name, the functions of this file that were compiled and that called it, and, of one that is in none of
the frames, where it begins.
"""
import ctypes
import functools
import itertools
import json
import sys
import types

import torch_like_calls

PTX = b""".version 8.0
.target sm_75
.address_size 64
.visible .entry triton_poi_fused_0(.param .u64 data) { ret; }
.visible .entry triton_red_fused_1(.param .u64 data) { ret; }
"""
PACKAGES = "/usr/lib/python3/site-packages/"
FORWARD, REST, BACKWARD = ("c" + digits * 17 for digits in ("l5z", "ht2", "xr7"))
cuda = ctypes.CDLL("libcuda.so.1")
call = torch_like_calls.caller_of(cuda)
truth = []


class Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("sizes", ctypes.c_uint * 7), ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p),
                ("count", ctypes.c_uint)]


def note(operator=None):
    truth.append({"frames": torch_like_calls.frames_here()[1:], "operator": operator, **expected})


def expect(name=None, function=None, caller=None, compile_id=None):
    global expected
    begins = None if function != "trains" else (trains.__code__.co_filename, trains.__code__.co_firstlineno, "trains")
    expected = {"name": name, "function": function, "begins": begins, "caller": caller, "compile_id": compile_id}


def ways_to_launch():
    sizes = [ctypes.c_uint(size) for size in (1, 1, 1, 1, 1, 1, 0)]
    config = Config((1,) * 6 + (0,), stream, None, 0)
    given = (ctypes.c_void_p * 1)(ctypes.addressof(data))
    return itertools.cycle([
        lambda function: (cuda.cuLaunchKernel, [function, *sizes, stream, given, None]),
        lambda function: (cuda.cuLaunchKernelEx, [ctypes.byref(config), function, given, None]),
        lambda function: (cuda.cuLaunchCooperativeKernel, [function, *sizes, stream, given])])


# What lies between a program and its kernels.
INSTALLED = {
    "triton/backends/nvidia/driver.py": """
def launch(function):
    way, arguments = next(ways)(function)
    if (note(), way(*arguments))[1] != 0: sys.exit("no kernel was launched")
""",
    "torch/_inductor/runtime/triton_heuristics.py": "def run(function):\n    launcher(function)\n",
    "torch/_inductor/cudagraph_trees.py": """
def record(model):
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuStreamBeginCapture_v2", stream, 1)
    model()
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))
""",
    "torch/_functorch/_aot_autograd/runtime_wrappers.py": """
def forward(model): record(model)
def backward(model): disabled(record, model)
def make_function(forward, backward):
    class CompiledFunction:
        compiled_fw, compiled_bw = forward, backward
        apply = classmethod(lambda cls: None)
    return CompiledFunction.apply
""",
    "torch/autograd/function.py": "def apply(_):\n    call('cuCtxSetCurrent', context), backward(models[BACKWARD])\n",
    "torch/_dynamo/eval_frame.py": """
def disabled(work, *arguments): return work(*arguments)
def compile_wrapper(work, *arguments): return work(*arguments)
def disable(work, model, enclosed):
    def _fn(): return (enclosed, work(model))[1]
    return _fn
""",
    "torch/_inductor/output_code.py": """
class CompiledFxGraph:
    __module__ = 'torch._inductor.output_code'
    def __init__(self, model): self.current_callable = model
    def __call__(self): pass
""",
    "torch/nn/modules/module.py": "def call_impl(work):\n    return work()\n",
    "torch/_ops.py": """
def operator(name, composite=False, inside=lambda: call("cuMemsetD8Async", data, *fill, stream)):
    called = torch_like_calls.Call(name.encode(), composite, stream, sequence=-1)
    told = (begin(called), composite or note(name))[0]
    inside()
    end(told, bytes(48))
""",
    "torch/_tensor.py": "def tensor_backward(model):\n    backward(model)\n",
}
LAUNCHER = "def launcher(function):\n    launch(function)\n"
GENERATED = {
    FORWARD: """
def call():
    run(POINTWISE)
    operator('extern::mm')

    run(REDUCTION)
    run(
        POINTWISE)
""",
    REST: "def partition_0():\n    run(REDUCTION)\ndef call():\n    partition_0()\n",
    BACKWARD: "def call():\n    run(POINTWISE)\n",
}
# No file of that kind, by its folder, its length, its digits, its first letter.
OTHERS = ["aa/" + FORWARD, f"l5/{FORWARD}z", f"l5/{FORWARD[:-1]}1", "5z/" + FORWARD[1:] + "l"]


def load(text, file, names):
    exec(compile(text, file, "exec"), names)
    return names


load(LAUNCHER, "<string>", globals())
for path, source in INSTALLED.items():
    load(source, PACKAGES + path, globals())
(run, record, forward, apply, disabled, compile_wrapper, call_impl, operator, tensor_backward, make_function, disable,
 CompiledFxGraph) = (globals()[name] for name in (
    "run", "record", "forward", "apply", "disabled", "compile_wrapper", "call_impl", "operator", "tensor_backward",
    "make_function", "disable", "CompiledFxGraph"))


def generated(text, name):
    return load(text, f"/tmp/torchinductor_u/{name}.py", dict(globals()))["call"]


__compiled_fn_1_l5z = None  # as Dynamo names what it calls


def net_forward(_):
    return __compiled_fn_1_l5z()


class Net:
    forward = net_forward

    def torch_dynamo_resume_in_broken_at_7(self):
        return disabled(forward, models[REST])

    def broken(self):
        return self.torch_dynamo_resume_in_broken_at_7()


# What Dynamo keeps: of what it made the original, and of that all that was made.
def make_dynamo():
    frame, code = types.ModuleType("torch._dynamo.convert_frame"), types.ModuleType("torch._C._dynamo.eval_frame")
    made, rest = net_forward.__code__, Net.torch_dynamo_resume_in_broken_at_7.__code__
    original, other = trains.__code__, main.__code__

    def entry(code, *ids):
        return types.SimpleNamespace(code=code, compile_id=types.SimpleNamespace(frame_id=ids[0], frame_compile_id=ids[1]))
    frame.orig_code_map = types.SimpleNamespace(values={id(made): original, id(rest): other})
    code._debug_get_cache_entry_list = {original: [entry(other, 3, 0), entry(made, 3, 1)], other: [entry(rest, 4, 0)]}.get
    compiled = make_function(CompiledFxGraph(models[FORWARD]), functools.partial(CompiledFxGraph(models[BACKWARD])))
    globals()["__compiled_fn_1_l5z"] = disable(forward, models[FORWARD], compiled)
    sys.modules.update({module.__name__: module for module in (frame, code)})


def trains(net):
    expect(FORWARD, "net_forward", "trains", "3/1")
    compile_wrapper(call_impl, net.forward)
    expect(REST, "torch_dynamo_resume_in_broken_at_7", "trains", "4/0")
    compile_wrapper(net.broken)
    expect(BACKWARD, "trains", "trains", "3/1")
    tensor_backward(models[BACKWARD])


def trains_on_the_engines_thread():
    expect(BACKWARD, "trains", None, "3/1")
    libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
    work = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(apply)
    libc.pthread_create(ctypes.byref(thread), None, work, None)
    libc.pthread_join(thread, None)


def compiles_by_hand():
    expect(FORWARD, "trains", "compiles_by_hand", "3/1")
    record(models[FORWARD])
    expect(FORWARD, "trains", "<lambda>", "7/0")
    record(lambda: operator("Torch-Compiled Region: 7/0", composite=True, inside=models[FORWARD]))


def without_regions():
    expect()
    record(lambda: run(POINTWISE))
    record(lambda: operator("range", composite=True, inside=lambda: run(REDUCTION)))
    for name in OTHERS:
        record(generated("def call():\n    run(POINTWISE)\n", name))


def begin_cuda():
    global context, data, stream, ways, fill, POINTWISE, REDUCTION
    device, context, data, stream = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
    module, POINTWISE, REDUCTION = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(4096))
    call("cuStreamCreate", ctypes.byref(stream), 1)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(POINTWISE), module, b"triton_poi_fused_0")
    call("cuModuleGetFunction", ctypes.byref(REDUCTION), module, b"triton_red_fused_1")
    ways, fill = ways_to_launch(), (ctypes.c_ubyte(1), ctypes.c_size_t(16))


def main():
    global begin, end, models
    functions = torch_like_calls.functions_of(sys.argv[1])
    begin, end = functions.begin, functions.end
    begin_cuda()
    models = {name: generated(text, f"{name[1:3]}/{name}") for name, text in GENERATED.items()}
    make_dynamo()
    trains(Net())
    trains_on_the_engines_thread()
    compiles_by_hand()
    without_regions()
    with open(sys.argv[2], "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in truth)


main()
