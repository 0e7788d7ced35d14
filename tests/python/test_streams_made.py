# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Making Streams: resolved and unresolved ones, policies, raw handles, identity, repr."""

import gc
import threading
import weakref
from typing import Any

import pytest

import anystream
from anystream import Device, Stream
from stream_values import HANDLE, capsule, giving, simulated, stand_in, sycl_queue, with_protocol

STREAMS = (
    "a stream is an int, an object with __cuda_stream__, a stream of a library that anystream "
    'knows, an anystream.Stream, or a capsule named "cudaStream_t", "CUstream", '
    '"cl_command_queue", "MTLCommandQueue", "hipStream_t", "SyclQueueRef", '
    '"anystream_simulated_stream"'
)
OF_LIBRARY = "Pass the stream object of the library that made it."

REFUSED: list[tuple[Any, type[Exception], str, str]] = [
    (None, TypeError, "None", OF_LIBRARY),
    (True, TypeError, "bool True", OF_LIBRARY),
    (1.0, TypeError, "float 1.0", OF_LIBRARY),
    ("1", TypeError, "str '1'", OF_LIBRARY),
    (object(), TypeError, "an object", OF_LIBRARY),
    (capsule("dltensor"), TypeError, 'a "dltensor" capsule', OF_LIBRARY),
    (capsule(None), TypeError, "an unnamed capsule", OF_LIBRARY),
    (
        capsule("used_SyclQueueRef"),
        ValueError,
        'a "used_SyclQueueRef" capsule',
        "It was used up by whoever took it: make a new capsule.",
    ),
    (-1, ValueError, "int -1", "-1 asks for no ordering: it is no stream."),
    (-2, ValueError, "int -2", "No stream handle is negative."),
    (-(2**70), ValueError, "an int of 71 bits", "No stream handle is negative."),
    (2**64, ValueError, "an int of 65 bits", "No stream handle is that large."),
    (
        with_protocol((1, 7)),
        ValueError,
        "a stream_values.with_protocol.<locals>.Protocol",
        "anystream knows version 0 of __cuda_stream__.",
    ),
]


@pytest.mark.parametrize(("value", "error", "got", "fix"), REFUSED)
def test_what_is_no_stream(value: Any, error: type[Exception], got: str, fix: str) -> None:
    with pytest.raises(error) as caught:
        Stream(value)
    assert type(caught.value) is error
    assert str(caught.value) == f"Stream(…): {STREAMS}; got {got}.\n  {fix}"


UNRESOLVED: dict[str, tuple[Any, int, str]] = {
    "a number": (7, 7, "int 7"),
    "0": (0, 0, "int 0"),
    "a protocol": (with_protocol((0, 7)), 7, "a stream_values.with_protocol.<locals>.Protocol"),
    "a CUDA class": (
        stand_in("torch.cuda.streams", "Stream", cuda_stream=HANDLE),
        HANDLE,
        "a torch.cuda.streams.Stream",
    ),
    "a HIP class": (
        stand_in("hip.hip", "ihipStream_t", __int__=lambda _: HANDLE),
        HANDLE,
        "a hip.hip.ihipStream_t",
    ),
    "a capsule": (capsule("cudaStream_t"), HANDLE, 'a "cudaStream_t" capsule'),
}


@pytest.mark.parametrize(("value", "handle", "got"), UNRESOLVED.values(), ids=UNRESOLVED)
def test_what_does_not_tell_its_device_stays_unresolved(value: Any, handle: int, got: str) -> None:
    stream = Stream(value, out_of_order="barrier")
    assert stream.device is None
    assert stream.platform == ""
    assert stream.handle == handle
    assert stream.out_of_order == "barrier"
    assert repr(stream) == f"<anystream.Stream of {got}, unresolved: its device is not known>"
    assert not hasattr(stream, "__cuda_stream__")
    assert not hasattr(stream, "_get_capsule")
    assert stream == Stream(value)
    assert hash(stream) == hash(Stream(value))
    assert stream != Stream(value if handle == 99 else 99)


