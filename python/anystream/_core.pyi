# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The extension module: the core's table of functions, as Python sees it."""

from collections.abc import Callable, Mapping, Sequence
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    Unpack,
    final,
    overload,
)

# In a stub only, which nothing is installed for: Python 3.13 has both in its own library.
from typing_extensions import CapsuleType, TypeVar

from anystream._device import Device, DeviceLike, DeviceType
from anystream._dtype import DType
from anystream._markers import (
    Cpu,
    Cuda,
    CudaHost,
    CudaManaged,
    Metal,
    OneAPI,
    OpenCL,
    Platform,
    Rocm,
    RocmHost,
    Simulated,
)
from anystream.testing import SimulatedStream
from anystream.typing import (
    CudaHandle,
    CudaStreamCapsule,
    CUstreamCapsule,
    HipHandle,
    HipStreamCapsule,
    MetalQueueCapsule,
    OpenCLQueueCapsule,
    SimulatedStreamCapsule,
    SupportsDLPackDevice,
    SupportsDLPackStream,
    SupportsOpenCLQueue,
    SupportsSyclQueue,
    SupportsSyclUsmArrayInterface,
    SupportsXpuStream,
    SyclQueueRefCapsule,
)

# What an array or a stream is on; and what `stream` may be there, which the marker carries.
_PlatformT_co = TypeVar("_PlatformT_co", bound=Platform[Any], covariant=True, default=Any)
_PlatformT = TypeVar("_PlatformT", bound=Platform[Any])
_StreamT = TypeVar("_StreamT")

_Key = TypeVar("_Key")

_Function = TypeVar("_Function", bound=Callable[..., Any])

__version__: Final[str]
ABI_VERSION: Final[tuple[int, int]]

# device_types.def, a dict a row: id, value, dlpack, name, backend, on_none, integers, objects,
# takes, capsules (a tuple of names), memory, fix, device (the id of the device type that it is on).
DEVICE_TABLE: Final[tuple[dict[str, Any], ...]]
PLATFORM_TABLE: Final[tuple[dict[str, Any], ...]]
_C_API: Final[Any]  # a capsule "anystream._C_API": the C table, const anystream_api*

# Error classes: made here (bindings/errors.cpp is the one mapping), exported by the package.
class OrderingError(BufferError): ...

class DriverError(RuntimeError):
    api: str
    code: int
    code_name: str

class DriverUnavailable(DriverError): ...

def dtype_name(code: int, bits: int, lanes: int) -> str: ...
def parse_dtype(name: str) -> tuple[int, int, int]: ...
def device_name(type: int, id: int, /) -> str: ...  # "cuda:0"; "device_type_77:0" where unknown
def parse_device(name: str, /) -> tuple[int, int]: ...  # ValueError lists the grammar
def devices() -> list[dict[str, Any]]: ...  # type, id, platform, kind, name
def device_info(type: int, id: int, platform: str = "") -> dict[str, Any]: ...

# (type, id) of the memory at an address, as its driver says.
def memory_device(type: int, id: int, platform: str, data: int, /) -> tuple[int, int]: ...
def enter_device(type: int, id: int, platform: str, /) -> int | None: ...
def leave_device(type: int, id: int, platform: str, before: int, /) -> None: ...

# A dict a driver: name, library, available, has_backend, orders, reason, otherwise.
def drivers() -> list[dict[str, Any]]: ...

# Called once by the package at import: what the extension needs of the Python side.
def _configure(
    *,
    make_device: Callable[[int, int, str], Any],  # (type, id, platform) -> anystream.Device
    make_dtype: Callable[[int, int, int], Any],  # (code, bits, lanes) -> anystream.DType
    import_array: Callable[..., Any],  # what from_dlpack calls
    plan_class: type,  # of what arrays have as their plan: it leads to no array
    stream_classes: Sequence[StreamClass],  # rows of the peers table, see _peers.StreamClass
    known_sycl_queues: Callable[[], frozenset[int]],  # ints that torch.xpu vouches for (oracle, 14)
    # Pairs (driver, folder) to look into; called once, when a driver is first needed.
    search_paths: Callable[[], Sequence[tuple[str, str]]] | None = None,
    # Has other packages register what they know of; called once, for a stream nobody knows.
    entry_points: Callable[[], object] | None = None,
) -> None: ...
def _add_stream_class(row: StreamClass) -> None: ...

