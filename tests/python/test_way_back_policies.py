# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Release policies, what is no policy, no stream and no limit, and the bound of what is put off."""

import gc
import threading
from typing import Any

import pytest

import anystream
from anystream.testing import ExploringDevice, SimulatedDevice, values
from way_back_rig import POLICIES, Story, all_equal


@pytest.fixture(autouse=True)
def nothing_pending() -> Any:
    yield
    anystream.synchronize()
    assert anystream.pending_releases() == (0, 0)


# -- policies -------------------------------------------------------------------------------------


def test_a_block_has_a_policy_for_those_that_name_none() -> None:
    story = Story()
    with anystream.releasing("deferred"):
        assert "release='deferred'" in story.handed().plan.release.why
        assert "release='none'" in story.handed(release="none").plan.release.why
        with anystream.releasing("host"):
            assert "release='host'" in story.handed().plan.release.why
        assert (
            "release='deferred'"
            in anystream.explain(
                story.pool.array(1), stream=story.consumer, producer_stream=story.producer
            ).release.why
        )
    assert "waits on the device" in story.handed().plan.release.why
    gc.collect()


@pytest.mark.parametrize("wrong", [5, "soon", b"none", True])
def test_what_is_no_policy_is_refused(wrong: Any) -> None:
    error = ValueError if isinstance(wrong, str) else TypeError
    text = r' takes "ordered", "deferred", "host" or "none"; got '
    with pytest.raises(error, match=r"from_dlpack\(release=…\)" + text):
        anystream.from_dlpack(bytearray(4), release=wrong)
    with pytest.raises(error, match=r"handoff\(release=…\)" + text):
        anystream.handoff(bytearray(4), to="numpy", release=wrong)
    with pytest.raises(error, match=r"explain\(release=…\)" + text):
        anystream.explain(bytearray(4), release=wrong)
    with pytest.raises(error, match=r"anystream\.releasing\(policy\)" + text):
        anystream.releasing(wrong).__enter__()


def test_host_memory_has_no_streams_to_bring_it_back_from() -> None:
    policy: Any
    for policy in POLICIES:
        array = anystream.from_dlpack(bytearray(4), release=policy)
        assert array.plan is anystream.explain(bytearray(4))
        assert "in host memory nothing is pending" in array.plan.release.why
        array.release()
        with pytest.raises((TypeError, ValueError), match=r"record_stream\(stream\): a kDLCPU"):
            array.record_stream(SimulatedDevice().stream())


@pytest.mark.parametrize("wrong", [None, -1, 5, "s", object()])
def test_what_is_no_stream_is_not_recorded(wrong: Any) -> None:
    story = Story()
    array = story.handed()
    with pytest.raises((TypeError, ValueError), match=r"record_stream\(stream\)"):
        array.record_stream(wrong)


def test_an_array_that_has_no_home_says_so() -> None:
    device = SimulatedDevice()
    from stand_ins import Producer

    array = anystream.from_dlpack(Producer((12, device.device.id), device.full(4, 1.0)))
    array.release()  # nothing is known that could be done
    with pytest.raises((TypeError, ValueError), match=r"record_stream\(stream\)"):
        array.record_stream(device.stream())


# -- bounds ---------------------------------------------------------------------------------------


def test_over_the_limit_the_next_hand_off_waits_and_no_destructor() -> None:
    story = Story()
    arrays = [story.handed(value) for value in range(5)]
    targets = [story.read_late(array) for array in arrays]
    anystream.set_pending_limit(number=3)
    try:
        arrays.clear()  # five are pending: more than the limit, and nobody waited
        assert anystream.pending_releases().number == 5
        done = threading.Event()

        def more() -> None:
            device = SimulatedDevice()
            anystream.from_dlpack(device.full(4, 1.0), stream=device.stream())
            done.set()

        thread = threading.Thread(target=more)
        thread.start()
        assert not done.wait(0.2)  # it waits, and without the GIL: we are here
        story.consumer.release()
        assert done.wait(20)
        thread.join()
        assert anystream.pending_releases().number <= 4  # these three, and that of the thread
    finally:
        anystream.set_pending_limit(1024, 256 * 2**20)
    story.consumer.synchronize()
    assert [values(target) for target in targets] == [all_equal(value) for value in range(5)]


@pytest.mark.parametrize("wrong", [0, -1, 2**63, 1.5, "3", True])
def test_what_is_no_limit_is_refused(wrong: Any) -> None:
    for name in ("number", "bytes"):
        with pytest.raises(
            (TypeError, ValueError), match=rf"set_pending_limit\({name}=…\) takes None or an int"
        ):
            anystream.set_pending_limit(**{name: wrong})


# -- streams of other devices ---------------------------------------------------------------------


def test_a_stream_of_another_device_is_waited_for_too() -> None:
    device, other = SimulatedDevice(), SimulatedDevice()
    producer, consumer = device.stream(), other.stream()
    array = device.full(4, 7, "int32", producer)
    producer.synchronize()
    array.record_stream(consumer)
    consumer.hold()
    target = other.empty(4, "int32", consumer)
    consumer.copy(target, array)
    array.release()
    producer.fill(array, 9)
    assert producer.pending == 2  # behind what the other device reads
    consumer.release()
    consumer.synchronize()
    assert values(target) == [7] * 4


def test_one_that_cannot_be_waited_for_is_refused_at_once() -> None:
    with ExploringDevice() as device, ExploringDevice() as other:
        array = device.full(4, 7, "int32", device.stream())
        for stream in (
            other.stream(),
            anystream.Stream(other.stream()),
            SimulatedDevice().stream(),
        ):
            for use, where in (
                (array.record_stream, r"record_stream\(stream\)"),
                (lambda s: anystream.from_dlpack(array, stream=s), r"from_dlpack\(stream=…\)"),
                (lambda s: array.__dlpack__(stream=s), r"__dlpack__\(stream=…\)"),
            ):
                says = f"{where}: what is wanted is a stream of {device.device}; got one of "
                with pytest.raises(BufferError, match=says):
                    use(stream)
        assert device.findings == []