USES: dict[str, Any] = {
    "Stream.in_order": lambda s: s.in_order,
    "Stream.record()": lambda s: s.record(),
    "Stream.query()": lambda s: s.query(),
    "Stream.synchronize()": lambda s: s.synchronize(),
    "Stream.wait_stream(…)": lambda s: s.wait_stream(Stream(7, "cuda:0")),
    "Stream.wait(…)": lambda s: s.wait(Stream(simulated()).record()),
}


@pytest.mark.parametrize(("where", "use"), USES.items(), ids=USES)
def test_an_unresolved_stream_cannot_be_used(where: str, use: Any) -> None:
    with pytest.raises(ValueError, match="needs a resolved stream") as caught:
        use(Stream(7))
    assert str(caught.value) == (
        f"{where} needs a resolved stream; got a Stream of int 7, whose device is not known.\n"
        '  Name it, as in Stream(s, device="cuda:0"); an array that it is used with says it too.'
    )


@pytest.mark.parametrize("device", ["cuda:3", Device("cuda:3"), (2, 3), Device((2, 3))])
def test_a_device_resolves_it(device: Any) -> None:
    stream = Stream(7, device)
    assert stream.device == Device("cuda:3")
    assert stream.platform == "cuda"
    assert stream.in_order is True
    assert repr(stream) == "<anystream.Stream on cuda:3, cuda handle 0x7, in-order>"
    assert stream == Stream(Stream(7), device=device)
    assert stream != Stream(7, "cuda:2")
    assert stream != Stream(7)


def test_the_same_numbers_mean_what_the_device_says() -> None:
    default = with_protocol((0, 0))
    assert Stream(default, "cuda:0").handle == 1
    assert Stream(default, "rocm:0").handle == 0
    assert Stream(default, "rocm:0") != Stream(default, "cuda:0")
    assert (
        repr(Stream(default, "cuda:0")) == "<anystream.Stream on cuda:0, cuda handle 1, in-order>"
    )
    assert Stream.from_handle("cuda:0", 0) == Stream(1, "cuda:0")  # as the driver's own NULL
    assert hash(Stream.from_handle("cuda:0", 0)) == hash(Stream(1, "cuda:0"))


@pytest.mark.parametrize("device", [7, 1.0, object(), (1,), ("cuda", 0), (True, 0, 0), int])
def test_what_is_no_device(device: Any) -> None:
    with pytest.raises(TypeError):
        Stream(7, device)


def test_a_word_that_is_no_device() -> None:
    with pytest.raises(ValueError, match="a device string is a word and a number") as caught:
        Stream(7, "gpu:0")
    assert 'got "gpu:0".\n  The words are cpu, cuda, cuda_host, ' in str(caught.value)


def test_no_stream_can_be_made_of_what_only_its_producer_knows() -> None:
    with pytest.raises(anystream.DriverUnavailable) as caught:
        Stream(object(), "vulkan:0")
    assert str(caught.value) == (
        "Stream(…): anystream has no backend for vulkan:0, and no platform was registered for it, "
        "so it can make no Stream of the object.\n"
        "  Pass the object itself as stream=: its producer may know it."
    )


def test_a_device_that_is_not_the_streams() -> None:
    with pytest.raises(ValueError, match="the stream is on cuda:1; got device cuda:0") as caught:
        Stream(Stream(7, "cuda:1"), "cuda:0")
    assert str(caught.value) == (
        "Stream(…): the stream is on cuda:1; got device cuda:0.\n"
        "  Leave device out: the stream tells."
    )


