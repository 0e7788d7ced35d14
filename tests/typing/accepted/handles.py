# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Handles and capsules: what the functions that look at them give, to type checkers."""

from typing import Any, assert_type

from anystream import Array
from anystream.typing import (
    Cuda,
    CudaHandle,
    CudaStream,
    CudaStreamCapsule,
    CUstreamCapsule,
    DLTensorCapsule,
    DLTensorVersionedCapsule,
    HipHandle,
    HipStreamCapsule,
    MetalQueueCapsule,
    OneAPI,
    OpenCLQueueCapsule,
    RocmStream,
    SimulatedStreamCapsule,
    SyclQueueRefCapsule,
    cuda_handle,
    hip_handle,
    named_capsule,
)


class Number:
    """As numpy's and others' integers."""

    def __index__(self) -> int:
        return 4096


def a_handle_is_made_by_a_function_that_looks(number: int) -> None:
    assert_type(cuda_handle(number), CudaHandle)
    assert_type(hip_handle(number), HipHandle)
    assert_type(cuda_handle(Number()), CudaHandle)


def a_handle_is_an_int(handle: CudaHandle) -> int:
    return handle


def what_is_named() -> Any:
    legacy: CudaStream = 1
    per_thread: CudaStream = 2
    unordered: CudaStream | RocmStream = -1
    default: RocmStream = 0
    return legacy, per_thread, unordered, default


def a_capsule_is_known_by_its_name(capsule: object) -> None:
    assert_type(named_capsule(capsule, "cudaStream_t"), CudaStreamCapsule)
    assert_type(named_capsule(capsule, "CUstream"), CUstreamCapsule)
    assert_type(named_capsule(capsule, "hipStream_t"), HipStreamCapsule)
    assert_type(named_capsule(capsule, "SyclQueueRef"), SyclQueueRefCapsule)
    assert_type(named_capsule(capsule, "cl_command_queue"), OpenCLQueueCapsule)
    assert_type(named_capsule(capsule, "MTLCommandQueue"), MetalQueueCapsule)
    assert_type(named_capsule(capsule, "anystream_simulated_stream"), SimulatedStreamCapsule)
    assert_type(named_capsule(capsule, "dltensor"), DLTensorCapsule)
    assert_type(named_capsule(capsule, "dltensor_versioned"), DLTensorVersionedCapsule)


def what_was_looked_at_is_taken(a: Array[Cuda], b: Array[OneAPI], capsule: object) -> None:
    a.__dlpack__(stream=named_capsule(capsule, "cudaStream_t"))
    b.__dlpack__(stream=named_capsule(capsule, "SyclQueueRef"))
