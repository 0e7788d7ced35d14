# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What Array says outward: the interface dicts, each where it is true, and __dlpack__'s flags."""

from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream._core import DEVICE_TABLE, _array_from_capsule
from ctypes_tensors import IS_COPIED, PADDED, READ_ONLY, Producer, Taken, name_of
from export_rig import EXPORTERS
from protocol_rig import (
    ELSEWHERE,
    EVERY_LAYOUT,
    LAYOUTS,
    NARROW,
    NOWHERE,
    SPELT,
    Layout,
    Triple,
    memory_of,
    steps_taken,
)

FLOAT = SPELT["float32"][0]
CUDA, MANAGED = (2, 0), (13, 0)
EVERY_SPELT = pytest.mark.parametrize(
    ("dtype", "typestr"), [(row[0], row[2]) for row in SPELT.values()], ids=SPELT.keys()
)
UNSPELT = ELSEWHERE | NOWHERE | NARROW
# Where the dicts of bytes are: (name of the attribute, a device of its own).
IN_BYTES = pytest.mark.parametrize(
    ("protocol", "device"),
    [
        ("__array_interface__", (1, 0)),
        ("__cuda_array_interface__", CUDA),
        ("__cuda_array_interface__", MANAGED),
    ],
)
PROTOCOLS = ("__array_interface__", "__cuda_array_interface__", "__sycl_usm_array_interface__")


# ---- the dicts ---------------------------------------------------------------------------------


@IN_BYTES
@EVERY_LAYOUT
def test_every_field(protocol: str, device: tuple[int, int], layout: Layout) -> None:
    memory = memory_of(FLOAT)
    fields = getattr(memory.array(layout, FLOAT, device=device), protocol)
    own = {"stream"} if "cuda" in protocol else set()
    assert set(fields) == {"shape", "typestr", "data", "strides", "version"} | own
    assert fields["version"] == 3
    assert fields["shape"] == layout.shape
    nowhere = "cuda" in protocol and not layout.size
    assert fields["data"] == (0 if nowhere else memory.address + 4 * layout.first, False)
    assert (fields["strides"] is None) is layout.c
    if not layout.c:
        steps = [4 * step for step in steps_taken(layout, layout.strides)]
        assert steps_taken(layout, fields["strides"]) == steps


@IN_BYTES
@EVERY_SPELT
def test_typestr(protocol: str, device: tuple[int, int], dtype: Triple, typestr: str) -> None:
    array = memory_of(dtype).array(LAYOUTS["columns"], dtype, device=device)
    fields = getattr(array, protocol)
    assert fields["typestr"] == typestr
    assert fields["strides"] == (array.itemsize, 2 * array.itemsize)


@IN_BYTES
@pytest.mark.parametrize("name", UNSPELT)
def test_elements_without_a_typestr(protocol: str, device: tuple[int, int], name: str) -> None:
    """Untyped bytes in their place would be taken for something else."""
    array = memory_of(UNSPELT[name]).array(LAYOUTS["line"], UNSPELT[name], device=device)
    assert not hasattr(array, protocol)
    message = rf"elements of type {name} have no typestr, so this array has no {protocol}\.\n  Take"
    with pytest.raises(AttributeError, match=message):
        getattr(array, protocol)


@IN_BYTES
def test_read_only(protocol: str, device: tuple[int, int]) -> None:
    memory = memory_of(FLOAT)
    for readonly in (True, False):
        array = memory.array(LAYOUTS["line"], FLOAT, device=device, readonly=readonly)
        assert getattr(array, protocol)["data"][1] is readonly


@IN_BYTES
def test_no_memory(protocol: str, device: tuple[int, int]) -> None:
    producer = Producer((0, 3), data=None, device=device, byte_offset=64)
    array = _array_from_capsule(producer.capsule(), None, None)
    assert getattr(array, protocol)["data"] == (0, False)


