# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Ordering Streams: proved by held streams and by pending work, not by sleeping."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import anystream
from anystream import Device, Event, Stream, _core
from anystream.testing import SimulatedDevice
from stream_values import HANDLE, giving, stand_in, sycl_queue, with_protocol


@pytest.fixture
def device() -> Iterator[SimulatedDevice]:
    with SimulatedDevice() as made:
        yield made


# ---- the simulated device: a held producer


WAYS: dict[str, Any] = {
    "the stream itself": lambda s: s,
    "a Stream": Stream,
    "a capsule": lambda s: s._get_capsule(),
    "what gives a capsule": lambda s: giving(s._get_capsule()),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_consumer_waits_for_a_held_producer(way: Any, device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    log: list[str] = []
    producer.hold()
    producer.call(lambda: log.append("written"))
    Stream(consumer).wait_stream(way(producer))  # returns while the producer is held
    consumer.call(lambda: log.append("read"))
    assert consumer.pending > 0
    assert log == []
    producer.release()
    consumer.synchronize()
    assert log == ["written", "read"]


def test_without_it_the_consumer_does_not_wait(device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    log: list[str] = []
    producer.hold()
    producer.call(lambda: log.append("written"))
    consumer.call(lambda: log.append("read"))
    consumer.synchronize()
    producer.release()
    producer.synchronize()
    assert log == ["read", "written"]


def test_a_held_producer_a_thousand_times(device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    s, t = Stream(producer), Stream(consumer)
    for _ in range(1000):
        log: list[str] = []
        producer.hold()
        producer.call(lambda log=log: log.append("written"))  # type: ignore[misc]
        t.wait_stream(s)
        consumer.call(lambda log=log: log.append("read"))  # type: ignore[misc]
        producer.release()
        t.synchronize()
        assert log == ["written", "read"]


def test_one_in_order_stream_needs_nothing(device: SimulatedDevice) -> None:
    stream = device.stream()
    stream.hold()
    before = stream.pending
    assert _core.relation(Stream(stream), Stream(stream)) == "same"
    assert _core.order_streams(Stream(stream), Stream(stream)) == "nothing"
    assert stream.pending == before


def test_one_out_of_order_stream_needs_a_barrier(device: SimulatedDevice) -> None:
    stream = device.stream(in_order=False)
    log: list[int] = []
    ours = Stream(stream, out_of_order="barrier")
    assert _core.relation(ours, Stream(stream)) == "same_out_of_order"
    stream.hold()
    stream.call(lambda: log.append(1))
    assert _core.order_streams(Stream(stream), ours) == "barrier"
    stream.call(lambda: log.append(2))
    stream.release()
    ours.synchronize()
    assert log == [1, 2]


def test_two_streams_need_an_event(device: SimulatedDevice) -> None:
    s, t = Stream(device.stream()), Stream(device.stream())
    assert _core.relation(s, t) == "different"
    assert _core.order_streams(s, t) == "event"


def test_order_is_by_keyword(device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    log: list[int] = []
    producer.hold()
    producer.call(lambda: log.append(1))
    anystream.order(producer=producer, consumer=consumer)
    consumer.call(lambda: log.append(2))
    producer.release()
    consumer.synchronize()
    assert log == [1, 2]


# ---- events


def test_an_event_is_complete_when_what_was_before_it_is(device: SimulatedDevice) -> None:
    producer, consumer = device.stream(), device.stream()
    log: list[int] = []
    producer.hold()
    producer.call(lambda: log.append(1))
    event = Stream(producer).record()
    assert isinstance(event, Event)
    assert event.query() is False
    assert event.device == device.device
    assert repr(event) == f"<anystream.Event on {device.device}, pending>"
    Stream(consumer).wait(event)
    consumer.call(lambda: log.append(2))
    producer.release()
    event.synchronize()
    assert event.query() is True
    assert log[:1] == [1]
    assert repr(event) == f"<anystream.Event on {device.device}, complete>"
    consumer.synchronize()
    assert log == [1, 2]


def test_an_event_outlives_its_stream(device: SimulatedDevice) -> None:
    event = Stream(device.stream()).record()
    event.synchronize()
    assert event.query()


# ---- waiting on the host


# Each prepares a wait, so that nothing else in it lets go of Python.
HOST_WAITS: dict[str, Callable[[Stream], Callable[[], object]]] = {
    "Stream.synchronize": lambda s: s.synchronize,
    "Event.synchronize": lambda s: s.record().synchronize,
    "synchronize_stream": lambda s: partial(_core.synchronize_stream, s),
    "wait_stream of another platform": lambda s: partial(Stream(sycl_queue()).wait_stream, s),
}


@pytest.fixture
def unasked() -> Iterator[None]:
    """Let no thread take the GIL from another that does not let go by itself."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize("prepare", HOST_WAITS.values(), ids=HOST_WAITS)
def test_a_host_wait_leaves_python_to_others(prepare: Any, device: SimulatedDevice) -> None:
    stream = device.stream()
    log: list[str] = []
    begin = threading.Event()

    def release() -> None:
        begin.wait()
        log.append("released")
        stream.release()

    releaser = threading.Thread(target=release)
    stream.hold()
    stream.call(lambda: log.append("ran"))
    wait = prepare(Stream(stream))  # skips where there is no SYCL: with no thread that waits on
    releaser.start()
    begin.set()
    log.append("waiting")
    wait()  # ends only if the other thread gets to run meanwhile
    releaser.join()
    assert log == ["waiting", "released", "ran"]


def test_a_wait_for_nothing_is_none(device: SimulatedDevice) -> None:
    stream = Stream(device.stream())
    assert stream.query() is True
    assert _core.synchronize_stream(stream) == "idle"
    assert _core.order_streams(stream, Stream(sycl_queue())) == "idle"


def test_streams_of_two_platforms_are_unrelated(device: SimulatedDevice) -> None:
    ours, sycl = Stream(device.stream()), Stream(sycl_queue())
    assert _core.relation(ours, sycl) == "unrelated"
    assert ours != sycl


# ---- in-order


REFUSING: dict[str, Any] = {
    "Stream.wait_stream(…)": lambda s: s.wait_stream(Stream(sycl_queue())),
    "Stream.wait(…)": lambda s: s.wait(Stream(sycl_queue()).record()),
    "order(consumer=…)": lambda s: _core.order_streams(Stream(sycl_queue()), s),
    "__dlpack__(stream=…)": lambda s: _core.check_consumer(s, "__dlpack__(stream=…)"),
}


@pytest.mark.parametrize(("where", "use"), REFUSING.items(), ids=REFUSING)
def test_an_out_of_order_consumer_is_refused_with_the_way_round(where: str, use: Any) -> None:
    queue = sycl_queue(in_order=False)
    with pytest.raises(ValueError, match="must be in-order") as caught:
        use(Stream(queue))
    assert str(caught.value) == (
        f"{where}: the stream that will use the array must be in-order; got an out-of-order queue "
        "on oneapi:0.\n  Make the queue in-order, or have a barrier put into it: "
        'anystream.Stream(q, out_of_order="barrier").'
    )
    use(Stream(queue, out_of_order="barrier"))


def test_as_a_producer_any_queue_will_do() -> None:
    Stream(sycl_queue()).wait_stream(sycl_queue(in_order=False))


# ---- producers of wait_stream


def test_a_producer_that_does_not_tell_its_device_is_on_the_consumers() -> None:
    consumer = Stream(7, "cuda:0")
    for producer in (7, with_protocol((0, 7)), Stream(7), Stream(7, "cuda:0")):
        consumer.wait_stream(producer)  # one and the same stream: nothing is to be done


@pytest.mark.parametrize(
    ("producer", "error", "text"),
    [
        (None, TypeError, "; got None.\n"),
        (-1, ValueError, "; got int -1.\n  -1 asks for no ordering: it is no stream."),
        (True, TypeError, "; got bool True.\n"),
        (7, TypeError, "; got int 7.\n  Integers are CUDA and ROCm stream handles."),
        (stand_in("hip.hip", "ihipStream_t", __int__=lambda _: HANDLE), TypeError, "got a hip.hip"),
    ],
)
def test_producers_that_are_none(producer: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        Stream(sycl_queue()).wait_stream(producer)
    assert str(caught.value).startswith("Stream.wait_stream(…): ")
    assert text in str(caught.value)


# ---- platforms whose backend comes later


LATER = {
    "cuda:0": ("CUDA cannot be used: no usable libcuda.so", "ANYSTREAM_CUDA_LIBRARY"),
    "rocm:0": ("HIP cannot be used: no usable libamdhip64.so", "ANYSTREAM_HIP_LIBRARY"),
    "metal:0": ("Metal cannot be used: no usable ", "ANYSTREAM_METAL_LIBRARY"),
}


@pytest.mark.parametrize(("name", "texts"), LATER.items(), ids=LATER)
def test_ordering_there_says_what_is_missing(name: str, texts: tuple[str, ...]) -> None:
    driver = {"cuda:0": "cuda", "rocm:0": "hip", "metal:0": "metal"}[name]
    facts = {row["name"]: row for row in _core.drivers()}[driver]
    if facts["available"]:
        pytest.skip(f"{driver} is here: {facts['library']}")
    stream, other = Stream.from_handle(name, HANDLE), Stream.from_handle(name, HANDLE + 8)
    for use in (
        lambda: stream.wait_stream(other),
        stream.record,
        stream.query,
        stream.synchronize,
    ):
        with pytest.raises(anystream.DriverUnavailable) as caught:
            use()
        assert all(text in str(caught.value) for text in texts)
        assert all(line in str(caught.value) for line in facts["reason"].splitlines())


def test_without_a_backend_streams_are_still_compared() -> None:
    assert Stream.from_handle("metal:0", HANDLE) == Stream.from_handle("metal:0", HANDLE)
    assert Stream.from_handle("metal:0", HANDLE) != Stream.from_handle("metal:0", HANDLE + 8)
    assert Stream.from_handle("metal:0", HANDLE).in_order  # as all of its queues
    assert Stream.from_handle("metal:0", HANDLE).device == Device("metal:0")


# ---- the end of the interpreter


AT_EXIT = {
    "streams in globals": """
s = Stream(held); e = s.record(); u = Stream(Owner()); c = Stream(Owner(), "cuda:0")
""",
    "a thread that waits": """
t = threading.Thread(target=Stream(held).synchronize, daemon=True); t.start()
""",
    "a thread that comes back": """
held.release()
for _ in range(8):
    threading.Thread(target=busy, daemon=True).start()
""",
    "threads that call Python": """
held.release()
for _ in range(4):
    threading.Thread(target=calling, daemon=True).start()
""",
    # Two whose code comes back for the GIL when there is none, with frames of ours below it: where
    # C++ has Python objects to let go of, and where it catches what is thrown.
    "a thread whose stream is asked for a capsule": """
threading.Thread(target=Stream, args=(Endless(),), daemon=True).start()
asked.wait()
""",
    "a thread whose producer is asked for its device": """
threading.Thread(target=anystream.from_dlpack, args=(Endless(),), daemon=True).start()
asked.wait()
""",
}


@pytest.mark.parametrize("code", AT_EXIT.values(), ids=AT_EXIT)
def test_the_interpreter_ends_in_peace(code: str) -> None:
    start = """
import threading, time
import anystream
from anystream import Stream
from anystream.testing import SimulatedDevice
asked = threading.Event()
class Owner:
    def __cuda_stream__(self): return (0, 4096)
class Endless:
    def ask(self, **request):
        asked.set()
        while True: time.sleep(0)
    _get_capsule = __dlpack__ = __dlpack_device__ = ask
def busy():
    while True:
        Stream(held).record().synchronize()
def calling():
    while True:
        held.call(lambda: None)
        held.synchronize()
device = SimulatedDevice()
held = device.stream()
held.hold()
"""
    for _ in range(3):
        command = [sys.executable, "-c", start + code]
        run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
