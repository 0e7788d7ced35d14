# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Finding a row of the peers table: by what a user named, or by the class of an array."""

from importlib import import_module
from types import ModuleType
from typing import Any

from anystream._arguments import got, shown
from anystream._entry_points import load_entry_points
from anystream._peer import ClassName, Peer, class_names
from anystream._peers import PEERS, STREAM_CLASSES

# The table, and what was registered behind it. They only grow, so none is looked at under a lock.
LIBRARIES: list[Peer] = list(PEERS)
FAMILIES: dict[ClassName, str] = {
    (module, name): family for module, name, family, _, _ in STREAM_CLASSES
}
_BY_CLASS: dict[ClassName, Peer] = {name: peer for peer in PEERS for name in peer.arrays}


def add_library(peer: Peer) -> None:
    """Add a row behind those that there are; its names and classes are nobody else's."""
    for name in peer.arrays:
        _BY_CLASS[name] = peer
    LIBRARIES.append(peer)


def library_of_class(name: ClassName) -> Peer | None:
    """Find the row that names a class."""
    return _BY_CLASS.get(name)


def peer_of(kind: type) -> Peer | None:
    """Find the row of an array class by its names, or by those of its bases; imports nothing."""
    found = _peer_of(kind)
    return _peer_of(kind) if found is None and load_entry_points() else found


def _peer_of(kind: type) -> Peer | None:
    return next((_BY_CLASS[name] for name in class_names(kind) if name in _BY_CLASS), None)


def row_class(kind: type) -> type | None:
    """Give the class of the resolution order that the table names."""
    names = zip(class_names(kind), kind.__mro__, strict=True)
    return next((base for name, base in names if name in _BY_CLASS), None)


def library(to: Any, *, where: str, taking: str) -> Peer:
    """Find the row that a name or a module means, among those with a ``taking`` column.

    Raises TypeError for what is neither, ValueError, listing the known, for one without a row.
    """
    if not isinstance(to, (str, ModuleType)):
        raise TypeError(
            f"{where} takes the name of a library or its module; got {got(to)}.\n"
            f"  Write one of {known(taking)}."
        )
    name = to if isinstance(to, str) else to.__name__
    found = _named(name, taking)
    if found is None and load_entry_points():
        found = _named(name, taking)
    if found is not None:
        return found
    what = "" if isinstance(to, str) else "module "
    raise ValueError(
        f"{where} takes {known(taking)}; got {what}{shown(name)}.\n  {_WITHOUT_A_ROW[taking]}"
    )


def _named(name: str, taking: str) -> Peer | None:
    for peer in LIBRARIES:
        if getattr(peer, taking) and (name == peer.name or name in peer.modules):
            return peer
    return None


# What to do about a library that the table does not know.
_WITHOUT_A_ROW = {
    "consumer": "Any library that imports DLPack can be given anystream.from_dlpack(x, stream=s).",
    "modules": "Name the stream itself: anystream.Stream(s).",
}


def known(taking: str) -> str:
    """List, for a message, the libraries that have a column."""
    return ", ".join(repr(peer.name) for peer in LIBRARIES if getattr(peer, taking))


def load(peer: Peer, module: str, where: str) -> ModuleType:
    """Import a module of a library, because the user named it.

    Raises ModuleNotFoundError, saying what installs it, if the library is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ModuleNotFoundError(
            f"{where} needs the library {peer.name}, which is not installed.\n  {peer.install}",
            name=error.name,
        ) from error