@pytest.mark.parametrize(
    ("word", "error", "got"),
    [("wait", ValueError, "str 'wait'"), (1, TypeError, "int 1"), (True, TypeError, "bool True")],
)
def test_policies(word: Any, error: type[Exception], got: str) -> None:
    with pytest.raises(error) as caught:
        Stream(7, out_of_order=word)
    assert str(caught.value) == (
        f'Stream(out_of_order=…) takes "refuse" or "barrier"; got {got}.\n  "refuse" raises '
        'ValueError where an out-of-order queue is to wait, "barrier" puts a barrier there.'
    )


# ---- raw handles


def test_a_raw_handle_is_taken_at_its_word() -> None:
    stream = Stream.from_handle("metal:0", HANDLE)
    assert stream.device == Device("metal:0")
    assert stream.handle == HANDLE
    assert repr(stream) == "<anystream.Stream on metal:0, metal handle 0x1000, in-order>"


@pytest.mark.parametrize(
    ("handle", "error", "got"),
    [
        (-1, ValueError, "int -1"),
        (2**64, ValueError, "int 18446744073709551616"),
        (True, TypeError, "bool True"),
        (1.0, TypeError, "float 1.0"),
        ("1", TypeError, "str '1'"),
        (None, TypeError, "None"),
    ],
)
def test_raw_handles_that_are_none(handle: Any, error: type[Exception], got: str) -> None:
    with pytest.raises(error) as caught:
        Stream.from_handle("cuda:0", handle)
    assert str(caught.value) == (
        "Stream.from_handle(…): a handle is an int that is not negative and fits a pointer; "
        f"got {got}.\n  It is what the platform's C interface has; of a stream object, write "
        "Stream(s)."
    )


def test_there_is_no_stream_on_the_host() -> None:
    with pytest.raises(TypeError, match="a kDLCPU array has no stream"):
        Stream.from_handle("cpu", 7)


# ---- what a stream of ours is to others


@pytest.mark.parametrize("device", ["cuda:0", "cuda_host:0", "cuda_managed:0", "rocm:0"])
def test_cuda_stream_is_there_where_it_is_true(device: str) -> None:
    stream: Any = Stream.from_handle(device, HANDLE)
    assert stream.__cuda_stream__() == (0, HANDLE)
    assert not hasattr(stream, "_get_capsule")


def test_elsewhere_there_is_no_cuda_stream() -> None:
    for stream in (Stream(simulated()), Stream.from_handle("metal:0", HANDLE)):
        assert not hasattr(stream, "__cuda_stream__")
    with pytest.raises(AttributeError) as caught:
        getattr(Stream.from_handle("metal:0", HANDLE), "__cuda_stream__")  # noqa: B009
    assert str(caught.value) == (
        "<anystream.Stream on metal:0, metal handle 0x1000, in-order> has no __cuda_stream__: "
        "CUDA and ROCm streams have it."
    )


def test_a_simulated_stream_goes_on_in_a_capsule() -> None:
    stream: Any = Stream(simulated())
    shared = stream._get_capsule()
    assert '"anystream_simulated_stream"' in repr(shared)
    assert Stream(shared) == stream == Stream(giving(shared))


def test_dpctl_takes_a_sycl_stream_as_its_own_queue() -> None:
    queue = sycl_queue()
    dpctl = pytest.importorskip("dpctl")
    stream: Any = Stream(queue)
    shared = stream._get_capsule()
    assert dpctl.SyclQueue(shared) == queue
    assert '"used_SyclQueueRef"' in repr(shared)
    del shared  # dpctl renamed it; it frees its queue all the same
    assert dpctl.SyclQueue(stream._get_capsule()) == queue


@pytest.mark.parametrize("in_order", [True, False])
def test_a_capsule_is_borrowed_and_serves_again(*, in_order: bool) -> None:
    queue = sycl_queue(in_order=in_order)
    shared = queue._get_capsule()
    streams = [Stream(shared) for _ in range(3)]
    assert '"SyclQueueRef"' in repr(shared)
    del shared
    gc.collect()
    assert streams == [Stream(queue)] * 3
    assert len(set(streams)) == 1


