# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The one table of peers: every fact about another library is a row here, and nowhere else.

Each fact was observed by running the library on a CPU, or, for accelerators that a CPU cannot
stand in for, read in its source. The versions that were observed: numpy 2.4.6, torch 2.13.0,
jax 0.10.2, dpnp 0.20.0, dpctl 0.22.1, apache-tvm-ffi 0.1.15, mlx 0.32.4.
"""

from anystream._peer import (
    ANY_DEVICE,
    Behaviour,
    Consumer,
    CurrentStream,
    Peer,
    Producer,
    Refusal,
    StreamClass,
    Translation,
)

_CPU, _CUDA, _METAL, _ROCM, _MANAGED, _ONE_API = 1, 2, 8, 10, 13, 14
_ALL = ("stream", "max_version", "dl_device", "copy")
_WIDE = ("float64", "int64", "uint64", "complex128")

# dpctl and dpnp share it: the queue on which either puts an array that names none.
_CACHED_QUEUE = CurrentStream(
    _ONE_API,
    "dpctl._sycl_queue_manager",
    "get_device_cached_queue",
    convert="str",
    what="dpctl's default queue of the device",
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
            refusals=(
                Refusal(
                    "class numpy.ma:MaskedArray",
                    "it is a masked array, and DLPack has no mask",
                    "Pass x.filled(value), or x.data and x.mask.",
                ),
            ),
        ),
        consumer=Consumer("numpy", "from_dlpack", takes=((_CPU, ""),), readonly="kept"),
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
                Behaviour((_CUDA, _ROCM), "orders", quiet=-1),
                # XPU, Metal and the rest take any int and look at none.
                Behaviour((), "ignores", quiet=-1),
            ),
            refusals=(
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
            ),
        ),
        consumer=Consumer(
            "torch",
            "from_dlpack",
            takes=(
                (_CPU, ""),
                # A build for ROCm calls its devices "cuda", too.
                (_CUDA, "version.hip=None&cuda.is_available()"),
                (_ROCM, "version.hip&cuda.is_available()"),
                (_METAL, "backends.mps.is_available()"),
                (_ONE_API, "xpu.is_available()"),
            ),
            layout="no negative strides",  # it ends the process on one
        ),
        current=(
            CurrentStream(_CUDA, "torch", "cuda.current_stream", available="cuda.is_available()"),
            CurrentStream(_ROCM, "torch", "cuda.current_stream", available="cuda.is_available()"),
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
        ),
        consumer=Consumer(
            "jax.dlpack",
            "from_dlpack",
            takes=((_CPU, ""), (_CUDA, "default_backend()=gpu")),
            readonly="safe",  # it does not write to, nor donate, what it was given
            layout="dense",
            alignment=64,  # it copies what is not aligned so, and may do that later
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
            memory_kind="usm_type",
            writable="flags.writable",
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
            takes=((_ONE_API, ""),),
            onto=_ONE_API,
            bind="to_device",
            empty="addressed",  # it looks for the context of NULL
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
            own_stream="sycl_queue", memory_kind="get_usm_type()", usm_flag="writable"
        ),
        consumer=Consumer(
            "dpctl.memory",
            "as_usm_memory",
            takes=((_ONE_API, ""),),
            onto=_ONE_API,
            layout="row-major",  # memory is bytes: strides would be lost
            empty="refused",
        ),
        current=(_CACHED_QUEUE,),
    ),
    Peer(
        name="tvm_ffi",
        package="apache-tvm-ffi",
        modules=("tvm_ffi",),
        arrays=(("tvm_ffi.core", "Tensor"),),
        producer=Producer(keywords=_ALL, behaviour=(Behaviour((), "ignores"),)),
        consumer=Consumer("tvm_ffi", "from_dlpack", takes=((ANY_DEVICE, ""),)),
        current=(
            CurrentStream(_CUDA, "tvm_ffi", "get_raw_stream", "cuda:{id}", "device"),
            CurrentStream(_ROCM, "tvm_ffi", "get_raw_stream", "rocm:{id}", "device"),
        ),
    ),
    Peer(
        name="mlx",
        package="mlx",
        modules=("mlx", "mlx.core"),
        arrays=(("mlx.core", "array"),),
        producer=Producer(keywords=_ALL, behaviour=(Behaviour((), "waits"),), immutable=True),
        consumer=Consumer(
            "mlx.core",
            "from_dlpack",
            takes=((_CPU, ""), (_METAL, "core.metal.is_available()")),
            readonly="safe",
            layout="no negative strides",
            copies=True,
            narrows=("float64", "complex128"),
            fix="Convert x to float32 or complex64 first: mlx has no wider type.",
        ),
    ),
    Peer(
        name="cupy",
        package="cupy",
        modules=("cupy",),
        current=(
            CurrentStream(
                _CUDA, "cupy", "cuda.get_current_stream", available="cuda.is_available()"
            ),
            CurrentStream(
                _ROCM, "cupy", "cuda.get_current_stream", available="cuda.is_available()"
            ),
        ),
    ),
    Peer(
        name="warp",
        package="warp-lang",
        modules=("warp",),
        current=(CurrentStream(_CUDA, "warp", "get_stream", "cuda:{id}", "str"),),
    ),
    Peer(
        name="paddle",
        package="paddlepaddle",
        modules=("paddle",),
        current=(CurrentStream(_CUDA, "paddle", "device.current_stream", "gpu:{id}", "str"),),
    ),
)

# (module, qualname, family, handle, what a null handle means on CUDA); the forms are described at
# StreamClass in _core.pyi. "cuda_like": the same class carries hipStream_t on a ROCm build.
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

# What is taken, and what to do with memory that names no queue, in words for messages.
SYCL_OWNER = (
    'a dpctl.SyclQueue or a "SyclQueueRef" capsule',
    "Pass dpctl.memory.as_usm_memory(x), which has a queue, once nothing is pending on x.",
)

# Where ints that are addresses of living queues may come from: (module, is there any device, how
# many, the current stream of one, the int of a stream).
VOUCHES_FOR_QUEUES = (
    ("torch", "xpu.is_available", "xpu.device_count", "xpu.current_stream", "sycl_queue"),
)

# (driver, package): the package's folder holds the driver's library.
DRIVER_PACKAGES = (("sycl", "dpctl"),)
