# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The CUDA libraries that the tests hand over between, each of them one class."""

import functools
from contextlib import AbstractContextManager
from typing import Any

from library import Library, N

BUSY_MS = 150  # what slow work takes on a GPU, roughly

# For the libraries that compile CUDA C++ in the process.
SPIN = """
extern "C" __global__ void spin(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
}
"""


class Torch(Library):
    name = package = "torch"

    def start(self) -> None:
        import torch

        torch.cuda.init()  # says of a build for the CPU that it is one
        torch.cuda.set_device(0)
        self.torch = torch

    def stream(self) -> Any:
        return self.torch.cuda.Stream()

    def current(self, stream: Any) -> AbstractContextManager[Any]:
        entered: AbstractContextManager[Any] = self.torch.cuda.stream(stream)
        return entered

    def full(self, value: int, stream: Any) -> Any:
        with self.current(stream):
            return self.torch.full((N,), value, dtype=self.torch.uint8, device="cuda")

    def fill(self, array: Any, value: int, stream: Any) -> Any:
        with self.current(stream):
            return array.fill_(value)

    def room(self) -> Any:
        return self.torch.empty(N, dtype=self.torch.uint8, device="cuda")

    def copy(self, array: Any, room: Any, stream: Any) -> Any:
        with self.current(stream):
            return room.copy_(array, non_blocking=True)

    def finish(self, stream: Any) -> None:
        stream.synchronize()

    def values(self, copied: Any) -> Any:
        return copied.tolist()

    def spin(self, stream: Any) -> None:
        with self.current(stream):
            self.torch.cuda._sleep(BUSY_MS * 2_000_000)  # cycles


class Cupy(Library):
    name = package = "cupy"

    @functools.cached_property
    def version(self) -> str:
        import cupy  # of one of several packages

        return str(cupy.__version__)

    def start(self) -> None:
        import cupy

        self.cupy = cupy
        cupy.cuda.Device(0).use()
        self.kernel = cupy.RawKernel(SPIN, "spin")

    def stream(self) -> Any:
        return self.cupy.cuda.Stream(non_blocking=True)

    def current(self, stream: Any) -> AbstractContextManager[Any]:
        entered: AbstractContextManager[Any] = stream
        return entered

    def full(self, value: int, stream: Any) -> Any:
        with stream:
            return self.cupy.full(N, value, dtype="uint8")

    def fill(self, array: Any, value: int, stream: Any) -> Any:
        with stream:
            array.fill(value)
        return array

    def room(self) -> Any:
        return self.cupy.empty(N, dtype="uint8")

    def copy(self, array: Any, room: Any, stream: Any) -> Any:
        with stream:
            room[...] = array.view("uint8")
        return room

    def finish(self, stream: Any) -> None:
        stream.synchronize()

    def values(self, copied: Any) -> Any:
        return copied.get()

    def spin(self, stream: Any) -> None:
        with stream:
            self.kernel((1,), (1,), (self.cupy.uint64(BUSY_MS * 1_000_000),))


class Numba(Library):
    name, package, on_software = "numba", "numba-cuda", True

    def start(self) -> None:
        from numba import cuda
        from numba.cuda.cudadrv.driver import device_memset

        cuda.current_context()
        self.cuda, self.memset = cuda, device_memset

    @functools.cached_property
    def kernel(self) -> Any:
        import numpy as np

        cuda, moment = self.cuda, np.uint32(1_000_000)

        @cuda.jit("void(int64)")  # type: ignore[untyped-decorator,unused-ignore]
        def spin(milliseconds: int) -> None:
            for _ in range(milliseconds):
                cuda.nanosleep(moment)

        return spin

    def stream(self) -> Any:
        return self.cuda.stream()

    def full(self, value: int, stream: Any) -> Any:
        return self.fill(self.cuda.device_array(N, "uint8", stream=stream), value, stream)

    def fill(self, array: Any, value: int, stream: Any) -> Any:
        self.memset(array, value, N, stream=stream)
        return array

    def room(self) -> Any:
        return self.cuda.pinned_array(N, "uint8")

    def copy(self, array: Any, room: Any, stream: Any) -> Any:
        array.view("uint8").copy_to_host(room, stream=stream)
        return room

    def finish(self, stream: Any) -> None:
        stream.synchronize()

    def values(self, copied: Any) -> Any:
        return copied

    def spin(self, stream: Any) -> None:
        self.kernel[1, 1, stream](BUSY_MS)


