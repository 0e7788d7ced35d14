# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The way back on the simulated device: memory is not written, reused or freed too early."""

import io
import threading
from contextlib import nullcontext
from typing import Any

import pytest

import anystream
from anystream import _core
from anystream.testing import values
from way_back_rig import ELEMENTS, POLICIES, Story, all_equal

TRIALS = 200
SAFE = ("ordered", "deferred")


@pytest.fixture(autouse=True)
def nothing_pending() -> Any:
    yield
    anystream.synchronize()
    assert anystream.pending_releases() == (0, 0)


# -- reuse ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", SAFE)
def test_a_pool_does_not_reuse_what_is_still_read(policy: str) -> None:
    for _ in range(TRIALS):
        story = Story()
        array = story.handed(release=policy)
        target = story.read_late(array)
        del array  # returns, although the reader is held
        again = story.reuse()
        assert story.outcome(target) == all_equal(7)
        del again


def test_without_a_way_back_it_is_wrong_each_time() -> None:
    for _ in range(TRIALS):
        story = Story()
        array = story.handed(release="none")
        target = story.read_late(array)
        del array
        again = story.reuse()
        story.producer.synchronize()
        assert story.outcome(target) == all_equal(9)
        del again


@pytest.mark.parametrize("release", ["ordered", "none"])
def test_memory_that_is_freed_at_once_is_not_freed_under_a_reader(release: Any) -> None:
    """An Array's own memory: the device's allocator poisons what is freed."""
    for _ in range(TRIALS):
        story = Story()
        source = story.device.full(ELEMENTS, 7, "int32", story.producer)
        array = anystream.from_dlpack(source, stream=story.consumer, release=release)
        target = story.read_late(array)
        del array, source
        again = story.device.full(ELEMENTS, 9, "int32", story.producer)
        if release == "ordered":
            assert story.outcome(target) == all_equal(7)
        else:
            # The Array itself still has its own way back, but only to its own stream.
            story.producer.synchronize()
            anystream.synchronize()
            assert story.outcome(target) == all_equal(int.from_bytes(b"\xdd" * 4, signed=True))
        del again


