# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Read-only memory, versions, copies and requested devices: others dropped or refused them."""

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from ctypes_tensors import IS_COPIED, READ_ONLY, Producer, Taken
from peer_rig import LIBRARIES, address
from signatures import AnyKeyword, Bare, Full, StreamByKeyword, StreamOnly, Versioned
from stand_ins import Recorder
from value_rig import fill

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")


def frozen(values: Any) -> Any:
    values.flags.writeable = False
    return values


READ_ONLY_ARRAYS: dict[str, Callable[[], Any]] = {
    "flag": lambda: frozen(np.arange(6, dtype="float32")),
    "broadcast": lambda: np.broadcast_to(np.float32(3), (2, 3)),
    "of bytes": lambda: np.frombuffer(bytes(range(24)), dtype="float32"),
    "view of frozen": lambda: frozen(np.arange(12, dtype="float32"))[::2],
    "empty": lambda: frozen(np.zeros((0, 3), dtype="float32")),
    "scalar": lambda: frozen(np.array(3, dtype="float32")),
}


# -- numpy#20742, #20337; array-api#191, #749: read-only arrays -----------------------------------


@pytest.mark.parametrize("kind", READ_ONLY_ARRAYS)
def test_read_only_arrays_come_in_and_say_so_on(kind: str) -> None:
    x = READ_ONLY_ARRAYS[kind]()
    assert not x.flags.writeable
    array = anystream.from_dlpack(x)
    assert array.readonly is True
    for old in ({}, {"max_version": None}, {"max_version": (0, 8)}):
        with pytest.raises(BufferError, match="read-only"):
            array.__dlpack__(**old)
    for new in ((1, 0), (1, 3), (2, 0)):
        exported = Taken.of(array.__dlpack__(max_version=new))
        assert exported.flags == READ_ONLY
        exported.delete()
    assert not np.from_dlpack(array).flags.writeable


@pytest.mark.parametrize("kind", READ_ONLY_ARRAYS)
@pytest.mark.parametrize("times", [1, 3])
def test_read_only_stays_read_only_from_hand_to_hand(kind: str, times: int) -> None:
    x = READ_ONLY_ARRAYS[kind]()
    y = x
    for _ in range(times):
        y = anystream.handoff(anystream.from_dlpack(anystream.from_dlpack(y)), to="numpy")
        assert not y.flags.writeable
    assert y.tolist() == x.tolist()
    copied = anystream.handoff(x, to="numpy", copy=True)
    assert copied.flags.writeable  # new memory, which is the caller's alone
    assert copied.tolist() == x.tolist()


# -- jax#40789; anndata#2561: the version is asked for, and immutable arrays say so ---------------


def test_the_version_is_always_asked_for() -> None:
    producer = Producer()
    anystream.from_dlpack(producer)
    (asked,) = producer.asked
    assert asked["max_version"] >= (1, 0)
    assert asked["stream"] is None


@pytest.mark.parametrize("name", ["jax", "mlx"])
def test_immutable_arrays_are_flagged(name: str) -> None:
    library = LIBRARIES[name].require()
    values = np.arange(5, dtype="int32")
    array = anystream.from_dlpack(library.make(values))
    assert array.readonly is True
    exported = Taken.of(array.__dlpack__(max_version=(1, 0)))
    assert exported.flags == READ_ONLY
    exported.delete()
    assert not anystream.handoff(array, to="numpy").flags.writeable
    assert not anystream.handoff(library.make(values), to="numpy").flags.writeable


@pytest.mark.parametrize("kind", READ_ONLY_ARRAYS)
@pytest.mark.parametrize("name", [name for name in LIBRARIES if name != "dpctl"])
def test_read_only_arrays_reach_every_library(request: Any, kind: str, name: str) -> None:
    """Also those that only know capsules without a version, by which numpy exports none of these.

    Jax refuses a broadcast and a step, which is not about the flag.
    """
    library = LIBRARIES[name].require()
    if not library.host:
        request.getfixturevalue("sycl")
    x = READ_ONLY_ARRAYS[kind]()
    if name == "jax" and kind in ("broadcast", "view of frozen"):
        x = frozen(np.ascontiguousarray(x))
    y = anystream.handoff(x, to=name)
    assert library.read(y).tolist() == x.tolist()
    assert not x.flags.writeable


def test_read_only_sycl_memory_stays_read_only(sycl: Any) -> None:
    import dpnp

    x = dpnp.arange(4)
    x.flags.writable = False
    array = anystream.from_dlpack(x)
    assert array.readonly is True
    y = anystream.handoff(array, to="dpnp")
    assert not y.flags.writable
    assert address(y) == address(x)


# -- cupynumeric#1239; array-api-strict#85; dpctl#1789: which keywords a producer takes -----------


class Counted(Recorder):
    """A producer with one signature; it counts its calls."""

    def __init__(self) -> None:
        self.inner = Producer((4,), dtype=(1, 8, 1))
        super().__init__(array=self.inner)

    def answer(self, version: Any) -> Any:
        return self.inner.capsule()


class Opaque(Counted):
    """One whose export is a C function that is silent about what it takes: it takes nothing."""

    @property
    def __dlpack__(self) -> Any:
        self._function = ctypes.PYFUNCTYPE(ctypes.py_object)(self.export)
        return self._function