# See anystream.register_platform, which checks all of it. flags: ANYSTREAM_PLATFORM_… of the C
# table; objects: the handles of its streams are Python objects, else ints.
def _register_platform(
    type: int,
    name: str,
    *,
    takes: str,
    capsules: str,
    fix: str,
    flags: int,
    memory: int,
    objects: bool,
    callbacks: dict[str, Callable[..., Any]],
) -> None: ...
def registered_count() -> int: ...

# Rows with the keys of PLATFORM_TABLE, and "callbacks" and "own".
def registered_platforms() -> list[dict[str, Any]]: ...
def _forget_routes() -> None: ...
def _add_search_path(driver: str, folder: str) -> None: ...

# The address of a function of a library that is loaded, or of one that it was linked with; or 0.
def _find_function(file: str, symbol: str) -> int: ...

# One stream class of the peers table, as plain data:
# (module, qualname, family, handle, null_means)
#   family  "cuda" | "hip" | "cuda_like" | "sycl" | "opencl" | "metal" | "simulated", or, where an
#           attribute of the object tells, "attr:NAME|VALUE=FAMILY|…"; no VALUE: having it tells
#   handle  how to read it: "attr:NAME" (int, None, or an object with __int__), "call:NAME",
#           "int" (int(x)), "protocol" (__cuda_stream__), "capsule:NAME" (NAME() gives the capsule),
#           "object" (its own address), or a function that gives an int of it
#   null_means  1 or 2: what handle 0 stands for on CUDA
StreamClass: TypeAlias = tuple[str, str, str, Any, int]

OutOfOrder: TypeAlias = Literal["refuse", "barrier"]

@final
class Stream(Generic[_PlatformT_co]):
    """One stream of one platform; docstrings live in the extension."""

    # The first two: of the same platform; and what says of which only at run time. 0 is no device
    # type, so that a method passes for one of 0 where its type tells nothing, and only there.
    @overload
    def __init__(
        self: Stream[_PlatformT],
        stream: Stream[_PlatformT],
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Any],
        stream: SupportsDLPackStream[Literal[0]],
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Cuda],
        stream: CudaStreamCapsule | CUstreamCapsule | CudaHandle | SupportsDLPackStream[Literal[2]],
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Rocm],
        stream: HipStreamCapsule | HipHandle | SupportsDLPackStream[Literal[10]],
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[OneAPI],
        stream: SyclQueueRefCapsule
        | SupportsSyclQueue
        | SupportsXpuStream
        | SupportsDLPackStream[Literal[14]],
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[OpenCL],
        stream: OpenCLQueueCapsule | SupportsOpenCLQueue | SupportsDLPackStream[Literal[4]],
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Metal],
        stream: MetalQueueCapsule | SupportsDLPackStream[Literal[8]],
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Simulated],
        stream: SimulatedStreamCapsule | SimulatedStream,
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Stream[Any],
        stream: Any,
        /,
        device: DeviceLike | None = None,
        *,
        out_of_order: OutOfOrder | None = None,
    ) -> None: ...
    @staticmethod
    def from_handle(device: DeviceLike, handle: int, /, *, owner: object = None) -> Stream: ...
    @property
    def device(self) -> Device | Any: ...  # None while unresolved
    @property
    def platform(self) -> str: ...  # "sycl"; "" while unresolved
    @property
    def handle(self) -> int: ...
    @property
    def in_order(self) -> bool: ...
    @property
    def out_of_order(self) -> OutOfOrder: ...
    def wait_stream(self, producer: Any, /) -> None: ...
    def record(self) -> Event: ...
    def wait(self, event: Event, /) -> None: ...
    def query(self) -> bool: ...  # nothing pending?
    def synchronize(self) -> None: ...
    # (device_type, device_id, capsule); AttributeError while unresolved
    def __dlpack_stream__(self) -> tuple[int, int, CapsuleType | None]: ...
    # Not declared: __cuda_stream__ (CUDA and ROCm) and _get_capsule (SYCL and simulated), which are
    # there at run time. They name no platform, so that a checker would take any Stream that has
    # them for a stream of every platform.
    # __eq__ / __hash__: one queue by the runtime's word; another type: NotImplemented

