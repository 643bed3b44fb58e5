#!/usr/bin/env python3
"""Prints the line tables of some code objects of this CPython, and its own answer for each instruction.

A line for each: minor version, first line, table in hexadecimal digits, then for the instructions at bytes 0, 2,
4, …: how many in a row are of which line (-1: of none), as COUNTxLINE. tests/unit/line_tables.txt was made so, by
3.9 to 3.15 one after the other.
"""
import ctypes
import itertools
import sys

LINE_OF = ctypes.pythonapi.PyCode_Addr2Line
LINE_OF.argtypes = [ctypes.py_object, ctypes.c_int]

FAR = "\n" * 300
SOURCE = f'''
def several(a,
            b):
    x = [i * a
         for i in range(b)
         if i]
    try:
        y = (a +
             b.c(
                 x)
             )
    except (ValueError,
            TypeError) as e:
        raise
    finally:
        del x
    with a as c, \\
            b:
        return y

def far(a):
    b = a
{FAR * 3}
    b = b + (
{FAR}
        a)
    while b:
        b = {"b + " * 200}b
        b -= (1, a
              )[
            0]
    return b; a; b


class Local:
    @staticmethod
    async def waits(a):
        async for i in a:
            yield i
        await a
'''


def codes_in(code):
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from codes_in(constant)


def main():
    for code in codes_in(compile(SOURCE, "<source>", "exec")):
        table = code.co_lnotab if sys.version_info < (3, 10) else code.co_linetable
        lines = [LINE_OF(code, at) for at in range(0, len(code.co_code), 2)]
        runs = [f"{len(list(run))}x{line}" for line, run in itertools.groupby(lines)]
        print(sys.version_info.minor, code.co_firstlineno, table.hex() or "-", *runs)


main()
