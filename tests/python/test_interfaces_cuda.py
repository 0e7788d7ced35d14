# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`__cuda_array_interface__` comes in: its fields, its stream, and what is wrong with it.

No driver is needed to take it in: the memory is the host's here, and is not read as the device's.
"""

import gc
import re
import weakref
from typing import Any

import pytest

import anystream
from anystream import DType, Stream
from interface_rig import CUDA, IDS, MISSING, WRONG, Described, Fresh, Index

HANDLE = 0x7F0012345678


def described(**changes: Any) -> Described:
    return Described(CUDA, **changes)


# ---- what it says --------------------------------------------------------------------------------


def test_every_field() -> None:
    x = described(strides=(4, 8), stream=HANDLE)
    array = anystream.from_dlpack(x)
    assert array.device == anystream.Device("cuda:0")
    assert array.shape == (2, 3)
    assert array.strides == (1, 2)
    assert array.dtype == DType("float32")
    assert array.data_ptr + array.byte_offset == x.address
    assert not array.readonly
    assert array.stream == Stream.from_handle("cuda:0", HANDLE)
    assert array.plan.protocol.what == CUDA


def test_it_is_read_once() -> None:
    x = described()
    anystream.from_dlpack(x)
    assert x.reads == 1


@pytest.mark.parametrize("flag", [True, 1])
def test_read_only(flag: Any) -> None:
    x = described()
    x.fields["data"] = (x.address, flag)
    assert anystream.from_dlpack(x).readonly


@pytest.mark.parametrize(
    ("strides", "wanted"),
    [
        (None, (3, 1)),
        (MISSING, (3, 1)),
        ((12, 4), (3, 1)),
        ([12, 4], (3, 1)),
        ((-12, -4), (-3, -1)),
        ((0, 0), (0, 0)),
        ((Index(12), 4), (3, 1)),
    ],
)
def test_strides_are_bytes(strides: Any, wanted: tuple[int, ...]) -> None:
    assert anystream.from_dlpack(described(strides=strides)).strides == wanted


def test_a_stride_of_no_whole_element_is_refused() -> None:
    text = "a tuple of multiples of the 4 bytes of an element; got tuple (12, 2).\n  DLPack counts"
    with pytest.raises(BufferError, match=re.escape(text)):
        anystream.from_dlpack(described(strides=(12, 2)))


def test_a_stride_that_is_never_taken_may_be_any() -> None:
    assert anystream.from_dlpack(described(shape=(1, 3), strides=(7, 4))).shape == (1, 3)
    assert anystream.from_dlpack(described(shape=(0, 3), strides=(7, 5))).size == 0


@pytest.mark.parametrize("pointer", [0, 8])
def test_no_elements(pointer: int) -> None:
    array = anystream.from_dlpack(described(shape=(0, 3), data=(pointer, False)))
    assert (array.shape, array.data_ptr) == ((0, 3), pointer)


def test_no_dimensions() -> None:
    array = anystream.from_dlpack(described(shape=()))
    assert (array.shape, array.strides, array.size) == ((), (), 1)


def test_it_lives_as_long_as_the_array() -> None:
    x = described(stream=HANDLE)
    there = weakref.ref(x)
    array = anystream.from_dlpack(x)
    del x
    gc.collect()
    assert there() is not None
    del array
    gc.collect()
    assert there() is None


@pytest.mark.parametrize("stream", [None, HANDLE])
def test_what_the_dict_holds_lives_as_long_too(stream: Any) -> None:
    x = Fresh(CUDA, stream=stream)
    array = anystream.from_dlpack(x)
    gc.collect()
    assert x.home() is not None
    del array
    gc.collect()
    assert x.home() is None


def test_the_number_of_the_device_is_assumed_and_said_so() -> None:
    assumed = "the interface does not tell its number, and no driver could be asked: 0 is assumed"
    step = anystream.explain(described()).device
    assert step == ("cuda:0", f"where the array is; {assumed}")


# ---- its stream ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("stream", [None, MISSING])
def test_without_a_stream_nothing_is_pending(version: int, stream: Any) -> None:
    x = described(version=version, stream=stream)
    array = anystream.from_dlpack(x, stream=HANDLE)
    assert array.stream == Stream.from_handle("cuda:0", HANDLE)
    what = array.plan.ordering.what
    # The earlier versions had no streams, so that nothing can be told of them.
    assert what == ("nothing to order" if version == 3 else "nothing is known to be pending")


def test_strict_believes_version_3_only() -> None:
    anystream.from_dlpack(described(), stream=HANDLE, strict=True)
    with pytest.raises(anystream.OrderingError, match="producer_stream="):
        anystream.from_dlpack(described(version=2), stream=HANDLE, strict=True)


@pytest.mark.parametrize("stream", [1, 2, HANDLE, Index(HANDLE)])
def test_its_stream_is_the_arrays(stream: Any) -> None:
    array = anystream.from_dlpack(described(stream=stream))
    assert array.stream is not None
    assert array.stream.handle == int(getattr(stream, "value", stream))
    assert array.plan.ordering.what == "nothing yet"
    assert "producer's: __cuda_array_interface__[stream]" in array.plan.stream.why


def test_a_stream_in_an_earlier_version_is_believed() -> None:
    array = anystream.from_dlpack(described(version=2, stream=HANDLE))
    assert array.stream == Stream.from_handle("cuda:0", HANDLE)


@pytest.mark.parametrize("stream", [0, -1, True, 1.0, "1", object(), 2**64])
def test_what_is_no_stream_is_refused(stream: Any) -> None:
    accepted = "None, 1 (legacy default), 2 (per-thread default) or a cudaStream_t handle > 2"
    with pytest.raises(BufferError, match=re.escape(f'{CUDA}["stream"] is {accepted}; got ')):
        anystream.from_dlpack(described(stream=stream))


def test_zero_is_ambiguous() -> None:
    with pytest.raises(BufferError, match="0 is ambiguous, so the interface forbids it"):
        anystream.from_dlpack(described(stream=0))


def test_ordering_after_it_takes_a_driver() -> None:
    x = described(stream=HANDLE)
    with pytest.raises(anystream.DriverUnavailable):
        anystream.from_dlpack(x, stream=HANDLE + 8)
    with pytest.raises(anystream.DriverUnavailable):
        anystream.explain(x, stream=HANDLE + 8)
    assert anystream.from_dlpack(x, stream=HANDLE).plan.ordering.what == "nothing"
    assert anystream.from_dlpack(x, stream=HANDLE + 8, ordering="none").stream is not None
    assert anystream.from_dlpack(x, stream=-1).plan.ordering.what == "none"


def test_the_host_cannot_read_it_without_the_driver() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    for stream in (None, HANDLE):
        with pytest.raises(anystream.DriverUnavailable):
            anystream.handoff(described(stream=stream), to="numpy")


def test_a_named_producer_stream_goes_before_its_own() -> None:
    array = anystream.from_dlpack(described(stream=1), producer_stream=HANDLE)
    assert array.stream == Stream.from_handle("cuda:0", HANDLE)


# ---- what is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "value", "text"), WRONG, ids=IDS)
def test_a_key_that_is_missing_or_wrong(key: str, value: Any, text: str) -> None:
    with pytest.raises(BufferError, match=re.escape(text)) as caught:
        anystream.from_dlpack(described(**{key: value}))
    assert type(caught.value) is BufferError


@pytest.mark.parametrize("value", [[], "dict", 3, object()])
def test_what_is_no_dict(value: Any) -> None:
    x = described()
    x.fields = value
    with pytest.raises(BufferError, match=f"^{CUDA} is a dict; got .*\n  That is a fault of the"):
        anystream.from_dlpack(x)


def test_the_fault_is_named_with_its_class() -> None:
    with pytest.raises(BufferError, match=r"fault of the class of x, interface_rig\.Described\."):
        anystream.from_dlpack(described(shape=3))


def test_a_plain_descr_is_taken() -> None:
    assert anystream.from_dlpack(described(descr=[("", "<f4")])).shape == (2, 3)
    assert anystream.from_dlpack(described(descr=None, mask=None)).shape == (2, 3)


def test_an_attribute_that_raises_reaches_the_user() -> None:
    class Raises:
        @property
        def __cuda_array_interface__(self) -> Any:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        anystream.from_dlpack(Raises())


def test_one_that_has_it_on_some_devices_only_is_asked_for_the_next() -> None:
    class HostOnly(bytearray):
        @property
        def __cuda_array_interface__(self) -> Any:
            raise AttributeError("this one is on the host")

    assert anystream.from_dlpack(HostOnly(b"abc")).device == anystream.Device("cpu")
