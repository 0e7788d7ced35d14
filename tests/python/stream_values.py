# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The values that a stream argument is tried with: plain ones, capsules, stand-ins, real queues."""

from collections.abc import Callable
from enum import Enum, IntEnum
from typing import Any, NamedTuple

import pytest

import anystream
import opencl_rig
from anystream.testing import SimulatedDevice
from python_api import new_capsule

ADDRESS = 139637976731648
HANDLE = 4096  # stands for an address: nothing follows it where no backend is

_names: dict[str, bytes] = {}  # a capsule does not copy its name


def capsule(name: str | None, pointer: int = HANDLE) -> Any:
    """Make a capsule of a made-up pointer."""
    kept = None if name is None else _names.setdefault(name, name.encode())
    return new_capsule(pointer, kept, None)


class Which(IntEnum):
    TWO = 2


class Numba(Enum):
    """As numba's enum of default streams: no int, but with a value that is one."""

    CU_STREAM_DEFAULT = 2


def with_protocol(pair: object, *, method: bool = True) -> Any:
    """Make an object of an unknown class that has __cuda_stream__."""

    class Protocol:
        pass

    made = Protocol()
    made.__cuda_stream__ = (lambda: pair) if method else pair  # type: ignore[attr-defined]
    return made


def giving(given: object, **more: object) -> Any:
    """Make an object of an unknown class whose _get_capsule() gives what is given."""

    class Gives:
        def _get_capsule(self) -> object:
            return given

    made = Gives()
    for name, value in more.items():
        setattr(made, name, value)
    return made


def stand_in(module: str, qualname: str, **attributes: object) -> Any:
    """Make an object of a class of a library that cannot run here."""
    made = type(qualname, (), {"__module__": module, "__qualname__": qualname, **attributes})
    return made()


def known_as(module: str, name: str) -> str:
    """Give the name of a class that messages use: users do not see private modules."""
    return f"{module.partition('._')[0]}.{name}"


def sycl_queue(*, in_order: bool = True) -> Any:
    dpctl = pytest.importorskip("dpctl", reason="dpctl is not installed")
    if not dpctl.get_devices():
        pytest.skip("SYCL finds no device")
    return dpctl.SyclQueue(property="in_order") if in_order else dpctl.SyclQueue()


_device: list[SimulatedDevice] = []


def simulated() -> Any:
    if not _device:
        _device.append(SimulatedDevice())
    return _device[0].stream()


def torch_xpu(queue: Any) -> Any:
    return stand_in("torch.xpu.streams", "Stream", sycl_queue=queue.addressof_ref(), queue=queue)


class Value(NamedTuple):
    """What is passed, how a message names it, and which queue it is (where it is one)."""

    passed: Any
    got: str
    queue: Any = None
    kept: Any = None


def _plain(passed: object, got: str) -> Callable[[], Value]:
    return lambda: Value(passed, got)


def _named(name: str) -> Callable[[], Value]:
    return lambda: Value(capsule(name), f'a "{name}" capsule')


def _int(value: int) -> Callable[[], Value]:
    return _plain(value, f"int {value}")


def _numpy(make: Callable[[Any], object], got: str) -> Callable[[], Value]:
    return lambda: Value(make(pytest.importorskip("numpy")), got)


def _protocol(pair: object, *, method: bool = True) -> Callable[[], Value]:
    got = "a stream_values.with_protocol.<locals>.Protocol"
    return lambda: Value(with_protocol(pair, method=method), got)


def _gives(given: Callable[[], object], **more: object) -> Callable[[], Value]:
    return lambda: Value(giving(given(), **more), "a stream_values.giving.<locals>.Gives")


def _class(module: str, name: str, **attributes: object) -> Callable[[], Value]:
    return lambda: Value(stand_in(module, name, **attributes), f"a {known_as(module, name)}")


def _queue(wrap: Callable[[Any], Any], got: str, *, in_order: bool = True) -> Callable[[], Value]:
    def make() -> Value:
        queue = sycl_queue(in_order=in_order)
        return Value(wrap(queue), got, queue)

    return make


def _opencl(wrap: Callable[[Any], Any], got: str) -> Callable[[], Value]:
    def make() -> Value:
        queue = opencl_rig.queue("pocl")
        return Value(wrap(queue), got, queue)

    return make


def _simulated(wrap: Callable[[Any], Any], got: str) -> Callable[[], Value]:
    def make() -> Value:
        stream = simulated()
        return Value(wrap(stream), got, stream)

    return make


def _ours(*arguments: Any) -> Callable[[], Value]:
    return lambda: Value(anystream.Stream(*arguments), "an anystream.Stream")


def _capsule_of(stream: Any) -> Any:
    return stream._get_capsule()


def _gives_queue(queue: Any, **more: object) -> Any:
    return giving(queue._get_capsule(), **more)


_TORCH = ("torch.cuda.streams", "Stream")
_NUMBA = ("numba.cuda.cudadrv.driver", "Stream")
_RMM = ("rmm.pylibrmm.stream", "Stream")
_HIP = ("hip.hip", "ihipStream_t")
_OPENCL = ("pyopencl._cl", "CommandQueue")
_GIVES = "a stream_values.giving.<locals>.Gives"
_ARRAY = "a numpy.ndarray, which is an array and no stream"
_SYCL_QUEUE = "a dpctl.SyclQueue"

