# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The GPU tests run on the software driver, with the libraries that run there; no figure is one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_rig import require
from process_rig import python
from software_driver import folder_of

FOLDER = Path(__file__).resolve().parent.parent / "device"
ON_SOFTWARE = ("numba", "cuda.core")

# What must have passed, for each pair of these libraries; a skip is no pass.
BY_PAIR = (
    "test_pairs.py::test_a_reader_is_never_early_and_the_host_goes_on",
    "test_pairs.py::test_without_order_the_same_reader_is_early",
    "test_memory.py::test_a_write_comes_after_the_slow_reader",
    "test_memory.py::test_without_a_way_back_the_write_is_early",
    "test_memory.py::test_memory_that_goes_is_not_given_out_too_soon",
    "test_memory.py::test_a_write_comes_after_the_block_of_a_loan",
    "test_capture.py::test_another_stream_becomes_part_of_the_capture",
    "test_capture.py::test_what_would_break_a_capture_is_refused",
    "test_threads.py::test_a_pair_in_many_threads",
    "test_cost.py::test_a_hand_off_is_timed",
)
BY_PRODUCER = (
    "test_pairs.py::test_the_host_reads_after_slow_work",
    "test_capture.py::test_one_stream_of_a_capture_has_nothing_to_order",
    "test_capture.py::test_the_host_cannot_read_what_is_captured",
)


def device_tests(*folders: str) -> subprocess.CompletedProcess[str]:
    paths = [*folders, os.environ.get("LD_LIBRARY_PATH", "")]
    path = os.pathsep.join(filter(None, paths))
    return python("-m", "pytest", "-v", "-rs", "--color=no", str(FOLDER), LD_LIBRARY_PATH=path)


@pytest.fixture(scope="module")
def told() -> str:
    """Run them once on the software driver; give what pytest wrote."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the software drivers are built on Linux only")
    require("numpy", "numba_cuda", "cuda.core")
    done = device_tests(str(folder_of("cuda")))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def expected() -> set[str]:
    pairs = [f"{one}-{other}" for one in ON_SOFTWARE for other in ON_SOFTWARE]
    by_pair = {f"{name}[{pair}]" for name in BY_PAIR for pair in pairs}
    by_producer = {f"{name}[{one}]" for name in BY_PRODUCER for one in ON_SOFTWARE}
    return by_pair | by_producer | {"test_threads.py::test_all_pairs_at_once"}


def test_what_runs_there_has_passed(told: str) -> None:
    passed = set(re.findall(r"tests/device/(\S+) PASSED", told))
    assert expected() - passed == set()
    assert " FAILED" not in told


def test_each_skip_has_its_reason(told: str) -> None:
    """A library with a CUDA runtime of its own is not installed, or takes the driver of a GPU."""
    reasons = re.findall(r"(?m)^SKIPPED \[\d+\] \S+ (.+)$", told)
    assert reasons
    for reason in reasons:
        assert re.search("takes the driver of a GPU|not found|NotFoundError", reason), reason


def test_at_the_end_it_says_what_ran_on_what(told: str) -> None:
    end = told[told.index("CUDA libraries") :]
    assert "on the software CUDA driver, which is no GPU" in end
    for name in ON_SOFTWARE:
        assert re.search(rf"(?m)^{name}: [\d.]+, in \d\d+ tests that passed$", end), end
        assert re.search(rf"(?m)^{name} to {name}: host .* us, device .* us, on no GPU$", end), end
    assert re.search(r"(?m)^torch: did not run: ", end), end


def test_without_a_driver_each_skip_prints_the_loaders_reason() -> None:
    from anystream import _core

    (cuda,) = (row for row in _core.drivers() if row["name"] == "cuda")
    if cuda["available"]:
        pytest.skip(f"{cuda['library']} is there")
    done = device_tests()
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" not in done.stdout.splitlines()[-1]
    assert cuda["reason"] in done.stdout
    reasons = re.findall(r"(?m)^SKIPPED \[\d+\] \S+ (.+)$", done.stdout)
    assert {reason.startswith("no CUDA driver: ") for reason in reasons} == {True}
