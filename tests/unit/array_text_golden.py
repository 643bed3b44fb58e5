#!/usr/bin/env python3
"""Prints arrays as numpy prints them, for array_text_test.cc.

tests/unit/array_text_golden.py [RANDOM] >tests/unit/array_text_golden.txt
Needs numpy 2.4 or newer. RANDOM: how many random arrays stand behind the chosen ones (40).
Each case is a line "== dtype shape hex", then the text; "=6 …" where more than six elements are cut
and lines are not.
"""
import sys

import numpy as np

inf, nan = float("inf"), float("nan")
CHOSEN = [
    ("float32", [1, 2, 3]),
    ("float32", [0.1, 0.25, 1e-3]),
    ("float32", [1.0, -2.5, nan, inf, -inf]),
    ("float32", [nan, nan]),
    ("float32", [inf, 1]),
    ("float32", [-inf]),
    ("float32", [0.0, -0.0]),
    ("float32", [1e-5, 1]),
    ("float32", [123456.7, 0.5]),
    ("float32", [1234567.0]),
    ("float32", [999999.9]),
    ("float32", [1.17549435e-38, 3.4028235e38, 1e-45]),
    ("float32", [0.1, 1e10]),
    ("float32", [0.000123456789]),
    ("float64", [0.1, 1 / 3, 2 / 3]),
    ("float64", [99999999.0, 1e8 - 0.5]),
    ("float64", [1e8]),
    ("float64", [1e300, 1e-300, -1e5]),
    ("float64", [5e-324]),
    ("float64", [0.123456785, 0.5]),
    ("float16", [0.1, 0.3333, 65504, 6e-8]),
    ("float16", [0.1, 0.3333, 0.5, -2]),
    ("float16", [999.5, 100]),
    ("float16", [1000.0]),
    ("float16", [nan, 0.5]),
    ("int32", [1, -20, 300]),
    ("int64", [-(2**63), 2**63 - 1]),
    ("uint64", [2**64 - 1, 0]),
    ("uint8", list(range(40))),
    ("int8", [-128, 127, 0]),
    ("bool", [True, False, True]),
    ("complex64", [1 + 2j, -0.5 - 1e-3j]),
    ("complex128", [complex(nan, 1), complex(1, inf), complex(-inf, nan)]),
    ("float32", []),
]
SHAPED = [
    ("float32", (2, 3)), ("int32", (2, 2, 3)), ("float32", (3, 30)), ("int64", (1, 1)),
    ("float32", (1001,)), ("int32", (40, 40)), ("uint8", (4, 3, 120)), ("float64", (1000,)),
    ("bool", (2000,)), ("float16", (7, 200)),
]


def show(array, mark="=="):
    shape = "x".join(str(n) for n in array.shape)
    print(f"{mark} {array.dtype} {shape} {array.tobytes().hex()}")
    print(array)


def show_short(array):
    with np.printoptions(threshold=6, edgeitems=3, linewidth=10**9):
        show(array, "=6")


def random_array(random, dtype, shape):
    size = int(np.prod(shape))
    if dtype == "bool":
        return random.integers(0, 2, size).astype(bool).reshape(shape)
    if dtype.startswith(("int", "uint")):
        bits = np.dtype(dtype).itemsize * 8
        width = int(random.integers(1, bits))
        values = random.integers(0, 2**width, size, dtype=np.uint64)
        return values.astype(dtype).reshape(shape)
    kind = random.integers(0, 5)
    if kind == 0:  # any bits
        raw = random.integers(0, 256, size * np.dtype(dtype).itemsize, dtype=np.uint8)
        return np.frombuffer(raw.tobytes(), dtype).reshape(shape)
    values = random.standard_normal(size) * 10.0 ** random.integers(-3, 4)
    if kind == 1:
        values = np.round(values, int(random.integers(0, 4)))
    if kind == 2:
        values[random.integers(0, size)] = random.choice([nan, inf, -inf, 0.0])
    if dtype.startswith("complex"):
        values = values + 1j * random.standard_normal(size)
    if kind == 3:
        values = np.abs(values)
    with np.errstate(over="ignore"):
        return values.astype(dtype).reshape(shape)


def main():
    random = np.random.default_rng(4242)
    for dtype, values in CHOSEN:
        show(np.array(values, dtype))
    for dtype, shape in SHAPED:
        size = int(np.prod(shape))
        values = np.arange(size) if dtype != "bool" else np.arange(size) % 3 == 0
        show((values * 0.37 if dtype.startswith("float") else values).astype(dtype).reshape(shape))
    for dtype, values in CHOSEN:
        show_short(np.array(values, dtype))
    for size in (1, 6, 7, 100):
        show_short(np.linspace(-1e3, 1e3 / 7, size))
        show_short(np.full(size, complex(1 / 3, -1e-7)))
        show_short(np.arange(size, dtype="int16"))
    dtypes = ["float32", "float64", "float16", "int32", "uint8", "int64", "complex64", "complex128"]
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 40):
        shape = [(int(random.integers(1, 30)),), (2, 5), (3, 2, 4)][int(random.integers(0, 3))]
        show(random_array(random, str(random.choice(dtypes)), shape))


main()
