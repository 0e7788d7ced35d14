# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Which way each kind of array comes in by, and that nobody is asked a second time."""

from collections.abc import Callable
from typing import Any, NoReturn

import pytest

import anystream
import value_rig as rig
from anystream import _handoff
from interface_rig import CUDA, HOST, Described
from peer_rig import LIBRARIES, address

np = pytest.importorskip("numpy", reason="numpy is not installed")

VALUES = np.arange(4, dtype="float32")

# Of a subclass the memory may not tell all, so its method is called.
STRUCT = ("array struct", "the array's struct")
TABLE = ("table", "the C exchange API")
BUFFER = ("buffer", "the buffer protocol")
CALL = ("dlpack", "__dlpack__")
INTERFACE = ("array interface", HOST)

BY_LIBRARY: dict[str, tuple[str, str]] = {
    "numpy": STRUCT,
    "torch": TABLE,
    "jax": BUFFER,
    "mlx": ("copied buffer", "__copy__, then the buffer protocol"),
    "tvm_ffi": CALL,
    "cuda.core": CALL,
    "dpnp": ("usm struct", "the array's struct"),
    "dpctl": ("usm", "__sycl_usm_array_interface__"),
}


def a_torch_subclass() -> Any:
    import torch

    return torch.ones(3).as_subclass(type("Mine", (torch.Tensor,), {}))


def a_torch_bfloat16() -> Any:
    import torch

    return torch.ones(3, dtype=torch.bfloat16)


def a_numpy_bfloat16() -> Any:
    return np.zeros(3, rig.numpy_dtype("bfloat16"))


def an_mlx_bfloat16() -> Any:
    import mlx.core as mx

    return mx.ones(3, mx.bfloat16)


def a_jax_bfloat16() -> Any:
    import jax.numpy as jnp

    return jnp.ones(3, jnp.bfloat16)


# (the libraries that it takes, how to make one, the route, the protocol)
OTHERS: list[tuple[tuple[str, ...], Callable[[], Any], tuple[str, str]]] = [
    ((), a_numpy_bfloat16, INTERFACE),
    ((), lambda: np.float32(2.5), INTERFACE),
    ((), lambda: VALUES.view(type("Mine", (np.ndarray,), {})), CALL),
    ((), lambda: np.rec.array(VALUES), CALL),
    (("torch",), a_torch_bfloat16, TABLE),
    (("torch",), a_torch_subclass, CALL),
    (("jax",), a_jax_bfloat16, CALL),
    (("mlx",), an_mlx_bfloat16, CALL),
    ((), lambda: b"abc", BUFFER),
    ((), lambda: memoryview(bytearray(3)), BUFFER),
    ((), lambda: anystream.from_dlpack(VALUES), ("array", "none")),
    ((), lambda: Described(HOST), INTERFACE),
    ((), lambda: Described(CUDA), ("cuda interface", CUDA)),
]
NAMES = ["numpy bfloat16", "numpy scalar", "numpy subclass", "numpy records", "torch bfloat16"]
NAMES += ["torch subclass", "jax bfloat16", "mlx bfloat16", "bytes", "memoryview", "ours"]
NAMES += ["array interface", "cuda interface"]


def comes_in_by(x: Any, route: str, protocol: str) -> None:
    """Assert that a plan says so, and that it is the one of the import, first and known."""
    plan = anystream.explain(x)
    assert (plan.actions.route, plan.protocol.what) == (route, protocol)
    for _ in range(3):
        assert anystream.from_dlpack(x).plan is plan


@pytest.mark.parametrize("name", BY_LIBRARY)
def test_the_arrays_of_a_library(request: Any, name: str) -> None:
    library = LIBRARIES[name].require()
    if not library.host:
        request.getfixturevalue("sycl")
    comes_in_by(library.make(VALUES), *BY_LIBRARY[name])


def test_every_library_has_its_row() -> None:
    assert BY_LIBRARY.keys() == LIBRARIES.keys()


@pytest.mark.parametrize(("needs", "make", "way"), OTHERS, ids=NAMES)
def test_what_differs_from_the_usual(
    needs: tuple[str, ...], make: Callable[[], Any], way: tuple[str, str]
) -> None:
    for name in needs:
        LIBRARIES[name].require()
    comes_in_by(make(), *way)


# -- the second time ------------------------------------------------------------------------------


def fails(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("the package was asked")


@pytest.fixture
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From when it is called, neither what was planned nor the planner is looked at."""

    def begin() -> None:
        for name in ("prepare", "known"):
            monkeypatch.setattr(_handoff, name, fails)

    return begin


# jax and mlx give memory that is not to be written to, of which torch must be told each time.
WAYS = [(name, "numpy") for name in ("numpy", "torch", "jax", "mlx", "tvm_ffi")]
WAYS += [(name, "torch") for name in ("numpy", "torch", "tvm_ffi")]


@pytest.mark.parametrize(("producer", "consumer"), WAYS)
def test_the_second_hand_off_asks_nobody(
    producer: str, consumer: str, nobody_is_asked: Callable[[], None]
) -> None:
    made = [LIBRARIES[producer].require().make(VALUES + number) for number in range(3)]
    where = [address(x) for x in made]
    assert LIBRARIES[consumer].require().name == consumer
    anystream.handoff(made[0], to=consumer)
    nobody_is_asked()
    for number in (1, 2):
        y = anystream.handoff(made[number], to=consumer)
        assert type(y).__module__.partition(".")[0] == consumer
        assert LIBRARIES[consumer].read(y).tolist() == (VALUES + number).tolist()
        assert (y.ctypes.data if consumer == "numpy" else y.data_ptr()) == where[number]


@pytest.mark.parametrize("name", [name for name, library in LIBRARIES.items() if library.host])
def test_the_second_import_asks_nobody(name: str, nobody_is_asked: Callable[[], None]) -> None:
    made = [LIBRARIES[name].require().make(VALUES + number) for number in range(3)]
    plan = anystream.from_dlpack(made[0]).plan
    nobody_is_asked()
    for number in (1, 2):
        array = anystream.from_dlpack(made[number])
        assert array.plan is plan
        assert np.from_dlpack(array).tolist() == (VALUES + number).tolist()
