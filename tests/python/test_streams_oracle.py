# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every stream argument on every device type: what it comes to, or the exact error."""

from typing import Any

import pytest

import anystream
from anystream import _core
from anystream.testing import SimulatedDevice
from stream_oracle import OUTCOMES, WHERE, Outcome, Where, on_none
from stream_values import HANDLE, VALUES, Value

ARGUMENT = "__dlpack__(stream=…)"
ERRORS = {"T": TypeError, "V": ValueError}


def resolve(value: Any, where: Where) -> tuple[str, Any]:
    return _core.resolve_stream(value, where.type, 0, platform=where.platform, where=ARGUMENT)


def array_on(where: Where, stream: anystream.Stream | None = None) -> anystream.Array:
    """Make an array that says that it is there; nothing reads its memory."""
    return _core._array_from_pointer(
        4096,
        (1,),
        None,
        (2, 32, 1),
        (where.type, 0),
        readonly=False,
        owner=None,
        stream=stream,
        plan=None,
        platform=where.platform,
    )


def message(where: Where, value: Value, outcome: Outcome) -> str:
    first = f"{ARGUMENT}: {where.array} takes {where.takes}; got {value.got}."
    reason = outcome.reason
    if isinstance(value.passed, anystream.Stream) and value.passed.device is not None:
        reason = reason.format(id=value.passed.device.id)
    return f"{first}\n  {reason}{where.fix}"


def check_stream(stream: Any, where: Where, value: Value, outcome: Outcome) -> None:
    assert type(stream) is anystream.Stream
    assert stream.device.type == stream_type(where, value)
    if outcome.handle is None:
        assert stream == anystream.Stream(value.queue)
        assert stream.device == anystream.Stream(value.queue).device
    else:
        assert stream.handle == outcome.handle
        assert stream.device.id == 0


def stream_type(where: Where, value: Value) -> int:
    """One of ours stays what it is, on any memory of its platform."""
    device = value.passed.device if isinstance(value.passed, anystream.Stream) else None
    return where.type if device is None else int(device.type)


def test_the_two_lists_of_values_are_one() -> None:
    assert list(VALUES) == list(OUTCOMES)


def test_every_device_type_is_there() -> None:
    assert {row["value"] for row in _core.DEVICE_TABLE} <= {where.type for where in WHERE}
    assert {row["id"] for row in _core.PLATFORM_TABLE} == {"simulated"}


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize("where", WHERE, ids=lambda where: f"{where.type}{where.platform}")
def test_oracle(where: Where, name: str) -> None:
    value = VALUES[name]()
    outcome = OUTCOMES[name][where.column]
    if outcome.kind in ERRORS:
        with pytest.raises(ERRORS[outcome.kind]) as caught:
            resolve(value.passed, where)
        assert type(caught.value) is ERRORS[outcome.kind]
        assert str(caught.value) == message(where, value, outcome)
        return
    form, result = resolve(value.passed, where)
    assert form == outcome.kind
    if form == "stream":
        check_stream(result, where, value, outcome)
    elif form == "foreign":
        assert result is value.passed
    else:
        assert result is None


REFUSED = [
    (where, name)
    for where in WHERE
    for name in OUTCOMES
    if OUTCOMES[name][where.column].kind in ERRORS
]


@pytest.mark.parametrize(
    ("where", "name"), REFUSED, ids=[f"{w.type}{w.platform}-{name}" for w, name in REFUSED]
)
def test_an_array_refuses_in_the_same_words(where: Where, name: str) -> None:
    value = VALUES[name]()
    outcome = OUTCOMES[name][where.column]
    array = array_on(where)
    with pytest.raises(ERRORS[outcome.kind]) as caught:
        array.__dlpack__(stream=value.passed)
    assert str(caught.value) == message(where, value, outcome)


# ---- what None does, by what is pending


# Of handles that are none; what is an object is followed, see test_opencl_order for OpenCL.
STREAMS_OF = {"cuda": "cuda:0", "rocm": "rocm:0", "metal": "metal:0"}
DRIVERS = {"cuda": "cuda", "rocm": "hip", "metal": "metal"}
LATER = [where for where in WHERE if where.column in STREAMS_OF]
by_type = pytest.mark.parametrize("where", LATER, ids=lambda where: str(where.type))


def known(where: Where, handle: int) -> anystream.Array:
    """Make an array whose producer's stream is known."""
    return array_on(where, anystream.Stream.from_handle(STREAMS_OF[where.column], handle))


def check_unavailable(where: Where, array: anystream.Array, **keywords: Any) -> None:
    """Order cannot be had: what is missing, and every place that was tried, is said."""
    with pytest.raises(anystream.DriverUnavailable) as caught:
        array.__dlpack__(**keywords)
    driver = DRIVERS[where.column]
    facts = {row["name"]: row for row in _core.drivers()}[driver]
    if not facts["available"]:
        assert all(line in str(caught.value) for line in facts["reason"].splitlines())
        assert f"ANYSTREAM_{driver.upper()}_LIBRARY" in str(caught.value)


@pytest.mark.parametrize("given", [None, -1])
@by_type
def test_where_no_stream_is_known_nothing_is_pending(where: Where, given: int | None) -> None:
    capsule = array_on(where).__dlpack__(stream=given)
    assert _core._capsule_device(capsule) == (where.type, 0)


