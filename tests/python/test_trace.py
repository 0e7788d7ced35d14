# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The trace of hand-offs: JSON in the Trace Event Format, with a flow through each hand-off."""

import gc
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice
from process_rig import python

Event = dict[str, Any]


def events_of(path: Path) -> list[Event]:
    found: list[Event] = json.loads(path.read_text(encoding="utf-8"))
    return found


def of_phase(events: list[Event], phase: str) -> list[Event]:
    return [event for event in events if event["ph"] == phase]


def place(event: Event) -> tuple[int, int]:
    return event["pid"], event["tid"]


def named(events: list[Event], kind: str) -> dict[Any, str]:
    key = (lambda event: event["pid"]) if kind == "process_name" else place
    return {
        key(event): event["args"]["name"]
        for event in of_phase(events, "M")
        if event["name"] == kind
    }


def test_arrows_go_from_producer_to_consumer_to_release(tmp_path: Path) -> None:
    path, device = tmp_path / "t.json", SimulatedDevice()
    with anystream.trace(path):
        x = device.full(4, 1.0)
        array = anystream.from_dlpack(x, stream=device.stream())
        plan = array.plan
        del array, x
        anystream.synchronize()  # the memory goes when the device is done
    events = events_of(path)
    start, step, end = (of_phase(events, phase) for phase in "stf")
    assert len(start) == len(step) == len(end) == 1
    assert {flow["id"] for flow in (*start, *step, *end)} == {start[0]["id"]}
    assert place(start[0]) == place(end[0]) != place(step[0])
    assert start[0]["ts"] < step[0]["ts"] < end[0]["ts"]
    assert end[0]["bp"] == "e"
    processes, threads = named(events, "process_name"), named(events, "thread_name")
    assert processes[start[0]["pid"]] == processes[step[0]["pid"]] == str(device.device)
    assert start[0]["pid"] == step[0]["pid"]
    assert threads[place(start[0])] != threads[place(step[0])]
    slices = of_phase(events, "X")
    for flow in (*start, *step, *end):  # each is bound to a slice that is there
        assert any(
            place(one) == place(flow) and one["ts"] <= flow["ts"] <= one["ts"] + one["dur"]
            for one in slices
        )
    assert slices[0]["args"]["ordering"] == plan.ordering.what
    assert slices[0]["args"]["bytes"] == 16


def test_a_release_is_where_the_memory_goes(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    path = tmp_path / "t.json"
    with anystream.trace(path):
        kept = [anystream.handoff(np.arange(3), to="numpy") for _ in range(3)]
        view = kept[0][1:]
        kept.clear()
        gc.collect()
        released = of_phase(_so_far(path), "f")
        assert len(released) == 2  # the view keeps the first
        del view
    numbers = [flow["id"] for flow in of_phase(events_of(path), "s")]
    ends = [flow["id"] for flow in of_phase(events_of(path), "f")]
    assert sorted(ends) == numbers
    assert ends[-1] == numbers[0]


def _so_far(path: Path) -> list[Event]:
    """Read a trace that is being written: its array has no end yet."""
    trace = next(
        one for one in anystream._watch._watchers if isinstance(one, anystream._trace.Trace)
    )
    trace._file.flush()
    found: list[Event] = json.loads(path.read_text(encoding="utf-8") + "]")
    return found


def test_an_empty_trace_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    trace = anystream.trace(str(path))
    trace.close()
    trace.close()
    assert events_of(path) == []


def test_what_ends_later_is_not_in_it(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    with anystream.trace(path):
        array = anystream.from_dlpack(bytearray(4))
    del array
    assert of_phase(events_of(path), "f") == []
    assert len(of_phase(events_of(path), "s")) == 1


def test_threads_write_whole_events(tmp_path: Path) -> None:
    path = tmp_path / "t.json"

    def work() -> None:
        for _ in range(50):
            anystream.from_dlpack(bytearray(4))

    with anystream.trace(path):
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events = events_of(path)
    for phase in "stf":
        assert len(of_phase(events, phase)) == 400


def test_a_process_that_ends_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    done = python(
        "-c",
        f"import anystream; anystream.trace({str(path)!r})\n"
        "a = anystream.from_dlpack(bytearray(4))",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(of_phase(events_of(path), "s")) == 1


@pytest.mark.parametrize("wrong", [None, 5, b"t.json"])
def test_what_is_no_path_is_refused(wrong: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^anystream\.trace\(path\) takes the path of a file; got "
    ):
        anystream.trace(wrong)
