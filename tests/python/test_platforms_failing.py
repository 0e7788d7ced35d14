# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Callbacks of a platform that fail, that answer with something else, and that are missing."""

import gc
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import anystream
from platform_rig import WHOLE, Lab, LabQueue, Mark, Memory, Owner


class BrokenError(RuntimeError):
    pass


def broken(*_: Any) -> Any:
    raise BrokenError("the lab is on fire")


def interrupted(*_: Any) -> Any:
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    marks, blocks = Mark.alive, len(Memory.blocks)
    yield
    gc.collect()
    anystream.synchronize()
    gc.collect()
    assert Mark.alive == marks
    assert len(Memory.blocks) == blocks


def hand_on(lab: Lab) -> None:
    array, _ = lab.array()
    anystream.from_dlpack(array, producer_stream=lab.queue(), stream=lab.queue())


def hand_to_the_host(lab: Lab) -> None:
    array, _ = lab.array()
    producer = lab.queue()
    producer.hold()
    threading.Timer(0.1, producer.resume).start()
    anystream.handoff(array, to="numpy", producer_stream=producer, device="cpu")


def copy_there(lab: Lab) -> None:
    anystream.from_dlpack(np.ones(4), device=(lab.type, 0), stream=lab.queue())


def make_stream(lab: Lab) -> None:
    lab.stream(lab.queue())


def compare(lab: Lab) -> None:
    assert lab.stream(lab.queue()) == lab.stream(lab.queue())


def ask(lab: Lab) -> None:
    lab.stream(lab.queue()).record().query()


def wait_on_the_host(lab: Lab) -> None:
    lab.stream(lab.queue()).record().synchronize()


def list_devices(lab: Lab) -> None:
    assert anystream.Device((lab.type, 0)).name


def ask_for_memory(lab: Lab) -> None:
    array, _ = lab.array()
    assert anystream.from_dlpack(array).memory_kind


USES: dict[str, Any] = {
    "device_of": make_stream,
    "in_order": make_stream,
    "same": compare,
    "order": hand_on,
    "record": hand_on,
    "wait": hand_on,
    "complete": ask,
    "synchronize": wait_on_the_host,
    "copy": copy_there,
    "allocate": copy_there,
    "memory": ask_for_memory,
    "host_address": ask_for_memory,
}
NAMES = {"memory": "memory_kind"}


@pytest.mark.parametrize("name", USES)
def test_what_a_callback_raises_is_the_cause_of_the_error(name: str) -> None:
    changed: dict[str, Any] = {name: broken}
    lab = Lab(**changed)
    gone = Owner.gone
    with pytest.raises(anystream.DriverError) as caught:
        USES[name](lab)
    callback = NAMES.get(name, name)
    assert str(caught.value) == (
        f'platform "{lab.name}": {callback} failed: BrokenError: the lab is on fire'
    )
    assert type(caught.value) is anystream.DriverError
    assert caught.value.api == f"{lab.name}.{callback}"
    assert isinstance(caught.value.__cause__, BrokenError)
    del caught
    gc.collect()
    assert Owner.gone <= gone + 1


def test_a_failing_listing_of_devices_is_told_of() -> None:
    state = {"broken": False}

    def devices() -> list[tuple[int, str, str]]:
        if state["broken"]:
            broken()
        return [(0, "other", "x")]

    lab = Lab(devices=devices)
    state["broken"] = True
    try:
        with pytest.raises(anystream.DriverError, match="devices failed: BrokenError"):
            list_devices(lab)
    finally:
        state["broken"] = False


def test_ctrl_c_in_a_callback_is_itself() -> None:
    lab = Lab(record=interrupted)
    with pytest.raises(KeyboardInterrupt):
        hand_on(lab)


