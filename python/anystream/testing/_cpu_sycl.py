# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the CPU runtime of PyPI's intel-opencl-rt visible to the SYCL runtime."""

import os
import sys
from importlib import metadata
from pathlib import Path

_DISTRIBUTION = "intel-opencl-rt"
_LIBRARY = "libintelocl.so"
# Of the Khronos loader: libraries to load besides those of the system's vendor folder. It keeps the
# meaning of OCL_ICD_VENDORS (that folder's place), which is why that one is left alone.
_VARIABLE = "OCL_ICD_FILENAMES"


def use_cpu_sycl() -> Path:
    """Let SYCL run on this machine's CPU; call it before anything loads the SYCL runtime.

    It finds the runtime that the package ``intel-opencl-rt`` installed, adds it to the environment
    variable ``OCL_ICD_FILENAMES`` of this process (after what is already there, which is kept), and
    returns its path. Calling it again changes nothing.

    A variable that already names a ``libintelocl.so`` is left as it is, and that path is returned.

    Raises:
        LookupError: ``intel-opencl-rt`` is not installed, or its library is not where it is said
            to be.
        RuntimeError: the SYCL runtime is loaded, and did not find the variable set.
    """
    named = _named_already()
    if named is not None:
        return named
    library = _installed_library()
    if _sycl_is_loaded():
        raise RuntimeError(
            f"use_cpu_sycl(): the SYCL runtime is already loaded, and {_VARIABLE} did not name "
            f"{library}.\n  Call anystream.testing.use_cpu_sycl() before importing dpctl or dpnp, "
            f"or start Python with {_VARIABLE}={library}."
        )
    before = _entries()
    os.environ[_VARIABLE] = os.pathsep.join([*before, str(library)])
    return library


def _entries() -> list[str]:
    return [entry for entry in os.environ.get(_VARIABLE, "").split(os.pathsep) if entry]


def _named_already() -> Path | None:
    named = next((Path(entry) for entry in _entries() if Path(entry).name == _LIBRARY), None)
    # A bare name is the dynamic loader's to find.
    if named is not None and named.is_absolute() and not named.is_file():
        raise LookupError(
            f"use_cpu_sycl(): {_VARIABLE} names {named}, which is not there.\n"
            f"  Unset {_VARIABLE}, or have it name the {_LIBRARY} that is installed."
        )
    return named


def _installed_library() -> Path:
    try:
        files = metadata.files(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise LookupError(
            f"use_cpu_sycl(): the package {_DISTRIBUTION} is not installed in {sys.prefix}.\n"
            f"  Install it: pip install {_DISTRIBUTION}"
        ) from None
    for file in files or ():
        if file.name == _LIBRARY:
            return _existing(Path(os.fspath(file.locate())))
    raise LookupError(
        f"use_cpu_sycl(): the package {_DISTRIBUTION} lists no {_LIBRARY}.\n"
        f"  Install it anew: pip install --force-reinstall {_DISTRIBUTION}"
    )


def _existing(library: Path) -> Path:
    # The metadata says "../../libintelocl.so"; the runtime looks for its other files beside it.
    path = Path(os.path.normpath(library))
    if path.is_file():
        return path
    raise LookupError(
        f"use_cpu_sycl(): {path}, which the package {_DISTRIBUTION} lists, is not there.\n"
        f"  Install it anew: pip install --force-reinstall {_DISTRIBUTION}"
    )


def _sycl_is_loaded() -> bool:
    if "dpctl" in sys.modules:
        return True
    maps = Path("/proc/self/maps")
    return maps.exists() and "/libsycl.so" in maps.read_text()
