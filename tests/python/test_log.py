# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The log of hand-offs: a line each, wherever it is asked to go, and nothing else changes."""

import gc
import io
import threading
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import HandOff, _core
from anystream.testing import SimulatedDevice
from process_rig import python
from simulated_rig import Race

np = pytest.importorskip("numpy", reason="numpy is not installed")


def lines_of(text: str) -> list[str]:
    return text.splitlines()


def test_a_line_says_who_to_whom_and_how() -> None:
    race, text = Race(), io.StringIO()
    source = race.produce()
    with anystream.log(text):
        array = anystream.from_dlpack(source, stream=race.consumer)
        assert race.finish(race.read(array))
    (line,) = lines_of(text.getvalue())
    plan, device = array.plan, race.device.device
    begin, _, rest = line.partition(": anystream -> anystream.Array; ")
    assert begin.startswith("anystream: hand-off ")
    parts = dict(part.split(" ", 1) for part in rest.split("; ") if " " in part)
    assert parts.pop("32") == "bytes, int32[8]"
    producer, _, consumer = parts.pop("streams").partition(" -> ")
    assert producer != consumer
    assert {producer.partition("#")[0], consumer.partition("#")[0]} == {str(device)}
    assert parts == {
        "device": plan.device.what,
        "protocol": plan.protocol.what,
        "ordering": plan.ordering.what,
        "copy": plan.copy.what,
        "release": plan.release.what,
    }


def to_device(x: Any) -> Any:
    array: Any = anystream.from_dlpack(x)
    return array.to_device("cpu")


CALLS: dict[str, tuple[Any, int]] = {
    "from_dlpack": (anystream.from_dlpack, 1),
    "handoff": (lambda x: anystream.handoff(x, to="numpy"), 1),
    "a copy": (lambda x: anystream.handoff(x, to="numpy", copy=True), 1),
    "an Array": (lambda x: anystream.from_dlpack(anystream.from_dlpack(x)), 2),
    "many": (lambda x: anystream.from_dlpack([x, x, x]), 3),
    "a dict": (lambda x: anystream.handoff({"a": x, "b": x}, to="numpy"), 2),
    "to_device": (to_device, 1),
    "explain": (lambda x: anystream.explain(x, to="numpy"), 0),
}


@pytest.mark.parametrize("warm", [False, True], ids=["cold", "known"])
@pytest.mark.parametrize("what", CALLS)
def test_each_hand_off_has_its_line(what: str, warm: bool) -> None:
    call, count = CALLS[what]
    x, text = np.arange(3), io.StringIO()
    if warm:  # the quick ways are known, and are not taken past the log
        for _ in range(3):
            call(x)
    with anystream.log(text):
        call(x)
    assert len(lines_of(text.getvalue())) >= count
    if what != "to_device":
        assert len(lines_of(text.getvalue())) == count
    call(x)
    with anystream.log(text):
        pass
    assert not _core._has_handover(np.ma.array([1]), "numpy")


def test_what_is_known_is_not_planned_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    x, made = np.arange(3), list[HandOff]()
    plans = [anystream.explain(x), anystream.explain(x, to="numpy")]
    for _ in range(2):
        anystream.from_dlpack(x)
        anystream.handoff(x, to="numpy")
    monkeypatch.delattr(anystream._handoff, "prepare")
    with anystream.log(made.append):
        assert anystream.from_dlpack(x).plan is plans[0]
        assert anystream.handoff(x, to="numpy").ctypes.data == x.ctypes.data
    assert [one.plan for one in made] == plans


def test_values_and_memory_are_as_without() -> None:
    x = np.arange(6).reshape(2, 3)[:, ::2]
    with anystream.log(io.StringIO()):
        y = anystream.handoff(x, to="numpy")
    assert y.ctypes.data == x.ctypes.data
    assert (y == x).all()
    del x
    gc.collect()
    assert y.tolist() == [[0, 2], [3, 5]]


def test_what_fails_has_no_line() -> None:
    text = io.StringIO()
    with anystream.log(text), pytest.raises(BufferError):
        anystream.handoff(np.array(["a"]), to="torch" if _has("torch") else "dpnp", copy=False)
    with anystream.log(text), pytest.raises(TypeError):
        anystream.from_dlpack(object())
    assert text.getvalue() == ""


