# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that cannot be used: one message each, that says what was given and what is taken."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream.testing import SimulatedDevice
from stand_ins import Memory, Producer

HOST = (1, 0)
WEBGPU = (15, 0)
METAL = (8, 0)


# -- streams that nobody here can order -----------------------------------------------------------


@pytest.mark.parametrize("several", [False, True])
def test_a_foreign_producer_stream_is_not_dropped(several: bool) -> None:
    x, foreign = Producer(WEBGPU), object()
    given: Any = [foreign, object()] if several else foreign
    with pytest.raises(anystream.DriverUnavailable) as caught:
        anystream.from_dlpack(x, producer_stream=given)
    assert str(caught.value) == (
        "from_dlpack(producer_stream=…): nobody here can order anything after an object: anystream "
        "takes streams of platforms that it has a backend for, and has none for webgpu:0.\n"
        "  Order it with the library that owns it, then pass ordering='none'."
    )
    assert not x.calls


def test_a_foreign_producer_stream_is_taken_unordered() -> None:
    x = Producer(WEBGPU)
    array = anystream.from_dlpack(x, producer_stream=object(), ordering="none")
    assert array.plan.ordering.what == "none"
    assert str(array.device) == "webgpu:0"


@pytest.mark.parametrize("nothing", [None, -1])
def test_a_list_names_streams_or_says_that_there_are_none(nothing: int | None) -> None:
    with SimulatedDevice() as device:
        x = device.full(4, 1.0)
        with pytest.raises(ValueError, match=r"got a list that has None or -1 among its streams"):
            anystream.from_dlpack(x, producer_stream=[device.stream(), nothing])
    plan = anystream.explain(Producer(), producer_stream=[nothing, nothing])
    assert plan.ordering.what == "nothing to order"


def test_ordering_none_is_the_way_out_where_a_driver_is_missing() -> None:
    streams: dict[str, Any] = {
        "stream": anystream.Stream.from_handle("metal:0", 4096),
        "producer_stream": anystream.Stream.from_handle("metal:0", 8192),
    }
    array = anystream.from_dlpack(Producer(METAL), ordering="none", **streams)
    assert str(array.device) == "metal:0"
    assert array.stream is not None
    assert array.stream.handle == 4096
    if not any(row["name"] == "metal" and row["available"] for row in drivers()):
        with pytest.raises(anystream.DriverUnavailable, match="Metal cannot be used"):
            anystream.from_dlpack(Producer(METAL), **streams)


def drivers() -> list[dict[str, Any]]:
    return anystream._core.drivers()


# -- copies to devices ----------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [None, -1])
def test_a_copy_to_a_device_without_a_default_stream_needs_a_stream(stream: int | None) -> None:
    with SimulatedDevice() as device:
        x = Producer()
        for call in (anystream.from_dlpack, anystream.explain):
            with pytest.raises(ValueError, match=r"got no stream\.\n  Name one: stream=\.") as got:
                call(x, device=device.device, stream=stream)
            assert f"from_dlpack(device=…): a copy to {device.device} is made" in str(got.value)
        assert not x.calls
        array = anystream.from_dlpack(x, device=device.device, stream=device.stream())
        assert array.device == device.device


def test_a_device_that_is_not_there(sycl: Any) -> None:
    text = r"^there is no device oneapi:9; sycl has \d+ device"
    with pytest.raises(ValueError, match=text):
        anystream.from_dlpack(Producer(), device="oneapi:9")
    with pytest.raises(ValueError, match=text):
        anystream.handoff(Producer(), to="dpnp", device="oneapi:9")
    with pytest.raises(ValueError, match=text):
        anystream.current_stream("dpnp", "oneapi:9")


