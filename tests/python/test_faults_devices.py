# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Devices that others mislabelled or refused: managed, pinned, lied about, or called CPU.

Not here: pytorch#195721 (work on a device that is not the current one) and tensorflow#47866 (a
library that has permuted the numbers of its devices) are of runtimes that have a current device and
numbers of their own. SYCL has neither: a queue is of its device, and dpctl's number is the
runtime's.
"""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import _core
from ctypes_tensors import READ_ONLY, Producer, Taken
from peer_rig import LIBRARIES, Library
from value_rig import fill

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

# But SYCL's, whose memory the runtime is asked about: real arrays of it are below.
EVERY_TYPE = [row["value"] for row in _core.DEVICE_TABLE if row["value"] != 14] + [5, 6, 77]
CUDA_HOST, ROCM_HOST, MANAGED = (3, 0), (11, 0), (13, 0)


def filled(device: tuple[int, int], **fields: Any) -> Producer:
    producer = Producer((4,), dtype=(0, 32, 1), device=device, **fields)
    fill(producer, np.arange(4, dtype="int32").tobytes())
    return producer


# -- jax#22346, jax#37896, pytorch#136250: what is said is what is exported -----------------------


@pytest.mark.parametrize("type_", EVERY_TYPE)
@pytest.mark.parametrize("id_", [0, 3])
@pytest.mark.parametrize("form", ["legacy", "versioned"])
def test_every_device_is_exported_as_it_came(type_: int, id_: int, form: str) -> None:
    producer = Producer(device=(type_, id_), versioned=form == "versioned")
    array = anystream.from_dlpack(producer, ordering="none")
    for exporter in (array, _core.Carrier(array)):
        assert exporter.__dlpack_device__() == (type_, id_)
        for version in (None, (1, 3)):
            exported = Taken.of(exporter.__dlpack__(max_version=version))
            assert exported.device == (type_, id_)
            exported.delete()
    del array, exporter
    assert producer.deleted == 1


@pytest.mark.parametrize("said", [1, 2, 4, 8, 10, 13, 14, 77])
@pytest.mark.parametrize("exported", [1, 2, 4, 8, 10, 13, 14, 77])
def test_a_producer_that_says_another_device_is_refused(said: int, exported: int) -> None:
    class Liar(Producer):
        def __dlpack_device__(self) -> tuple[int, int]:
            return (said, 0)

    producer = Liar(device=(exported, 0))
    for _ in range(2):  # also when the class is known
        if said == exported:
            array = anystream.from_dlpack(producer, ordering="none")
            assert array.__dlpack_device__() == (said, 0)
            return
        with pytest.raises(BufferError, match=r"__dlpack_device__ of this .* says .*, its capsule"):
            anystream.from_dlpack(producer, ordering="none")
        producer.drop()
        assert producer.deleted == 1
        producer = Liar(device=(exported, 0))


TAKES: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": anystream.from_dlpack,
    "copy": lambda x: anystream.from_dlpack(x, copy=True),
    "unordered": lambda x: anystream.from_dlpack(x, ordering="none"),
    "numpy": lambda x: anystream.handoff(x, to="numpy"),
    "numpy, unordered": lambda x: anystream.handoff(x, to="numpy", ordering="none"),
}


# (take, said, exported); what would copy or wait for a device's array misses its driver before.
LIES = [(take, (1, 0), exported) for take in TAKES for exported in ((2, 0), CUDA_HOST, (14, 0))]
LIES += [(take, (2, 0), (1, 0)) for take in ("from_dlpack", "unordered", "numpy, unordered")]


class Says(Producer):
    """Nobody's array, whose word and whose capsule may differ."""

    said = (1, 0)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.said

    @property
    def producer(self) -> Producer:
        return self


class SaysInNumpy(np.ndarray):  # type: ignore[misc, name-defined]
    """The same of a library's class: what it was planned to do is done again, unplanned."""

    said = (1, 0)
    producer: Producer

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.producer.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.said


def saying(kind: type, **fields: Any) -> Any:
    if kind is Says:
        return Says(**fields)
    x = np.zeros((2, 3)).view(SaysInNumpy)
    x.producer = Producer(**fields)
    return x


@pytest.mark.parametrize("kind", [Says, SaysInNumpy])
@pytest.mark.parametrize("versioned", [False, True], ids=["legacy", "versioned"])
@pytest.mark.parametrize(("take", "said", "exported"), LIES)
def test_a_class_that_was_honest_is_not_believed_for_ever(
    take: str, said: tuple[int, int], exported: tuple[int, int], versioned: bool, kind: type
) -> None:
    for _ in range(2):
        assert TAKES[take](saying(kind, versioned=versioned)).shape == (2, 3)
    told, found = (anystream.Device(place) for place in (said, exported))
    for _ in range(2):
        liar = saying(kind, device=exported, versioned=versioned)
        liar.said = said
        with pytest.raises(BufferError, match=rf"array says {told}, its capsule {found}\."):
            TAKES[take](liar)
        assert len(liar.producer.asked) == 1
        liar.producer.drop()
        assert liar.producer.deleted == 1
    assert TAKES[take](saying(kind, versioned=versioned)).shape == (2, 3)


