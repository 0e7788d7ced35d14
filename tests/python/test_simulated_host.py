# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The host reads simulated memory: it waits for what is pending, without the GIL, and copies."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

import anystream
from anystream.testing import peek, values
from simulated_rig import ELEMENTS, POISON, Race

TRIALS = 100


def installed(library: str) -> Any:
    return pytest.importorskip(library, reason=f"{library} is not installed")


def to_numpy(source: anystream.Array) -> list[Any]:
    installed("numpy")
    numbers: list[Any] = anystream.handoff(source, to="numpy").tolist()
    return numbers


def to_torch(source: anystream.Array) -> list[Any]:
    installed("torch")
    numbers: list[Any] = anystream.handoff(source, to="torch").tolist()
    return numbers


def to_jax(source: anystream.Array) -> list[Any]:
    installed("jax.numpy")
    numbers: list[Any] = anystream.handoff(source, to="jax").tolist()
    return numbers


def to_the_host(source: anystream.Array) -> list[Any]:
    host = anystream.from_dlpack(source, device="cpu")
    numbers: list[Any] = installed("numpy").from_dlpack(host).tolist()
    return numbers


def by_dl_device(source: anystream.Array) -> list[Any]:
    numbers: list[Any] = installed("numpy").from_dlpack(source, device="cpu").tolist()
    return numbers


def by_a_consumer_that_names_no_stream(source: anystream.Array) -> list[Any]:
    return values(anystream.from_dlpack(source.__dlpack__()))


def by_synchronize(source: anystream.Array) -> list[Any]:
    assert source.stream is not None
    source.stream.synchronize()
    return values(source)


WAYS = [
    to_numpy,
    to_torch,
    to_jax,
    to_the_host,
    by_dl_device,
    by_a_consumer_that_names_no_stream,
    by_synchronize,
]


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("way", WAYS)
def test_the_host_waits(way: Callable[[anystream.Array], list[Any]], in_order: bool) -> None:
    race = Race(in_order=in_order)
    way(race.device.full((1,), 0, "int32"))  # skips here, where the library is not installed
    with ThreadPoolExecutor(1) as pool:
        for _ in range(TRIALS):
            source = race.produce()
            assert peek(source) == POISON, "the race does not show without anystream"
            handed: Future[list[Any]] = pool.submit(way, source)
            race.producer.release()
            assert handed.result() == [race.value] * ELEMENTS


def test_a_wait_does_not_keep_the_gil() -> None:
    """What the host waits for may itself need the interpreter."""
    race = Race()
    source = race.produce()
    entered = Event()
    race.producer.call(entered.set)
    race.producer.release()
    assert to_the_host(source) == [race.value] * ELEMENTS
    assert entered.is_set()


def test_a_wait_is_an_ordering_error_where_order_must_be_proved() -> None:
    race = Race()
    source = race.produce()
    with pytest.raises(anystream.OrderingError):
        anystream.from_dlpack(source, device="cpu", strict=True)
    assert race.producer.pending == 1
    race.producer.release()


def test_no_copy_means_no_host() -> None:
    race = Race()
    source = race.produce()
    with pytest.raises(BufferError):
        anystream.from_dlpack(source, device="cpu", copy=False)
    with pytest.raises(BufferError):
        anystream.handoff(source, to="numpy", copy=False)
    assert race.producer.pending == 1
    race.producer.release()


def test_the_copy_is_the_hosts_own() -> None:
    race = Race()
    source = race.device.full((ELEMENTS,), 1, "int32", race.producer)
    host = anystream.from_dlpack(source, device="cpu")
    race.producer.fill(source, 2)
    race.producer.synchronize()
    assert values(source) == [2] * ELEMENTS
    assert memoryview_of(host) == [1] * ELEMENTS
    assert host.stream is None
    assert str(host.device) == "cpu"


def memoryview_of(host: anystream.Array) -> list[Any]:
    numbers: list[Any] = installed("numpy").from_dlpack(host).tolist()
    return numbers


def test_queries_never_wait() -> None:
    race = Race()
    source = race.produce()
    stream = anystream.Stream(race.producer)
    event = stream.record()
    assert not stream.query()
    assert not event.query()
    race.producer.release()
    event.synchronize()
    assert event.query()
    stream.synchronize()
    assert stream.query()
    assert values(source) == [race.value] * ELEMENTS