DEVICES = [row["value"] for row in DEVICE_TABLE]
TRUE_ON = {
    "__array_interface__": {1},
    "__cuda_array_interface__": {2, 13},
    "__sycl_usm_array_interface__": {14},
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("device", [*DEVICES, 77])
def test_each_only_where_it_is_true(protocol: str, device: int) -> None:
    array = memory_of(FLOAT).array(LAYOUTS["line"], FLOAT, device=(device, 0))
    assert hasattr(array, protocol) is (device in TRUE_ON[protocol])
    if device not in TRUE_ON[protocol]:
        word = {row["value"]: row["dlpack"] for row in DEVICE_TABLE}.get(device, "type 77")
        with pytest.raises(AttributeError, match=rf"only an array .* has {protocol}; .*{word}"):
            getattr(array, protocol)


def test_the_page_names_these_devices() -> None:
    page = (Path(__file__).parents[2] / "docs" / "protocols.md").read_text(encoding="utf-8")
    names = {row["value"]: row["dlpack"] for row in DEVICE_TABLE}
    for protocol, devices in TRUE_ON.items():
        [line] = [line for line in page.splitlines() if line.startswith(f"| `{protocol}` (")]
        assert line.split(" | ")[1] == ", ".join(names[device] for device in sorted(devices))


def test_rocm_has_no_interface_of_cuda() -> None:
    """Readers would take the pointer and the stream for CUDA's."""
    array = memory_of(FLOAT).array(LAYOUTS["line"], FLOAT, device=(10, 0))
    assert not hasattr(array, "__cuda_array_interface__")


@pytest.mark.parametrize("device", [CUDA, MANAGED])
@pytest.mark.parametrize(("handle", "number"), [(0, 1), (1, 1), (2, 2), (0x7F00_1000, 0x7F00_1000)])
def test_the_stream_of_cuda_memory(device: tuple[int, int], handle: int, number: int) -> None:
    """0 is forbidden: it would be any of three."""
    stream = anystream.Stream.from_handle(device, handle)
    memory = memory_of(FLOAT)
    array = memory.array(LAYOUTS["line"], FLOAT, device=device, stream=stream)
    fields = array.__cuda_array_interface__
    assert fields["stream"] == number
    assert type(fields["stream"]) is int
    unknown = memory.array(LAYOUTS["line"], FLOAT, device=device)
    assert unknown.__cuda_array_interface__["stream"] is None


@pytest.mark.parametrize("device", [CUDA, MANAGED])
def test_it_comes_back_by_its_interface(device: tuple[int, int]) -> None:
    """What one array says, another is made of, by who reads the protocol."""

    class Holder:
        def __init__(self, array: anystream.Array) -> None:
            self.__cuda_array_interface__ = array.__cuda_array_interface__
            self.array = array

    memory = memory_of(FLOAT)
    stream = anystream.Stream.from_handle(device, 64)
    array = memory.array(LAYOUTS["turned"], FLOAT, device=device, stream=stream, readonly=True)
    again = anystream.from_dlpack(Holder(array))
    assert again.data_ptr + again.byte_offset == memory.address
    assert (again.shape, again.strides) == (array.shape, array.strides)
    assert again.readonly
    assert again.stream is not None
    assert again.stream.handle == 64


# ---- no container ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (len, r"object of type 'anystream\.Array' has no len\(\)"),
        (iter, r"'anystream\.Array' object is not iterable"),
        (list, r"'anystream\.Array' object is not iterable"),
        (lambda a: a[0], r"'anystream\.Array' object is not subscriptable"),
        (lambda a: 1.0 in a, r"argument of type 'anystream\.Array' is not"),
    ],
)
def test_an_array_is_no_container(use: Any, text: str) -> None:
    array = memory_of(FLOAT).array(LAYOUTS["line"], FLOAT)
    with pytest.raises(TypeError, match=text):
        use(array)


def test_it_is_true_like_any_object() -> None:
    memory = memory_of(FLOAT)
    assert bool(memory.array(LAYOUTS["line"], FLOAT)) is True
    assert bool(memory.array(LAYOUTS["empty"], FLOAT)) is True


# ---- __dlpack__: flags, versions, copies -------------------------------------------------------

OLD = (None, (0, 0), (0, 8), (0, 99))
NEW = ((1, 0), (1, 1), (1, 3), (1, 2**31 - 1), (2, 0), (9, 9))
VERSIONS = pytest.mark.parametrize("max_version", [*OLD, *NEW])
FLAGS = [0, READ_ONLY, IS_COPIED, PADDED, READ_ONLY | IS_COPIED, READ_ONLY | IS_COPIED | PADDED]


