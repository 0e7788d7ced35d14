# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The facts in the table of peers, each held against the library itself."""

import inspect
from importlib import import_module
from typing import Any

import pytest

import anystream
from anystream._peer import Peer, follow, holds
from anystream._peers import PEERS, STREAM_CLASSES
from anystream._producer import applies, producer_type
from peer_rig import LIBRARIES, address
from stand_ins import Memory

np = pytest.importorskip("numpy", reason="numpy is not installed")

# Which libraries cannot say "read-only" is told to users once: test_readonly's matter.
pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

BY_NAME = {peer.name: peer for peer in PEERS}
CPU = (1, 0)


# Whose arrays need CUDA or ROCm: real ones in test_cuda_peers_real, stand-ins in
# test_cuda_peers_stand_ins.
ON_CUDA = {"cupy", "numba", "warp", "paddle"}
ON_CUDA_ONLY_FROM = {"rmm", "pylibraft", "pycuda"}


# By handles and not by DLPack: in test_opencl_order, test_opencl_memory and test_opencl_failing.
BY_HANDLE = {"pyopencl"}


def test_every_library_with_a_row_is_tested() -> None:
    consumers = set(LIBRARIES) | ON_CUDA | BY_HANDLE
    assert {peer.name for peer in PEERS if peer.consumer} == consumers
    assert {peer.name for peer in PEERS if peer.producer} == consumers | ON_CUDA_ONLY_FROM


@pytest.fixture(params=LIBRARIES)
def peer(request: Any) -> Peer:
    LIBRARIES[request.param].require()
    return BY_NAME[request.param]


def sample(peer: Peer) -> Any:
    return LIBRARIES[peer.name].make(np.arange(4, dtype="float32"))


def test_its_arrays_are_recognised(peer: Peer) -> None:
    assert producer_type(sample(peer)).peer is peer


def test_its_modules_and_functions_are_there(peer: Peer) -> None:
    assert peer.consumer is not None
    module = import_module(peer.consumer.module)
    assert callable(follow(module, peer.consumer.function))
    package = import_module(peer.consumer.module.partition(".")[0])
    predicates = [predicate for _, predicate in peer.consumer.takes if predicate]
    for predicate in filter(None, [*predicates, peer.consumer.unless]):
        assert holds(package, predicate) in (True, False)
    for row in peer.current:
        assert not row.available or holds(import_module(row.module), row.available) is False


def test_its_export_takes_its_keywords(peer: Peer) -> None:
    x = sample(peer)
    if not hasattr(x, "__dlpack__"):
        pytest.skip(f"{peer.name} has no __dlpack__")
    told = producer_type(x)
    assert told.keywords
    values = {"stream": None, "max_version": (1, 0), "dl_device": None, "copy": None}
    x.__dlpack__(**{name: values[name] for name in told.keywords})
    for name in told.keywords:
        x.__dlpack__(**{name: values[name]})


def test_its_paths_are_there(peer: Peer) -> None:
    x = sample(peer)
    assert peer.producer is not None
    if peer.producer.own_stream:
        stream = anystream.Stream(follow(x, peer.producer.own_stream))
        assert str(stream.device) == "oneapi:0"
    if peer.producer.memory_kind:
        assert follow(x, peer.producer.memory_kind) in ("device", "shared", "host")
    for refusal in peer.producer.refusals:
        assert not applies(refusal, x)
        assert not refusal.unless or follow(x, refusal.unless) is False


def test_an_immutable_array_is_read_only_to_anystream(peer: Peer) -> None:
    assert peer.producer is not None
    assert anystream.from_dlpack(sample(peer)).readonly is peer.producer.immutable


def read_only(values: Any) -> Any:
    values = values.copy()
    values.flags.writeable = False
    return values


def test_what_becomes_of_read_only_memory(peer: Peer) -> None:
    assert peer.consumer is not None
    library = LIBRARIES[peer.name]
    x = read_only(np.arange(16, dtype="float32"))
    y = anystream.handoff(x, to=peer.name)
    assert library.read(y).tolist() == x.tolist()
    again = anystream.from_dlpack(y, ordering="none")
    if library.host and peer.consumer.readonly == "lost":
        assert address(y) == address(x)
        assert "do not write to it" in anystream.explain(x, to=peer.name).copy.why
    else:
        assert again.readonly or address(y) != address(x)


def test_numpy_masks_are_not_lost() -> None:
    x = np.ma.masked_array([1.0, 2.0], [False, True])
    with pytest.raises(BufferError, match="DLPack has no mask"):
        anystream.handoff(x, to="numpy")
    assert anystream.handoff(x.filled(0), to="numpy").tolist() == [1.0, 0.0]


@pytest.mark.parametrize("dtype", [">f8", "O", "V4", "M8[s]", "U3"])
def test_numpy_exports_nothing_that_has_no_dlpack_type(dtype: str) -> None:
    """So those go round its ``__dlpack__``, to be refused by name (test_dtypes_numpy.py)."""
    with pytest.raises(BufferError, match="DLPack only supports"):
        np.zeros(2, dtype=dtype).__dlpack__()