@pytest.mark.parametrize("name", LIBRARIES)
def test_exports_of_real_arrays_say_where_they_are(request: Any, name: str) -> None:
    library = LIBRARIES[name].require()
    if not library.host:
        request.getfixturevalue("sycl")
    array = anystream.from_dlpack(library.make(np.arange(8, dtype="float32")))
    exported = Taken.of(array.__dlpack__(max_version=(1, 3)))
    assert exported.device == array.__dlpack_device__()
    exported.delete()


# -- pytorch#96318, cuda-python#1863, MatX#1234; pinned memory: jax#22346 -------------------------


@pytest.mark.parametrize("device", [CUDA_HOST, ROCM_HOST, MANAGED])
@pytest.mark.parametrize("flags", [0, READ_ONLY])
def test_memory_that_the_host_reads_keeps_its_device_and_is_a_view(
    device: tuple[int, int], flags: int
) -> None:
    producer = filled(device, flags=flags)
    array = anystream.from_dlpack(producer, ordering="none")
    assert array.__dlpack_device__() == device
    view = anystream.from_dlpack(array, device="cpu", copy=False, ordering="none")
    assert view.__dlpack_device__() == (1, 0)
    assert view.data_ptr == producer.address
    assert view.readonly is bool(flags)
    exported = Taken.of(array.__dlpack__(max_version=(1, 0)))
    assert (exported.device, exported.data) == (device, producer.address)
    exported.delete()
    assert producer.deleted == 0


HOST_PEERS = [name for name, library in LIBRARIES.items() if library.host]


@pytest.fixture(params=HOST_PEERS)
def peer(request: Any) -> Library:
    return LIBRARIES[request.param].require()


@pytest.mark.parametrize("device", [CUDA_HOST, ROCM_HOST, MANAGED])
def test_memory_that_the_host_reads_reaches_host_libraries(
    peer: Library, device: tuple[int, int]
) -> None:
    """By the caller's word that nothing is pending; without it a driver would have to wait."""
    producer = filled(device)
    y = anystream.handoff(producer, to=peer.name, device="cpu", ordering="none")
    assert peer.read(y).tolist() == [0, 1, 2, 3]
    with pytest.raises((anystream.DriverUnavailable, anystream.OrderingError)):
        anystream.handoff(filled(device), to="numpy")


def test_numpy_itself_takes_what_the_host_reads() -> None:
    for device in (CUDA_HOST, ROCM_HOST, MANAGED):
        array = anystream.from_dlpack(filled(device), ordering="none")
        assert np.from_dlpack(array).tolist() == [0, 1, 2, 3]


# -- dpctl#1240, dpctl#1917; array-api-strict#221, #233: whose array, and where -------------------


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_result_is_always_an_array_of_ours(request: Any, name: str) -> None:
    library = LIBRARIES[name].require()
    if not library.host:
        request.getfixturevalue("sycl")
    for copy in (None, True):
        array = anystream.from_dlpack(library.make(np.arange(8, dtype="float32")), copy=copy)
        assert type(array) is anystream.Array
        assert type(anystream.from_dlpack(array, copy=copy)) is anystream.Array


def test_a_sycl_device_that_is_a_cpu_is_not_the_host(sycl: Any) -> None:
    import dpnp

    x = dpnp.arange(4)
    assert x.sycl_device.is_cpu
    array = anystream.from_dlpack(x)
    assert array.__dlpack_device__() == x.__dlpack_device__()
    assert array.__dlpack_device__()[0] == 14
    assert array.device != anystream.Device("cpu")
    host = anystream.from_dlpack(x, device="cpu")
    assert host.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("device", [(77, 0), (5, 0), (2, 0), (8, 0), (12, 3)])
def test_a_foreign_device_never_becomes_the_host(device: tuple[int, int]) -> None:
    array = anystream.from_dlpack(Producer(device=device), ordering="none")
    assert array.__dlpack_device__() == device
    calls: list[Any] = [
        lambda: anystream.handoff(array, to="numpy", ordering="none"),
        lambda: anystream.from_dlpack(array, device="cpu", ordering="none"),
        lambda: np.from_dlpack(array),
        lambda: array.__dlpack__(dl_device=(1, 0)),
    ]
    for call in calls:
        with pytest.raises((BufferError, RuntimeError)):  # numpy's own is a RuntimeError
            call()


@pytest.mark.parametrize("id_", [None, 0])
def test_a_device_without_a_number_is_the_first(id_: int | None) -> None:
    """Paddle and pyarrow say (1, None)."""

    class Nameless(Producer):
        def __dlpack_device__(self) -> Any:
            return (1, id_)

    array = anystream.from_dlpack(Nameless())
    assert array.__dlpack_device__() == (1, 0)
