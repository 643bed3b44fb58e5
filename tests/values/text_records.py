"""Reads what `graphtap dump` prints: records as text protobuf, one message after another."""
import re

LINE = re.compile(
    r'\s*(?:(?P<close>})|(?P<open>\w+) \{|(?P<name>\w+): (?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<word>[^\s"#]+)))\s*(?:#.*)?$')
ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.S)
LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def unescape(text):
    def replace(match):
        code = match[1]
        if code[:1] == b"x" and len(code) > 1:
            return bytes([int(code[1:], 16)])
        if code[:1] in b"01234567":
            return bytes([int(code, 8)])
        return LETTERS.get(code, code)

    return ESCAPE.sub(replace, text.encode())


def value_of(word):
    if word in ("true", "false"):
        return word == "true"
    try:
        return int(word, 0)
    except ValueError:
        pass
    try:
        return float(word)
    except ValueError:
        return word  # the name of a constant


class Message(dict):
    """Fields by name, each a list of values; [0] of what a message has once is `one()`."""

    def one(self, name, default=None):
        return self[name][0] if name in self else default

    def add(self, name, value):
        self.setdefault(name, []).append(value)


def records(lines):
    """Yields (file, message) for each entry of the dump."""
    file, stack = None, []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = LINE.match(line)
        if match is None:
            raise ValueError(f"line {number} of the dump: {line.rstrip()[:200]}")
        if match["open"]:
            inner = Message()
            if stack:
                stack[-1].add(match["open"], inner)
            stack.append(inner)
        elif match["close"]:
            closed = stack.pop()
            if not stack:
                yield file, closed
        else:
            value = unescape(match["text"]) if match["text"] is not None else value_of(match["word"])
            if stack:
                stack[-1].add(match["name"], value)
            elif match["name"] == "file":
                file = value.decode()
    if stack:
        raise ValueError("the dump ends inside a message")
