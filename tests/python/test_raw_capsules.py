# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Bare capsules: told apart by name, used up once, and nothing known of what is pending."""

import re
from typing import Any

import pytest

import anystream
from anystream import _core
from ctypes_tensors import Producer as Capsules
from ctypes_tensors import name_of, named_capsule
from stand_ins import Memory

np = pytest.importorskip("numpy", reason="numpy is not installed")


@pytest.mark.parametrize("versioned", [True, False])
def test_a_capsule_is_told_by_its_name_and_used_up(versioned: bool) -> None:
    capsules = Capsules((2, 3), versioned=versioned)
    capsule = capsules.capsule()
    array = anystream.from_dlpack(capsule)
    name = "dltensor_versioned" if versioned else "dltensor"
    assert name_of(capsule) == f"used_{name}"
    assert (array.shape, array.data_ptr) == ((2, 3), capsules.address)
    assert array.plan.protocol.what == "the capsule"
    with pytest.raises(ValueError, match=f'can be taken once; got one named "used_{name}"'):
        anystream.from_dlpack(capsule)
    with pytest.raises(ValueError, match="can be taken once"):
        anystream.handoff(capsule, to="numpy")
    del array
    assert capsules.deleted == 1


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("arrow_array", TypeError, 'got a capsule named "arrow_array"'),
        ("dltensor ", TypeError, 'got a capsule named "dltensor "'),
        ("DLTENSOR", TypeError, 'got a capsule named "DLTENSOR"'),
        ("", TypeError, 'got a capsule named ""'),
        ("used_dltensor", ValueError, 'got one named "used_dltensor"'),
        ("used_dltensor_versioned", ValueError, 'got one named "used_dltensor_versioned"'),
    ],
)
def test_other_names_are_refused(name: str, error: type[Exception], text: str) -> None:
    capsule = named_capsule(name)
    for call in (anystream.from_dlpack, anystream.explain):
        with pytest.raises(error, match=re.escape(text)):
            call(capsule)
    assert name_of(capsule) == name


def test_explain_leaves_a_capsule_whole() -> None:
    capsule = np.arange(3).__dlpack__()
    assert anystream.explain(capsule).protocol.what == "the capsule"
    assert anystream.handoff(capsule, to="numpy").tolist() == [0, 1, 2]


@pytest.fixture
def cuda_capsule() -> Any:
    """A capsule of memory that says it is a CUDA device's."""
    return _core.Carrier(Memory().array((2, 0))).__dlpack__(max_version=(1, 0))


def test_on_an_asynchronous_device_nothing_is_known_to_be_pending(cuda_capsule: Any) -> None:
    plan = anystream.explain(cuda_capsule, stream=0x5000)
    assert plan.ordering.what == "nothing is known to be pending"
    assert plan.ordering.why == "a DLPack capsule names no stream; producer_stream= does"
    with pytest.raises(anystream.OrderingError, match="producer_stream="):
        anystream.from_dlpack(cuda_capsule, stream=0x5000, strict=True)
    with pytest.raises(anystream.OrderingError, match="producer_stream="):
        anystream.from_dlpack(cuda_capsule, strict=True)
    array = anystream.from_dlpack(cuda_capsule, stream=0x5000)  # it was not used up by those
    assert array.stream is not None
    assert array.stream.handle == 0x5000


def test_a_named_producer_stream_counts_for_a_capsule(cuda_capsule: Any) -> None:
    with pytest.raises(anystream.DriverUnavailable):
        anystream.from_dlpack(cuda_capsule, stream=0x5000, producer_stream=0x6000)
    array = anystream.from_dlpack(cuda_capsule, producer_stream=0x6000, strict=True)
    assert array.stream is not None
    assert array.stream.handle == 0x6000


def test_a_capsule_on_sycl(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    work = sycl.write_slowly(producer, sycl.memory_of(x), 7)
    with pytest.raises(anystream.OrderingError):
        anystream.handoff(x.__dlpack__(), to="dpnp", stream=consumer, strict=True)
    named = {"stream": consumer, "producer_stream": producer, "strict": True}
    y = anystream.handoff(x.__dlpack__(max_version=(1, 0)), to="dpnp", **named)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 7).all()
