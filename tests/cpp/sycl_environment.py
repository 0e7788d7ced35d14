# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Prints what a program without Python needs to find SYCL and OpenCL drivers: VARIABLE=value lines.

Empty where no such package is installed; nothing is imported but the standard library.
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


def library_of(package: str, name: str) -> Path | None:
    """Find a library of a package by the beginning of its file's name."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return None
    found = [Path(str(file.locate())).resolve() for file in files if file.name.startswith(name)]
    return next((file for file in found if file.suffix not in (".py", ".pyc")), None)


def main() -> None:
    # Intel's CPU runtime is OpenCL's, and what dpctl runs on.
    library, runtime = dpctl_library(), library_of("intel-opencl-rt", "libintelocl.so")
    if library is not None:
        print(f"ANYSTREAM_DPCTL_LIBRARY={library}")
        print(f"LD_LIBRARY_PATH={Path(sys.prefix, 'lib')}")
    if runtime is not None:
        print(f"OCL_ICD_FILENAMES={runtime}")
        print(f"ANYSTREAM_TEST_INTEL_OPENCL={runtime}")
    pocl = library_of("pocl-binary-distribution", "libpocl")
    if pocl is not None:
        print(f"ANYSTREAM_TEST_POCL={pocl}")


main()