# ---- SYCL


def test_a_sycl_queue_tells_everything() -> None:
    stream = Stream(sycl_queue())
    assert stream.device == Device("oneapi:0")
    assert stream.platform == "sycl"
    assert stream.in_order is True
    assert stream.out_of_order == "refuse"
    assert (
        repr(stream) == f"<anystream.Stream on oneapi:0, sycl handle {stream.handle:#x}, in-order>"
    )


def test_policies_of_an_out_of_order_queue() -> None:
    queue = sycl_queue(in_order=False)
    refusing, barrier = Stream(queue), Stream(queue, out_of_order="barrier")
    assert (refusing.out_of_order, barrier.out_of_order) == ("refuse", "barrier")
    assert refusing == barrier
    assert repr(barrier).endswith(", out-of-order (barrier)>")
    assert Stream(barrier).out_of_order == "barrier"  # it says nothing else
    assert Stream(barrier, barrier.device).out_of_order == "barrier"
    assert Stream(barrier, out_of_order="refuse").out_of_order == "refuse"
    unresolved = Stream(7, out_of_order="barrier")
    assert Stream(unresolved).out_of_order == "barrier"
    assert Stream(unresolved, "cuda:0").out_of_order == "barrier"


def test_one_queue_by_whatever_way() -> None:
    queue, other = sycl_queue(), sycl_queue()
    ways = [
        Stream(queue),
        Stream(queue, "oneapi:0"),
        Stream(queue._get_capsule()),
        Stream(giving(queue._get_capsule())),
        Stream.from_handle("oneapi:0", queue.addressof_ref()),
        Stream(Stream(queue)),
    ]
    assert set(ways) == {Stream(queue)}
    assert Stream(other) not in set(ways)


def test_a_queue_is_copied_and_outlives_its_object() -> None:
    stream = Stream(sycl_queue())
    gc.collect()
    stream.record().synchronize()


# ---- what is kept alive


class Owner:
    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, HANDLE)


@pytest.mark.parametrize("device", [None, "cuda:0"])
def test_the_object_that_a_stream_was_made_of_lives_as_long(device: str | None) -> None:
    owner = Owner()
    alive = weakref.ref(owner)
    stream: Stream | None = Stream(owner, device)
    del owner
    gc.collect()
    assert alive() is not None
    stream = Stream(stream, "cuda:0", out_of_order="barrier")
    gc.collect()
    assert alive() is not None
    stream = None
    assert alive() is None


def test_an_owner_of_a_raw_handle_lives_as_long() -> None:
    owner = Owner()
    alive = weakref.ref(owner)
    streams = [Stream.from_handle("cuda:0", HANDLE, owner=owner)]
    del owner
    gc.collect()
    assert alive() is not None
    dropper = threading.Thread(target=streams.clear)
    dropper.start()
    dropper.join()
    assert alive() is None


def test_a_refused_argument_is_let_go() -> None:
    owner = Owner()
    alive = weakref.ref(owner)
    with pytest.raises(TypeError):
        Stream(owner, "opencl:0")
    del owner
    gc.collect()
    assert alive() is None


def test_a_cycle_through_an_unresolved_stream_is_collected() -> None:
    owner = Owner()
    owner.stream = Stream(owner)  # type: ignore[attr-defined]
    alive = weakref.ref(owner)
    del owner
    gc.collect()
    assert alive() is None


def test_a_stream_can_be_referred_to_weakly_and_not_derived_from() -> None:
    stream = Stream(7)
    assert weakref.ref(stream)() is stream
    with pytest.raises(TypeError):
        type("Mine", (Stream,), {})


def test_a_stream_is_not_none() -> None:
    for stream in (Stream(5), Stream(5, "cuda:0")):
        assert stream != None  # noqa: E711  the operator is what is tried
        assert stream not in [None, 5, object()]
