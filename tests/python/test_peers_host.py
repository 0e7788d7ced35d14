# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Producers of host memory are never sent a stream, not even -1: some would raise."""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from stand_ins import TorchTensor, named


def stand_in_of_torch(calls: list[dict[str, Any]]) -> Any:
    """An object that goes by the name of torch.Tensor, so that its row says how it is called."""
    kind = named("torch", "Tensor", TorchTensor)

    def export(self: Any, **keywords: Any) -> Any:
        calls.append(keywords)
        return self.export(**keywords)

    kind.__dlpack__ = export  # type: ignore[attr-defined]
    return kind((1, 0))


def watched(base: type, calls: list[dict[str, Any]]) -> type:
    """A subclass of a library's class whose export is seen."""

    def export(self: Any, **keywords: Any) -> Any:
        calls.append(keywords)
        return base.__dlpack__(self, **keywords)  # type: ignore[attr-defined]

    return type("Watched", (base,), {"__dlpack__": export})


def tensor(calls: list[dict[str, Any]]) -> Any:
    torch = pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    return torch.ones(3).as_subclass(watched(torch.Tensor, calls))


def ndarray(calls: list[dict[str, Any]]) -> Any:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    return np.ones(3).view(watched(np.ndarray, calls))


PRODUCERS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "torch, by its name": stand_in_of_torch,
    "torch": tensor,
    "numpy": ndarray,
}
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"ordering": "host"},
    {"ordering": "none"},
    {"stream": -1},
    {"producer_stream": -1},
    {"strict": True},
    {"copy": True},
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
@pytest.mark.parametrize("producer", PRODUCERS)
def test_no_stream_is_sent(producer: str, arguments: dict[str, Any]) -> None:
    calls: list[dict[str, Any]] = []
    x = PRODUCERS[producer](calls)
    for _ in range(2):  # the second call of a kind is not planned anew
        anystream.from_dlpack(x, **arguments)
    assert len(calls) == 2
    assert [call for call in calls if "stream" in call] == []


@pytest.mark.parametrize("producer", PRODUCERS)
def test_no_stream_is_sent_on_the_way_to_a_library(producer: str) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    calls: list[dict[str, Any]] = []
    x = PRODUCERS[producer](calls)
    for _ in range(2):
        assert isinstance(anystream.handoff(x, to="numpy"), np.ndarray)
    assert len(calls) == 2
    assert [call for call in calls if "stream" in call] == []
