# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Copies that were asked for: every layout and type comes out row-major, with numpy's values."""

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import _fit
from anystream._core import _array_copy
from anystream.testing import SimulatedDevice, SimulatedStream

np = pytest.importorskip("numpy", reason="numpy is not installed")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64", "complex64", "complex128"]
SMALL_FLOATS = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *SMALL_FLOATS]

VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "columns": lambda x: x[:, ::2],
    "rows": lambda x: x[1:3],
    "transposed": lambda x: x.T,
    "Fortran": lambda x: x.copy("F"),
    "reversed": lambda x: x[::-1, ::-1],
    "reversed columns": lambda x: x[:, ::-2],
    "broadcast rows": lambda x: np.broadcast_to(x[0], (5, 4)),
    "broadcast columns": lambda x: np.broadcast_to(x[:, :1], (6, 7)),
    "diagonal": lambda x: x.diagonal(),
    "axes swapped": lambda x: x.reshape(3, 2, 4).transpose(2, 0, 1),
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2)),
    "scalar": lambda x: x[1, 2, ...],
    "one": lambda x: x[2:3, ::-1][:, :1],
    "empty": lambda x: x[:0, ::-1],
}


def sample(dtype: str) -> Any:
    if hasattr(np, dtype) or dtype == "bool":
        return np.arange(24).reshape(6, 4).astype(dtype)
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    return np.arange(24).reshape(6, 4).astype(getattr(ml_dtypes, dtype))


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return tuple(strides) if shape else ()


def bytes_of(array: anystream.Array) -> bytes:
    """Read a host array whatever its type, through the pointer."""
    return ctypes.string_at(array.data_ptr + array.byte_offset, array.nbytes)


def seen(view: str, base: Any) -> Any:
    """Take a view; by the bits of a type that numpy itself cannot name."""
    if base.dtype.isbuiltin == 1:
        return VIEWS[view](base)
    return VIEWS[view](base.view(f"u{base.itemsize}")).view(base.dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_copy_has_the_values_in_row_major_order(view: str, dtype: str) -> None:
    base = sample(dtype)
    x = seen(view, base)
    wanted = x.tobytes()
    array = anystream.from_dlpack(x, copy=True)
    base.view("u1")[...] ^= 0xFF
    assert (array.shape, str(array.dtype)) == (x.shape, dtype)
    assert array.strides == row_major(x.shape) or not x.size
    assert array.byte_offset == 0
    assert array.readonly is False
    assert bytes_of(array) == wanted
    assert array.plan.copy.what.startswith("copy")


@pytest.mark.parametrize("shape", [(3001, 1501), (16, 300, 1003), (5_000_000,)])
@pytest.mark.parametrize("turn", [np.asarray, np.transpose, np.flip])
def test_a_large_copy_is_the_same(shape: tuple[int, ...], turn: Callable[[Any], Any]) -> None:
    x = turn(np.arange(np.prod(shape), dtype="float32").reshape(shape))
    assert (np.from_dlpack(anystream.from_dlpack(x, copy=True)) == x).all()


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "complex128"])
def test_a_source_that_is_not_aligned(dtype: str) -> None:
    memory = np.zeros(200, "u1")
    x = memory[3:-5].view("V1")[: 6 * np.dtype(dtype).itemsize].view(dtype).reshape(2, 3)
    x[...] = [[1, 2, 3], [4, 5, 6]]
    assert not x.flags.aligned
    y = np.from_dlpack(anystream.from_dlpack(x.T, copy=True))
    assert y.tolist() == [[1, 4], [2, 5], [3, 6]]


@pytest.mark.parametrize("view", VIEWS)
def test_an_export_with_copy_is_row_major_too(view: str) -> None:
    x = VIEWS[view](sample("float32"))
    y = np.from_dlpack(anystream.from_dlpack(x), copy=True)
    assert y.flags.c_contiguous
    assert y.flags.writeable
    assert (y == x).all()
    assert not np.shares_memory(x, y)


@pytest.mark.parametrize(
    ("to", "view"),
    [
        ("torch", "reversed"),
        ("torch", "reversed columns"),
        ("jax", "columns"),
        ("jax", "reversed"),
        ("jax", "broadcast rows"),
        ("mlx", "reversed"),
    ],
)
def test_a_copy_helps_a_library_that_refuses_a_layout(to: str, view: str) -> None:
    pytest.importorskip("mlx.core" if to == "mlx" else to, reason=f"{to} is not installed")
    x = VIEWS[view](sample("float32"))
    with pytest.raises(BufferError, match=r"\(in elements\)\.\n  Pass copy=True\.$"):
        anystream.handoff(x, to=to)
    wanted = x.tolist()
    assert anystream.handoff(x, to=to, copy=True).tolist() == wanted