@final
class Event:
    @property
    def device(self) -> Device: ...
    def query(self) -> bool: ...
    def synchronize(self) -> None: ...

@final
class Array(Generic[_PlatformT_co]):
    """Memory of some library, its layout and its stream; docstrings live in the extension."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...  # in elements
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...  # of the elements, ceil(size * bits * lanes / 8)
    @property
    def itemsize(self) -> int: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def device(self) -> Device: ...
    @property
    def stream(self) -> Stream[_PlatformT_co] | None: ...
    def release(self) -> None: ...  # drops the GIL to wait
    def record_stream(self: Array[Platform[_StreamT]], stream: _StreamT, /) -> None: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def plan(self) -> Any: ...
    @property
    def data_ptr(self) -> int: ...  # DLTensor.data, byte_offset not added
    @property
    def byte_offset(self) -> int: ...
    @property
    def memory_kind(self) -> Literal["unknown", "device", "host", "shared"]: ...
    def __dlpack__(
        self: Array[Platform[_StreamT]],
        *,
        stream: _StreamT | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    # DLPack's C exchange API (dlpack.h 1.3), on the class; in 1.2 it was an int of another name.
    __dlpack_c_exchange_api__: ClassVar[CapsuleType]
    __c_dlpack_exchange_api__: ClassVar[int]
    # The array itself where it is there already and no stream is named, else a copy on the stream.
    @overload
    def to_device(
        self, device: Literal["cpu", "cpu:0", DeviceType.CPU], /, *, stream: Any = None
    ) -> Array[Cpu]: ...
    @overload
    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> Array: ...
    # dict, only on kDLOneAPI; AttributeError elsewhere. syclobj: the array's Stream (it has
    # _get_capsule, which is what dpctl asks for), or the device's number where none is known.
    @property
    def __sycl_usm_array_interface__(self: Array[OneAPI]) -> dict[str, Any]: ...
    # dict, only on kDLCUDA and kDLCUDAManaged; AttributeError elsewhere.
    @property
    def __cuda_array_interface__(self: Array[Cuda]) -> dict[str, Any]: ...
    # Only on kDLCPU, like these: AttributeError, TypeError and BufferError elsewhere.
    @property
    def __array_interface__(self: Array[Cpu]) -> dict[str, Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...  # by name from Python 3.12 on

# What a `stream` argument comes to on a device, by the rules of device_types.def.
# Returns ("default", None) | ("unordered", None) | ("stream", Stream) | ("foreign", argument).
def resolve_stream(
    stream: Any, type: int, id: int, /, *, platform: str = "", where: str = "stream"
) -> tuple[str, Any]: ...

# ValueError if it is out-of-order and its policy is to refuse.
def check_consumer(stream: Stream, /, where: str) -> None: ...
def relation(
    producer: Stream, consumer: Stream, /
) -> Literal["same", "same_out_of_order", "different", "unrelated"]: ...

# OrderingError where to order them would break a capture; consumer None: where the host waits.
def check_order(producer: Stream, consumer: Stream[Any] | None, /) -> None: ...

Ordered: TypeAlias = Literal["nothing", "barrier", "event", "host_wait", "idle"]

def order_streams(producer: Stream, consumer: Stream, /) -> Ordered: ...  # drops the GIL to wait
def order(producer: Any, consumer: Any, /) -> None: ...  # anything that Stream(…) takes
def check_stream(stream: Any, where: str, /) -> None: ...  # TypeError for what no device takes
def synchronize_stream(stream: Stream, /) -> Literal["host_wait", "idle"]: ...  # drops the GIL

class _Policies(TypedDict, total=False):
    copy: bool | None
    stream: Any
    producer_stream: Any
    ordering: Literal["device", "host", "none"]
    strict: bool | None
    release: Literal["ordered", "deferred", "host", "none"] | None

class _AnyDevice(_Policies, total=False):
    device: DeviceLike | None

# Where the array stays where it is.
class _NoDevice(_Policies, total=False):
    device: None

class _ToCpu(_Policies):
    device: Literal["cpu", "cpu:0", DeviceType.CPU]

# What an array of another class has that says, by its type, which platform it is on.
class _HasArray(Protocol[_PlatformT_co]):
    def __anystream__(self) -> Array[_PlatformT_co]: ...

# Its device type is known at run time only: 0 is none, so that a method passes for one of 0 where
# its type tells nothing, and only there.
_Untold: TypeAlias = SupportsDLPackDevice[Literal[0]]
_OnOneAPI: TypeAlias = SupportsDLPackDevice[Literal[14]] | SupportsSyclUsmArrayInterface

# `stream` is of any type: what an array of unknown platform takes is taken for every array by the
# last of these, so that a wrong one would only make the answer an Array[Any].
@overload
def from_dlpack(x: list[Any], /, **policies: Unpack[_AnyDevice]) -> list[Array]: ...
@overload
def from_dlpack(x: tuple[Any, ...], /, **policies: Unpack[_AnyDevice]) -> tuple[Array, ...]: ...
@overload
def from_dlpack(x: dict[_Key, Any], /, **policies: Unpack[_AnyDevice]) -> dict[_Key, Array]: ...
@overload
def from_dlpack(x: Any, /, **policies: Unpack[_ToCpu]) -> Array[Cpu]: ...

# Every Array has the SYCL interface's name, those on SYCL alone have it at run time.
@overload
def from_dlpack(  # type: ignore[overload-overlap]
    x: Array[_PlatformT], /, **policies: Unpack[_NoDevice]
) -> Array[_PlatformT]: ...
@overload
def from_dlpack(
    x: _HasArray[_PlatformT], /, **policies: Unpack[_NoDevice]
) -> Array[_PlatformT]: ...
@overload
def from_dlpack(x: _Untold, /, **policies: Unpack[_NoDevice]) -> Array: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[1]], /, **policies: Unpack[_NoDevice]
) -> Array[Cpu]: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[2]], /, **policies: Unpack[_NoDevice]
) -> Array[Cuda]: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[3]], /, **policies: Unpack[_NoDevice]
) -> Array[CudaHost]: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[13]], /, **policies: Unpack[_NoDevice]
) -> Array[CudaManaged]: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[10]], /, **policies: Unpack[_NoDevice]
) -> Array[Rocm]: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[11]], /, **policies: Unpack[_NoDevice]
) -> Array[RocmHost]: ...
@overload
def from_dlpack(x: _OnOneAPI, /, **policies: Unpack[_NoDevice]) -> Array[OneAPI]: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[4]], /, **policies: Unpack[_NoDevice]
) -> Array[OpenCL]: ...
@overload
def from_dlpack(
    x: SupportsDLPackDevice[Literal[8]], /, **policies: Unpack[_NoDevice]
) -> Array[Metal]: ...
@overload
def from_dlpack(
    x: Any,
    /,
    *,
    device: DeviceLike | None = None,
    copy: bool | None = None,
    stream: Any = None,
    producer_stream: Any = None,
    ordering: Literal["device", "host", "none"] = "device",
    strict: bool | None = None,
    release: Literal["ordered", "deferred", "host", "none"] | None = None,
) -> Array: ...

# What this thread uses a device by, for consumers of DLPack's C exchange API only.
@final
class use_stream:  # noqa: N801 - it is called like a function
    """The current work stream of a block; docstrings live in the extension."""

    def __init__(self, stream: Any, /) -> None: ...
    def __enter__(self) -> Stream: ...
    def __exit__(self, *error: object) -> None: ...

# The innermost use_stream of this thread on a device.
def _used_stream(type: int, id: int, /) -> Stream[Any] | None: ...

# Primitives of the hand-off (python/anystream/_execute.py calls them; users do not).
# readonly=True marks memory read-only whose producer cannot say so (jax: legacy capsules only).
def _array_from_capsule(
    capsule: CapsuleType,
    /,
    stream: Stream[Any] | None,
    plan: Any,
    platform: str = "",  # "": who owns the pointer, else the device type's own
    readonly: bool = False,
) -> Array: ...

# Where the memory of an unused DLPack capsule is; the capsule stays unused. Errors as an import's.
def _capsule_device(capsule: CapsuleType, /) -> tuple[int, int]: ...
def _array_from_pointer(
    pointer: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    dtype: tuple[int, int, int],
    device: tuple[int, int],
    *,
    byte_offset: int = 0,
    readonly: bool,
    owner: object,
    stream: Stream[Any] | None,
    plan: Any,
    platform: str = "",
    padded: bool = False,  # elements of less than a byte have one each
) -> Array: ...
def _array_empty(
    shape: tuple[int, ...],
    dtype: tuple[int, int, int],
    device: tuple[int, int],
    *,
    platform: str = "",
    stream: Stream[Any] | None = None,
) -> Array: ...
def _array_copy(
    array: Array, /, device: tuple[int, int], stream: Stream[Any] | None, plan: Any
) -> Array: ...  # drops the GIL to wait

# A kDLCPU view; the caller has waited.
def _array_host_view(array: Array, /, plan: Any) -> Array: ...

# A new Array object on the same memory, on another stream (and with another plan); homes: the
# streams that the memory goes back to. fresh: nobody else has seen the array yet.
def _array_on_stream(
    array: Array,
    /,
    stream: Stream[Any] | None,
    plan: Any,
    *,
    homes: tuple[Stream, ...] | None = None,
    release: str | None = None,  # with homes
    frees_in_order: bool = False,
    fresh: bool = False,
) -> Array: ...

# The releases that wait for the device (python/anystream/_release.py). The GIL is dropped to wait.
def _releases_pending() -> tuple[int, int]: ...
def _releases_set_limit(number: int, bytes: int) -> None: ...
def _releases_flush(seconds: float) -> bool: ...
def _releases_stop(seconds: float) -> None: ...
def _releases_run() -> None: ...
def _releases_use_thread(use: bool) -> None: ...
def _make_room() -> None: ...
def _write_unraisable(error: BaseException, where: Any) -> None: ...
def _count_releasing(change: int) -> None: ...  # blocks of another policy than the usual one

# The quick ways to import from the host (python/anystream/_routes.py). None: not for this one.
def _import_by(x: Any, route: str, plan: Any, immutable: bool, offset: str) -> Array | None: ...

# (address of x's tensor, by what is forbidden (function, by reference), exporter); functions are
# addresses, or 0.
_Natives: TypeAlias = tuple[int, Mapping[str, tuple[int, bool]], int]

# (word of the way, plan, immutable, forbids, offset, natives): columns of the peers table, which
# describes them; and whether an array is asked where it is before its table exports it.
_RouteRow: TypeAlias = tuple[str, Any, bool, Sequence[str], str, _Natives | None, bool]

# Of x's class. Where there are questions, x is exported once by its table.
def _remember_route(x: Any, row: _RouteRow) -> None: ...

# Whether one is remembered: another class may have taken its place.
def _has_route(x: Any) -> bool: ...

# How handoff(x, to=to) of x's class ends: by the exchange table of the class `consumer`, or with an
# ndarray where that is None. backwards: negative strides are taken. dtypes: (code, bits, lanes).
def _remember_handover(
    x: Any,
    to: Any,
    row: _RouteRow,
    consumer: type | None,
    backwards: bool,
    dtypes: Sequence[tuple[int, int, int]],
) -> None: ...

# Whether it is remembered: another pair may have taken its place.
def _has_handover(x: Any, to: Any) -> bool: ...

# The function itself: what is remembered is done at once; what has then been imported, and cannot
# be given so, by `hand_on`; all else by `whole`.
def _quick_handoff(
    whole: _Function, hand_on: Callable[[Any, Any, Array], Any], signature: str
) -> _Function: ...
def _has_exchange_table(type: type) -> bool: ...

# The quick way of device arrays. None: not for this one. The Array is on no stream.
def _import_usm(x: Any, plan: Any, device: tuple[int, int]) -> Array | None: ...

# What arrays of x's queue, with memory of its kind, are imported with from now on.
def _remember_usm_queue(
    x: Any, queue: Any, stream: Stream, plan: Any, device: tuple[int, int]
) -> None: ...

# What imports by other interfaces than DLPack need of the interpreter.
def _exports_buffer(x: Any, /) -> bool:  # has x the buffer protocol? Nothing is called
    ...
def _view_address(view: memoryview, /) -> int: ...  # of its first element
def _capsule_name(capsule: CapsuleType, /) -> str: ...  # "" where it has none
def _capsule_twin(capsule: CapsuleType, /) -> CapsuleType: ...  # for who consumes it; owns nothing
def _is_padded(array: Array, /) -> bool: ...  # elements of less than a byte have one each

# What a hand-off gives a peer: exports the array's memory as it is, whatever stream the peer names,
# because the hand-off has already ordered it. Has __dlpack__, __dlpack_device__ and, on kDLOneAPI,
# __sycl_usm_array_interface__.
@final
class Carrier:
    def __init__(self, array: Array, /) -> None: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]: ...

# The simulated accelerator (anystream.testing wraps it).
def _simulated_device(seed: int, max_delay_us: int) -> int: ...
def _simulated_stream(device_id: int, name: str, in_order: bool) -> int: ...  # an owned handle
def _simulated_stream_release(handle: int) -> None: ...
def _simulated_stream_name(handle: int) -> str: ...
def _simulated_find_stream(device_id: int, name: str) -> int: ...  # an owned handle
def _simulated_hold(handle: int) -> None: ...
def _simulated_resume(handle: int) -> None: ...
def _simulated_pending(handle: int) -> int: ...
def _simulated_fill(handle: int, array: Array, value: bytes) -> None: ...
def _simulated_copy(handle: int, target: Array, source: Array) -> None: ...
def _simulated_call(handle: int, function: Callable[[], object]) -> None: ...
def _simulated_capsule(handle: int) -> CapsuleType: ...  # "anystream_simulated_stream"
def _simulated_peek(array: Array) -> bytes: ...  # what its memory holds now, unordered

# For _watch.py: a view whose end `told` is called at, from any thread; and no quick ways meanwhile.
def _array_watched(array: Array, told: Callable[[], object]) -> Array: ...
def _set_watched(watched: bool) -> None: ...

# Exploring devices (anystream.testing.explore).
EXPLORER_FAULTS: dict[str, str]  # name: what it does

def _explorer(seed: int, fault: str) -> int: ...  # the number of a device
def _explorer_finish(device_id: int) -> None: ...
def _explorer_close(device_id: int) -> None: ...
def _explorer_steps(device_id: int) -> list[tuple[str, str]]: ...  # stream, operation
def _explorer_findings(  # what, stream, operation, memory, step
    device_id: int,
) -> list[tuple[str, str, str, str, int]]: ...