LAYOUTS = {
    "sliced": lambda: np.arange(12, dtype="float32")[::2],
    "transposed": lambda: np.arange(6, dtype="float32").reshape(2, 3).T,
    "repeated": lambda: np.broadcast_to(np.arange(3, dtype="float32"), (2, 3)),
    "reversed": lambda: np.arange(6, dtype="float32")[::-1],
    "offset": lambda: np.arange(6, dtype="float32")[3:],
    "no dimensions": lambda: np.array(2.5, dtype="float32"),
    "no elements": lambda: np.empty((0, 3), dtype="float32"),
    "ones": lambda: np.arange(3, dtype="float32").reshape(1, 3, 1)[::-1],
}
REFUSES: dict[str, set[str]] = {
    "numpy": set(),
    "tvm_ffi": set(),
    "cuda.core": set(),
    "dpnp": set(),
    "torch": {"reversed"},
    "mlx": {"reversed"},
    "jax": {"sliced", "repeated", "reversed"},
    "dpctl": {"no elements"},  # the rest is copied there, and what is copied there is row-major
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_from_the_host(peer: Peer, layout: str) -> None:
    x = LAYOUTS[layout]()
    if layout in REFUSES[peer.name]:
        with pytest.raises(BufferError, match=f"{peer.name} takes"):
            anystream.handoff(x, to=peer.name)
        return
    got = LIBRARIES[peer.name].read(anystream.handoff(x, to=peer.name))
    assert got.reshape(x.shape).tolist() == x.tolist()


def test_memory_at_any_address(peer: Peer) -> None:
    """jax copies what is not aligned as it likes, and its plan says so; nobody else minds."""
    room = np.zeros(64 + 64, dtype="uint8")
    for offset in (0, 4, 8, 16, 32):
        start = -room.ctypes.data % 64 + offset
        x = room[start : start + 16].view("float32")
        x[:] = [1, 2, 3, 4]
        y = anystream.handoff(x, to=peer.name)
        assert LIBRARIES[peer.name].read(y).tolist() == [1, 2, 3, 4]
        what = anystream.explain(x, to=peer.name).copy.what
        if what == "view":
            assert address(y) == address(x)
        elif peer.name == "jax":
            assert what == "view, or a copy by jax where the memory is not 64-byte aligned"
        else:
            assert what.startswith("copy")
            assert address(y) != address(x)


def test_a_library_that_narrows_has_a_way_that_does_not() -> None:
    mx = pytest.importorskip("mlx.core", reason="mlx is not installed")
    x = np.array([1 + 1e-12, 0.1])
    with pytest.raises(BufferError, match="it would make the values smaller") as caught:
        anystream.handoff(x, to="mlx")
    way = "mlx.core.array(numpy.asarray(x), dtype=mlx.core.float64)"
    assert str(caught.value).endswith(f"to mlx's CPU: {way}.")
    y = eval(way.replace("mlx.core", "mx"), {"mx": mx, "numpy": np, "x": x})
    assert np.asarray(y).tolist() == x.tolist()


def test_a_library_that_narrows_takes_all_once_it_is_told_to() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed (PEERS=all installs it)")
    x = np.array([2**40 + 1], dtype="int64")
    with pytest.raises(BufferError, match=r'jax\.config\.update\("jax_enable_x64", True\)'):
        anystream.handoff(x, to="jax")
    with jax.enable_x64(True):
        assert anystream.handoff(x, to="jax").tolist() == [2**40 + 1]


def test_lazy_values_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """jax and mlx compute late; what they export is what was computed."""
    for name in ("jax", "mlx"):
        if LIBRARIES[name].missing:
            continue
        x = LIBRARIES[name].make(np.ones((300, 300), dtype="float32"))
        for _ in range(3):
            x = x @ x / 300
        plan = anystream.explain(x, to="numpy", strict=True)
        assert plan.ordering.what == "by the producer"
        assert (anystream.handoff(x, to="numpy", strict=True) == 1).all()


def test_a_later_change_in_place_does_not_reach_an_exported_mlx_array() -> None:
    mx = pytest.importorskip("mlx.core", reason="mlx is not installed (PEERS=all installs it)")
    x = mx.array([1.0, 2.0, 3.0])
    y = anystream.handoff(x, to="numpy")
    x[0] = 9
    mx.eval(x)
    assert y.tolist() == [1.0, 2.0, 3.0]


def test_every_stream_class_is_told_apart() -> None:
    names = [(module, qualname) for module, qualname, *_ in STREAM_CLASSES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("module", "qualname"),
    [
        row[:2]
        for row in STREAM_CLASSES
        if row[0].partition(".")[0] in ("torch", "dpctl", "anystream")
    ],
)
def test_stream_classes_are_real(module: str, qualname: str) -> None:
    pytest.importorskip(module.partition(".")[0], reason=f"{module} is not installed")
    assert inspect.isclass(getattr(import_module(module), qualname))


def test_memory_without_a_library() -> None:
    array = Memory().array(CPU)
    assert anystream.handoff(array, to="numpy").tolist() == [1, 2, 3]
    assert anystream.explain(array).producer.what == "anystream"
