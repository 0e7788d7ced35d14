# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Handles and capsules that nobody looked at."""

from typing import Any

from anystream.typing import (
    CudaHandle,
    CudaStream,
    CudaStreamCapsule,
    HipHandle,
    RocmStream,
    cuda_handle,
    hip_handle,
    named_capsule,
)


def a_handle_is_not_made_by_its_name(number: int) -> None:
    CudaHandle(number)
    # mypy: [arg-type] Argument 1 to "CudaHandle" has incompatible type "int"; expected "Never"
    # basedpyright: [reportArgumentType] Argument of type "int" cannot be assigned to parameter
    #   "never" of type "Never" in function "__new__"
    HipHandle(4096)
    # mypy: [arg-type] Argument 1 to "HipHandle" has incompatible type "int"; expected "Never"
    # basedpyright: [reportArgumentType] Argument of type "Literal[4096]" cannot be assigned to
    #   parameter "never" of type "Never" in function "__new__"
    CudaHandle()
    # mypy: [call-arg] Too few arguments for "CudaHandle"
    # basedpyright: [reportCallIssue] Expected 1 more positional argument
    CudaStreamCapsule()
    # mypy: [call-arg] Too few arguments for "CudaStreamCapsule"
    # basedpyright: [reportCallIssue] Expected 1 more positional argument


def a_number_is_no_handle(number: int, handle: CudaHandle) -> Any:
    a: CudaHandle = number
    # mypy: [assignment] Incompatible types in assignment (expression has type "int", variable has
    #   type "CudaHandle")
    # basedpyright: [reportAssignmentType] Type "int" is not assignable to declared type
    #   "CudaHandle"
    b: CudaStream = number
    # mypy: [assignment] Incompatible types in assignment (expression has type "int", variable has
    #   type "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream | SupportsDLPackStream[Literal[2]]
    #   | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda]")
    # basedpyright: [reportAssignmentType] Type "int" is not assignable to declared type
    #   "CudaStream"
    c: RocmStream = 1
    # mypy: [assignment] Incompatible types in assignment (expression has type "Literal[1]",
    #   variable has type "Literal[-1, 0] | HipHandle | SupportsCudaStream |
    #   SupportsDLPackStream[Literal[10]] | HipStreamCapsule | Stream[Rocm]")
    # basedpyright: [reportAssignmentType] Type "Literal[1]" is not assignable to declared type
    #   "RocmStream"
    d: HipHandle = handle
    # mypy: [assignment] Incompatible types in assignment (expression has type "CudaHandle",
    #   variable has type "HipHandle")
    # basedpyright: [reportAssignmentType] Type "CudaHandle" is not assignable to declared type
    #   "HipHandle"
    return a, b, c, d


def a_handle_is_made_of_a_number(capsule: object) -> None:
    cuda_handle("4096")
    # mypy: [arg-type] Argument 1 to "cuda_handle" has incompatible type "str"; expected
    #   "SupportsIndex"
    # basedpyright: [reportArgumentType] Argument of type "Literal['4096']" cannot be assigned to
    #   parameter "handle" of type "SupportsIndex" in function "cuda_handle"
    hip_handle(1.5)
    # mypy: [arg-type] Argument 1 to "hip_handle" has incompatible type "float"; expected
    #   "SupportsIndex"
    # basedpyright: [reportArgumentType] Argument of type "float" cannot be assigned to parameter
    #   "handle" of type "SupportsIndex" in function "hip_handle"
    cuda_handle(capsule)
    # mypy: [arg-type] Argument 1 to "cuda_handle" has incompatible type "object"; expected
    #   "SupportsIndex"
    # basedpyright: [reportArgumentType] Argument of type "object" cannot be assigned to parameter
    #   "handle" of type "SupportsIndex" in function "cuda_handle"
    cuda_handle(handle=4096)
    # mypy: [call-arg] Unexpected keyword argument "handle" for "cuda_handle"
    # basedpyright: [reportCallIssue] Expected 1 more positional argument


def a_capsule_has_a_known_name(capsule: object, name: str) -> Any:
    named_capsule(capsule, "cuStream")
    # mypy: [call-overload] No overload variant of "named_capsule" matches argument types "object",
    #   "str"
    # basedpyright: [reportArgumentType] Argument of type "Literal['cuStream']" cannot be assigned
    #   to parameter "name" of type "Literal['dltensor_versioned']" in function "named_capsule"
    # basedpyright: [reportCallIssue] No overloads for "named_capsule" match the provided arguments
    named_capsule(capsule, name)
    # mypy: [call-overload] No overload variant of "named_capsule" matches argument types "object",
    #   "str"
    # basedpyright: [reportArgumentType] Argument of type "str" cannot be assigned to parameter
    #   "name" of type "Literal['dltensor_versioned']" in function "named_capsule"
    # basedpyright: [reportCallIssue] No overloads for "named_capsule" match the provided arguments
    a: CudaStreamCapsule = named_capsule(capsule, "hipStream_t")
    # mypy: [assignment] Incompatible types in assignment (expression has type "HipStreamCapsule",
    #   variable has type "CudaStreamCapsule")
    # basedpyright: [reportAssignmentType] Type "HipStreamCapsule" is not assignable to declared
    #   type "CudaStreamCapsule"
    b: CudaStreamCapsule = capsule
    # mypy: [assignment] Incompatible types in assignment (expression has type "object", variable
    #   has type "CudaStreamCapsule")
    # basedpyright: [reportAssignmentType] Type "object" is not assignable to declared type
    #   "CudaStreamCapsule"
    return a, b


class Handle(CudaHandle):
    # mypy: [misc] Cannot inherit from final class "CudaHandle"
    # basedpyright: [reportGeneralTypeIssues] Base class "CudaHandle" is marked final and cannot be
    #   subclassed
    """No class is a kind of handle."""
