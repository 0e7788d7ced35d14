# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What has been run, and on what: the support table of README.md, made of the tests that show it.

    python tools/support.py     # prints the table

A cell says the most that a test has shown: on hardware, on a real runtime in software (SYCL,
OpenCL, and Vulkan by the example, on the CPU), or on a double (a driver of ours in software, or a
stand-in for the library).
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- support table: begin -->", "<!-- support table: end -->"


class Shown(NamedTuple):
    """A test that shows a library, or anystream by itself, on a column's devices."""

    who: str
    column: str
    how: str
    test: str  # "FILE", or "FILE::function"


HARDWARE, RUNTIME, REAL_ON_DOUBLE, DOUBLE, NEVER = (
    "hardware",
    "real runtime",
    "double, the library itself",
    "double",
    "never",
)
COLUMNS = {
    "CPU": (1,),
    "CUDA": (2, 3, 13),
    "ROCm": (10, 11),
    "SYCL": (14,),
    "OpenCL": (4,),
    "Metal": (8,),
    "simulated": (12,),
    "others, registered": (7, 9, 15, 16, 17, 18, 19, 20, 21),
}
_PYTHON, _CPP = "tests/python/", "tests/cpp/"
_MATRIX = f"{_PYTHON}test_peers_matrix.py::test_every_pair"
_STAND_INS = f"{_PYTHON}test_cuda_peers_stand_ins.py"
_OWN = "anystream's own arrays"

SHOWN = (
    Shown(_OWN, "CPU", HARDWARE, f"{_PYTHON}test_array_protocols.py"),
    Shown(_OWN, "CUDA", DOUBLE, f"{_CPP}conformance_cuda_test.cpp"),
    Shown(_OWN, "ROCm", DOUBLE, f"{_CPP}conformance_hip_test.cpp"),
    Shown(_OWN, "SYCL", RUNTIME, f"{_CPP}sycl_conformance_test.cpp"),
    Shown(_OWN, "OpenCL", RUNTIME, f"{_CPP}opencl_conformance_test.cpp"),
    Shown(_OWN, "Metal", DOUBLE, f"{_CPP}conformance_metal_test.cpp"),
    Shown(_OWN, "simulated", DOUBLE, f"{_CPP}conformance_simulated_test.cpp"),
    Shown(_OWN, "others, registered", RUNTIME, f"{_PYTHON}test_vulkan_example.py"),
    *(
        Shown(who, "CPU", HARDWARE, _MATRIX)
        for who in ("numpy", "torch", "jax", "tvm_ffi", "mlx", "cuda.core")
    ),
    Shown(
        "paddle",
        "CPU",
        DOUBLE,
        f"{_STAND_INS}::test_paddle_on_the_host_and_on_another_makers_chip",
    ),
    Shown("dpnp", "SYCL", RUNTIME, f"{_PYTHON}test_peers_sycl.py"),
    Shown("dpctl", "SYCL", RUNTIME, f"{_PYTHON}test_peers_sycl.py"),
    Shown("pyopencl", "OpenCL", RUNTIME, f"{_PYTHON}test_opencl_order.py::test_two_queues"),
    Shown("cuda.core", "CUDA", REAL_ON_DOUBLE, f"{_PYTHON}test_cuda_gates.py"),
    Shown("numba", "CUDA", REAL_ON_DOUBLE, f"{_PYTHON}test_cuda_peers_real.py"),
    *(
        Shown(who, "CUDA", DOUBLE, f"{_STAND_INS}::test_its_current_stream_is_waited_for_by_hand")
        for who in ("torch", "cupy", "warp", "paddle")
    ),
    *(
        Shown(who, "ROCm", DOUBLE, f"{_STAND_INS}::test_its_current_stream_is_waited_for_by_hand")
        for who in ("torch", "cupy")
    ),
    Shown(
        "jax",
        "CUDA",
        DOUBLE,
        f"{_STAND_INS}::test_jax_waits_on_a_stream_that_only_its_import_names",
    ),
    *(Shown(who, "CUDA", DOUBLE, _STAND_INS) for who in ("rmm", "pylibraft", "pycuda")),
    Shown("torch", "SYCL", DOUBLE, f"{_PYTHON}test_peers_xpu.py"),
    Shown("torch", "Metal", DOUBLE, f"{_PYTHON}test_peers_metal.py"),
    Shown("mlx", "Metal", DOUBLE, f"{_PYTHON}test_peers_metal.py"),
    Shown(
        "tvm_ffi", "simulated", DOUBLE, f"{_PYTHON}test_handoff_simulated.py::test_to_every_library"
    ),
)


def claimed(name: str) -> set[str]:
    """Name the columns that a row of the peers table speaks of."""
    from anystream._peers import PEERS  # noqa: PLC0415 - the package is built after the tools

    peer = next((row for row in PEERS if row.name == name), None)
    if peer is None:
        return set()
    kinds = {row.device_type for row in peer.current}
    if peer.consumer is not None:
        kinds |= {kind for kind, _ in peer.consumer.takes if kind}
    return {column for column, types in COLUMNS.items() if kinds & set(types)}


def cell(name: str, column: str) -> str:
    """Say the most that has been shown; "never" where there is a row and no test."""
    order = (HARDWARE, RUNTIME, REAL_ON_DOUBLE, DOUBLE)
    found = {row.how for row in SHOWN if (row.who, row.column) == (name, column)}
    if found:
        return min(found, key=order.index)
    return NEVER if column in claimed(name) else ""


def names() -> list[str]:
    """List who is in the table: anystream, then the libraries in the order of the peers table."""
    from anystream._peers import PEERS  # noqa: PLC0415

    return [_OWN, *(peer.name for peer in PEERS)]


def table() -> str:
    """Write the table, without its last line end."""
    head = f"| | {' | '.join(COLUMNS)} |"
    rule = "| --- |" + " --- |" * len(COLUMNS)
    rows = (
        f"| {name} | {' | '.join(cell(name, column) for column in COLUMNS)} |" for name in names()
    )
    return "\n".join((head, rule, *rows))


def written() -> str:
    """Give the table that README.md has."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(f"{BEGIN}\n(.*?)\n{END}", text, re.DOTALL)
    return found.group(1) if found else ""


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "python"))
    print(table())
