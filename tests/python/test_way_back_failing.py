# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""A driver that fails while releases wait for it: each is told once, and no deleter runs twice.

An exploring device is such a driver: a wait for a stream that is held is a DriverError.
"""

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import anystream
from anystream.testing import ExploringDevice, values
from anystream.testing._explore import _no_release_thread
from way_back_rig import ELEMENTS, Pool, all_equal


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseException]]:
    """The errors that go to sys.unraisablehook, in a thread that does all releases."""
    found: list[BaseException] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: found.append(args.exc_value))
    with _no_release_thread():
        yield found
    anystream.synchronize()
    assert anystream.pending_releases() == (0, 0)


class Held:
    """A pool whose arrays have been read by a consumer that is held."""

    def __init__(self, device: ExploringDevice, number: int, release: Any) -> None:
        self.device = device
        self.producer, self.consumer = device.stream("producer"), device.stream("consumer")
        self.pool = Pool(device, self.producer)
        lent = [self.pool.array(7) for _ in range(number)]
        self.blocks = [one.block for one in lent]
        self.producer.synchronize()
        self.arrays = [
            anystream.from_dlpack(
                one, stream=self.consumer, producer_stream=self.producer, release=release
            )
            for one in lent
        ]
        self.consumer.hold()
        self.targets = [device.empty(ELEMENTS, "int32", self.consumer) for _ in lent]
        for target, array in zip(self.targets, self.arrays, strict=True):
            self.consumer.copy(target, array)

    def freed(self) -> list[int]:
        """Count how often each block has come back to the pool."""
        back = [block.data_ptr for block in self.pool.free]
        return [back.count(block.data_ptr) for block in self.blocks]


@pytest.mark.parametrize("release", ["deferred", "ordered"])
def test_each_release_that_fails_is_told_once(told: list[BaseException], release: Any) -> None:
    with ExploringDevice() as device:
        held = Held(device, 3, release)
        held.arrays.clear()
        assert anystream.pending_releases().number == 3
        for _ in range(2):
            anystream.synchronize()
            assert [type(error) for error in told] == [anystream.DriverError] * 3
        assert all("which can never be complete" in str(error) for error in told)
        assert anystream.pending_releases() == (0, 0)
        held.consumer.release()
        device.finish()
        anystream.synchronize()
        assert held.freed() == [0, 0, 0]  # kept for good rather than freed under a reader
        assert [values(target) for target in held.targets] == [all_equal(7)] * 3
        assert len(told) == 3


def test_those_that_do_not_fail_are_done_once(told: list[BaseException]) -> None:
    with ExploringDevice() as device:
        held = Held(device, 2, "deferred")
        held.arrays.clear()
        held.consumer.release()
        held.consumer.synchronize()
        anystream.synchronize()
        assert held.freed() == [1, 1]
        assert told == []


def test_after_a_failure_everything_goes_on(told: list[BaseException]) -> None:
    with ExploringDevice() as device:
        held = Held(device, 1, "deferred")
        held.arrays.clear()
        anystream.synchronize()
        assert len(told) == 1
        held.consumer.release()
        array = anystream.from_dlpack(
            held.pool.array(8), stream=held.consumer, producer_stream=held.producer
        )
        target = device.empty(ELEMENTS, "int32", held.consumer)
        held.consumer.copy(target, array)
        del array
        held.consumer.synchronize()
        anystream.synchronize()
        assert values(target) == all_equal(8)
        assert len(held.pool.free) == 1
        assert len(told) == 1


def test_a_wait_of_a_caller_that_fails_is_its_error(told: list[BaseException]) -> None:
    with ExploringDevice() as device:
        held = Held(device, 1, "host")
        with pytest.raises(anystream.DriverError, match="can never be complete"):
            held.arrays[0].release()
        assert held.freed() == [0]
        assert told == []
        held.consumer.release()
        held.consumer.synchronize()
        held.arrays.clear()
        anystream.synchronize()
        assert held.freed() == [1]
        assert told == []
