#!/usr/bin/env python3
"""Compiles a CUDA source for many GPUs and writes all images as one C++ source.

NVRTC does it, so that neither nvcc nor a GPU is needed. The images are machine code for the named
architectures and PTX for the least one, whose version is checked: a newer PTX would need newer
drivers. The same inputs give the same bytes wherever they lie.
"""
import argparse
import ctypes
import pathlib
import re
import sys

# What the images are made with. PTX of a later release needs later drivers than 525.
NVRTC_VERSION = (12, 0)
PTX_VERSION = "8.0"

TEMPLATE = """// Made by scripts/cmake/embed_kernels.py of {source}.
#include "interpose/probe/kernels/images.h"

#include <array>
#include <cstdint>

namespace graphtap::probe {{
namespace {{

{arrays}
}}  // namespace

std::span<const Image> {function}() {{
  static const std::array kImages{{{entries}}};
  return kImages;
}}

}}  // namespace graphtap::probe
"""


class Compiler:
    def __init__(self, library, source, options):
        self.nvrtc = ctypes.CDLL(library)
        self.source = source
        self.options = options
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check(self.nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        if (major.value, minor.value) != NVRTC_VERSION:
            wanted = ".".join(map(str, NVRTC_VERSION))
            sys.exit(f"embed_kernels: {library}: release {major.value}.{minor.value}, needed is {wanted}; "
                     "scripts/setup fetches it")

    def check(self, result):
        if result:
            self.nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
            sys.exit(f"embed_kernels: NVRTC: {self.nvrtc.nvrtcGetErrorString(result).decode()}")

    def read(self, program, what):
        """The bytes of "PTX", "CUBIN" or "ProgramLog", as nvrtcGet<what> gives them."""
        size = ctypes.c_size_t()
        self.check(getattr(self.nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self.check(getattr(self.nvrtc, f"nvrtcGet{what}")(program, buffer))
        return buffer.raw

    def compile(self, architecture):
        program = ctypes.c_void_p()
        # The name alone: a path would get into the images.
        name = self.source.name.encode()
        self.check(self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), self.source.read_bytes(), name, 0, None, None))
        options = [option.encode() for option in (*self.options, f"--gpu-architecture={architecture}")]
        result = self.nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        log = self.read(program, "ProgramLog").rstrip(b"\0").decode().strip()
        if log:
            print(log, file=sys.stderr)
        if result or log:
            sys.exit(f"embed_kernels: {self.source}: {architecture}: {'failed' if result else 'warnings are errors'}")
        return self.read(program, "PTX" if architecture.startswith("compute") else "CUBIN")


def check_ptx(ptx, capability):
    for directive, expected in ((rb"\.version (\S+)", PTX_VERSION), (rb"\.target (\S+)", f"sm_{capability}")):
        found = re.search(directive, ptx).group(1).decode()
        if found != expected:
            sys.exit(f"embed_kernels: the PTX has {found} where {expected} is due")


def array(name, data):
    padded = data + bytes(-len(data) % 8)
    words = [f"0x{int.from_bytes(padded[at:at + 8], 'little'):x}" for at in range(0, len(padded), 8)]
    lines = [",".join(words[at:at + 8]) for at in range(0, len(words), 8)]
    return f"alignas(64) const std::uint64_t {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvrtc", required=True, help="libnvrtc.so.12")
    parser.add_argument("--include", required=True, help="the root that #include begins at")
    parser.add_argument("--capabilities", required=True, help="for which GPUs, ascending: 70,75")
    parser.add_argument("--function", required=True, help="the C++ function that gives the images")
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    arguments = parser.parse_args()
    compiler = Compiler(arguments.nvrtc, arguments.source, ["--std=c++17", f"--include-path={arguments.include}"])
    capabilities = [int(word) for word in arguments.capabilities.split(",")]
    images = [(f"kSm{capability}", capability, compiler.compile(f"sm_{capability}")) for capability in capabilities]
    ptx = compiler.compile(f"compute_{capabilities[0]}")
    check_ptx(ptx, capabilities[0])
    images.append(("kPtx", 0, ptx))
    entries = ", ".join(
        f"Image{{{capability}, std::as_bytes(std::span({name})).first({len(data)})}}"
        for name, capability, data in images)
    arguments.output.write_text(TEMPLATE.format(
        source=arguments.source.name, function=arguments.function, entries=entries,
        arrays="\n".join(array(name, data) for name, _, data in images)))


main()
