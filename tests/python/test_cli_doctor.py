# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`anystream doctor` as a user runs it: one whole run, and each section of what it found."""

import contextlib
import json
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from anystream import _core
from anystream._cli.platforms import why_no_sycl
from anystream._cli.samples import SAMPLES

VALUES = (
    "None",
    "-1",
    "1",
    "in-order queue",
    "out-of-order queue",
    "capsule",
    "used capsule",
    "object()",
)


@dataclass(frozen=True)
class Visit:
    status: int
    printed: str
    found: dict[str, Any]

    def answer(self, array: str, value: str) -> dict[str, Any]:
        for answer in self.found["arguments"]["answers"]:
            if (answer["array"], answer["value"]) == (array, value):
                return dict(answer)
        raise LookupError(f"{array}, {value}")


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Visit:
    file = tmp_path_factory.mktemp("doctor") / "findings.json"
    done = subprocess.run(
        [sys.executable, "-m", "anystream", "doctor", "--json", str(file)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert file.exists(), done.stdout + done.stderr
    return Visit(done.returncode, done.stdout, json.loads(file.read_text()))


def test_elsewhere_than_in_a_terminal_there_is_no_bar(visit: Visit) -> None:
    assert "\x1b" not in visit.printed
    assert "/60" not in visit.printed


def test_nothing_that_had_to_be_right_was_wrong(visit: Visit) -> None:
    assert visit.found["wrong"] == []
    assert visit.status == 0
    assert "Every value that had to be right was right." in visit.printed


def test_it_is_readable_at_80_columns(visit: Visit) -> None:
    assert max(map(len, visit.printed.splitlines())) <= 80


def test_drivers_found_and_missing_are_told_with_their_reason(visit: Visit) -> None:
    drivers = {driver["name"]: driver for driver in visit.found["drivers"]}
    assert {"sycl", "cuda", "hip", "opencl", "metal"} <= drivers.keys()
    for driver in drivers.values():
        assert driver["available"] or driver["reason"]
        assert (driver["available"] and driver["has_backend"]) or driver["otherwise"]
        assert driver["name"] in visit.printed


def test_the_race(visit: Visit) -> None:
    race = visit.found["race"]
    today, right, ours = race["rows"]
    assert [row["name"] for row in race["rows"]] == ["as written today", "right today", "anystream"]
    assert all(row["trials"] >= 20 for row in race["rows"])
    assert today["wrong_trials"] >= 18
    assert (right["wrong_elements"], right["still_running"]) == (0, 0)
    assert (ours["wrong_elements"], ours["still_running"]) == (0, ours["trials"])
    # It is a wait for about 0.2 s of work: a slow machine makes it longer, never shorter.
    assert right["host_us_median"] >= 0.1e6
    assert ours["host_us_median"] < right["host_us_median"] / 10


def test_the_race_is_run_on_sycl_where_it_can_be_had(visit: Visit) -> None:
    why = why_no_sycl()
    assert visit.found["race"]["platform"] == ("simulated" if why else "sycl")


def test_every_value_was_put_to_every_array(visit: Visit) -> None:
    arrays = ["CPU", "simulated"] if why_no_sycl() else ["CPU", "SYCL", "simulated"]
    asked = [(answer["array"], answer["value"]) for answer in visit.found["arguments"]["answers"]]
    assert asked == list(product(arrays, VALUES))


@pytest.mark.parametrize(
    ("value", "starts"),
    [
        ("None", "accepted; there is nothing to order"),
        ("-1", "accepted; no ordering is wanted"),
        ("1", "ValueError: __dlpack__(stream=…): a kDLCPU array takes None or -1; got int 1."),
        ("in-order queue", "TypeError: __dlpack__(stream=…): a kDLCPU array takes None or -1"),
        ("capsule", "TypeError: "),
        ("used capsule", "TypeError: "),
        ("object()", "TypeError: "),
    ],
)
def test_what_a_cpu_array_takes(visit: Visit, value: str, starts: str) -> None:
    assert visit.answer("CPU", value)["text"].startswith(starts)


@pytest.mark.parametrize("array", ["SYCL", "simulated"])
@pytest.mark.parametrize(
    ("value", "starts"),
    [
        ("None", "accepted; the host waits if work is pending"),
        ("-1", "accepted; no ordering is wanted"),
        ("1", "TypeError: "),
        ("in-order queue", "accepted; it waits for the array's queue on the device"),
        ("out-of-order queue", "ValueError: "),
        ("capsule", "accepted; it waits for the array's queue on the device"),
        ("used capsule", "ValueError: "),
        ("object()", "TypeError: "),
    ],
)
def test_what_an_array_on_a_device_takes(visit: Visit, array: str, value: str, starts: str) -> None:
    if array == "SYCL" and (why := why_no_sycl()):
        pytest.skip(why)
    assert visit.answer(array, value)["text"].startswith(starts)


def test_every_pair_of_installed_libraries_was_tried(visit: Visit) -> None:
    installed = [sample.peer for sample in SAMPLES if not sample.missing()]
    matrix = visit.found["matrix"]
    assert matrix["peers"] == installed
    assert [(cell["producer"], cell["consumer"]) for cell in matrix["cells"]] == list(
        product(installed, installed)
    )


def test_a_pair_works_with_right_values_or_says_why(visit: Visit) -> None:
    for cell in visit.found["matrix"]["cells"]:
        if cell["right"] is None:
            assert cell["reason"]
            assert "\n" not in cell["reason"]
        else:
            assert cell["right"], cell
            assert cell["memory"] in ("view", "copy")
            assert cell["ordering"]
            assert cell["host_us"] > 0


def test_host_libraries_share_memory(visit: Visit) -> None:
    cells = {(cell["producer"], cell["consumer"]): cell for cell in visit.found["matrix"]["cells"]}
    for pair in product(("numpy", "torch", "tvm_ffi"), repeat=2):
        if pair in cells:
            assert cells[pair]["memory"] == "view", cells[pair]


def test_the_library_that_is_absent_says_so(visit: Visit) -> None:
    absent = {sample.peer for sample in SAMPLES if sample.missing()}
    assert visit.found["matrix"]["absent"].keys() == absent


def test_the_version_is_in_the_file(visit: Visit) -> None:
    assert visit.found["about"]["anystream"] == _core.__version__


def test_with_no_other_library_it_shows_the_simulated_device(tmp_path: Path) -> None:
    hidden = sorted({name.partition(".")[0] for one in SAMPLES for name in one.modules})
    file = tmp_path / "findings.json"
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({hidden!r}))\n"
        f"sys.argv = ['anystream', 'doctor', '--json', {str(file)!r}]\n"
        "from anystream._cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(file.read_text())
    assert found["race"]["platform"] == "simulated"
    assert found["race"]["why_here"] == "Not on SYCL: not installed: dpctl, dpnp"
    today, _, ours = found["race"]["rows"]
    assert (today["wrong_trials"], ours["wrong_elements"], ours["still_running"]) == (20, 0, 20)
    assert found["arguments"]["absent"] == {"SYCL": "not installed: dpctl, dpnp"}
    assert found["matrix"]["cells"] == []
    assert len(found["matrix"]["absent"]) == len(SAMPLES)


def run_in_terminal(*arguments: str) -> tuple[int, str]:
    """Run a command with a terminal for its output; its status and what it printed."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "anystream", *arguments]
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        printed = bytearray()
        with contextlib.suppress(OSError):  # how Linux says that the other end was closed
            while chunk := os.read(ours, 65536):
                printed += chunk
        status = process.wait(timeout=60)
    os.close(ours)
    return status, printed.decode()


def test_in_a_terminal_on_the_simulated_device_where_sycl_is_there(tmp_path: Path) -> None:
    file = tmp_path / "findings.json"
    status, printed = run_in_terminal("doctor", "--on", "simulated", "--json", str(file))
    assert status == 0, printed
    for progress in ("the race", "1/60", "60/60", "libraries"):
        assert progress in printed
    found = json.loads(file.read_text())
    assert (found["race"]["platform"], found["race"]["why_here"]) == ("simulated", "")
    assert ("SYCL" in found["arguments"]["absent"]) == bool(why_no_sycl())


def test_a_file_that_cannot_be_written_is_told_of_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "anystream", "doctor", "--json", str(tmp_path / "no" / "file")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
