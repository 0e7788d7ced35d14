# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The quick ways themselves: what they ask of a library's own functions, and when one fails."""

import ctypes
import gc
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

import anystream
from anystream import _core
from anystream._natives import natives_of
from anystream._producer import producer_type
from exchange_rig import class_with, made_table, table_capsule

np = pytest.importorskip("numpy", reason="numpy is not installed")

FLOAT64 = (2, 64, 1)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")


@pytest.fixture
def tvm_ffi() -> Any:
    return pytest.importorskip("tvm_ffi", reason="tvm_ffi is not installed (PEERS=all installs it)")


# ---- a consumer's table --------------------------------------------------------------------------


class Nobody:
    """What an array is handed to by a table that is the test's."""

    def __init__(self, take: Callable[..., int]) -> None:
        x = np.arange(3.0)
        row = ("array struct", anystream.explain(x), False, (), "", None, False)
        kind = class_with(
            table_capsule(made_table(from_py=take, to_py=take, allocator=take, stream=take))
        )
        _core._remember_handover(x, self, row, kind, False, [FLOAT64])


def test_a_table_that_takes_nothing_and_does_not_say_why() -> None:
    taken: list[int] = []

    def take(managed: int, out: Any) -> int:
        taken.append(managed)
        return -1

    with pytest.raises(BufferError, match="gave no array, and did not say why"):
        anystream.handoff(np.arange(3.0), to=cast("Any", Nobody(take)))
    assert len(taken) == 1


def test_a_table_that_says_that_it_took_it_and_gives_nothing() -> None:
    with pytest.raises(BufferError, match="gave no array, and did not say why"):
        anystream.handoff(np.arange(3.0), to=cast("Any", Nobody(lambda managed, out: 0)))


# ---- a library's own functions -------------------------------------------------------------------


@pytest.fixture
def calls(torch: Any) -> Iterator[list[str]]:
    """The names of torch's functions that are called through Python while the fixture lives."""
    named: list[str] = []

    class Recording(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            named.append(str(function))
            return function(*args, **(kwargs or {}))

    anystream.from_dlpack(torch.ones(3))  # from here on the way is known
    with Recording():
        yield named


def test_torch_is_asked_by_its_own_functions(torch: Any, calls: list[str]) -> None:
    x = torch.empty(2, dtype=torch.complex64)
    calls.clear()
    assert anystream.from_dlpack(x).data_ptr == x.untyped_storage().data_ptr()
    assert not [name for name in calls if "data_ptr" not in name and "storage" not in name]


STATES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "gradient": (lambda torch: torch.ones(3, requires_grad=True), "requires gradients"),
    "gradient of a view": (lambda torch: torch.ones(3, requires_grad=True)[1:], "gradients"),
    "conjugate": (lambda torch: torch.ones(3, dtype=torch.complex64).conj(), "conjugate bit"),
    "negative": (lambda torch: torch._neg_view(torch.ones(3)), "negative bit"),
    "imaginary part": (
        lambda torch: torch.ones(3, dtype=torch.complex64).conj().imag,
        "negative bit",
    ),
}


@pytest.mark.parametrize("changed", ["as it is", "no such function", "another handle"])
@pytest.mark.parametrize("state", STATES)
def test_torch_answers_rightly_in_either_way(torch: Any, state: str, changed: str) -> None:
    """Where a library has no such functions, or keeps its tensor elsewhere, Python is asked."""
    make, says = STATES[state]
    x = torch.ones(3)
    anystream.from_dlpack(x)
    forbids = ("requires_grad", "is_neg()", "complex:is_conj()")
    functions, handle = dict.fromkeys(forbids, (0, True)), x._cdata
    if changed == "another handle":
        # Would end the process if it were called: there is nothing at that address.
        functions, handle = dict.fromkeys(forbids, (8, False)), handle + 8
    if changed != "as it is":
        natives = (handle, functions, 0)
        row = ("table", anystream.explain(x), False, forbids, "storage_offset", natives, False)
        _core._remember_route(x, row)
    try:
        assert anystream.from_dlpack(x).data_ptr == x.data_ptr()
        with pytest.raises(BufferError, match=says):
            anystream.from_dlpack(make(torch))
    finally:  # as the package does it, for the tests that follow
        torch.Tensor.a_mark = None  # the class is another one now, and is planned anew
        del torch.Tensor.a_mark
        assert anystream.from_dlpack(x).data_ptr == x.data_ptr()


