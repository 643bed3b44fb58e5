#!/usr/bin/env python3
"""Writes files of arrays without numpy.

arrays.py FILE.npy TYPE SHAPE VALUE…
arrays.py FILE.safetensors NAME TYPE SHAPE VALUE,VALUE,… [NAME …]
TYPE: float32, int32, bool, complex64 (pairs of values). SHAPE: 2x3; "scalar" for none.
"""
import json
import struct
import sys

NPY = {"float32": "<f4", "int32": "<i4", "bool": "|b1", "complex64": "<c8"}
SAFETENSORS = {"float32": "F32", "int32": "I32", "bool": "BOOL", "complex64": "C64"}
FORMATS = {"float32": "f", "int32": "i", "bool": "?", "complex64": "f"}


def data(kind, values):
    convert = float if FORMATS[kind] == "f" else int
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *(convert(value) for value in values))


def axes(shape):
    return [] if shape == "scalar" else [int(axis) for axis in shape.split("x")]


def npy(kind, shape, *values):
    text = ", ".join(str(axis) for axis in axes(shape)) + ("," if len(axes(shape)) == 1 else "")
    header = f"{{'descr': '{NPY[kind]}', 'fortran_order': False, 'shape': ({text}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data(kind, values)


def safetensors(*words):
    header, body = {}, b""
    for name, kind, shape, values in zip(*[iter(words)] * 4):
        added = data(kind, values.split(","))
        header[name] = {"dtype": SAFETENSORS[kind], "shape": axes(shape),
                        "data_offsets": [len(body), len(body) + len(added)]}
        body += added
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


path = sys.argv[1]
with open(path, "wb") as file:
    file.write((npy if path.endswith(".npy") else safetensors)(*sys.argv[2:]))