SIGNATURES = [
    type(name, (Counted, kind), {})
    for name, kind in (
        ("Bare", Bare),
        ("Streamed", StreamOnly),
        ("StreamedByKeyword", StreamByKeyword),
        ("Version", Versioned),
        ("Full", Full),
        ("Anything", AnyKeyword),
    )
]


@pytest.mark.parametrize("kind", [*SIGNATURES, Opaque])
@pytest.mark.parametrize("copy", [None, True, False])
def test_a_producer_of_any_signature_is_called_once(kind: type[Counted], copy: bool | None) -> None:
    """And the user's copy= holds, whether or not the producer was told of it."""
    for _ in range(2):  # also when the class is known
        producer = kind()
        fill(producer.inner, b"abcd")
        array = anystream.from_dlpack(producer, copy=copy)
        assert len(producer.calls) == 1
        assert all(producer.calls[0].get(name) is None for name in ("stream", "dl_device"))
        assert (array.data_ptr == producer.inner.address) is (copy is not True)
        assert np.from_dlpack(array).tobytes() == b"abcd"
        del array
        producer.inner.drop()
        assert producer.inner.deleted == 1


class OwnError(TypeError):
    pass


ERRORS: list[type[Exception]] = [TypeError, OwnError, NotImplementedError, BufferError]
ERRORS += [RuntimeError, ValueError, AttributeError, AssertionError, KeyError]


@pytest.mark.parametrize("kind", SIGNATURES)
@pytest.mark.parametrize("error", ERRORS)
def test_a_producers_own_error_is_not_taken_for_a_wrong_keyword(
    kind: type[Counted], error: type[Exception]
) -> None:
    class Failing(kind):  # type: ignore[valid-type, misc]
        def answer(self, version: Any) -> Any:
            raise error("of its own")

    for give in (anystream.from_dlpack, lambda x: anystream.handoff(x, to="numpy")):
        producer = Failing()
        with pytest.raises(error, match="of its own") as caught:
            give(producer)
        assert type(caught.value) is error
        assert len(producer.calls) == 1


@pytest.mark.parametrize("version", [(2, 0), (2, 5), (99, 0), (0, 0)])
def test_another_major_version_is_refused_and_let_go(version: tuple[int, int]) -> None:
    producer = Producer(version=version)
    with pytest.raises(BufferError, match=rf"version {version[0]}\.{version[1]}"):
        anystream.from_dlpack(producer)
    assert len(producer.asked) == 1
    producer.drop()
    assert producer.deleted == 1


# -- cupy#9842; pytorch#194267; array-api-tests#456: copy and dl_device ---------------------------

SAME: list[Any] = [None, (1, 0)]
ELSEWHERE: list[Any] = [(2, 0), (10, 0), (14, 7), (1, 1), (99, 0), (99, 5)]
NO_DEVICE: list[Any] = ["cpu", 1, (1,), (1, 0, 0), ("a", 0), (1.0, 0), [1, 0], object()]


@pytest.mark.parametrize("exporting", ["Array", "import"])
@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("dl_device", SAME)
def test_copy_where_it_is(dl_device: Any, copy: bool | None, exporting: str) -> None:
    x = np.arange(5, dtype="int16")
    array = anystream.from_dlpack(x)
    if exporting == "import":
        taken = anystream.from_dlpack(array, copy=copy, device=dl_device)
        there, flags = taken.data_ptr, None
        assert np.from_dlpack(taken).tolist() == x.tolist()
    else:
        exported = Taken.of(array.__dlpack__(copy=copy, dl_device=dl_device, max_version=(1, 0)))
        there, flags = exported.data, exported.flags
        exported.delete()
    assert (there == x.ctypes.data) is (copy is not True)
    assert flags is None or flags == (IS_COPIED if copy else 0)


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("dl_device", ELSEWHERE)
def test_a_device_that_cannot_be_served_is_a_buffer_error(dl_device: Any, copy: Any) -> None:
    array = anystream.from_dlpack(np.arange(5))
    with pytest.raises(BufferError):
        array.__dlpack__(copy=copy, dl_device=dl_device, max_version=(1, 0))


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("dl_device", NO_DEVICE)
def test_what_is_no_device_is_a_type_error(dl_device: Any, copy: Any) -> None:
    array = anystream.from_dlpack(np.arange(5))
    with pytest.raises(TypeError):
        array.__dlpack__(copy=copy, dl_device=dl_device, max_version=(1, 0))


def test_a_move_without_a_copy_is_a_buffer_error(sycl: Any) -> None:
    import dpnp

    with pytest.raises(BufferError, match="copy=False"):
        anystream.from_dlpack(np.arange(5), device="oneapi:0", copy=False)
    on_device = anystream.from_dlpack(dpnp.arange(5))
    with pytest.raises(BufferError, match="copy=False"):
        anystream.from_dlpack(on_device, device="cpu", copy=False)
    for copy in (None, True):
        there = anystream.from_dlpack(np.arange(5), device="oneapi:0", copy=copy)
        assert there.__dlpack_device__()[0] == 14
        here = anystream.from_dlpack(there, device="cpu", copy=copy)
        assert np.from_dlpack(here).tolist() == [0, 1, 2, 3, 4]
        exported = Taken.of(there.__dlpack__(dl_device=(1, 0), copy=copy, max_version=(1, 0)))
        assert exported.device == (1, 0)
        assert exported.flags & IS_COPIED
        exported.delete()
