# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for libraries and devices that cannot run here: what they were asked is recorded."""

import ctypes
from types import SimpleNamespace
from typing import Any

import anystream
from anystream import _core


class Memory:
    """Three floats of the host, which a producer may claim to be on any device."""

    def __init__(self, values: tuple[float, ...] = (1.0, 2.0, 3.0)) -> None:
        self.values = (ctypes.c_float * len(values))(*values)

    def array(self, device: tuple[int, int], readonly: bool = False) -> anystream.Array:
        return _core._array_from_pointer(
            ctypes.addressof(self.values),
            (len(self.values),),
            None,
            anystream.DType("float32").triple,
            device,
            readonly=readonly,
            owner=self,
            stream=None,
            plan=None,
        )


class Recorder:
    """What stand-ins for producers are made of: records what it is asked, and orders nothing."""

    def __init__(self, device: tuple[int, int] = (1, 0), array: Any = None) -> None:
        self.device = device
        self.calls: list[dict[str, Any]] = []
        self._array = Memory().array(device) if array is None else array

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def export(self, **keywords: Any) -> Any:
        self.calls.append(keywords)
        return self.answer(keywords.get("max_version"))

    def answer(self, version: Any) -> Any:
        """Give what the export returns, once it is recorded; for others to override."""
        return _core.Carrier(self._array).__dlpack__(max_version=version)

    @property
    def asked(self) -> dict[str, Any]:
        """What its one call was made with."""
        (call,) = self.calls
        return call


class Producer(Recorder):
    """A class of nobody's, which takes every keyword."""

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.export(**keywords)


def named(module: str, qualname: str, bases: type = object) -> type:
    """A class that goes by the name of a library's; nothing of that library is imported."""
    return type(
        qualname.rpartition(".")[2], (bases,), {"__module__": module, "__qualname__": qualname}
    )


class TorchTensor(Recorder):
    """Like torch.Tensor: an exact int or None as stream, and nothing done with it but on CUDA."""

    is_meta = is_nested = is_quantized = requires_grad = False
    layout, dtype = "torch.strided", "torch.float32"

    def is_neg(self) -> bool:
        return False

    is_conj = is_neg

    def untyped_storage(self) -> Any:
        return SimpleNamespace(data_ptr=lambda: self._array.data_ptr)

    def numel(self) -> int:
        return self._array.size

    def __dlpack__(
        self, *, stream: Any = -1, max_version: Any = None, dl_device: Any = None, copy: Any = None
    ) -> Any:
        if stream is not None and type(stream) is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        return self.export(stream=stream, max_version=max_version)


TorchTensor.__module__, TorchTensor.__qualname__ = "torch", "Tensor"


class XpuStream:
    """Like torch.xpu.Stream: its queue is an int, the address of a sycl::queue."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue
        self.sycl_queue: int = queue.addressof_ref()


XpuStream.__module__, XpuStream.__qualname__ = "torch.xpu.streams", "Stream"


class CudaStream:
    """Like torch.cuda.Stream."""

    def __init__(self, handle: int) -> None:
        self.cuda_stream = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, self.cuda_stream)


CudaStream.__module__, CudaStream.__qualname__ = "torch.cuda.streams", "Stream"


def torch_module(*, xpu: Any = None, cuda: Any = None) -> Any:
    """Like torch on a machine with these current streams; from_dlpack keeps what it is given."""
    return SimpleNamespace(
        from_dlpack=lambda carrier: carrier,
        xpu=SimpleNamespace(
            is_available=lambda: xpu is not None,
            device_count=lambda: 1,
            current_stream=lambda index: xpu,
        ),
        cuda=SimpleNamespace(
            is_available=lambda: cuda is not None, current_stream=lambda index: cuda
        ),
        version=SimpleNamespace(hip=None),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False)),
    )