def _has(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None


def test_to_a_file_lines_are_added(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("before\n")
    for form in (path, str(path)):
        with anystream.log(form):
            anystream.from_dlpack(np.arange(3))
            assert path.read_text().endswith("\n")  # it is there at once
    before, *lines = lines_of(path.read_text())
    assert before == "before"
    assert [line.partition(": numpy")[1] for line in lines] == [": numpy"] * 2


def test_a_function_is_given_the_facts() -> None:
    made: list[HandOff] = []
    with anystream.log(made.append):
        array = anystream.from_dlpack(np.zeros((2, 3), np.float32))
    (one,) = made
    assert one.plan is array.plan
    assert (one.shape, one.dtype, one.nbytes) == ((2, 3), "float32", 24)
    assert one.producers == ()
    assert one.stream == ""
    assert one.began <= one.ended


def test_two_objects_of_one_stream_have_one_name() -> None:
    device, made = SimulatedDevice(), list[HandOff]()
    stream = device.stream()
    with anystream.log(made.append):
        for form in (stream, anystream.Stream(stream), stream._get_capsule()):
            anystream.from_dlpack(device.full(4, 1.0), stream=form)
    assert len({one.stream for one in made}) == 1


def test_several_logs_are_kept_at_once_and_end_alone() -> None:
    one, other = io.StringIO(), io.StringIO()
    first, second = anystream.log(one), anystream.log(other)
    anystream.from_dlpack(np.arange(3))
    first.close()
    first.close()
    anystream.from_dlpack(np.arange(3))
    second.close()
    anystream.from_dlpack(np.arange(3))
    assert (len(lines_of(one.getvalue())), len(lines_of(other.getvalue()))) == (1, 2)


def test_all_threads_are_seen() -> None:
    made: list[HandOff] = []
    with anystream.log(made.append):
        threads = [
            threading.Thread(target=lambda: anystream.handoff(np.arange(3), to="numpy"))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({one.number for one in made}) == 8


@pytest.mark.parametrize("wrong", [5, True, io.StringIO, object()])
def test_where_it_cannot_go_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"^anystream\.log\(to\) takes None, a path, .*; got "):
        anystream.log(wrong)


@pytest.mark.parametrize("keep", [anystream.log, anystream.trace])
def test_an_empty_path_is_refused(keep: Any) -> None:
    with pytest.raises(ValueError, match=r"takes the path of a file; got ''\.\n  Name the file"):
        keep("")
    assert not anystream._watch.watching()


@pytest.mark.parametrize("make", [io.BytesIO, lambda: io.BufferedWriter(io.BytesIO())])
def test_what_takes_bytes_is_refused(make: Any) -> None:
    with (
        make() as to,
        pytest.raises(TypeError, match=r"writes text; got .*, which takes bytes\.\n  Pass io\.Te"),
    ):
        anystream.log(to)
    assert not anystream._watch.watching()


def test_a_file_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        anystream.log(tmp_path / "nowhere" / "log")
    with pytest.raises(OSError, match="nowhere"):
        anystream.trace(tmp_path / "nowhere" / "trace")
    assert not anystream._watch.watching()


SCRIPT = "import anystream; anystream.from_dlpack(bytearray(4))"


@pytest.mark.parametrize(("value", "count"), [("", 0), ("0", 0), ("1", 1)])
def test_the_environment_keeps_one_on_stderr(value: str, count: int) -> None:
    done = python("-c", SCRIPT, ANYSTREAM_LOG=value)
    assert (done.returncode, done.stdout) == (0, "")
    assert len(lines_of(done.stderr)) == count
    if count:
        assert done.stderr.startswith(
            "anystream: hand-off 1: builtins.bytearray -> anystream.Array; "
        )


def test_a_value_that_it_does_not_take_is_told() -> None:
    done = python("-c", SCRIPT, ANYSTREAM_LOG="log.txt")
    assert "ValueError: ANYSTREAM_LOG takes 1 or 0; got 'log.txt'." in done.stderr
