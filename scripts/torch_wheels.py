"""Wheels of PyTorch on PyPI, read member by member: a wheel has up to 0.9 GB, its headers 10 MB.

What is unpacked stays in a cache folder, as in site-packages: <cache>/torch-2.11.0/torch/include/….
"""
import fcntl
import io
import json
import os
import pathlib
import platform
import re
import shutil
import sys
import time
import urllib.parse
import urllib.request
import zipfile

PYTHONS = ("cp312", "cp311", "cp313", "py3")  # any of them has the same libraries
READ_AHEAD = 4 << 20  # bytes of one request
ATTEMPTS, PATIENCE = 4, 60  # of a request; seconds each
COPIED = 1 << 20  # bytes at a time


def default_cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "graphtap/wheels"


def get(url, headers):
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=PATIENCE) as answer:
                return answer.read()
        except OSError:
            if attempt == ATTEMPTS:
                raise
            time.sleep(attempt)


class RemoteFile(io.RawIOBase):
    """A file on a server that gives parts of it, for reading at any place."""

    def __init__(self, url, size):
        super().__init__()
        self.url, self.size, self.at = url, size, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=io.SEEK_SET):
        self.at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.size}[whence]
        return self.at

    def readinto(self, buffer):
        count = min(len(buffer), self.size - self.at)
        if count <= 0:
            return 0
        read = get(self.url, {"Range": f"bytes={self.at}-{self.at + count - 1}"})
        if len(read) != count:
            raise OSError(f"{self.url}: {len(read)} bytes instead of {count}: the server gives no parts")
        buffer[:count] = read
        self.at += count
        return count


def index_of(package):
    """What the index has of a package: a dictionary with the name, place and size of each file."""
    url = urllib.parse.urlunsplit(("https", "pypi.org", f"/simple/{package}/", "", ""))
    return json.loads(get(url, {"Accept": "application/vnd.pypi.simple.v1+json"}))["files"]


def wheels_of(package):
    """{version: file} of the final releases for this machine."""
    found = {}
    for file in index_of(package):
        parts = file["filename"].removesuffix(".whl").split("-")
        if len(parts) < 5:  # no wheel
            continue
        python, platforms = parts[-3], parts[-1]
        usable = "manylinux" in platforms and platforms.endswith(platform.machine())
        if python not in PYTHONS or not usable or not re.fullmatch(r"[0-9.]+", parts[1]):
            continue
        if parts[-2] not in (python, "none") or file.get("yanked"):
            continue
        known = found.get(parts[1])
        if known is None or PYTHONS.index(python) < PYTHONS.index(known["filename"].split("-")[-3]):
            found[parts[1]] = file
    return found


def newest(versions):
    return max(versions, key=lambda version: [int(number) for number in version.split(".")])


def open_wheel(file):
    return zipfile.ZipFile(io.BufferedReader(RemoteFile(file["url"], file["size"]), READ_AHEAD))


def unpack(package, version, folder, part, pattern, wheels=None):
    """Puts the members that match into the folder, once: `part` names them in the stamp."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / f".{part}"
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists():
            return
        file = (wheels or wheels_of(package)).get(version)
        if file is None:
            raise OSError(f"{package} {version}: the index has no wheel for this machine")
        print(f"unpacking {part} of {file['filename']}", file=sys.stderr)
        with open_wheel(file) as wheel:
            for member in wheel.infolist():
                if not member.is_dir() and re.fullmatch(pattern, member.filename):
                    target = folder / member.filename
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with wheel.open(member) as source, open(target, "wb") as copy:
                        shutil.copyfileobj(source, copy, COPIED)
        stamp.touch()


def unpack_headers(version, cache, wheels=None):
    """The folder of torch with what an adapter is built from: headers, version, two small libraries."""
    folder = cache / f"torch-{version}"
    pattern = r"torch/(include/.*|version\.py|lib/libc10(_cuda)?\.so)|torch-[^/]*\.dist-info/METADATA"
    unpack("torch", version, folder, "headers", pattern, wheels)
    return folder / "torch"


def unpack_cuda_headers(version, cache):
    """The headers of CUDA that pip installs with this torch, beside it."""
    folder = cache / f"torch-{version}"
    metadata = next(folder.glob("torch-*.dist-info/METADATA")).read_text()
    runtime = re.search(r"^Requires-Dist: (nvidia-cuda-runtime[\w-]*) *\(?==([0-9.]+)", metadata, re.M)
    if runtime:
        return unpack(runtime[1], runtime[2], folder, "cuda", r"nvidia/.*/include/.*")
    toolkit = re.search(r"^Requires-Dist: cuda-toolkit.*==([0-9]+\.[0-9]+)\.", metadata, re.M)
    if not toolkit:
        raise OSError(f"{folder}: its METADATA names no CUDA runtime")
    wheels = wheels_of("nvidia-cuda-runtime")
    release = newest(number for number in wheels if number.startswith(toolkit[1] + "."))
    return unpack("nvidia-cuda-runtime", release, folder, "cuda", r"nvidia/.*/include/.*", wheels)
