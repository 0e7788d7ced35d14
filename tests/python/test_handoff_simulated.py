# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hand-offs of other people's classes on the simulated device, whose device type many share."""

from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice
from simulated_rig import FORMS, Race
from stand_ins import Producer


@pytest.mark.parametrize("form", ["object", "stream"])
def test_a_stream_tells_the_platform_of_somebodys_array(form: str) -> None:
    race = Race()
    for _ in range(100):
        source = race.produce()
        race.show_it_is_wrong_without(source)
        x = Producer((12, race.device.device.id), source)
        consumer, producer = (FORMS[form](one) for one in (race.consumer, race.producer))
        array = anystream.from_dlpack(x, stream=consumer, producer_stream=producer, strict=True)
        assert array.device == race.device.device
        assert race.finish(race.read(array))


def test_without_a_stream_the_platform_is_not_known() -> None:
    with SimulatedDevice() as device:
        x = Producer((12, device.device.id), device.full(4, 1.0))
        plan = anystream.explain(x)
        assert plan.ordering.what == "nothing is known to be pending"
        with pytest.raises(anystream.OrderingError):
            anystream.from_dlpack(x, strict=True)


def test_somebodys_class_is_sent_the_stream_itself() -> None:
    with SimulatedDevice() as device:
        x = Producer((12, device.device.id), device.full(4, 1.0))
        consumer = device.stream()
        anystream.from_dlpack(x, stream=consumer)
        assert x.asked["stream"] is consumer


@pytest.mark.parametrize("to", ["numpy", "dpnp", "tvm_ffi", "torch", "jax", "mlx", "dpctl"])
def test_to_every_library(to: str, request: pytest.FixtureRequest) -> None:
    """None of them knows the device: the values go through the host, after a wait."""
    from peer_rig import LIBRARIES

    library = LIBRARIES[to].require()
    if not library.host:
        request.getfixturevalue("sycl")
    race = Race()
    source = race.produce()
    race.producer.release()
    plan = anystream.explain(source, to=to)
    if to == "tvm_ffi":  # it takes any device type, and has no stream of this one
        assert plan.copy.what == "view"
        return
    assert plan.copy.what.startswith("copy to the host")
    got: Any = library.read(anystream.handoff(source, to=to))
    assert got.view("int32").tolist() == [1] * 8