def imported(flags: int, device: tuple[int, int] = (1, 0)) -> tuple[Producer, anystream.Array]:
    dtype = (0, 4, 1) if flags & PADDED else (0, 8, 1)
    producer = Producer((2, 3), (3, 1), dtype=dtype, flags=flags, device=device)
    return producer, _array_from_capsule(producer.capsule(), None, None)


def flags_of_export(flags: int, copy: bool | None) -> int:
    """By the standard: a copy is its consumer's own; a view is what its memory is, and shared."""
    return flags & PADDED | IS_COPIED if copy else flags & (PADDED | READ_ONLY)


def unsaid(max_version: Any, flags: int) -> str:
    """Name what a capsule of a version cannot say: flags came with 1.0, padding with 1.1."""
    if flags & PADDED and (max_version is None or max_version < (1, 1)):
        return "padded"
    return "read-only" if flags & READ_ONLY and max_version in OLD else ""


@EXPORTERS
@VERSIONS
@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("dl_device", [None, (1, 0)])
def test_flags_of_every_export(
    exporter: Any, max_version: Any, flags: int, copy: Any, dl_device: Any
) -> None:
    producer, array = imported(flags)
    asked = {"max_version": max_version, "copy": copy, "dl_device": dl_device}
    expected = flags_of_export(flags, copy)
    if word := unsaid(max_version, expected):
        with pytest.raises(BufferError, match=f"cannot say that an array is {word}"):
            exporter(array).__dlpack__(**asked)
    else:
        capsule = exporter(array).__dlpack__(**asked)
        assert name_of(capsule) == ("dltensor" if max_version in OLD else "dltensor_versioned")
        taken = Taken.of(capsule)
        assert taken.version == (None if max_version in OLD else (1, 3))
        assert taken.flags == (0 if max_version in OLD else expected)
        assert (taken.data == producer.address) is (copy is not True)
        taken.delete()
    del array
    assert producer.deleted == 1


@EXPORTERS
@pytest.mark.parametrize("device", [3, 11, 13])
@pytest.mark.parametrize("flags", [0, READ_ONLY])
@pytest.mark.parametrize("copy", [None, False])
@VERSIONS
def test_a_view_for_the_host_keeps_the_flags(
    exporter: Any, device: int, flags: int, copy: Any, max_version: Any
) -> None:
    producer, array = imported(flags, (device, 0))
    asked = {"max_version": max_version, "copy": copy, "dl_device": (1, 0)}
    if max_version in OLD and flags:
        with pytest.raises(BufferError, match="cannot say that an array is read-only"):
            exporter(array).__dlpack__(**asked)
        return
    taken = Taken.of(exporter(array).__dlpack__(**asked))
    assert (taken.device, taken.data) == ((1, 0), producer.address)
    assert taken.flags == flags
    taken.delete()


NONSENSE = [(99, 0), (1, 1), (1, -1), (2, 0), (0, 0), (-1, 0), (14, 0)]


@EXPORTERS
@pytest.mark.parametrize("dl_device", NONSENSE)
@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("max_version", [None, (1, 3)])
def test_elsewhere_it_is_not_exported(
    exporter: Any, dl_device: Any, copy: Any, max_version: Any
) -> None:
    """The standard asks for BufferError, also where a copy was asked for."""
    producer, array = imported(0)
    with pytest.raises(BufferError, match=r"__dlpack__\(dl_device=…\): a kDLCPU array is exported"):
        exporter(array).__dlpack__(dl_device=dl_device, copy=copy, max_version=max_version)
    del array
    assert producer.deleted == 1


@EXPORTERS
@pytest.mark.parametrize(
    "max_version", ["1.0", 1, 1.0, (), (1,), (1, 0, 0), [1, 0], (None, 0), ("1", 0), (True, 0), {}]
)
def test_versions_that_are_none(exporter: Any, max_version: Any) -> None:
    producer, array = imported(0)
    with pytest.raises(TypeError, match=r"__dlpack__\(max_version=…\) takes None or a pair \(maj"):
        exporter(array).__dlpack__(max_version=max_version)
    with pytest.raises(ValueError, match=r"__dlpack__\(max_version=…\) takes versions from \(0, 0"):
        exporter(array).__dlpack__(max_version=(1, -1))
    del array
    assert producer.deleted == 1
