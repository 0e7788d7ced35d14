# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Stream classes of libraries, told by module and qualified name; most by stand-ins."""

import ctypes
import gc
import sys
from typing import Any, NamedTuple

import pytest

import anystream
import opencl_rig
from anystream import _core
from anystream._peers import STREAM_CLASSES
from stream_values import HANDLE, Numba, known_as, stand_in, sycl_queue

CUDA, ROCM, OPENCL, METAL, SYCL = 2, 10, 4, 8, 14
EVERY_TYPE = tuple(row["value"] for row in _core.DEVICE_TABLE)


def protocol(handle: object) -> Any:
    return lambda _: (0, handle)


def refuses(self: object) -> int:
    raise AssertionError("this is not how the library names its handle")


class Pointer:
    """As cuda.bindings' and hip-python's handles: an object with __int__."""

    def __int__(self) -> int:
        return HANDLE


class Raw:
    raw_stream = HANDLE


class On:
    """As torch.device: what a torch.Stream says of where it is."""

    def __init__(self, device: str) -> None:
        self.type = device


class Class(NamedTuple):
    """A stream class as its library documents it, and the device types where it is a stream."""

    module: str
    name: str
    types: tuple[int, ...]
    attributes: dict[str, object]


EITHER = (2, 3, 13, 10, 11)
ONLY_CUDA = (2, 3, 13)

CLASSES = (
    Class("torch.cuda.streams", "Stream", EITHER, {"cuda_stream": HANDLE}),
    Class("torch.cuda.streams", "ExternalStream", EITHER, {"cuda_stream": HANDLE}),
    Class("torch", "Stream", EITHER, {"native_handle": HANDLE, "device": On("cuda")}),
    Class("cupy.cuda.stream", "_BaseStream", EITHER, {"ptr": HANDLE}),
    Class("cupy.cuda.stream", "Stream", EITHER, {"ptr": HANDLE}),
    Class("cupy.cuda.stream", "ExternalStream", EITHER, {"ptr": HANDLE}),
    Class("numba.cuda.cudadrv.driver", "Stream", ONLY_CUDA, {"__int__": lambda _: HANDLE}),
    Class("warp._src.context", "Stream", ONLY_CUDA, {"cuda_stream": HANDLE}),
    Class("warp.context", "Stream", ONLY_CUDA, {"cuda_stream": HANDLE}),
    Class("cuda.core._stream", "Stream", ONLY_CUDA, {"__cuda_stream__": protocol(HANDLE)}),
    Class(
        "cuda.core.experimental._stream", "Stream", ONLY_CUDA, {"__cuda_stream__": protocol(HANDLE)}
    ),
    Class("cuda.bindings.driver", "CUstream", ONLY_CUDA, {"__int__": lambda _: HANDLE}),
    Class("cuda.bindings.runtime", "cudaStream_t", ONLY_CUDA, {"__int__": lambda _: HANDLE}),
    Class("rmm.pylibrmm.stream", "Stream", ONLY_CUDA, {"__cuda_stream__": protocol(HANDLE)}),
    Class("pylibraft.common.cuda", "Stream", ONLY_CUDA, {"get_ptr": lambda _: HANDLE}),
    Class("pycuda._driver", "Stream", ONLY_CUDA, {"handle": HANDLE}),
    Class("nvidia.dali.experimental.dynamic._stream", "Stream", ONLY_CUDA, {"handle": HANDLE}),
    Class("nvidia.dali.backend_impl", "Stream", ONLY_CUDA, {"handle": HANDLE}),
    Class("paddle.device", "Stream", EITHER, {"stream_base": Raw()}),
    Class("paddle.base.libpaddle", "CUDAStream", EITHER, {"cuda_stream": HANDLE}),
    Class("hip.hip", "ihipStream_t", (10, 11), {"__int__": lambda _: HANDLE}),
    Class("rocm.bindings.hip", "ihipStream_t", (10, 11), {"__int__": lambda _: HANDLE}),
    Class(
        "objc",
        "objc_object",
        (METAL,),
        {
            "commandBufferWithUnretainedReferences": lambda _: None,
            "__c_void_p__": lambda _: ctypes.c_void_p(HANDLE),
        },
    ),
)
# These are tried with the real class, or with an address of a real queue: see below.
REAL = {
    ("torch.xpu.streams", "Stream"),
    ("dpctl._sycl_queue", "SyclQueue"),
    ("pyopencl._cl", "CommandQueue"),
    ("anystream.testing._simulated", "SimulatedStream"),
}


