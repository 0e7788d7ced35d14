# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""explain says what a hand-off refuses, as far as looking at x tells, and exports nothing."""

import weakref
from typing import Any

import pytest

import anystream
from ctypes_tensors import Producer
from dtype_rig import array_of
from interface_rig import Described
from peer_rig import LIBRARIES

np = pytest.importorskip("numpy", reason="numpy is not installed")


def refusal(call: Any, x: Any, **policy: Any) -> str:
    with pytest.raises(BufferError) as refused:
        call(x, **policy)
    return str(refused.value)


def read_backwards() -> Any:
    return np.arange(6.0)[::-1]


def with_gaps() -> Any:
    return np.arange(12, dtype="f4").reshape(3, 4)[:, ::2]


def fields_of_records() -> Any:
    return np.zeros(3, dtype=[("a", "<i4"), ("b", "i1")])["a"]


def unaligned() -> Any:
    return np.zeros(200, "u1")[1:129].view("f4")


ROWS: list[tuple[str, Any, str, dict[str, Any]]] = [
    ("no negative strides", read_backwards, "torch", {}),
    ("no negative strides, an Array", read_backwards, "torch", {"array": True}),
    ("gaps", with_gaps, "jax", {}),
    ("alignment", unaligned, "jax", {"copy": False}),
    ("a type", lambda: array_of("int4"), "torch", {"array": True}),
    ("a type, a copy", lambda: np.zeros(3, "f8"), "mlx", {"copy": True}),
    ("strides in bytes", fields_of_records, "numpy", {}),
    ("strides in bytes, a copy", fields_of_records, "torch", {"copy": True}),
    ("many", lambda: [np.zeros(2, "f4"), np.zeros(3, "f8")], "mlx", {}),
]


@pytest.mark.parametrize(
    ("make", "to", "policy"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS]
)
def test_it_refuses_in_the_words_of_the_hand_off(
    make: Any, to: str, policy: dict[str, Any]
) -> None:
    LIBRARIES[to].require()
    policy = dict(policy)
    x = anystream.from_dlpack(make()) if policy.pop("array", False) else make()
    assert refusal(anystream.explain, x, to=to, **policy) == refusal(
        anystream.handoff, x, to=to, **policy
    )


def test_of_a_torch_tensor() -> None:
    LIBRARIES["torch"].require()
    LIBRARIES["jax"].require()
    import torch

    x = torch.zeros((4, 4))[:, ::2]
    assert refusal(anystream.explain, x, to="jax") == refusal(anystream.handoff, x, to="jax")


def test_of_memory_on_sycl(sycl: Any) -> None:
    x = sycl.zeros("dpnp", sycl.queue())[::2]
    for policy in ({}, {"copy": True}):  # a copy on the device keeps the strides
        text = refusal(anystream.explain, x, to="dpctl", **policy)
        assert text == refusal(anystream.handoff, x, to="dpctl", **policy)
        assert text.startswith("dpctl takes arrays with elements in row-major order without gaps;")
    assert anystream.explain(x, to="torch").copy.what.startswith("copy to the host")


def test_a_type_is_told_before_its_values_are_there() -> None:
    """Its values are not asked for: mlx has not computed them yet."""
    LIBRARIES["mlx"].require()
    LIBRARIES["jax"].require()
    import mlx.core as mx

    x = mx.arange(3, dtype=mx.int64) + 1
    text = refusal(anystream.explain, x, to="jax")
    assert text == refusal(anystream.handoff, x, to="jax")
    assert text.startswith("jax takes no int64 as it is set up")


@pytest.mark.parametrize(
    ("make", "to", "policy"),
    [
        (read_backwards, "torch", {"copy": True}),
        (with_gaps, "jax", {"copy": True}),
        (read_backwards, "numpy", {}),
        (lambda: np.zeros((0, 4))[:, ::-1], "torch", {}),
    ],
)
def test_what_is_taken_is_explained(make: Any, to: str, policy: dict[str, Any]) -> None:
    LIBRARIES[to].require()
    x = make()
    plan = anystream.explain(x, to=to, **policy)
    assert np.asarray(anystream.handoff(x, to=to, **policy)).tolist() == x.tolist()
    assert plan.copy.what == ("copy" if policy else "view")


def test_nothing_of_x_is_kept() -> None:
    x = Described("__array_interface__", **np.zeros(3).__array_interface__)
    alive = weakref.ref(x)
    plan = anystream.explain(x, to="numpy")
    del x
    assert alive() is None
    assert plan.copy.what == "view"


def test_a_producer_without_a_row_is_not_called() -> None:
    """Only its export would tell its layout: the plan says what it depends on."""
    producer = Producer((4,), dtype=(40, 8, 1))
    plan = anystream.explain(producer, to="numpy")
    assert (producer.asked, producer.handed) == ([], 0)
    assert "where it can take it as it is" in plan.copy.why
    assert "numpy has no elements" in refusal(anystream.handoff, producer, to="numpy")
