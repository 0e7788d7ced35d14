# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The one table of peers: every fact about another library is a row here, and nowhere else.

Each fact was observed by running the library on a CPU, or, for accelerators that a CPU cannot
stand in for, read in its source. The versions that were observed: numpy 2.4.6, torch 2.13.0,
jax 0.10.2, dpnp 0.20.0, dpctl 0.22.1, apache-tvm-ffi 0.1.15, mlx 0.32.4; on a software CUDA driver
cuda-core 1.2.2, cuda-bindings 13.5.0, numba-cuda 0.30.4; hip-python 10.0.0's handle. Only read, for
CUDA and ROCm: torch 2.13.0, cupy 14.2.0, jax, warp 1.19.0, rmm and pylibraft 26.10, pycuda, paddle
3.3.1.
"""

import sys
from typing import NamedTuple

from anystream._peer import (
    ANY_DEVICE,
    Behaviour,
    Build,
    Claim,
    Consumer,
    CurrentStream,
    Handle,
    Native,
    Peer,
    Producer,
    Refusal,
    StreamClass,
    Translation,
    Uncommitted,
)

_CPU, _CUDA, _PINNED, _OPENCL, _METAL, _ROCM, _ROCM_PINNED = 1, 2, 3, 4, 8, 10, 11
_MANAGED, _ONE_API = 13, 14
_ALL = ("stream", "max_version", "dl_device", "copy")
_WIDE = ("float64", "int64", "uint64", "complex128")
_WIDEST = ("float64", "complex128")

# Element types that NumPy's struct and the buffer protocol can tell, by name and by typestr.
_NAMES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
_FLOAT8 = (
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
)
_ORDER = "<" if sys.byteorder == "little" else ">"
_NATIVE = (
    *("|b1", "|i1", "|u1"),
    *(f"{_ORDER}{kind}{size}" for kind in "iu" for size in (2, 4, 8)),
    *(f"{_ORDER}{name}" for name in ("f2", "f4", "f8", "c8", "c16")),
)

# dpctl and dpnp share it: the queue on which either puts an array that names none.
_CACHED_QUEUE = CurrentStream(
    _ONE_API,
    "dpctl._sycl_queue_manager",
    "get_device_cached_queue",
    convert="str",
    what="dpctl's default queue of the device",
)

# torch's integers of less than a byte: each has one to itself, and is exported as if it were that.
_TORCH_BITS = "dtype=" + "|".join(
    f"torch.{kind}{bits}" for kind in ("int", "uint") for bits in range(1, 8)
)

PEERS: tuple[Peer, ...] = (
    Peer(
        name="numpy",
        package="numpy",
        modules=("numpy",),
        arrays=(("numpy", "ndarray"),),
        producer=Producer(
            keywords=_ALL,
            behaviour=(Behaviour((), "ignores"),),
            writable="flags.writeable",
            dtype="dtype",
            byte_strides=("strides", "itemsize"),
            route="array struct",
            refusals=(
                Refusal(
                    "class numpy.ma:MaskedArray",
                    "it is a masked array, and DLPack has no mask",
                    "Pass x.filled(value), or x.data and x.mask.",
                ),
            ),
        ),
        consumer=Consumer(
            "numpy",
            "from_dlpack",
            gives=(("numpy", "ndarray"),),
            takes=((_CPU, ""),),
            readonly="kept",
            dtypes=_NAMES,
            classes=True,
            quick="ndarray",
        ),
    ),
    Peer(
        name="torch",
        package="torch",
        modules=("torch",),
        arrays=(("torch", "Tensor"),),
        producer=Producer(
            keywords=_ALL,
            behaviour=(
                Behaviour((_CPU,), "ignores"),
                # Of a build for ROCm, 1 and 2 are no streams; of one for CUDA, 0 is none.
                Behaviour((_CUDA,), "orders", quiet=-1, refuses=(2,)),
                Behaviour((_ROCM,), "orders", quiet=-1),
                # XPU, Metal and the rest take any int and look at none. Pinned memory: the same.
                Behaviour((), "ignores", quiet=-1),
            ),
            # Its command queue is reached from C++ only. To record an event commits, too.
            uncommitted=(
                Uncommitted(_METAL, "torch.mps", "event.Event().record()", "synchronize()"),
            ),
            claims=(Claim(_PINNED, "version.hip", _ROCM_PINNED),),
            frees="stream_ordered",  # by its caching allocators: in the order of the block's stream
            route="table",
            forbids=("requires_grad", "is_neg()", "complex:is_conj()", f"byte:{_TORCH_BITS}"),
            handle="_cdata",
            library="torch._C",
            natives=(
                Native("requires_grad", "_ZNK3c1010TensorImpl13requires_gradEv", False),
                Native("is_neg()", "_ZN2at6native6is_negERKNS_6TensorE", True),
                Native("complex:is_conj()", "_ZN2at6native7is_conjERKNS_6TensorE", True),
            ),
            offset="storage_offset",
            table_error=("builtins", "RuntimeError"),
            refusals=(
                Refusal(
                    "requires_grad",
                    "it requires gradients, which would not see what others do with its memory",
                    "Pass x.detach().",
                ),
                Refusal(
                    "is_conj()",
                    "its conjugate bit is set: the memory holds the conjugate values",
                    "Pass x.resolve_conj().",
                ),
                Refusal(
                    "is_quantized",
                    "its elements are quantized: without their scale they say nothing",
                    "Pass x.dequantize(), or x.int_repr() with its scale.",
                ),
                Refusal(
                    "not layout=torch.strided", "it has no strided memory", "Pass x.to_dense()."
                ),
                Refusal(
                    "class torch._subclasses.fake_tensor:FakeTensor",
                    "it is a fake tensor, which has no memory",
                    "Pass a real tensor.",
                ),
                Refusal("is_meta", "it is on the meta device: no memory", "Pass a real tensor."),
                Refusal("is_nested", "it is a nested tensor", "Pass x.to_padded_tensor(value)."),
                Refusal(
                    "is_neg()",
                    "its negative bit is set: the memory holds the values with the other sign",
                    "Pass x.resolve_neg().",
                ),
                Refusal(
                    _TORCH_BITS,
                    "its elements are integers of less than a byte, and torch exports them as "
                    "whole bytes",
                    "Pass x.view(torch.uint8), or torch.int8, where the bytes are what is meant.",
                ),
                # The address of a tensor tells nothing: it is that of its storage, which may be
                # NULL, and its offset there.
                Refusal(
                    "not untyped_storage().data_ptr()",
                    "it has no memory: its storage was freed, or it never had one",
                    "Pass a dense tensor that has its memory.",
                    unless="numel()=0",
                ),
            ),
        ),
        consumer=Consumer(
            "torch",
            "from_dlpack",
            gives=(("torch", "Tensor"),),
            takes=(
                (_CPU, ""),
                # A build for ROCm calls its devices "cuda", too.
                (_CUDA, "version.hip=None&cuda.is_available()"),
                (_ROCM, "version.hip&cuda.is_available()"),
                (_METAL, "backends.mps.is_available()"),
                (_ONE_API, "xpu.is_available()"),
            ),
            layout="no negative strides",  # it ends the process on one
            quick="table",
            array="Tensor",
            dtypes=(
                *_NAMES,
                *("bfloat16", "complex32", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2"),
                *("float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fnx2"),
            ),
        ),
        current=(
            CurrentStream(_CUDA, "torch", "cuda.current_stream", available="cuda.is_available()"),
            CurrentStream(_ROCM, "torch", "cuda.current_stream", available="cuda.is_available()"),
            # Pinned memory is of no device: what is pending is on a stream of the current one.
            *(
                CurrentStream(
                    pinned,
                    "torch",
                    "cuda.current_stream",
                    "",
                    available="cuda.is_available()",
                    optional=True,
                )
                for pinned in (_PINNED, _ROCM_PINNED)
            ),
            CurrentStream(_ONE_API, "torch", "xpu.current_stream", available="xpu.is_available()"),
        ),
    ),
    Peer(
        name="jax",
        package="jax",
        modules=("jax", "jax.numpy"),
        arrays=(("jaxlib._jax", "ArrayImpl"), ("jaxlib.xla_extension", "ArrayImpl")),
        producer=Producer(
            keywords=_ALL,
            behaviour=(Behaviour((_CUDA, _ROCM), "orders"), Behaviour((), "waits")),
            immutable=True,
            route="buffer",
            route_types=("dtype.str", _NATIVE),  # its .name would be made by Python each time
        ),
        consumer=Consumer(
            "jax.dlpack",
            "from_dlpack",
            gives=(("jax", "Array"), ("jax.numpy", "ndarray")),
            asks=True,  # of what is on a device: the stream of its ready events, on which it waits
            takes=((_CPU, ""), (_CUDA, "default_backend()=gpu")),
            readonly="safe",  # it does not write to, nor donate, what it was given
            layout="dense",
            alignment=64,  # it copies what is not aligned so, and may do that later
            dtypes=(*_NAMES, "bfloat16", *_FLOAT8),
            narrows=_WIDE,
            unless="config.jax_enable_x64",
            fix='Call jax.config.update("jax_enable_x64", True) first, or convert x.',
        ),
    ),
    Peer(
        name="dpnp",
        package="dpnp",
        modules=("dpnp", "dpnp.tensor"),
        arrays=(
            ("dpnp.dpnp_array", "dpnp_array"),
            ("dpnp.tensor._usmarray", "usm_ndarray"),
            ("dpctl.tensor._usmarray", "usm_ndarray"),
        ),
        producer=Producer(
            keywords=_ALL,
            behaviour=(Behaviour((), "orders"),),  # None, unlike on CUDA, orders nothing
            own_stream="sycl_queue",
            frees="blocks_until_idle",  # holding the GIL, as USM memory of dpctl's does
            memory_kind="usm_type",
            writable="flags.writable",
            route="usm struct",
            route_same=("sycl_context", "sycl_device.sycl_platform.default_context"),
            translations=(
                Translation(
                    ("dpnp.tensor._dlpack", "DLPackCreationError"),
                    "its memory is bound to another SYCL context than the default one of its "
                    "platform, or to a sub-device, and a DLPack tensor cannot say to which",
                    "Copy it there first: x.to_device(dpctl.SyclQueue(x.sycl_device.filter_string))"
                    ".",
                ),
            ),
        ),
        consumer=Consumer(
            "dpnp",
            "from_dlpack",
            gives=(("dpnp", "ndarray"),),
            takes=((_ONE_API, ""),),
            onto=(_ONE_API,),
            bind="to_device",
            empty="addressed",  # it looks for the context of NULL
            dtypes=_NAMES,
            readonly="kept",
        ),
        current=(_CACHED_QUEUE,),
    ),
    Peer(
        name="dpctl",
        package="dpctl",
        modules=("dpctl", "dpctl.memory"),
        arrays=(("dpctl.memory._memory", "_Memory"),),
        producer=Producer(
            own_stream="sycl_queue",
            frees="blocks_until_idle",
            memory_kind="get_usm_type()",
            usm_flag="writable",
        ),
        consumer=Consumer(
            "dpctl.memory",
            "as_usm_memory",
            takes=((_ONE_API, ""),),
            onto=(_ONE_API,),
            layout="row-major",  # memory is bytes: strides would be lost
            dtypes=_NAMES,  # those that its interface has letters for
            empty="refused",
        ),
        current=(_CACHED_QUEUE,),
    ),
    Peer(
        name="tvm_ffi",
        package="apache-tvm-ffi",
        modules=("tvm_ffi",),
        arrays=(("tvm_ffi.core", "Tensor"),),
        producer=Producer(
            keywords=_ALL,
            behaviour=(Behaviour((), "ignores"),),
            flagless=True,
            handle="__chandle__()",
            exporter="TVMFFITensorToDLPackVersioned",
            library="tvm_ffi.core",
        ),
        consumer=Consumer(
            "tvm_ffi",
            "from_dlpack",
            gives=(("tvm_ffi", "Tensor"),),
            takes=((ANY_DEVICE, ""),),
        ),
        current=(
            CurrentStream(_CUDA, "tvm_ffi", "get_raw_stream", "cuda:{id}", "device"),
            CurrentStream(_ROCM, "tvm_ffi", "get_raw_stream", "rocm:{id}", "device"),
        ),
    ),
    Peer(
        name="mlx",
        package="mlx",
        variants=' (on Linux "mlx[cpu]")',
        modules=("mlx", "mlx.core"),
        arrays=(("mlx.core", "array"),),
        producer=Producer(
            keywords=_ALL,
            # It evaluates and waits until that has ended, on Metal too: it holds nothing back.
            behaviour=(Behaviour((), "waits"),),
            immutable=True,
            route="copied buffer",
            route_types=("dtype", tuple(f"mlx.core.{name}" for name in _NAMES)),
        ),
        consumer=Consumer(
            "mlx.core",
            "from_dlpack",
            gives=(("mlx.core", "array"),),
            takes=((_CPU, ""), (_METAL, "core.metal.is_available()")),
            readonly="safe",
            layout="no negative strides",
            copies=True,
            dtypes=(*(name for name in _NAMES if name not in _WIDEST), "bfloat16"),
            narrows=_WIDEST,
            fix="Convert x to float32 or complex64 first, if that is enough; or copy float64 to "
            "mlx's CPU: mlx.core.array(numpy.asarray(x), dtype=mlx.core.float64).",
        ),
    ),
    Peer(
        name="cupy",
        package="cupy-cuda13x",  # the package "cupy" is its source
        variants=" (cupy-cuda12x for a CUDA 12 driver, cupy-rocm-7-0 for ROCm)",
        modules=("cupy",),
        arrays=(("cupy", "ndarray"), ("cupy._core.core", "_ndarray_base")),
        producer=Producer(
            keywords=_ALL,
            # It orders from its current stream on the device that is current, not on the array's.
            behaviour=(Behaviour((), "orders", quiet=-1),),
            frees="stream_ordered",  # by its memory pool, which has an arena for each stream
        ),
        consumer=Consumer(
            "cupy",
            "from_dlpack",
            gives=(("cupy", "ndarray"),),
            takes=(
                (_CUDA, "cuda.runtime.is_hip=False&cuda.is_available()"),
                (_MANAGED, "cuda.runtime.is_hip=False&cuda.is_available()"),
                (_ROCM, "cuda.runtime.is_hip=True&cuda.is_available()"),
            ),
            onto=(_CUDA, _ROCM),
            dtypes=_NAMES,
        ),
        current=tuple(
            CurrentStream(
                device_type, "cupy", "cuda.get_current_stream", available="cuda.is_available()"
            )
            for device_type in (_CUDA, _MANAGED, _ROCM)
        ),
    ),
    Peer(
        name="numba",
        package="numba-cuda",
        variants=" (numba-cuda[cu13] or numba-cuda[cu12] for what it needs of CUDA)",
        modules=("numba.cuda",),
        # The managed and the mapped ones are ndarrays, too, whose __dlpack__ is numpy's and says
        # that they are the host's.
        arrays=(("numba.cuda.cudadrv.devicearray", "DeviceNDArrayBase"),),
        # A kernel that is launched without a stream is on the default one, which its interface does
        # not name. Memory goes to a list of pending deallocations, which knows of no streams.
        producer=Producer(dlpack=False, unnamed="current"),
        consumer=Consumer(
            "numba.cuda",
            "as_cuda_array",
            keywords=(("sync", False),),  # else the host waits for what has been ordered
            takes=((_CUDA, ""), (_MANAGED, "")),
            onto=(_CUDA,),
            dtypes=_NAMES,
        ),
        current=tuple(
            CurrentStream(
                device_type, "numba.cuda", "default_stream", "", what="its default stream"
            )
            for device_type in (_CUDA, _PINNED, _MANAGED)
        ),
    ),
    Peer(
        name="warp",
        package="warp-lang",
        modules=("warp",),
        arrays=(("warp._src.types", "array"), ("warp.types", "array")),
        producer=Producer(
            keywords=("stream",),
            behaviour=(
                Behaviour((_CPU,), "ignores"),
                Behaviour((_CUDA,), "orders", quiet=-1),
                Behaviour((), "ignores", quiet=-1),  # pinned: it takes None and -1 only
            ),
            frees="immediate",  # its pool is told of no stream when memory goes back
        ),
        consumer=Consumer(
            "warp",
            "from_dlpack",
            gives=(("warp", "array"),),
            takes=(
                (_CPU, ""),
                (_CUDA, "is_cuda_available()"),
                (_PINNED, "is_cuda_available()"),
                (_MANAGED, "is_cuda_available()"),
            ),
            offset="dropped",
            dtypes=(*(name for name in _NAMES if "complex" not in name), "bfloat16"),
        ),
        current=tuple(
            CurrentStream(
                device_type,
                "warp",
                "get_stream",
                "cuda:{id}",
                "str",
                what="its current stream of the device",
                available="is_cuda_available()",
            )
            for device_type in (_CUDA, _PINNED, _MANAGED)
        ),
    ),
    Peer(
        name="cuda.core",
        package="cuda-core",
        # Its wheels import as what they have for the release of cuda-bindings that is there.
        modules=("cuda.core", "cuda.core.utils", "cuda.core.cu12", "cuda.core.cu13"),
        arrays=(
            ("cuda.core._memory._buffer", "Buffer"),
            ("cuda.core._memoryview", "StridedMemoryView"),
            ("cuda.core.experimental._memory", "Buffer"),
            ("cuda.core.experimental._memoryview", "StridedMemoryView"),
        ),
        # It has no current stream, and orders nothing, whatever it is given. A buffer is freed in
        # the order of the stream that it was allocated on, which need not be the one that wrote it.
        producer=Producer(keywords=_ALL, behaviour=(Behaviour((), "ignores"),)),
        consumer=Consumer(
            "cuda.core.utils",
            "StridedMemoryView.from_dlpack",
            gives=(("cuda.core.utils", "StridedMemoryView"),),
            keywords=(("stream_ptr", -1),),  # it refuses None
            takes=((_CPU, ""), (_CUDA, ""), (_PINNED, ""), (_MANAGED, "")),
            readonly="kept",
            dtypes=_NAMES,
        ),
    ),
    Peer(
        name="rmm",
        package="rmm-cu13",
        variants=" (rmm-cu12 for a CUDA 12 driver)",
        modules=("rmm",),
        arrays=(
            ("rmm.pylibrmm.device_buffer", "DeviceBuffer"),
            ("rmm._lib.device_buffer", "DeviceBuffer"),
        ),
        # Its interface, of version 0, has no stream. It frees on the one that it was made on, which
        # it does not tell.
        producer=Producer(unnamed="current"),
        current=(CurrentStream(_CUDA, "rmm", what="its default stream", handle=1),),
    ),
    Peer(
        name="pylibraft",
        package="pylibraft-cu13",
        variants=" (pylibraft-cu12 for a CUDA 12 driver)",
        modules=("pylibraft",),
        arrays=(("pylibraft.common.device_ndarray", "device_ndarray"),),
        # Its interface is that of a numpy array, with another address.
        producer=Producer(unnamed="current"),
        current=(
            CurrentStream(
                _CUDA, "pylibraft", what="the calling thread's, on which it works", handle=2
            ),
        ),
    ),
    Peer(
        name="pycuda",
        package="pycuda",
        modules=("pycuda",),
        arrays=(("pycuda.gpuarray", "GPUArray"),),
        # It names no stream in its interface whatever is pending, and it has no current one.
        producer=Producer(unnamed="current"),
        current=(CurrentStream(_CUDA, "pycuda", what="the default stream", handle=1),),
    ),
    Peer(
        name="paddle",
        package="paddlepaddle",
        variants=" (paddlepaddle-gpu for CUDA)",
        modules=("paddle",),
        arrays=(("paddle", "Tensor"), ("paddle.base.libpaddle.eager", "Tensor")),
        producer=Producer(
            keywords=_ALL,
            behaviour=(
                Behaviour((_CPU,), "ignores"),  # it takes None only, and its device number is None
                # It orders from the current stream of the current place, not of the array's.
                Behaviour((_CUDA,), "orders", quiet=-1, refuses=(2,)),
                Behaviour((), "ignores"),
            ),
            frees="stream_ordered",
            refusals=(
                Refusal(
                    "place.is_xpu_place()",
                    "it is on a Kunlun chip, which paddle exports as if it were a SYCL device",
                    "Pass x.cpu().",
                ),
            ),
        ),
        consumer=Consumer(
            "paddle.utils.dlpack",
            "from_dlpack",
            gives=(("paddle", "Tensor"),),
            takes=((_CPU, ""), (_CUDA, "device.is_compiled_with_cuda()")),
            dtypes=(
                *(name for name in _NAMES if name not in ("uint16", "uint32", "uint64")),
                "bfloat16",
            ),
        ),
        current=(CurrentStream(_CUDA, "paddle", "device.current_stream", "gpu:{id}", "str"),),
    ),
    Peer(
        name="pyopencl",
        package="pyopencl",
        variants=" (without a driver of OpenCL also pocl-binary-distribution, for the CPU)",
        modules=("pyopencl", "pyopencl.array"),
        arrays=(
            ("pyopencl.array", "Array"),
            ("pyopencl._cl", "Buffer"),
            ("pyopencl._cl", "PooledBuffer"),
            ("pyopencl._cl", "SVMPointer"),
        ),
        producer=Producer(
            # A buffer stays until the commands that use it have ended; SVM is freed at once.
            unnamed="current",
            handles=(
                Handle(
                    (("pyopencl.array", "Array"),),
                    _OPENCL,
                    "shape",
                    "int_ptr",
                    "base_data",
                    dtype="dtype.str",
                    strides="strides",
                    offset="offset",
                    queue="queue",
                    events="events",
                    event_queue="command_queue",
                    library="pyopencl",
                    queue_of="CommandQueue.from_int_ptr",
                    wait="enqueue_barrier",
                    wraps=("pyopencl._cl", "SVMPointer"),
                    wrap="as_buffer",
                    context="context",
                ),
                Handle(
                    (("pyopencl._cl", "Buffer"), ("pyopencl._cl", "PooledBuffer")),
                    _OPENCL,
                    "size",
                    "int_ptr",
                ),
                Handle(
                    (("pyopencl._cl", "SVMPointer"),),
                    _OPENCL,
                    "size",
                    "svm_ptr",
                    refused=(
                        "it is an address, and says neither its context nor a queue",
                        "Pass an array on it: pyopencl.array.Array(queue, shape, dtype, data=x).",
                    ),
                ),
            ),
        ),
        consumer=Consumer(
            "pyopencl",
            "array.Array",
            gives=(("pyopencl.array", "Array"),),
            takes=((_OPENCL, ""),),
            onto=(_OPENCL,),
            dtypes=_NAMES,
            stays=True,
            builds=Build(
                "Buffer.from_int_ptr",
                "CommandQueue.from_int_ptr",
                "array.Array",
                "context",
                "lent_by",
            ),
        ),
    ),
)

# (module, qualname, family, handle, what a null handle means on CUDA); the forms are described at
# StreamClass in _core.pyi. "cuda_like": the same class carries hipStream_t on a ROCm build.
# Classes without a row, because they give no handle that a driver here knows: mlx.core's Stream and
# ThreadLocalStream (a number in a table of mlx's own), paddle.base.libpaddle's XPUStream (of Kunlun
# chips, whose arrays paddle puts on kDLOneAPI: as a sycl::queue* it would end the process) and
# slangpy's NativeHandle (of whatever API: it need not be a stream, and does not own what it names).
STREAM_CLASSES: tuple[StreamClass, ...] = (
    ("torch.cuda.streams", "Stream", "cuda_like", "attr:cuda_stream", 1),
    ("torch.cuda.streams", "ExternalStream", "cuda_like", "attr:cuda_stream", 1),
    ("torch", "Stream", "attr:device.type|cuda=cuda_like|xpu=sycl", "attr:native_handle", 1),
    ("torch.xpu.streams", "Stream", "sycl", "attr:sycl_queue", 1),
    ("cupy.cuda.stream", "_BaseStream", "cuda_like", "attr:ptr", 1),
    ("cupy.cuda.stream", "Stream", "cuda_like", "attr:ptr", 1),
    ("cupy.cuda.stream", "ExternalStream", "cuda_like", "attr:ptr", 1),
    ("numba.cuda.cudadrv.driver", "Stream", "cuda", "int", 1),
    ("warp._src.context", "Stream", "cuda", "attr:cuda_stream", 1),
    ("warp.context", "Stream", "cuda", "attr:cuda_stream", 1),
    ("cuda.core._stream", "Stream", "cuda", "protocol", 1),
    ("cuda.core.experimental._stream", "Stream", "cuda", "protocol", 1),
    ("cuda.bindings.driver", "CUstream", "cuda", "int", 1),
    ("cuda.bindings.runtime", "cudaStream_t", "cuda", "int", 1),
    ("rmm.pylibrmm.stream", "Stream", "cuda", "protocol", 1),
    ("pylibraft.common.cuda", "Stream", "cuda", "call:get_ptr", 1),
    ("pycuda._driver", "Stream", "cuda", "attr:handle", 1),
    ("nvidia.dali.experimental.dynamic._stream", "Stream", "cuda", "attr:handle", 1),
    ("nvidia.dali.backend_impl", "Stream", "cuda", "attr:handle", 1),
    ("paddle.device", "Stream", "cuda_like", "attr:stream_base.raw_stream", 1),
    ("paddle.base.libpaddle", "CUDAStream", "cuda_like", "attr:cuda_stream", 1),
    ("hip.hip", "ihipStream_t", "hip", "int", 1),
    ("rocm.bindings.hip", "ihipStream_t", "hip", "int", 1),
    ("dpctl._sycl_queue", "SyclQueue", "sycl", "call:addressof_ref", 1),
    # PyObjC shows every object of Objective-C as this class; queues are told by a method of theirs.
    (
        "objc",
        "objc_object",
        "attr:commandBufferWithUnretainedReferences|=metal",
        "call:__c_void_p__",
        1,
    ),
    ("pyopencl._cl", "CommandQueue", "opencl", "attr:int_ptr", 1),
    ("anystream.testing._simulated", "SimulatedStream", "simulated", "capsule:_get_capsule", 1),
)

# How the queue object that SYCL libraries agree on is made: of a "SyclQueueRef" capsule, which it
# consumes, or of a device number, with a property that makes it in-order.
SYCL_QUEUE = ("dpctl", "SyclQueue", "in_order")

# What that class raises where a filter string selects no device.
SYCL_QUEUE_ERROR = "SyclQueueCreationError"


class SyclContext(NamedTuple):
    """The context object that SYCL libraries agree on."""

    module: str
    name: str
    capsule: str  # what it can be made of, and is then used up
    devices: str  # the method that lists them


SYCL_CONTEXT = SyclContext("dpctl", "SyclContext", "SyclContextRef", "get_devices")

# What finds the device of memory in a context of several: the queue of what it makes.
SYCL_MEMORY = ("dpctl.memory", "as_usm_memory", "sycl_queue")

# What may say whose a SYCL pointer is, in words for messages.
SYCL_OWNER = (
    'a filter string such as "cpu:0", a dpctl.SyclContext, a dpctl.SyclQueue, a "SyclContextRef" '
    'or "SyclQueueRef" capsule, or an object whose _get_capsule() gives such a capsule'
)

# Where ints that are addresses of living queues may come from: (module, is there any device, how
# many, the current stream of one, the int of a stream).
VOUCHES_FOR_QUEUES = (
    ("torch", "xpu.is_available", "xpu.device_count", "xpu.current_stream", "sycl_queue"),
)

# Whose protocol `__array__` is, and which package gives it the element types that it has not.
NDARRAYS = next(peer for peer in PEERS if peer.name == "numpy")
NDARRAY_DTYPES = Peer(name="ml_dtypes", package="ml_dtypes", modules=())

# (driver, package): the package's folder holds the driver's library.
DRIVER_PACKAGES = (("sycl", "dpctl"),)