def resolve(value: object, device_type: int) -> anystream.Stream:
    form, stream = _core.resolve_stream(value, device_type, 0, where="stream")
    assert form == "stream"
    assert isinstance(stream, anystream.Stream)
    return stream


def test_every_row_is_tried() -> None:
    tried = {(entry.module, entry.name) for entry in CLASSES} | REAL
    assert tried == {(module, name) for module, name, *_ in STREAM_CLASSES}


@pytest.mark.parametrize("entry", CLASSES, ids=lambda entry: f"{entry.module}.{entry.name}")
def test_a_stream_is_taken_on_its_platform_and_nowhere_else(entry: Class) -> None:
    stream = stand_in(entry.module, entry.name, **entry.attributes)
    for device_type in EVERY_TYPE:
        if device_type in entry.types:
            assert resolve(stream, device_type).handle == HANDLE
            continue
        with pytest.raises(TypeError, match=f"; got an? {known_as(entry.module, entry.name)}.\n"):
            _core.resolve_stream(stream, device_type, 0)


@pytest.mark.parametrize("entry", CLASSES, ids=lambda entry: f"{entry.module}.{entry.name}")
def test_a_users_subclass_is_one_too(entry: Class) -> None:
    base = type(stand_in(entry.module, entry.name, **entry.attributes))
    derived = type("Mine", (base,), {"__module__": "users.own"})()
    assert resolve(derived, entry.types[0]).handle == HANDLE


@pytest.mark.parametrize("entry", CLASSES, ids=lambda entry: f"{entry.module}.{entry.name}")
def test_no_library_is_imported_for_it(entry: Class) -> None:
    given = stand_in(entry.module, entry.name, **entry.attributes)
    before = set(sys.modules)  # torch's builds for CUDA bring some of these libraries along
    resolve(given, entry.types[0])
    assert set(sys.modules) == before


def torch_stream(device: str, handle: object) -> Any:
    return stand_in("torch", "Stream", native_handle=handle, device=On(device))


def test_a_plain_stream_of_torch_is_of_the_platform_that_it_says() -> None:
    queue = sycl_queue(in_order=True)
    on_xpu = torch_stream("xpu", queue.addressof_ref())
    assert resolve(on_xpu, SYCL) == anystream.Stream(queue)
    assert anystream.Stream(on_xpu) == anystream.Stream(queue)
    for stream, device_type in ((on_xpu, CUDA), (torch_stream("cuda", HANDLE), SYCL)):
        with pytest.raises(TypeError, match=r"got a torch\.Stream"):
            _core.resolve_stream(stream, device_type, 0)


@pytest.mark.parametrize("device", ["mps", "cpu"])
@pytest.mark.parametrize("device_type", EVERY_TYPE)
def test_a_plain_stream_of_torch_elsewhere(device: str, device_type: int) -> None:
    stream = torch_stream(device, property(refuses))
    with pytest.raises(TypeError, match=r"got a torch\.Stream"):
        _core.resolve_stream(stream, device_type, 0)
    with pytest.raises(TypeError, match=r"got a torch\.Stream"):
        anystream.Stream(stream)


def test_an_object_of_objective_c_that_is_no_queue() -> None:
    buffer = stand_in("objc", "objc_object", __c_void_p__=refuses)
    with pytest.raises(TypeError, match=r"got an objc\.objc_object"):
        _core.resolve_stream(buffer, METAL, 0)