def test_memory_that_is_not_there_is_a_memory_error() -> None:
    def none_left(*_: Any) -> int:
        raise MemoryError

    lab = Lab(allocate=none_left)
    with pytest.raises(MemoryError, match="there is no memory for 32 bytes"):
        copy_there(lab)


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("in_order", 1, "in_order is to give True or False; got <class 'int'>"),
        ("complete", None, "complete is to give True or False; got <class 'NoneType'>"),
        ("device_of", "0", "TypeError: "),
        ("memory", "hot", 'memory is to give "device", "host", "shared" or "unknown"'),
        ("allocate", "0", "TypeError: "),
    ],
)
def test_a_wrong_answer_is_told_of(name: str, answer: Any, message: str) -> None:
    changed: dict[str, Any] = {name: lambda *_: answer}
    lab = Lab(**changed)
    with pytest.raises(anystream.DriverError) as caught:
        USES[name](lab)
    assert message in str(caught.value)


MISSING = {
    "record": (hand_on, ("record", "wait")),
    "wait": (hand_on, ("wait",)),
    "complete": (ask, ("complete",)),
    "copy": (copy_there, ("copy",)),
    "allocate": (copy_there, ("allocate", "deallocate")),
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_named_with_how_to_give_it(name: str) -> None:
    use, without = MISSING[name]
    lab = Lab(without=without)
    with pytest.raises(anystream.DriverUnavailable) as caught:
        use(lab)
    first, second = str(caught.value).split("\n")
    assert first.startswith(f'platform "{lab.name}" was registered without {name}=…')
    assert "anystream.register_platform(" in second
    assert f"{name}=…" in second


def test_a_wait_that_nobody_can_do_is_refused_before_the_producer_is_called() -> None:
    lab = Lab(without=("complete", "synchronize"))
    array, _ = lab.array()
    with pytest.raises(anystream.DriverUnavailable, match=r"without synchronize=…: waiting on"):
        anystream.from_dlpack(array, producer_stream=lab.queue(), ordering="host")
    assert array.sent == "never called"


def test_a_class_alone_orders_one_stream_and_says_what_two_take() -> None:
    lab = Lab(without=tuple(key for key in WHOLE if key != "stream"))
    array, _ = lab.array()
    queue = lab.queue()
    gone = Owner.gone
    result = anystream.from_dlpack(array, producer_stream=queue, stream=queue)
    assert result.stream == lab.stream(queue)
    with pytest.raises(anystream.DriverUnavailable, match="without record=… and wait=…"):
        anystream.explain(array, producer_stream=queue, stream=lab.queue())
    with pytest.raises(anystream.DriverUnavailable, match="without record=…"):
        lab.stream(queue).wait_stream(lab.queue())
    del result, array
    gc.collect()
    assert Owner.gone == gone + 1


def test_what_fails_while_memory_goes_back_is_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    lab = Lab()
    broken_lab = Lab(deallocate=broken)
    there = anystream.from_dlpack(
        np.ones(4), device=(broken_lab.type, 0), stream=broken_lab.queue()
    )
    block = there.data_ptr
    del there
    gc.collect()
    anystream.synchronize()
    assert [type(one.exc_value) for one in told] == [BrokenError]
    Memory.free(0, block, None)
    assert lab.stream(lab.queue()).query() in (True, False)
    told.clear()


def test_a_release_that_cannot_be_ordered_keeps_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: told.append(str(one.exc_value)))
    state = {"broken": False}

    def record(queue: LabQueue) -> Any:
        return broken() if state["broken"] else WHOLE["record"](queue)

    lab = Lab(record=record)
    array, _ = lab.array()
    gone = Owner.gone
    pointer = array.inner.data_ptr
    result = anystream.from_dlpack(array, producer_stream=lab.queue(), stream=lab.queue())
    state["broken"] = True
    del result, array
    gc.collect()
    assert Owner.gone == gone  # for good: freed early it could be written to
    Memory.free(0, pointer, None)
    assert len(told) == 1
    assert "BrokenError: the lab is on fire" in told[0]


def test_no_number_stands_for_an_object() -> None:
    lab = Lab()
    with pytest.raises(ValueError, match="has no numbers for them"):
        anystream.Stream.from_handle(anystream.Device((lab.type, 0)), 4096)


def test_many_threads_use_a_platform_at_once() -> None:
    lab = Lab()
    wrong: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(50):
                hand_on(lab)
        except BaseException as error:  # noqa: BLE001 - told by the test
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