VALUES: dict[str, Callable[[], Value]] = {
    "None": _plain(None, "None"),
    "-1": _int(-1),
    "True": _plain(True, "bool True"),
    "False": _plain(False, "bool False"),
    "0": _int(0),
    "1": _int(1),
    "2": _int(2),
    "3": _int(3),
    "an address": _int(ADDRESS),
    "-2": _int(-2),
    "-2**64": _plain(-(2**64), "an int of 65 bits"),
    "2**63": _plain(2**63, "an int of 64 bits"),
    "2**64": _plain(2**64, "an int of 65 bits"),
    "2**10000": _plain(2**10000, "an int of 10001 bits"),
    "np.int64(7)": _numpy(lambda np: np.int64(7), "numpy.int64 7"),
    "np.int64(-1)": _numpy(lambda np: np.int64(-1), "numpy.int64 -1"),
    "np.int64(-3)": _numpy(lambda np: np.int64(-3), "numpy.int64 -3"),
    "IntEnum 2": _plain(Which.TWO, "stream_values.Which 2"),
    "np.bool_": _numpy(lambda np: np.bool_(True), "a numpy.bool"),
    "np.array(3.5)": _numpy(lambda np: np.array(3.5), _ARRAY),
    "np.array(7)": _numpy(lambda np: np.array(7), _ARRAY),
    "np.arange(3)": _numpy(lambda np: np.arange(3), _ARRAY),
    "a class": _plain(Which, "the class stream_values.Which, not an instance of it"),
    "1.0": _plain(1.0, "float 1.0"),
    "np.float64(1)": _numpy(lambda np: np.float64(1), "numpy.float64 np.float64(1.0)"),
    "1j": _plain(1j, "a complex"),
    '"1"': _plain("1", "str '1'"),
    'b"1"': _plain(b"1", "bytes b'1'"),
    "bytearray": _plain(bytearray(b"1"), "a bytearray"),
    "...": _plain(..., "an ellipsis"),
    "NotImplemented": _plain(NotImplemented, "a NotImplementedType"),
    "object()": _plain(object(), "an object"),
    "a list": _plain([7], "a list"),
    "cudaStream_t": _named("cudaStream_t"),
    "CUstream": _named("CUstream"),
    "hipStream_t": _named("hipStream_t"),
    "SyclQueueRef": _queue(lambda q: q._get_capsule(), 'a "SyclQueueRef" capsule'),
    "cl_command_queue": _opencl(
        lambda q: _capsule_of(anystream.Stream(q)), 'a "cl_command_queue" capsule'
    ),
    "MTLCommandQueue": _named("MTLCommandQueue"),
    "simulated capsule": _simulated(
        lambda s: s._get_capsule(), 'a "anystream_simulated_stream" capsule'
    ),
    "used_cudaStream_t": _named("used_cudaStream_t"),
    "used_CUstream": _named("used_CUstream"),
    "used_hipStream_t": _named("used_hipStream_t"),
    "used_SyclQueueRef": _named("used_SyclQueueRef"),
    "used_cl_command_queue": _named("used_cl_command_queue"),
    "used_MTLCommandQueue": _named("used_MTLCommandQueue"),
    "used_simulated": _named("used_anystream_simulated_stream"),
    "dltensor": _named("dltensor"),
    "unnamed capsule": lambda: Value(capsule(None), "an unnamed capsule"),
    "protocol method": _protocol((0, 7)),
    "protocol attribute": _protocol((0, 7), method=False),
    "protocol null": _protocol((0, 0)),
    "protocol enum": _protocol((0, Numba.CU_STREAM_DEFAULT)),
    "protocol version 1": _protocol((1, 7)),
    "gives SyclQueueRef": _queue(_gives_queue, _GIVES),
    "gives CUstream": _gives(lambda: capsule("CUstream")),
    "gives no capsule": _gives(object),
    "protocol and capsule": _queue(lambda q: _gives_queue(q, __cuda_stream__=(0, 7)), _GIVES),
    "torch.cuda Stream": _class(*_TORCH, cuda_stream=HANDLE),
    "its null handle": _class(*_TORCH, cuda_stream=0),
    "numba Stream": _class(*_NUMBA, __int__=lambda _: HANDLE),
    "numba null": _class(*_NUMBA, __int__=lambda _: 0),
    "rmm Stream": _class(*_RMM, __cuda_stream__=lambda _: (0, HANDLE)),
    "rmm version 1": _class(*_RMM, __cuda_stream__=lambda _: (1, HANDLE)),
    "hip-python stream": _class(*_HIP, __int__=lambda _: HANDLE),
    "hip-python null": _class(*_HIP, __int__=lambda _: 0),
    "pyopencl queue": _opencl(lambda q: q, "a pyopencl.CommandQueue"),
    "pyopencl null": _class(*_OPENCL, int_ptr=0),
    "in-order SyclQueue": _queue(lambda q: q, _SYCL_QUEUE),
    "default SyclQueue": _queue(lambda q: q, _SYCL_QUEUE, in_order=False),
    "torch.xpu Stream": _queue(torch_xpu, "a torch.xpu.streams.Stream"),
    "SimulatedStream": _simulated(lambda s: s, "an anystream.testing.SimulatedStream"),
    "ours, on cuda:0": _ours(7, "cuda:0"),
    "ours, on rocm:0": _ours(7, "rocm:0"),
    "ours, on SYCL": _queue(anystream.Stream, "an anystream.Stream"),
    "ours, simulated": _simulated(anystream.Stream, "an anystream.Stream"),
    "ours, unresolved 7": lambda: Value(anystream.Stream(7), "int 7"),
    "ours, of a protocol": lambda: Value(
        anystream.Stream(with_protocol((0, 7))), "a stream_values.with_protocol.<locals>.Protocol"
    ),
}
