# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Markers that are none, and what is not known after a question."""

from typing import Any, assert_type

from anystream import Array, Stream, is_on
from anystream.typing import Cuda, OneAPI, Platform


class MyQueue:
    """A stream of a platform that this program registers."""


class MyChip(Platform["MyQueue"]):
    """Its marker."""

    device_types = (16,)


def a_marker_is_never_made() -> None:
    Cuda()
    # mypy: [call-arg] Too few arguments for "Cuda"
    # basedpyright: [reportCallIssue] Expected 1 more positional argument
    MyChip()
    # mypy: [call-arg] Too few arguments for "MyChip"
    # basedpyright: [reportCallIssue] Expected 1 more positional argument


def no_marker(a: Array[Any]) -> Any:
    is_on(a, int)
    # mypy: [type-var] Value of type variable "PlatformT" of "is_on" cannot be "int"
    # basedpyright: [reportArgumentType] Argument of type "type[int]" cannot be assigned to
    #   parameter "platform" of type "type[PlatformT@is_on]" in function "is_on"
    # basedpyright: [reportCallIssue] No overloads for "is_on" match the provided arguments
    is_on(a, "cuda")
    # mypy: [call-overload] No overload variant of "is_on" matches argument types "Array[Any]",
    #   "str"
    # basedpyright: [reportArgumentType] Argument of type "Literal['cuda']" cannot be assigned to
    #   parameter "platform" of type "type[PlatformT@is_on]" in function "is_on"
    # basedpyright: [reportCallIssue] No overloads for "is_on" match the provided arguments
    is_on(object(), Cuda)
    # mypy: [call-overload] No overload variant of "is_on" matches argument types "object",
    #   "type[Cuda]"
    # basedpyright: [reportArgumentType] Argument of type "object" cannot be assigned to parameter
    #   "x" of type "Array[Any]" in function "is_on"
    # basedpyright: [reportCallIssue] No overloads for "is_on" match the provided arguments
    b: Array[int] = a
    # mypy: [type-var] Type argument "int" of "Array" must be a subtype of "Platform[Any]"
    # basedpyright: [reportInvalidTypeArguments] Type "int" cannot be assigned to type variable
    #   "_PlatformT_co@Array"
    return b


def after_the_question(a: Array[Any], stream: Stream[Any]) -> None:
    if is_on(a, Cuda):
        a.__dlpack__(stream=7)
        # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
        #   "Literal[7]"; expected "Literal[-1, 1, 2] | CudaHandle | SupportsCudaStream |
        #   SupportsDLPackStream[Literal[2]] | CudaStreamCapsule | CUstreamCapsule | Stream[Cuda] |
        #   None"
        # basedpyright: [reportArgumentType] Argument of type "Literal[7]" cannot be assigned to
        #   parameter "stream" of type "CudaStream | None" in function "__dlpack__"
    if is_on(stream, OneAPI):
        assert_type(stream, Stream[Cuda])
        # mypy: [assert-type] Expression is of type "Stream[OneAPI]", not "Stream[Cuda]"
        # basedpyright: [reportAssertTypeFailure] "assert_type" mismatch: expected "Stream[Cuda]"
        #   but received "Stream[OneAPI]"
    if is_on(a, MyChip):
        a.__dlpack__(stream=1)
        # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type "int";
        #   expected "MyQueue | None"
        # basedpyright: [reportArgumentType] Argument of type "Literal[1]" cannot be assigned to
        #   parameter "stream" of type "MyQueue | None" in function "__dlpack__"


def of_a_registered_platform(a: Array[MyChip], cuda: Stream[Cuda]) -> None:
    a.__dlpack__(stream=MyQueue)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "type[MyQueue]"; expected "MyQueue | None"
    # basedpyright: [reportArgumentType] Argument of type "type[MyQueue]" cannot be assigned to
    #   parameter "stream" of type "MyQueue | None" in function "__dlpack__"
    a.__dlpack__(stream=cuda)
    # mypy: [arg-type] Argument "stream" to "__dlpack__" of "Array" has incompatible type
    #   "Stream[Cuda]"; expected "MyQueue | None"
    # basedpyright: [reportArgumentType] Argument of type "Stream[Cuda]" cannot be assigned to
    #   parameter "stream" of type "MyQueue | None" in function "__dlpack__"
    a.stream = None
    # mypy: [misc] Property "stream" defined in "Array" is read-only
    # basedpyright: [reportAttributeAccessIssue] Cannot assign to attribute "stream" for class
    #   "Array[MyChip]"