def test_functions_are_found_where_they_are(torch: Any, tvm_ffi: Any) -> None:
    x = torch.ones(3)
    handle, functions, exporter = natives_of(producer_type(x).row, x) or (0, {}, 0)
    assert handle == x._cdata
    assert functions.keys() == {"requires_grad", "is_neg()", "complex:is_conj()"}
    assert all(address != 0 for address, _ in functions.values())
    assert exporter == 0
    y = tvm_ffi.from_dlpack(np.arange(3.0))
    row = producer_type(y).row
    handle, functions, exporter = natives_of(row, y) or (0, {}, 0)
    assert (handle, functions) == (y.__chandle__(), {})
    assert exporter != 0
    for other in (replace(row, exporter="TVMFFINone"), replace(row, library="tvm_ffi.none")):
        assert natives_of(other, y) == (y.__chandle__(), {}, 0)
    assert natives_of(replace(row, handle="none"), y) is None


@pytest.mark.parametrize("found", [True, False])
def test_tvm_ffi_exports_what_its_method_exports(tvm_ffi: Any, *, found: bool) -> None:
    source = np.arange(24.0).reshape(2, 3, 4)
    x = tvm_ffi.from_dlpack(source)
    natives = natives_of(producer_type(x).row, x)
    assert natives is not None
    if not found:
        natives = (*natives[:2], 0)
    row = ("bare dlpack", anystream.explain(x), False, (), "", natives, False)
    _core._remember_route(x, row)
    array = anystream.from_dlpack(x)
    expected = anystream.from_dlpack(x.__dlpack__(max_version=(1, 3)))
    for name in ("data_ptr", "shape", "strides", "dtype", "device", "byte_offset", "readonly"):
        assert getattr(array, name) == getattr(expected, name), name
    del x, expected
    gc.collect()
    assert np.from_dlpack(array).tolist() == source.tolist()


def test_a_tensor_elsewhere_is_planned_with_what_was_exported(tvm_ffi: Any, sycl: Any) -> None:
    """Its class is known from arrays of the host: this one is ordered, or refused, all the same."""
    host = tvm_ffi.from_dlpack(np.arange(3.0))
    for to in ("numpy", "dpnp"):
        if to == "numpy":
            anystream.handoff(host, to=to)
        memory = sycl.dpnp.arange(3.0)
        x = tvm_ffi.from_dlpack(memory)
        with pytest.raises(anystream.OrderingError, match="tvm_ffi ignores the stream"):
            anystream.handoff(x, to=to)
        array = anystream.from_dlpack(x)
        assert array.device == anystream.Device("oneapi:0")
        assert array.data_ptr == memory.__sycl_usm_array_interface__["data"][0]
        known = anystream.handoff(x, to="dpnp", producer_stream=memory.sycl_queue)
        assert known.tolist() == [0.0, 1.0, 2.0]


# ---- what happens meanwhile ----------------------------------------------------------------------


def test_an_array_that_gets_another_shape_while_it_is_imported() -> None:
    """A new Array may make the collector run, and that any code: it must see one shape or other."""
    x = np.arange(6.0)

    class Reshapes:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            x.shape = (1, 6) if x.ndim == 1 else (6,)

    anystream.from_dlpack(x)
    kept = []
    former = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):  # kept: so each is new memory
            Reshapes()
            array = anystream.from_dlpack(x)
            assert (array.shape, array.strides) in (((6,), (1,)), ((1, 6), (6, 1)))
            kept.append(array)
    finally:
        gc.set_threshold(*former)
    assert all(ctypes.c_double.from_address(array.data_ptr + 40).value == 5.0 for array in kept)
