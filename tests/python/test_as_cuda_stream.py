# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""as_cuda_stream: the Stream itself, where it has ``__cuda_stream__``; else an error says why."""

from typing import Any, get_origin

import pytest

import anystream
from anystream import Stream
from anystream.testing import SimulatedDevice
from anystream.typing import as_cuda_stream, cuda_handle, hip_handle


@pytest.mark.parametrize(
    ("handle", "device"), [(cuda_handle(7), "cuda:0"), (hip_handle(7), "rocm:1")]
)
def test_it_is_the_stream_itself(handle: Any, device: str) -> None:
    stream = Stream(handle, device)
    given: object = as_cuda_stream(stream)
    assert given is stream
    assert as_cuda_stream(stream).__cuda_stream__() == (0, 7)


class Foreign:
    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 7)


SIMULATED = SimulatedDevice()
REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "no Stream": (
        Foreign(),
        TypeError,
        r"takes an anystream\.Stream of CUDA or ROCm; got a \S*Foreign\.\n  anystream\.Stream\(s\)",
    ),
    "a number": (7, TypeError, r"got int 7\."),
    "the class": (Stream, TypeError, r"got "),
    "of another platform": (
        Stream(SIMULATED.stream("a")),
        ValueError,
        r"got one of ext_dev:\d+\.\n  The libraries of that platform take it as it is\.$",
    ),
    "of no device yet": (
        Stream(Foreign()),
        ValueError,
        r"got one that does not know its device yet\.\n  Name it: .*Stream\(s, device=\"cuda:0\"\)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    given, error, text = REFUSED[name]
    with pytest.raises(error, match=text) as caught:
        as_cuda_stream(given)
    assert type(caught.value) is error


def test_what_is_generic_takes_a_platform_at_run_time() -> None:
    class Mine(anystream.DLPackMixin[anystream.typing.Cuda]):
        pass

    class Bare(anystream.DLPackMixin):
        pass

    assert issubclass(Mine, anystream.DLPackMixin)
    assert get_origin(anystream.borrow[anystream.typing.Cuda]) is anystream.borrow
    with pytest.raises(NotImplementedError, match="Mine is a DLPackMixin without __anystream__"):
        Mine().__dlpack__()
    with pytest.raises(NotImplementedError, match="Bare is a DLPackMixin without __anystream__"):
        Bare().__dlpack__(stream=object())