def test_in_stream_order_the_producer_may_free_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library whose allocator reuses in the order of the stream is told at once, and waits."""
    from dataclasses import replace

    from anystream import _producer

    unknown = replace(_producer._UNKNOWN, frees="stream_ordered")
    monkeypatch.setattr(_producer, "_UNKNOWN", unknown)
    for _ in range(TRIALS):
        story = Story()
        array = story.handed()
        assert array.plan.release.what == "record, wait, then the producer's deleter"
        target = story.read_late(array)
        del array
        assert len(story.pool.free) == 1  # it has been let go, with the reader held
        again = story.reuse()  # the same memory: its writing comes after the reader
        assert story.outcome(target) == all_equal(7)
        story.producer.synchronize()
        assert values(again.block) == all_equal(9)


# -- what is asked of the host --------------------------------------------------------------------


def test_host_policy_waits_and_lets_others_run() -> None:
    story = Story()
    array = [story.handed(release="host")]
    target = story.read_late(array[0])
    dropping = threading.Thread(target=array.clear)
    dropping.start()
    ran = threading.Event()
    other = threading.Thread(target=ran.set)
    other.start()
    assert ran.wait(10)  # the GIL is free meanwhile
    assert dropping.is_alive()
    assert not story.pool.free
    assert story.outcome(target) == all_equal(7)
    dropping.join(10)
    assert not dropping.is_alive()
    assert len(story.pool.free) == 1


@pytest.mark.parametrize("policy", SAFE)
def test_the_memory_goes_when_the_reader_is_done(policy: str) -> None:
    story = Story()
    array = story.handed(release=policy)
    target = story.read_late(array)
    size = array.nbytes
    before = anystream.pending_releases()
    del array
    now = anystream.pending_releases()
    assert (now.number - before.number, now.bytes - before.bytes) == (1, size)
    assert not story.pool.free
    assert story.outcome(target) == all_equal(7)
    anystream.synchronize()
    assert len(story.pool.free) == 1


@pytest.mark.parametrize("policy", POLICIES)
def test_with_nothing_pending_it_goes_at_once_or_soon(policy: Any) -> None:
    story = Story()
    array = story.handed(release=policy)
    story.producer.synchronize()
    story.consumer.synchronize()
    del array
    anystream.synchronize()
    assert len(story.pool.free) == 1


# -- writes in place ------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["leave", "error", "release"])
def test_what_a_borrower_writes_the_producer_reads(end: str) -> None:
    for _ in range(TRIALS):
        story = Story()
        x = story.device.full(ELEMENTS, 1, "int32", story.producer)
        story.consumer.hold()
        error: Any = pytest.raises(KeyError) if end == "error" else nullcontext()
        with error, anystream.borrow(x, stream=story.consumer) as a:
            story.consumer.fill(a, 5)
            if end == "error":
                raise KeyError
            if end == "release":
                a.release()
        target = story.device.empty((ELEMENTS,), "int32", story.producer)
        story.producer.copy(target, x)
        assert story.outcome(target) != all_equal(1)
        story.producer.synchronize()
        assert values(target) == all_equal(5)


def test_without_a_borrow_the_producer_reads_too_early() -> None:
    story = Story()
    x = story.device.full(ELEMENTS, 1, "int32", story.producer)
    a = anystream.from_dlpack(x, stream=story.consumer)
    story.consumer.hold()
    story.consumer.fill(a, 5)
    target = story.device.empty((ELEMENTS,), "int32", story.producer)
    story.producer.copy(target, x)
    story.producer.synchronize()
    assert values(target) == all_equal(1)
    story.consumer.release()
    story.consumer.synchronize()


def test_a_further_stream_is_waited_for() -> None:
    for recorded in (True, False):
        story = Story()
        array = story.handed()
        third = story.device.stream("third")
        anystream.order(producer=story.consumer, consumer=third)
        story.producer.synchronize()
        third.hold()
        target = story.device.empty((ELEMENTS,), "int32", third)
        third.copy(target, array)
        if recorded:
            array.record_stream(third)
        del array
        story.consumer.synchronize()
        if recorded:
            assert not story.pool.free
        else:
            anystream.synchronize()
            assert len(story.pool.free) == 1
        third.release()
        third.synchronize()
        anystream.synchronize()
        assert len(story.pool.free) == 1


@pytest.mark.parametrize("form", ["object", "capsule", "stream"])
def test_an_export_is_brought_back_from_its_consumers_stream(form: str) -> None:
    """Whoever imports an Array by its __dlpack__: its own deleter brings it back."""
    from simulated_rig import FORMS

    for _ in range(20):
        story = Story()
        array = anystream.from_dlpack(story.pool.array(7), producer_stream=story.producer)
        capsule = array.__dlpack__(stream=FORMS[form](story.consumer), max_version=(1, 0))
        taken = _core._array_from_capsule(capsule, None, None, "simulated")
        target = story.read_late(taken)
        del array, capsule, taken
        assert not story.pool.free
        assert story.outcome(target) == all_equal(7)
        anystream.synchronize()
        assert len(story.pool.free) == 1


def test_an_export_that_nobody_took_costs_nothing() -> None:
    story = Story()
    array = anystream.from_dlpack(story.pool.array(7), producer_stream=story.producer)
    array.__dlpack__(stream=story.consumer, max_version=(1, 0))
    del array
    anystream.synchronize()
    assert len(story.pool.free) == 1


# -- chains ---------------------------------------------------------------------------------------


def test_a_line_of_hand_offs_goes_home_whatever_goes_first() -> None:
    from itertools import permutations

    for order in permutations(range(3)):
        story = Story()
        streams = [story.device.stream() for _ in range(3)]
        chain = [story.handed()]
        for stream in streams[1:]:
            chain.append(anystream.from_dlpack(chain[-1], stream=stream))
        story.producer.synchronize()
        story.consumer.synchronize()
        last = streams[2]
        last.hold()
        target = story.device.empty((ELEMENTS,), "int32", last)
        last.copy(target, chain[2])
        held: list[Any] = list(chain)
        chain.clear()
        for one in order:
            held[one] = None
        assert not story.pool.free
        again = story.reuse()
        last.release()
        last.synchronize()
        assert values(target) == all_equal(7)
        del again


def test_ping_pong_makes_no_long_line() -> None:
    story = Story()
    other = story.device.stream("other")
    array = story.handed()
    for _ in range(5000):
        array = anystream.from_dlpack(array, stream=other)
        array = anystream.from_dlpack(array, stream=story.consumer)
    del array  # would overflow the stack if each kept the one before it
    anystream.synchronize()
    assert len(story.pool.free) == 1


# -- seen from outside ----------------------------------------------------------------------------


def test_a_log_says_how_it_goes_back() -> None:
    story, text = Story(), io.StringIO()
    with anystream.log(text):
        array = story.handed()
        assert text.getvalue().strip().endswith("release " + array.plan.release.what)


def test_a_trace_has_the_release_where_the_memory_goes() -> None:
    story, ended = Story(), []

    class Watcher:
        name, failed = "the test", False

        def handed(self, made: Any, /) -> None: ...

        def released(self, made: Any, when: int, /) -> None:
            ended.append(made.number)

    watcher = Watcher()
    anystream._watch.watch(watcher)
    try:
        array = story.handed()
    finally:
        anystream._watch.ignore(watcher)
    target = story.read_late(array)
    del array
    assert not ended
    assert story.outcome(target) == all_equal(7)
    anystream.synchronize()
    assert len(ended) == 1