@pytest.mark.parametrize("handle", [0, 1, 2, HANDLE])
@by_type
def test_none_where_the_producers_stream_is_known(where: Where, handle: int) -> None:
    """The default stream's own array needs nothing; all else takes the driver."""
    if where.column == "metal" and handle == 0:
        pytest.skip("there is no default queue: it stands for one that the driver makes")
    array = known(where, handle)
    folded = 1 if where.column == "cuda" and handle == 0 else handle  # NULL is the legacy default
    if on_none(where) == folded:
        assert _core._capsule_device(array.__dlpack__()) == (where.type, 0)
    else:
        check_unavailable(where, array)
    assert _core._capsule_device(array.__dlpack__(stream=-1)) == (where.type, 0)


@pytest.mark.parametrize("column", ["cuda", "rocm"])
def test_none_is_the_default_stream_by_its_number(column: str) -> None:
    """None and the number come to one: in both nothing is done, or both need the driver."""
    (where,) = (one for one in LATER if one.column == column and one.type in (2, 10))
    default = on_none(where)
    assert default == {"cuda": 1, "rocm": 0}[column]
    own = known(where, int(default))
    for given in (None, default):
        assert _core._capsule_device(own.__dlpack__(stream=given)) == (where.type, 0)
        check_unavailable(where, known(where, HANDLE), stream=given)


@pytest.mark.parametrize("where", [one for one in LATER if one.type in (3, 11, 13)], ids=str)
def test_none_on_memory_of_the_host_is_no_stream(where: Where) -> None:
    """Each stream may be named and then needs nothing more; None has the host wait, and is told."""
    assert on_none(where) == "host wait"
    for handle in (1, HANDLE) if where.column == "cuda" else (0, HANDLE):
        array = known(where, handle)
        assert _core._capsule_device(array.__dlpack__(stream=handle)) == (where.type, 0)
        check_unavailable(where, array)


def test_none_on_the_cpu_is_nothing() -> None:
    """There is no stream that could be known: the CPU has none, and takes none of another's."""
    (where,) = (one for one in WHERE if one.type == 1)
    assert on_none(where) == "nothing"
    assert _core._capsule_device(array_on(where).__dlpack__()) == (1, 0)
    with pytest.raises(TypeError, match="cannot carry the work of a kDLCPU array"):
        array_on(where, anystream.Stream.from_handle("cuda:0", HANDLE))


OPEN = [where for where in WHERE if where.column == "open"]


@pytest.mark.parametrize("where", OPEN, ids=lambda where: str(where.type))
def test_none_where_nobody_built_a_backend(where: Where) -> None:
    """Nothing is known to be pending, and a stream there cannot be made known."""
    assert _core._capsule_device(array_on(where).__dlpack__()) == (where.type, 0)
    device = anystream.Device((where.type, 0))
    with pytest.raises(anystream.DriverUnavailable, match="no backend for its device type"):
        anystream.Stream.from_handle(device, HANDLE)
    with pytest.raises(TypeError, match="cannot carry the work of"):
        array_on(where, anystream.Stream.from_handle("cuda:0", HANDLE))


# ---- a stream of the same type, of another device


def test_another_cuda_devices_stream_is_taken_and_needs_the_driver_to_be_ordered() -> None:
    (where,) = (one for one in WHERE if one.type == 2)
    other = anystream.Stream.from_handle("cuda:1", HANDLE)
    assert resolve(other, where) == ("stream", other)
    assert _core._capsule_device(array_on(where).__dlpack__(stream=other)) == (2, 0)
    for handle in (1, HANDLE):
        array = known(where, handle)
        assert array.stream is not None
        assert _core.relation(array.stream, other) == "different"
        check_unavailable(where, array, stream=other)


def test_another_cuda_devices_default_stream_is_another_stream() -> None:
    """All of them have one handle."""
    (where,) = (one for one in WHERE if one.type == 2)
    other = anystream.Stream.from_handle("cuda:1", 1)
    assert other != anystream.Stream.from_handle("cuda:0", 1)
    check_unavailable(where, known(where, 1), stream=other)


def test_another_simulated_devices_stream_is_taken_and_ordered() -> None:
    with SimulatedDevice() as device, SimulatedDevice() as elsewhere:
        producer, consumer = device.stream(), elsewhere.stream()
        log: list[str] = []
        source = device.empty((4,), "int32", producer)
        given = anystream.Stream(consumer)
        assert given.device != source.device
        asked = _core.resolve_stream(given, *source.__dlpack_device__(), platform="simulated")
        assert asked == ("stream", given)
        for ordered in (False, True):
            log.clear()
            producer.hold()
            producer.call(lambda: log.append("written"))
            source.__dlpack__(stream=given if ordered else -1)
            consumer.call(lambda: log.append("read"))
            if not ordered:  # the same without: the reader runs while the producer is held
                consumer.synchronize()
            assert log == ([] if ordered else ["read"])
            producer.release()
            producer.synchronize()
            consumer.synchronize()
            assert log == (["written", "read"] if ordered else ["read", "written"])