@pytest.mark.parametrize("device_type", [2, 7, 14])
def test_elsewhere_an_object_is_not_even_asked(device_type: int) -> None:
    stream = stand_in("hip.hip", "ihipStream_t", __int__=refuses, __cuda_stream__=refuses)
    with pytest.raises(TypeError, match=r"got a hip\.hip\.ihipStream_t"):
        _core.resolve_stream(stream, device_type, 0)


HANDLES = {
    "an object with __int__": Pointer(),
    "ctypes": ctypes.c_void_p(HANDLE),
    "an int": HANDLE,
}


@pytest.mark.parametrize("handle", HANDLES.values(), ids=HANDLES)
def test_a_handle_may_be_dressed(handle: object) -> None:
    assert resolve(stand_in("pycuda._driver", "Stream", handle=handle), CUDA).handle == HANDLE


NULLS = {"None": None, "0": 0, "a NULL of ctypes": ctypes.c_void_p(None)}


@pytest.mark.parametrize("handle", NULLS.values(), ids=NULLS)
def test_null_is_the_default_stream(handle: object) -> None:
    stream = stand_in("warp.context", "Stream", cuda_stream=handle)
    assert resolve(stream, CUDA).handle == 1


def test_an_enum_member_may_be_the_handle() -> None:
    stream = stand_in("cuda.core._stream", "Stream", __cuda_stream__=protocol(Numba(2)))
    assert resolve(stream, CUDA).handle == 2


@pytest.mark.parametrize(("handle", "got"), [("7", "a str"), (7.5, "a float"), ([7], "a list")])
def test_a_handle_that_is_no_int(handle: object, got: str) -> None:
    stream = stand_in("pycuda._driver", "Stream", handle=handle)
    with pytest.raises(TypeError) as caught:
        resolve(stream, CUDA)
    assert str(caught.value) == (
        f"a pycuda.Stream gives its handle as an int; got {got}.\n"
        "  Its library seems to be of a version that anystream does not know."
    )


@pytest.mark.parametrize(("handle", "shown"), [(-5, "-0x5"), (2**70, "0x400000000000000000")])
def test_a_handle_that_no_pointer_holds(handle: int, shown: str) -> None:
    stream = stand_in("pycuda._driver", "Stream", handle=handle)
    with pytest.raises(ValueError, match="no pointer holds") as caught:
        resolve(stream, CUDA)
    assert str(caught.value) == (f"a pycuda.Stream gives a handle that no pointer holds: {shown}.")


NO_PAIRS = [
    (7, "an int"),
    ((0,), "a tuple"),
    ((0, 1, 2), "a tuple"),
    (("0", 7), "a str"),
    ("07", "a str"),
    (None, "a NoneType"),
]


@pytest.mark.parametrize(("pair", "got"), NO_PAIRS)
def test_a_pair_that_is_none(pair: object, got: str) -> None:
    stream = stand_in("rmm.pylibrmm.stream", "Stream", __cuda_stream__=lambda _: pair)
    with pytest.raises(TypeError) as caught:
        resolve(stream, CUDA)
    assert str(caught.value) == (
        "__cuda_stream__ of a rmm.pylibrmm.stream.Stream is to give a pair (version, handle) of "
        f"ints; got {got}."
    )


class OwnError(Exception):
    pass


def raising(self: object) -> int:
    raise OwnError("the library's own")


RAISING = {
    "a property": stand_in("torch.cuda.streams", "Stream", cuda_stream=property(raising)),
    "a method": stand_in("pylibraft.common.cuda", "Stream", get_ptr=raising),
    "__int__": stand_in("cuda.bindings.driver", "CUstream", __int__=raising),
    "__cuda_stream__": stand_in("unknown", "Stream", __cuda_stream__=raising),
    "as an attribute": stand_in("unknown", "Stream", __cuda_stream__=property(raising)),
    "__index__": stand_in("unknown", "Number", __index__=raising),
}


@pytest.mark.parametrize("stream", RAISING.values(), ids=RAISING)
def test_what_an_object_raises_is_left_as_it_is(stream: object) -> None:
    with pytest.raises(OwnError, match=r"^the library's own$"):
        resolve(stream, CUDA)


