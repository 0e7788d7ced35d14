# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Prints what a program without Python needs to find an installed SYCL: VARIABLE=value lines.

Empty where dpctl is not installed; nothing is imported but the standard library.
"""

import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path


def dpctl_library() -> Path | None:
    spec = find_spec("dpctl")
    folders = spec.submodule_search_locations if spec else None
    name = "libDPCTLSyclInterface.so*"
    return min((file for folder in folders or () for file in Path(folder).glob(name)), default=None)


def cpu_runtime() -> Path | None:
    """Find the OpenCL CPU runtime of the package intel-opencl-rt, which dpctl runs on."""
    try:
        files = metadata.files("intel-opencl-rt") or []
    except metadata.PackageNotFoundError:
        return None
    found = [Path(str(file.locate())).resolve() for file in files if file.name == "libintelocl.so"]
    return found[0] if found else None


def main() -> None:
    library, runtime = dpctl_library(), cpu_runtime()
    if library is None:
        return
    print(f"ANYSTREAM_DPCTL_LIBRARY={library}")
    print(f"LD_LIBRARY_PATH={Path(sys.prefix, 'lib')}")
    if runtime is not None:
        print(f"OCL_ICD_FILENAMES={runtime}")


main()
