# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The example package of Vulkan, built against the anystream that is tested, and its scripts."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from process_rig import child, joined

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "vulkan"

PRELUDE = """
import anystream
import anystream_vulkan as av
from anystream_vulkan import Array, Device, Queue, from_dlpack, locked

COUNT = 1 << 14
SLOW = 60_000  # rounds: hundreds of milliseconds on a processor

def settle():
    # Both devices' threads have had the time to run what they can run.
    import time
    time.sleep(0.2)

def read(x, queue):
    # Read x on the queue, whatever is pending elsewhere: nothing is ordered here.
    seen = Array(queue, [-1.0] * len(x.peek()))
    view = Array.__new__(Array)
    view.shape = x.shape
    view._set(queue, 0, x._handle, x._offset, x)
    view.add(0.0, to=seen)
    return seen
"""


def _builder() -> str:
    """Find a Python that has what the package's build takes: the tests' own may have not."""
    folders = os.get_exec_path()
    pythons = [sys.executable, *filter(None, (shutil.which("python", path=f) for f in folders))]
    for python in dict.fromkeys(pythons):
        done = subprocess.run(
            [python, "-c", "import nanobind, scikit_build_core"], capture_output=True, check=False
        )
        if done.returncode == 0:
            return python
    pytest.skip("no Python here has nanobind and scikit-build-core, by which it is built")


def _includes() -> str:
    """Name the folders of the headers: the installed package's, or the tree's and tvm_ffi's."""
    spec, ffi = find_spec("anystream"), find_spec("tvm_ffi")
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parent / "include"
    if installed.is_dir():
        return str(installed)
    if ffi is None or ffi.origin is None:
        pytest.skip("anystream is used in place, and there is no dlpack.h of tvm_ffi")
    return f"{ROOT / 'include'};{Path(ffi.origin).parent / 'include'}"


def _why_no_vulkan() -> str:
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return "there is no C++ compiler"
    done = subprocess.run(
        [compiler, "-x", "c++", "-E", "-"],
        input="#include <vulkan/vulkan.h>",
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else "there is no vulkan/vulkan.h (Debian: libvulkan-dev)"


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@functools.cache
def package() -> str:
    """Build the package once; the folder that it was installed in."""
    if why := _why_no_vulkan():
        pytest.skip(why)
    builder, includes = _builder(), _includes()
    folder = tempfile.mkdtemp(prefix="anystream-vulkan-")
    source = Path(folder) / "source"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    quiet = ("--no-deps", "--no-index", "--disable-pip-version-check", "-q")
    wheel = (builder, "-m", "pip", "wheel", "--no-build-isolation", *quiet, "-w", folder)
    _run(*wheel, "-C", f"cmake.define.ANYSTREAM_INCLUDE_DIRS={includes}", str(source))
    [made] = Path(folder).glob("*.whl")
    target = Path(folder) / "installed"
    _run(sys.executable, "-m", "pip", "install", *quiet, "--target", str(target), str(made))
    return str(target)


def why_no_device() -> str:
    """Say why no device can be opened; "" where one can."""
    script = "import anystream_vulkan as av\ntry:\n    av.Device()\nexcept Exception as e:\n"
    return vulkan_child(script + "    print(e)\n", prelude="").strip()


def vulkan_child(*parts: str, prelude: str = PRELUDE) -> str:
    """Run a script that finds the package; what it wrote, if it ended well."""
    path = f"import sys\nsys.path.insert(0, {package()!r})\n"
    return child(path, prelude, joined(*parts), timeout=110)


@functools.cache
def need_vulkan() -> None:
    """Skip where the package cannot be built or finds no device."""
    if why := why_no_device():
        pytest.skip(f"Vulkan finds no device to run on: {why}")