class Warp(Library):
    name, package = "warp", "warp-lang"

    def start(self) -> None:
        import warp

        warp.config.quiet = True
        warp.init()
        if not warp.is_cuda_available():
            raise RuntimeError("it finds no CUDA device")
        warp.set_device("cuda:0")
        self.warp = warp

    @functools.cached_property
    def kernel(self) -> Any:
        warp = self.warp

        def spin(count: int, out: Any) -> None:
            x = warp.sin(1.0)
            for _ in range(count):
                x = warp.sin(x) + 1.0
            out[0] = x

        spin.__annotations__ = {"count": int, "out": warp.array(dtype=float)}
        return warp.Kernel(func=spin)

    @functools.cached_property
    def sink(self) -> Any:
        return self.warp.zeros(1, dtype=float)

    def stream(self) -> Any:
        return self.warp.Stream("cuda:0")

    def current(self, stream: Any) -> AbstractContextManager[Any]:
        scoped = self.warp.ScopedStream
        entered: AbstractContextManager[Any] = scoped(stream, sync_enter=False, sync_exit=False)
        return entered

    def full(self, value: int, stream: Any) -> Any:
        with self.current(stream):
            return self.warp.full(N, value, dtype=self.warp.uint8)

    def fill(self, array: Any, value: int, stream: Any) -> Any:
        with self.current(stream):
            array.fill_(value)
        return array

    def room(self) -> Any:
        return self.warp.empty(N, dtype=self.warp.uint8)

    def copy(self, array: Any, room: Any, stream: Any) -> Any:
        self.warp.copy(room, array, stream=stream)
        return room

    def finish(self, stream: Any) -> None:
        self.warp.synchronize_stream(stream)

    def values(self, copied: Any) -> Any:
        return copied.numpy()

    def spin(self, stream: Any) -> None:
        arguments = [BUSY_MS * 40_000, self.sink]
        self.warp.launch(self.kernel, dim=1, inputs=arguments, stream=stream)


class CudaCore(Library):
    """Its buffers are bytes, its consumer a view."""

    name, package, on_software = "cuda.core", "cuda-core", True

    def start(self) -> None:
        from cuda import core

        self.core = core
        self.device = core.Device(0)
        self.device.set_current()

    @functools.cached_property
    def kernel(self) -> Any:
        options = self.core.ProgramOptions(arch=f"sm_{self.device.arch}")
        compiled = self.core.Program(SPIN, "c++", options).compile("cubin")
        return compiled.get_kernel("spin")

    def stream(self) -> Any:
        return self.core.Device(0).create_stream()

    def full(self, value: int, stream: Any) -> Any:
        return self.fill(self.core.Device(0).allocate(N, stream=stream), value, stream)

    def fill(self, array: Any, value: int, stream: Any) -> Any:
        array.fill(value, stream=stream)
        return array

    def room(self) -> Any:
        return self.core.LegacyPinnedMemoryResource().allocate(N)

    def copy(self, array: Any, room: Any, stream: Any) -> Any:
        self.core.Buffer.from_handle(array.ptr, N).copy_to(room, stream=stream)
        return room

    def finish(self, stream: Any) -> None:
        stream.sync()

    def values(self, copied: Any) -> Any:
        import numpy as np

        return np.from_dlpack(copied)

    def spin(self, stream: Any) -> None:
        config = self.core.LaunchConfig(grid=1, block=1)
        self.core.launch(stream, config, self.kernel, BUSY_MS * 1_000_000)


class Jax(Library):
    """Its streams are its own: work is in the order of one of them."""

    name = package = "jax"
    overwrites = False

    def start(self) -> None:
        import jax

        self.jax, self.device = jax, jax.devices("cuda")[0]

    @functools.cached_property
    def kernel(self) -> Any:
        jax = self.jax
        return jax.jit(lambda a: jax.lax.fori_loop(0, 50, lambda _, b: (b @ a) * 1e-3, a))

    @functools.cached_property
    def matrix(self) -> Any:
        with self.jax.default_device(self.device):
            return self.jax.numpy.ones((4096, 4096), "float32")

    def stream(self) -> Any:
        return None

    def full(self, value: int, stream: Any) -> Any:
        with self.jax.default_device(self.device):
            return self.jax.numpy.full(N, value, "uint8")

    def fill(self, array: Any, value: int, stream: Any) -> Any:
        return self.full(value, stream)

    def room(self) -> Any:
        return None

    def copy(self, array: Any, room: Any, stream: Any) -> Any:
        return self.jax.numpy.add(array, self.jax.numpy.zeros_like(array))

    def finish(self, stream: Any) -> None:
        self.full(0, stream).block_until_ready()  # in the one order

    def values(self, copied: Any) -> Any:
        import numpy as np

        return np.asarray(copied)

    def spin(self, stream: Any) -> None:
        self.kernel(self.matrix)

    def pending(self, array: Any, stream: Any) -> bool:
        return not array.is_ready()


LIBRARIES: dict[str, Library] = {
    library.name: library for library in (Torch(), Cupy(), Numba(), Warp(), CudaCore(), Jax())
}