@pytest.mark.parametrize(("device", "test"), [("cuda:0", "cuda"), ("oneapi:0", "xpu")])
def test_a_build_without_the_device_has_no_current_stream(device: str, test: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    if getattr(torch, test).is_available():
        pytest.skip(f"torch has {device} here")
    with pytest.raises(ValueError, match="as it is installed here") as caught:
        anystream.current_stream("torch", device)
    assert str(caught.value).splitlines()[0] == (
        f"torch, as it is installed here, has no streams of {device}: "
        f"torch.{test}.is_available() is False."
    )


# -- objects that are no arrays -------------------------------------------------------------------

NO_PAIRS: list[Any] = [None, (None, 0), (1, 0, 0), (1,), "ab", (1.0, 0), (True, 0), (1, "0")]
OUT_OF_RANGE = [(2**31, 0), (1, 2**31), (-1, 0), (1, -1)]


@pytest.mark.parametrize("pair", NO_PAIRS + OUT_OF_RANGE)
def test_what_a_producer_says_of_its_place_is_checked(pair: Any) -> None:
    x = Producer()
    x.device = pair
    error = ValueError if pair in OUT_OF_RANGE else TypeError
    with pytest.raises(error, match=r"is a pair \(device type, id\) of ints from 0 to 2147483647;"):
        anystream.from_dlpack(x)
    with pytest.raises(error, match=r"^__dlpack_device__ of this stand_ins\.Producer array: a dev"):
        anystream.explain(x)
    assert not x.calls


def test_no_number_means_the_first() -> None:
    x = Producer()
    x.device = (1, None)  # type: ignore[assignment]
    assert anystream.from_dlpack(x).device == anystream.Device("cpu")


class NoDevice:
    def __dlpack__(self, **_: Any) -> Any:
        raise AssertionError("exported")


@pytest.mark.parametrize(
    ("x", "got"),
    [
        (NoDevice(), r"a [a-z.]*test_peers_arguments\.NoDevice"),
        (Producer, r"the class [a-z.]*stand_ins\.Producer"),
        (anystream.Array, r"the class anystream\.Array"),
        (None, "None"),
        ({1.0}, "a set"),
    ],
)
def test_what_is_no_array(x: Any, got: str) -> None:
    for call in (anystream.from_dlpack, anystream.explain):
        with pytest.raises(TypeError, match=rf"^anystream takes an array: .*; got {got}\.\n"):
            call(x)


@pytest.mark.parametrize("call", [anystream.from_dlpack, anystream.explain])
def test_what_is_no_array_is_what_the_standard_says_too(call: Any) -> None:
    """The array API standard has AttributeError where the methods are missing."""
    with pytest.raises(AttributeError, match=r"^anystream takes an array: .*; got a set\.\n") as it:
        call({1.0})
    assert isinstance(it.value, TypeError)
    assert str(it.value).endswith("If arrays are in it, write list(x).")


# -- __sycl_usm_array_interface__ -----------------------------------------------------------------


class Usm:
    def __init__(self, fields: Any) -> None:
        self.__sycl_usm_array_interface__ = fields


OWNERS: dict[str, Callable[[Any], Any]] = {
    "device": lambda memory: memory.sycl_device,
    "number": lambda _: 0,
    "other number": lambda _: 4096,
    "stream of CUDA": lambda _: anystream.Stream.from_handle("cuda:0", 1),
    "None": lambda _: None,
}


@pytest.mark.parametrize("owner", OWNERS)
def test_memory_without_an_owner_is_refused(sycl: Any, owner: str) -> None:
    import dpctl.memory

    memory = dpctl.memory.MemoryUSMShared(16)
    fields = memory.__sycl_usm_array_interface__ | {"syclobj": OWNERS[owner](memory)}
    with pytest.raises(
        BufferError, match=r'"syclobj"\] is a filter string such as "cpu:0", a dpctl'
    ):
        anystream.from_dlpack(Usm(fields))


def test_the_way_out_for_memory_without_a_queue(sycl: Any) -> None:
    import dpctl.memory

    memory = dpctl.memory.MemoryUSMShared(16)
    x = Usm(memory.__sycl_usm_array_interface__ | {"syclobj": memory.sycl_device.filter_string})
    array = anystream.from_dlpack(dpctl.memory.as_usm_memory(x))
    assert array.data_ptr == memory._pointer


def test_a_queue_and_its_capsule_are_taken(sycl: Any) -> None:
    import dpctl.memory

    memory = dpctl.memory.MemoryUSMShared(16)
    fields = memory.__sycl_usm_array_interface__
    for owner in (memory.sycl_queue, memory.sycl_queue._get_capsule()):
        array = anystream.from_dlpack(Usm(fields | {"syclobj": owner}))
        assert array.stream == anystream.Stream(memory.sycl_queue, out_of_order="barrier")


@pytest.mark.parametrize("name", ["data", "shape", "syclobj", "typestr"])
def test_an_interface_that_lacks_something(sycl: Any, name: str) -> None:
    import dpctl.memory

    memory = dpctl.memory.MemoryUSMShared(16)
    fields = memory.__sycl_usm_array_interface__
    del fields[name]
    with pytest.raises(BufferError, match=rf'__\["{name}"\] is .*; got a dict without it\.\n'):
        anystream.from_dlpack(Usm(fields))
    with pytest.raises(BufferError, match="got a list"):
        anystream.from_dlpack(Usm([]))


# -- policies and devices -------------------------------------------------------------------------

WRONG: dict[str, list[Any]] = {
    "strict": [1, 0, "yes", []],
    "copy": [1, 0, "no", []],
    "ordering": ["x", [], None, 3, b"none", ("device",), "host" * 20],
}
POLICIES = [{name: value} for name, values in WRONG.items() for value in values]


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_handoff_checks_its_policies_as_from_dlpack_does(policy: dict[str, Any]) -> None:
    x = Memory().array(HOST)
    with pytest.raises((TypeError, ValueError)) as one:
        anystream.from_dlpack(x, **policy)
    with pytest.raises((TypeError, ValueError)) as other:
        anystream.handoff(x, to="numpy", **policy)
    assert other.type is one.type
    assert str(other.value) == str(one.value).replace("from_dlpack", "handoff")
    with pytest.raises(one.type, match=re.escape(str(one.value))):
        anystream.explain(x, **policy)


@pytest.mark.parametrize("pair", [(1.5, 0), (2, 0.0), (True, 0), (2, False), ("2", 0), (2, None)])
def test_a_device_has_whole_numbers(pair: Any) -> None:
    with pytest.raises(TypeError, match=r"^Device\(…\): a device is a pair .*; got tuple \("):
        anystream.Device(pair)


@pytest.mark.parametrize("pair", [(2, -1), (-1, 0), (2**31, 0), (2, 2**40)])
def test_a_device_has_small_numbers(pair: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="of ints from 0 to 2147483647"):
        anystream.Device(pair)
    with pytest.raises(ValueError, match="of ints from 0 to 2147483647"):
        anystream.Device(*pair)


def test_a_device_takes_ints_of_other_classes() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    assert anystream.Device((np.int64(2), np.int8(1))) == anystream.Device("cuda:1")
    assert anystream.Device(2, np.int32(1)) == anystream.Device("cuda:1")