def test_what_get_capsule_raises_is_left_as_it_is() -> None:
    stream = stand_in("unknown", "Queue", _get_capsule=raising)
    with pytest.raises(OwnError, match=r"^the library's own$"):
        resolve(stream, 14)


# ---- what is remembered of a type


def test_a_class_that_is_patched_is_looked_at_again() -> None:
    stream = stand_in("somewhere", "Stream", ptr=HANDLE)
    with pytest.raises(TypeError):
        resolve(stream, CUDA)
    type(stream).__module__ = "cupy.cuda.stream"
    assert resolve(stream, CUDA).handle == HANDLE
    type(stream).__module__ = "somewhere"
    with pytest.raises(TypeError):
        resolve(stream, CUDA)


def test_a_base_that_is_patched_is_looked_at_again() -> None:
    base = type(stand_in("somewhere", "Stream", ptr=HANDLE))
    stream = type("Mine", (base,), {"__module__": "users.own"})()
    with pytest.raises(TypeError):
        resolve(stream, CUDA)
    base.__module__ = "cupy.cuda.stream"
    assert resolve(stream, CUDA).handle == HANDLE


def test_another_class_at_a_dead_ones_address_is_not_taken_for_it() -> None:
    for _ in range(2000):
        stream = stand_in("cupy.cuda.stream", "Stream", ptr=HANDLE)
        assert resolve(stream, CUDA).handle == HANDLE
        del stream
        gc.collect(0)
        with pytest.raises(TypeError):
            resolve(stand_in("somewhere", "Stream", ptr=HANDLE), CUDA)


def test_a_type_is_not_kept_alive() -> None:
    import weakref

    stream = stand_in("cupy.cuda.stream", "Stream", ptr=HANDLE)
    kept = weakref.ref(type(stream))
    resolve(stream, CUDA)
    del stream
    gc.collect()
    assert kept() is None


# ---- bare ints that name a SYCL queue


def torch_xpu(queue: Any) -> Any:
    return stand_in("torch.xpu.streams", "Stream", sycl_queue=queue.addressof_ref())


def test_an_int_is_a_queue_if_a_torch_stream_that_lives_gave_it() -> None:
    queue = sycl_queue()
    address = queue.addressof_ref()
    with pytest.raises(TypeError, match=f"got int {address}.\n  Integers are CUDA and ROCm"):
        resolve(address, 14)
    stream = torch_xpu(queue)
    assert resolve(stream, 14) == anystream.Stream(queue)
    assert resolve(address, 14) == anystream.Stream(queue)
    del stream
    gc.collect()
    with pytest.raises(TypeError, match=f"got int {address}."):
        resolve(address, 14)


def test_an_int_is_a_queue_if_torch_says_that_it_is_current(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue = sycl_queue()
    address = queue.addressof_ref()
    torch = stand_in("builtins", "module")
    torch.xpu = stand_in("builtins", "module")
    torch.xpu.is_available = lambda: True
    torch.xpu.device_count = lambda: 1
    torch.xpu.current_stream = lambda index: torch_xpu(queue)
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert resolve(address, 14) == anystream.Stream(queue)
    assert anystream.Stream(address, device="oneapi:0") == anystream.Stream(queue)
    with pytest.raises(TypeError):
        resolve(address + 8, 14)


def test_pyopencls_queue_is_taken_on_opencl_and_nowhere_else() -> None:
    queue = opencl_rig.queue("pocl")
    for device_type in EVERY_TYPE:
        if device_type == OPENCL:
            assert resolve(queue, device_type).handle == queue.int_ptr
            continue
        with pytest.raises(TypeError, match=r"; got a pyopencl\.CommandQueue\.\n"):
            _core.resolve_stream(queue, device_type, 0)


def test_an_int_that_is_a_queue_on_sycl_is_none_on_opencl() -> None:
    queue = sycl_queue()
    stream = torch_xpu(queue)
    resolve(stream, 14)
    with pytest.raises(TypeError):
        resolve(queue.addressof_ref(), OPENCL)
