# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for libraries on the software drivers: their arrays are in a driver's memory.

cupy, torch, warp and paddle carry a runtime of their own that no software driver can be put under.
These go by their names, are asked as they are, and record what they are asked. They order nothing:
what is in order, anystream has ordered.
"""

import ctypes
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import anystream
from anystream import _core
from software_driver import SoftwareDriver
from stand_ins import CudaStream, Recorder, TorchTensor, torch_module

SIZE = 64
CUDA, ROCM = (2, 0), (10, 0)


class Machine:
    """Streams and memory of a software driver, by its own functions."""

    def __init__(self, driver: SoftwareDriver, platform: str) -> None:
        self.driver = driver
        self.is_hip = platform == "hip"
        self.device = ROCM if self.is_hip else CUDA
        if not self.is_hip:
            self._call("cuInit", 0)
            context = self._made("cuDevicePrimaryCtxRetain", 0)
            self._call("cuCtxSetCurrent", ctypes.c_void_p(context))

    def _call(self, name: str, *arguments: Any) -> None:
        assert getattr(self.driver.library, name)(*arguments) == 0, name

    def _made(self, name: str, *arguments: Any) -> int:
        made = ctypes.c_void_p()
        self._call(name, ctypes.byref(made), *arguments)
        assert made.value is not None
        return made.value

    def stream(self) -> int:
        """Make a stream that does not wait for the default one."""
        return self._made("hipStreamCreateWithFlags" if self.is_hip else "cuStreamCreate", 1)

    def memory(self, size: int = SIZE) -> int:
        return self._made("hipMalloc" if self.is_hip else "cuMemAlloc_v2", ctypes.c_size_t(size))

    def pinned(self, size: int = SIZE) -> int:
        name = "hipHostMalloc" if self.is_hip else "cuMemHostAlloc"
        return self._made(name, ctypes.c_size_t(size), 0)

    def fill(self, pointer: int, value: int, stream: int) -> None:
        """Put bytes there, in the order of a stream."""
        name = "hipMemsetAsync" if self.is_hip else "cuMemsetD8Async"
        self._call(
            name, ctypes.c_void_p(pointer), value, ctypes.c_size_t(SIZE), ctypes.c_void_p(stream)
        )

    def array(self, pointer: int, device: tuple[int, int] | None = None) -> anystream.Array:
        """Describe bytes of it, on no stream."""
        return _core._array_from_pointer(
            pointer,
            (SIZE,),
            None,
            anystream.DType("uint8").triple,
            device or self.device,
            readonly=False,
            owner=self,
            stream=None,
            plan=None,
        )

    def ordering(self) -> list[str]:
        """Give the calls that record or wait for an event since the last clear."""
        prefix = "hip" if self.is_hip else "cu"
        return self.driver.calls(f"{prefix}EventRecord", f"{prefix}StreamWaitEvent")


def tensor(machine: Machine, pointer: int, device: tuple[int, int] | None = None) -> TorchTensor:
    """Make a torch.Tensor; its dtype is not looked at here."""
    return TorchTensor(device or machine.device, machine.array(pointer, device))


class CupyArray(Recorder):
    """Like cupy.ndarray: any int that is a stream on its platform, or -1."""

    def __dlpack__(self, *, stream: Any = None, **keywords: Any) -> Any:
        refused = (1, 2) if self.device[0] == ROCM[0] else ()
        if type(stream) is not int or stream in refused or stream < -1:
            raise ValueError(f"stream {stream}")
        return self.export(stream=stream, **keywords)


CupyArray.__module__, CupyArray.__qualname__ = "cupy", "ndarray"


class WarpArray(Recorder):
    """Like warp.array: no keyword but stream."""

    def __dlpack__(self, stream: Any = None) -> Any:
        if stream is not None and (not isinstance(stream, int) or stream < -1):
            raise TypeError("DLPack stream must None or an integer >= -1")
        return self.export(stream=stream)


WarpArray.__module__, WarpArray.__qualname__ = "warp._src.types", "array"


class PaddleTensor(Recorder):
    """Like paddle.Tensor: None only on the host, whose number is None; 0 and 2 nowhere."""

    def __init__(self, *arguments: Any, xpu: bool = False) -> None:
        super().__init__(*arguments)
        self.place = SimpleNamespace(is_xpu_place=lambda: xpu)

    def __dlpack_device__(self) -> Any:
        return (1, None) if self.device[0] == 1 else self.device

    def __dlpack__(self, *, stream: Any = None, **keywords: Any) -> Any:
        if self.device[0] == 1:
            assert stream is None
        elif stream in (0, 2):
            raise ValueError(f"stream {stream}")
        return self.export(stream=stream, **keywords)


PaddleTensor.__module__, PaddleTensor.__qualname__ = "paddle", "Tensor"


class Library:
    """A library's module, whose current stream can be set and which keeps what it is given."""

    def __init__(self, name: str, make: Callable[..., Any], *, hip: bool = False) -> None:
        self.name, self.make = name, make
        self.current = 0
        self.given: list[Any] = []
        module = _MODULES[name](self, hip)
        sys.modules[name] = module
        sys.modules[f"{name}.utils.dlpack"] = module

    def stream(self, *_: Any) -> Any:
        """Its current stream, as its own object."""
        return CudaStream(self.current)

    def from_dlpack(self, carrier: Any) -> Any:
        """Keep the capsule's owner, as the library would."""
        self.given.append(carrier)
        return carrier


def _torch(library: Library, hip: bool) -> Any:
    module = torch_module(cuda=CudaStream(0))
    module.cuda.current_stream = library.stream
    module.version.hip = "7.0" if hip else None
    module.from_dlpack = library.from_dlpack
    return module


def _module(name: str, **members: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(members)
    return module


def _cupy(library: Library, hip: bool) -> ModuleType:
    cuda = SimpleNamespace(
        get_current_stream=library.stream,
        is_available=lambda: True,
        runtime=SimpleNamespace(is_hip=hip),
    )
    return _module("cupy", cuda=cuda, from_dlpack=library.from_dlpack)


def _warp(library: Library, hip: bool) -> ModuleType:
    return _module(
        "warp",
        get_stream=library.stream,
        is_cuda_available=lambda: True,
        from_dlpack=library.from_dlpack,
    )


def _paddle(library: Library, hip: bool) -> ModuleType:
    device = SimpleNamespace(current_stream=library.stream, is_compiled_with_cuda=lambda: True)
    return _module("paddle", device=device, from_dlpack=library.from_dlpack)


_MODULES: dict[str, Callable[[Library, bool], Any]] = {
    "torch": _torch,
    "cupy": _cupy,
    "warp": _warp,
    "paddle": _paddle,
}
MAKERS: dict[str, Callable[..., Any]] = {
    "torch": tensor,
    "cupy": lambda machine, pointer: CupyArray(machine.device, machine.array(pointer)),
    "warp": lambda machine, pointer: WarpArray(machine.device, machine.array(pointer)),
    "paddle": lambda machine, pointer: PaddleTensor(machine.device, machine.array(pointer)),
}


def library(name: str, *, hip: bool = False) -> Library:
    """Put a stand-in in the place of a library."""
    return Library(name, MAKERS[name], hip=hip)
