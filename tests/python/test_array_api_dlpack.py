# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What the array API's text and test suite (and numpy's tests with them) expect of anystream.Array.

Devices, copies, versions, streams and errors: the same expectations in our own words, wherever
Array has the function concerned. Not applicable:

- namespaces, `asarray`, `to_device` into another namespace and dtype categories: anystream makes no
  arrays of values and computes nothing.
- an object without the two methods is an AttributeError of `from_dlpack`. Here it is that, and a
  TypeError as well, since an argument of the wrong type was passed.
- `from_dlpack(device=…)` that cannot be served is ValueError in one paragraph and BufferError in
  another. Here an unknown name is a ValueError, an impossible move a BufferError.
"""

import enum
import inspect
from typing import Any

import pytest

import anystream
from ctypes_tensors import IS_COPIED, Producer, Taken, name_of
from export_rig import EXPORTERS, MAX_VERSIONS, fields

np = pytest.importorskip("numpy", reason="numpy is not installed")


# -- __dlpack_device__ and dl_device ---------------------------------------------------------------


@EXPORTERS
def test_the_device_is_the_capsules(exporter: Any) -> None:
    x = np.arange(5)
    for y in (x, np.from_dlpack(anystream.from_dlpack(x)), x[::2]):
        given = exporter(anystream.from_dlpack(y))
        assert given.__dlpack_device__() == (1, 0)
        assert fields(given.__dlpack__(max_version=(1, 0))).device == (1, 0)
        device_type, device_id = given.__dlpack_device__()
        assert isinstance(device_type, int)
        assert isinstance(device_id, int)


def test_the_device_of_sycl_arrays_is_the_capsules(sycl: Any) -> None:
    import dpnp

    array = anystream.from_dlpack(dpnp.arange(5))
    assert array.__dlpack_device__()[0] == 14
    assert fields(array.__dlpack__(max_version=(1, 0))).device == array.__dlpack_device__()


class Kind(enum.Enum):
    CPU = 1


class IntKind(enum.IntEnum):
    CPU = 1


@EXPORTERS
def test_the_host_can_always_be_asked_for(exporter: Any) -> None:
    array = exporter(anystream.from_dlpack(np.arange(5)))
    for dl_device in (None, (1, 0), (IntKind.CPU, 0), array.__dlpack_device__()):
        capsule = array.__dlpack__(dl_device=dl_device, max_version=(1, 0))
        assert fields(capsule).device == (1, 0)
    with pytest.raises(TypeError, match="dl_device"):
        array.__dlpack__(dl_device=(Kind.CPU, 0))  # no int: it says nothing to DLPack


def test_sycl_arrays_can_be_asked_onto_the_host(sycl: Any) -> None:
    import dpnp

    array = anystream.from_dlpack(dpnp.arange(5))
    taken = Taken.of(array.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert taken.device == (1, 0)
    assert taken.flags & IS_COPIED
    taken.delete()
    assert np.from_dlpack(array, device="cpu").tolist() == [0, 1, 2, 3, 4]


@EXPORTERS
@pytest.mark.parametrize("dl_device", [(10, 0), (2, 0), (14, 99), (1, 1)])
def test_a_device_that_cannot_be_served(exporter: Any, dl_device: Any) -> None:
    with pytest.raises(BufferError):
        exporter(anystream.from_dlpack(np.arange(5))).__dlpack__(dl_device=dl_device)


def test_from_dlpack_onto_a_device() -> None:
    x = np.arange(5)
    for device in (None, "cpu", (1, 0), anystream.Device("cpu"), anystream.from_dlpack(x).device):
        array = anystream.from_dlpack(x, device=device)
        assert array.__dlpack_device__() == (1, 0)
        assert array.data_ptr == x.ctypes.data
    with pytest.raises(ValueError, match="gpu"):
        anystream.from_dlpack(x, device="gpu")


# -- copy ------------------------------------------------------------------------------------------


@EXPORTERS
@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("max_version", MAX_VERSIONS)
def test_copy_of_an_export(exporter: Any, copy: Any, max_version: Any) -> None:
    x = np.arange(5)
    capsule = exporter(anystream.from_dlpack(x)).__dlpack__(copy=copy, max_version=max_version)
    taken = fields(capsule)
    assert (taken.data == x.ctypes.data) is (copy is not True)
    assert taken.flags == (IS_COPIED if copy and taken.versioned else 0)


def test_copy_takes_a_bool_or_none() -> None:
    array = anystream.from_dlpack(np.arange(5))
    for wrong in (1, 0, "yes", np.array([1, 2, 3]), np.True_):
        with pytest.raises(TypeError, match="copy"):
            array.__dlpack__(copy=wrong)


@pytest.mark.parametrize("ours_first", [False, True])
def test_copy_of_an_import(*, ours_first: bool) -> None:
    x = np.arange(5)
    given = anystream.from_dlpack(x) if ours_first else x
    for copy in (None, False):
        array = anystream.from_dlpack(given, copy=copy)
        assert array.data_ptr == x.ctypes.data
    array = anystream.from_dlpack(given, copy=True)
    assert array.data_ptr != x.ctypes.data
    y = np.from_dlpack(array)
    assert y.flags.writeable
    y[0] = 7
    assert x[0] == 0
    x[1] = 9
    assert y.tolist() == [7, 1, 2, 3, 4]


def test_without_a_copy_writes_are_seen_on_both_sides() -> None:
    x = np.arange(5)
    y = np.from_dlpack(anystream.from_dlpack(x))
    assert np.shares_memory(x, y)
    y[0], x[1] = 7, 9
    assert x.tolist() == y.tolist() == [7, 9, 2, 3, 4]


@pytest.mark.parametrize("copy", [None, False, True])
def test_numpy_passes_its_own_copy_on(copy: Any) -> None:
    x = np.arange(5)
    y = np.from_dlpack(anystream.from_dlpack(x), copy=copy)
    assert np.may_share_memory(x, y) is (copy is not True)


# -- max_version -----------------------------------------------------------------------------------


@EXPORTERS
@pytest.mark.parametrize("max_version", MAX_VERSIONS)
def test_the_form_of_a_capsule_follows_the_highest_version(exporter: Any, max_version: Any) -> None:
    array = exporter(anystream.from_dlpack(np.arange(5)))
    capsule = array.__dlpack__(max_version=max_version)
    versioned = max_version is not None and max_version[0] >= 1
    assert name_of(capsule) == ("dltensor_versioned" if versioned else "dltensor")
    taken = fields(capsule)
    assert taken.version == ((1, 3) if versioned else None)
    assert name_of(capsule).startswith("used_")


@EXPORTERS
def test_the_signature_is_the_standards(exporter: Any) -> None:
    method = exporter(anystream.from_dlpack(np.arange(5))).__dlpack__
    with pytest.raises(TypeError):
        method(None)  # every argument has a keyword
    with pytest.raises(TypeError, match="nonsense"):
        method(nonsense=None)
    method(stream=None, max_version=None, dl_device=None, copy=None)
    parameters = inspect.signature(anystream.from_dlpack).parameters
    assert parameters["x"].kind is inspect.Parameter.POSITIONAL_ONLY
    for keyword in ("device", "copy"):
        assert parameters[keyword].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[keyword].default is None


# -- stream ----------------------------------------------------------------------------------------


def test_a_host_array_takes_no_stream() -> None:
    """A Carrier, which only hand-offs give away, is ordered already and takes whatever is named."""
    array = anystream.from_dlpack(np.arange(5))
    array.__dlpack__(stream=None)
    for stream in (1, 2, 0):
        with pytest.raises(ValueError, match="kDLCPU"):
            array.__dlpack__(stream=stream)
    with pytest.raises(TypeError):
        array.__dlpack__(stream="1")


# -- errors of a producer, and who is none ---------------------------------------------------------


class Failing:
    def __init__(self, error: Exception, *, place: bool = False) -> None:
        self.error, self.place = error, place

    def __dlpack__(self, **_: Any) -> Any:
        raise self.error

    def __dlpack_device__(self) -> tuple[int, int]:
        if self.place:
            raise self.error
        return (1, 0)


@pytest.mark.parametrize("place", [False, True], ids=["__dlpack__", "__dlpack_device__"])
@pytest.mark.parametrize(
    "error",
    [BufferError("a"), ValueError("b"), RuntimeError("c"), AttributeError("d"), OSError("e")],
)
def test_a_producers_error_comes_through(error: Exception, *, place: bool) -> None:
    with pytest.raises(type(error)) as caught:
        anystream.from_dlpack(Failing(error, place=place))
    assert caught.value is error


@pytest.mark.parametrize("x", [None, 1, "array", object(), [1, 2], object])
def test_what_has_not_the_two_methods_is_told_what_is_missing(x: Any) -> None:
    for error in (TypeError, AttributeError):
        with pytest.raises(error, match="__dlpack__ and __dlpack_device__"):
            anystream.from_dlpack(x)


# -- what comes in is what goes out ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "dpnp"])
@pytest.mark.parametrize("copy", [None, True])
@pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")
def test_round_trips_between_namespaces(request: Any, name: str, copy: Any) -> None:
    """test_from_dlpack of the suite: same shape, type and values; writes are not looked at."""
    module: Any = pytest.importorskip(name, reason=f"{name} is not installed")
    if name == "dpnp":
        request.getfixturevalue("sycl")
    module = module.numpy if name == "jax" else module
    for shape in ((), (0,), (1,), (3, 2), (2, 0, 3)):
        x = module.ones(shape, dtype=module.float32)
        array = anystream.from_dlpack(x, copy=copy)
        assert array.shape == shape
        assert str(array.dtype) == "float32"
        assert array.__dlpack_device__()[0] == x.__dlpack_device__()[0]
        y = anystream.handoff(array, to=name)
        assert type(y) is type(x)
        assert tuple(y.shape) == shape
        assert bool((y == x).all())


def test_an_import_of_a_hand_made_capsule() -> None:
    producer = Producer()
    array = anystream.from_dlpack(producer)
    assert (producer.deleted, array.data_ptr) == (0, producer.address)
    del array
    assert producer.deleted == 1