@pytest.mark.parametrize(
    ("view", "copies"), [("whole", 0), ("columns", 0), ("axes swapped", 0), ("reversed", 1)]
)
def test_a_library_that_copies_is_not_given_a_copy_too(
    view: str, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mlx.core", reason="mlx is not installed (PEERS=all installs it)")
    made: list[anystream.Array] = []

    def counted(*arguments: Any) -> anystream.Array:
        made.append(_array_copy(*arguments))
        return made[-1]

    monkeypatch.setattr(_fit, "_array_copy", counted)
    x = VIEWS[view](sample("float32").copy())
    wanted = x.tolist()
    y = anystream.handoff(x, to="mlx", copy=True)
    assert len(made) == copies
    x[...] = -1
    assert y.tolist() == wanted  # it is of its own memory
    plan = anystream.explain(x, to="mlx", copy=True)
    assert plan.copy.what == "copy where the layout is none that mlx takes, then copy by mlx"


# ---- to_device --------------------------------------------------------------------------------


@pytest.fixture
def device() -> Any:
    with SimulatedDevice() as made:
        yield made


def same_place(array: anystream.Array) -> list[Any]:
    return ["cpu", "cpu:0", (1, 0), anystream.DeviceType.CPU, array.device]


@pytest.mark.parametrize("number", range(5))
def test_it_is_itself_where_it_is(number: int) -> None:
    array = anystream.from_dlpack(sample("int32").T)
    assert array.to_device(same_place(array)[number]) is array


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_to_a_device_and_back(device: SimulatedDevice, view: str, dtype: str) -> None:
    x = VIEWS[view](sample(dtype))
    stream = device.stream()
    there = anystream.from_dlpack(x).to_device(device.device, stream=stream)
    assert there.device == device.device
    assert there.strides == row_major(x.shape) or not x.size
    assert there.stream == anystream.Stream(stream)
    assert there.to_device(device.device) is there
    back = there.to_device("cpu")
    assert back.device == anystream.Device("cpu")
    assert back.stream is None
    assert (np.from_dlpack(back) == x).all()


def test_a_device_without_a_default_stream_needs_one(device: SimulatedDevice) -> None:
    text = r"^to_device\(device=…\): a copy to .* is made on a stream.*\n  Name one: stream=\."
    with pytest.raises(ValueError, match=text):
        anystream.from_dlpack(sample("int8")).to_device(device.device)


def test_where_it_stays_it_is_ordered_for_the_stream(device: SimulatedDevice) -> None:
    producer, consumer = device.stream("producer"), device.stream("consumer")
    producer.hold()
    array = device.empty((4,), "int32", producer)
    producer.fill(array, 5)
    view = array.to_device(device.device, stream=consumer)
    assert view.data_ptr == array.data_ptr
    assert view.stream == anystream.Stream(consumer)
    assert consumer.pending  # it waits for the producer
    producer.release()
    assert np.from_dlpack(view.to_device("cpu")).tolist() == [5] * 4


def released_once_queued(stream: SimulatedStream, held: SimulatedStream) -> threading.Thread:
    """Release a stream from a thread that has seen work come onto another, and not before."""
    before = stream.pending

    def wait() -> None:
        while stream.pending == before:
            pass
        held.release()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.parametrize("named", [False, True])
def test_other_threads_run_while_a_copy_waits(device: SimulatedDevice, *, named: bool) -> None:
    producer, other = device.stream("producer"), device.stream("other")
    array = device.empty((4,), "int32", producer)
    producer.hold()
    producer.fill(array, 9)
    runs_on = other if named else producer
    if named:
        array = array.to_device(device.device, stream=other)
    # With the GIL held meanwhile the thread could not release what the copy waits for.
    releasing = released_once_queued(runs_on, producer)
    copy = _array_copy(array, (1, 0), array.stream, None)
    releasing.join()
    assert np.from_dlpack(copy).tolist() == [9] * 4


def test_to_the_host_it_runs_on_the_stream_that_is_named(device: SimulatedDevice) -> None:
    producer, other = device.stream("producer"), device.stream("other")
    array = device.full((4,), 3, "int32", producer)
    other.hold()
    other.fill(array, 4)
    thread = released_once_queued(other, other)
    back = array.to_device("cpu", stream=other)
    thread.join()
    assert np.from_dlpack(back).tolist() == [4] * 4


@pytest.mark.parametrize("stream", [3, "q", object()])
def test_a_stream_that_is_none_is_refused_by_name(stream: Any) -> None:
    array = anystream.from_dlpack(sample("int8"))
    with pytest.raises((TypeError, ValueError), match=r"^to_device\(stream=…\): a kDLCPU array"):
        array.to_device("cpu", stream=stream)


def test_an_out_of_order_stream_is_refused_by_name(device: SimulatedDevice) -> None:
    stream = device.stream(in_order=False)
    with pytest.raises(ValueError, match=r"^to_device\(stream=…\)"):
        anystream.from_dlpack(sample("int8")).to_device(device.device, stream=stream)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "text"),
    [
        ((), {}, TypeError, r"to_device\(\) takes 1 positional argument"),
        (("cpu", None), {}, TypeError, r"to_device\(\) takes 1 positional argument"),
        (("cpu",), {"streams": 1}, TypeError, "no keyword argument 'streams'; it takes stream"),
        (("gpu",), {}, ValueError, 'got "gpu"'),
        ((None,), {}, TypeError, r"to_device\(device\) takes a device string"),
        (("metal:0",), {}, (anystream.DriverUnavailable, ValueError), "Metal|stream"),
    ],
)
def test_wrong_arguments(arguments: Any, keywords: Any, error: Any, text: str) -> None:
    array = anystream.from_dlpack(sample("int8"))
    with pytest.raises(error, match=text):
        array.to_device(*arguments, **keywords)


@pytest.mark.parametrize("named", [False, True])
def test_to_sycl_and_back(sycl: Any, *, named: bool) -> None:
    import dpctl

    x = VIEWS["axes swapped"](sample("float32"))
    queue = dpctl.SyclQueue(property="in_order") if named else None
    there = anystream.from_dlpack(x).to_device("oneapi:0", stream=queue)
    assert there.device == anystream.Device("oneapi:0")
    assert there.strides == row_major(x.shape)
    assert (np.from_dlpack(there.to_device("cpu")) == x).all()
