#!/usr/bin/env python3
"""A Python program that calls operators in a capture: python_ops.py LIBTORCH_CPU TRUTH [--waiting].

The driver and the stand-in for PyTorch (tests/jobs/torch_like) are reached by ctypes. Another thread runs
Python code all the time. Each operator adds a memset. TRUTH gets a line for each of them, JSON: its name, and
the frames that Python itself sees, the innermost first: file, line, function. --waiting: two operators are called
on a thread that holds the GIL from before cuInit to the end of the capture, while the main thread waits.
"""
import asyncio
import ctypes
import json
import sys
import threading

import torch_like_calls

BYTES = 4096
WAITING = "--waiting" in sys.argv
cuda = (ctypes.PyDLL if WAITING else ctypes.CDLL)("libcuda.so.1")
call = torch_like_calls.caller_of(cuda)

# What a framework's own Python code does around an operator: no place that a user looks for.
OPERATOR = """
def operator(name, composite=False, inside=lambda: None):
    called = torch_like_calls.Call(name.encode(), composite, stream, sequence=-1)
    told, frames = begin(called), torch_like_calls.frames_here()
    truth.append((name, frames))
    inside()
    call("cuMemsetD8Async", data, ctypes.c_ubyte(1), ctypes.c_size_t(BYTES), stream)
    end(told, bytes(48))
"""
exec(compile(OPERATOR, "/usr/lib/python3/site-packages/torch/_ops.py", "exec"), globals())
operator = globals()["operator"]


def nested():
    def inner():
        operator("nested")
    inner()


def generator():
    for i in range(3):
        yield operator(f"generator{i}")


class Layer:
    def __call__(self):
        operator(
            "method",
            composite=True,
            inside=lambda: operator("lambda"))

    def __del__(self):
        operator("finalizer")


def comprehension():
    return [operator(f"comprehension{i}")
            for i in range(2)]


def sorts():
    return sorted([2, 1], key=lambda number: operator("sort key") or number)


def recursion(depth):
    if depth > 0:
        return recursion(depth - 1)
    return operator("recursion")


async def coroutine():
    await asyncio.sleep(0)
    operator("coroutine")


# Code that is gone after its call, so that other code comes to the same address.
def freed():
    for lines in range(40):
        source = "\n" * lines + "def function():\n    operator('freed')\nfunction()\n"
        exec(compile(source, "<freed>", "exec"), {"operator": operator})


def far_lines():
    source = "if True:\n" + "\n" * 70000 + "  operator('far line')\n" + "\n" * 400 + "for x in (operator('far'),): x\n"
    exec(compile(source, "/naïve/ファイル.py", "exec"), {"operator": operator})


def other_letters():
    def größe():
        operator("latin")

    def 大きさ():
        operator("wide")
    größe(), 大きさ()


def on_a_thread():
    def runs():
        call("cuCtxSetCurrent", context)
        operator("thread")
    thread = threading.Thread(target=runs)
    thread.start()
    thread.join()


def step():
    operator("plain")
    nested()
    list(generator())
    Layer()()
    comprehension(), sorts()
    recursion(20), recursion(300)
    asyncio.run(coroutine())
    freed()
    far_lines()
    other_letters()
    on_a_thread()
    try:
        raise ValueError
    except ValueError:
        operator("handler")
    finally:
        operator("finally")


def busy(stop):
    while not stop.is_set():
        sum(range(100))


def begin_cuda():
    global context
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)


def capture():
    global data, stream, truth, begin, end
    functions = torch_like_calls.functions_of(sys.argv[1], ctypes.PYFUNCTYPE if WAITING else ctypes.CFUNCTYPE)
    begin, end = functions.begin, functions.end
    data, stream, graph, executable = ctypes.c_uint64(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    truth = []
    begin_cuda()
    call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(BYTES))
    call("cuStreamCreate", ctypes.byref(stream), 1)
    call("cuStreamBeginCapture_v2", stream, 2)
    nested() if WAITING else step()
    operator("last")
    call("cuStreamEndCapture", stream, ctypes.byref(graph))
    call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))


def main():
    stop = threading.Event()
    if WAITING:
        sys.setswitchinterval(1000)
        thread = threading.Thread(target=capture)
        thread.start()
        thread.join()
    else:
        threading.Thread(target=busy, args=(stop,)).start()
        capture()
        stop.set()
    with open(sys.argv[2], "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in truth)


main()
