# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What anystream.typing does at run time: little, but what it checks it checks."""

import typing
from enum import IntEnum
from types import GenericAlias
from typing import Any

import pytest

import anystream
import anystream.typing as types
from anystream import Array, Stream, is_on
from anystream.typing import (
    Cpu,
    Cuda,
    CudaHandle,
    CudaHost,
    CudaManaged,
    CUstreamCapsule,
    DLTensorCapsule,
    ExtDev,
    HipHandle,
    OneAPI,
    Platform,
    Rocm,
    RocmHost,
    Simulated,
    cuda_handle,
    hip_handle,
    named_capsule,
)
from process_rig import child
from stream_oracle import WHERE
from stream_values import capsule, simulated
from test_streams_oracle import array_on


class Number(IntEnum):
    SEVEN = 7


# ---- handles


@pytest.mark.parametrize("number", [1, 2, 3, 139637976731648, 2**63 - 1])
def test_a_cuda_handle_is_the_int(number: int) -> None:
    assert type(cuda_handle(number)) is int  # torch asks for exactly that
    assert cuda_handle(number) == number


@pytest.mark.parametrize("number", [0, 3, 139637976731648])
def test_a_hip_handle_is_the_int(number: int) -> None:
    assert type(hip_handle(number)) is int
    assert hip_handle(number) == number


def test_a_handle_by_index() -> None:
    assert type(cuda_handle(Number.SEVEN)) is int
    numpy = pytest.importorskip("numpy")
    assert type(hip_handle(numpy.int64(7))) is int


REFUSED = [
    (cuda_handle, 0, "0 may mean either of the default streams: write 1 or 2."),
    (cuda_handle, -1, "-1, which asks for no ordering, is no handle: pass it as it is."),
    (cuda_handle, 2**63, "no stream handle is that large."),
    (hip_handle, 1, "1 and 2 are CUDA's default streams: ROCm's is 0."),
    (hip_handle, 2, "1 and 2 are CUDA's default streams: ROCm's is 0."),
    (hip_handle, -2, "-1, which asks for no ordering, is no handle: pass it as it is."),
]


@pytest.mark.parametrize(("check", "number", "why"), REFUSED)
def test_a_number_that_is_no_handle(check: Any, number: int, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{check.__name__}") as caught:
        check(number)
    words = f"takes the number of a stream; got {number}.\n  {why}"
    assert str(caught.value) == f"{check.__name__}(handle) {words}"


@pytest.mark.parametrize("wrong", [True, 1.0, "1", None, object()])
@pytest.mark.parametrize("check", [cuda_handle, hip_handle])
def test_what_is_no_number(check: Any, wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"takes the number of a stream, an int; got "):
        check(wrong)


# ---- capsules


def test_a_named_capsule_is_the_capsule() -> None:
    one = capsule("CUstream")
    assert named_capsule(one, "CUstream") is one


@pytest.mark.parametrize(
    ("given", "got"),
    [
        (capsule("cudaStream_t"), 'a capsule named "cudaStream_t"'),
        (capsule("used_CUstream"), 'a capsule named "used_CUstream"'),
        (capsule(None), "a capsule without a name"),
        (7, "int 7"),
        (None, "None"),
    ],
)
def test_a_capsule_of_another_name(given: Any, got: str) -> None:
    with pytest.raises(TypeError) as caught:
        named_capsule(given, "CUstream")
    assert str(caught.value) == (
        f'named_capsule(capsule, "CUstream") takes a capsule of that name; got {got}.'
    )


def test_a_name_that_nobody_knows() -> None:
    name: Any = "VkQueue"
    with pytest.raises(ValueError, match=r'^named_capsule\(capsule, name\) knows "cudaStream_t", '):
        named_capsule(capsule("VkQueue"), name)


def test_a_dlpack_capsule() -> None:
    numpy = pytest.importorskip("numpy")
    one = numpy.arange(3).__dlpack__()
    assert named_capsule(one, "dltensor") is one
    assert anystream.from_dlpack(one).shape == (3,)
    with pytest.raises(TypeError, match="used_dltensor"):
        named_capsule(one, "dltensor")


# ---- markers


MADE_NEVER: list[Any] = [Cuda, Platform, CudaHandle, HipHandle, CUstreamCapsule, DLTensorCapsule]


@pytest.mark.parametrize("kind", MADE_NEVER, ids=lambda kind: kind.__name__)
def test_what_is_for_checkers_makes_no_object(kind: Any) -> None:
    for arguments in ((), (1,), (1, 2)):
        with pytest.raises(TypeError, match=f"^{kind.__name__} is for type checkers: .*\n  Write "):
            kind(*arguments)


def test_annotations_can_be_evaluated() -> None:
    def use(a: Array[Cuda], s: "Stream[Rocm] | None", t: types.CudaStream | None) -> None:
        """Take what only checkers look at."""

    hints = typing.get_type_hints(use)
    assert hints["a"] == Array[Cuda]
    assert isinstance(Array[Cuda], GenericAlias)
    assert typing.get_args(Stream[Rocm]) == (Rocm,)
    assert Stream[Cuda] in typing.get_args(hints["t"])


ON = {
    "Cpu": [1],
    "Cuda": [2, 3, 13],
    "CudaHost": [3],
    "CudaManaged": [13],
    "Rocm": [10, 11],
    "RocmHost": [11],
    "OneAPI": [14],
}


@pytest.mark.parametrize("marker", [Cpu, Cuda, CudaHost, CudaManaged, Rocm, RocmHost, OneAPI])
def test_where_an_array_is(marker: type[Platform[Any]]) -> None:
    found = [where.type for where in WHERE if is_on(array_on(where), marker)]
    assert found == ON[marker.__name__]


def test_a_platform_that_shares_its_device_type() -> None:
    simulated_array, other = (array_on(where) for where in reversed(WHERE) if where.type == 12)
    assert is_on(simulated_array, Simulated)
    assert not is_on(simulated_array, ExtDev)
    assert is_on(other, ExtDev)
    assert not is_on(other, Simulated)


def test_where_a_stream_is() -> None:
    assert is_on(Stream.from_handle("cuda:0", 7), Cuda)
    assert not is_on(Stream.from_handle("rocm:0", 7), Cuda)
    assert is_on(Stream(simulated()), Simulated)
    assert not is_on(Stream(7), Cuda)  # nobody knows yet


@pytest.mark.parametrize("wrong", [None, 7, int, "cuda", Array])
def test_a_platform_that_is_none(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"^is_on\(x, platform\) takes a marker of "):
        is_on(Stream(7), wrong)


@pytest.mark.parametrize("wrong", [None, 7, [1, 2]])
def test_what_is_no_array(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"takes an anystream.Array or anystream.Stream; got "):
        is_on(wrong, Cuda)


def test_every_public_name_is_there_and_is_documented() -> None:
    for name in types.__all__:
        thing = getattr(types, name)
        assert not isinstance(thing, type) or thing.__doc__, name


def test_it_is_imported_by_those_who_ask() -> None:
    out = child(
        "import sys, anystream\n"
        "names = ('anystream.typing', 'anystream._markers', 'anystream.testing')\n"
        "print([name in sys.modules for name in names])\n"
        "print(anystream.is_on.__name__, anystream.typing.Cuda.__name__)\n"
        "print('anystream.testing' in sys.modules)\n"
    )
    assert out.splitlines() == ["[False, False, False]", "is_on Cuda", "False"]
