"""What the results were measured on."""
import datetime
import os
import platform
import subprocess


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def versions():
    code = (
        "import importlib.metadata as m\n"
        "for n in ('torch', 'triton', 'jax'):\n"
        "    try: print(n, m.version(n))\n"
        "    except m.PackageNotFoundError: print(n, 'not installed')"
    )
    return ", ".join(output("python3", "-c", code).splitlines())


def library_path():
    """Where a program that is linked to the shared runtime finds it."""
    found = [folder for folder in ("/usr/local/cuda/lib64",) if os.path.isdir(folder)]
    return ":".join(found + [path for path in [os.environ.get("LD_LIBRARY_PATH")] if path])


def describe():
    gpu = output("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    nvcc = output("nvcc", "--version").splitlines()
    return {
        "date": datetime.date.today().isoformat(),
        "GPU, driver, memory": gpu.replace("\n", "; "),
        "CUDA compiler": nvcc[-1] if nvcc else "none",
        "system": f"{platform.freedesktop_os_release().get('PRETTY_NAME', '')}, {os.cpu_count()} processors",
        "packages": versions(),
    }
