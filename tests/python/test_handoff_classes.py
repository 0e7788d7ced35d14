# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What type checkers are told that handoff gives, it gives: by the libraries that are installed."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import anystream
from anystream._peer import ANY_DEVICE, Peer
from anystream._peers import PEERS

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import handoff_types

CONSUMERS = [peer for peer in PEERS if peer.consumer is not None]
MODULES = [(peer, name) for peer in CONSUMERS for name in peer.modules]


def classes(peer: Peer) -> list[type]:
    assert peer.consumer is not None
    return [getattr(import_module(module), name) for module, name in peer.consumer.gives]


def attributes_of(module: ModuleType) -> list[str]:
    """Name the protocols of the file that a module implements."""
    names = handoff_types.attributes(CONSUMERS)
    return [name for name in names if isinstance(getattr(module, name, None), type)]


@pytest.mark.parametrize(("peer", "name"), MODULES, ids=[name for _, name in MODULES])
def test_a_module_is_told_by_the_class_that_the_table_names(peer: Peer, name: str) -> None:
    """Where a module has none of the classes, or is not typed, the answer is Any."""
    module = pytest.importorskip(name, reason=f"{peer.name} is not installed: make test-python")
    assert peer.consumer is not None
    here = [kind for place, kind in peer.consumer.gives if place == name]
    assert attributes_of(module)[:1] == here
    if here:
        assert getattr(module, here[0]) in classes(peer)


ON_THE_HOST = [
    peer
    for peer in CONSUMERS
    if peer.consumer is not None and peer.consumer.takes[0] in ((1, ""), (ANY_DEVICE, ""))
]


@pytest.mark.parametrize("peer", ON_THE_HOST, ids=lambda peer: peer.name)
def test_its_arrays_are_of_that_class(peer: Peer) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed: make test-python")
    assert peer.consumer is not None
    pytest.importorskip(
        peer.consumer.module, reason=f"{peer.name} is not installed: make test-python"
    )
    given: Any = np.arange(3, dtype="float32")
    for to in (peer.name, *peer.modules[:1]):
        assert isinstance(anystream.handoff(given, to=to), classes(peer)[0])
    assert all(
        isinstance(one, classes(peer)[0]) for one in anystream.handoff([given], to=peer.name)
    )
