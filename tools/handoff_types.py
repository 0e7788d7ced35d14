# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What ``handoff(x, to=…)`` gives, for type checkers: overloads that are made of the peers table.

    python tools/handoff_types.py     # prints python/anystream/_handoff_types.pyi

Names in ``to=`` are told apart as literals, modules by the class of arrays that they have: a module
implements a protocol (PEP 544), so that nothing need be imported to know it.
"""

import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anystream._peer import Peer

ROOT = Path(__file__).parents[1]
FILE = ROOT / "python/anystream/_handoff_types.pyi"
_COLUMNS = 100

_HEAD = '''\
# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What handoff(x, to=…) gives, for type checkers; made by tools/handoff_types.py, do not edit.

A library that is not installed, or has no types, gives Any.
"""

# mypy: disable-error-code="import-not-found,import-untyped,type-var"

from types import ModuleType
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, Unpack, overload

'''

_POLICIES = """\
from typing_extensions import TypeVar

from anystream._device import DeviceLike
from anystream._handoff import Ordering
from anystream._release import Release

_Key = TypeVar("_Key")
_Given = TypeVar("_Given")
_Given_co = TypeVar("_Given_co", covariant=True)

class _Policies(TypedDict, total=False):
    stream: Any
    producer_stream: Any
    ordering: Ordering
    copy: bool | None
    device: DeviceLike | None
    strict: bool | None
    writable: bool
    release: Release | None

"""

_CLASSES = """
# The classes of their arrays. Each is the default of a variable that nothing else binds: so the
# function's own type is known without the library, too, where only what a call gives is not.
"""

# (x, what it gives); lists and the like come first, since Any is everything.
_SHAPES = (
    ("list[Any]", "list[{}]"),
    ("tuple[Any, ...]", "tuple[{}, ...]"),
    ("dict[_Key, Any]", "dict[_Key, {}]"),
    ("Any", "{}"),
)


def consumers() -> "list[Peer]":
    """List the rows of libraries that can be given arrays."""
    from anystream._peers import PEERS  # noqa: PLC0415 - the package is built after the tools

    return [peer for peer in PEERS if peer.consumer is not None]


def class_of(peer: "Peer") -> str:
    """Name the type of its arrays, as the file has it."""
    assert peer.consumer is not None  # noqa: S101 - consumers() gives no others
    return f"{_alias(peer)}T" if peer.consumer.gives else "Any"


def attributes(peers: "Iterable[Peer]") -> list[str]:
    """List the names by which modules that `to=` takes have the class, the most specific first."""
    names = {
        name
        for peer in peers
        if peer.consumer is not None
        for module, name in peer.consumer.gives
        if module in peer.modules
    }
    # A library of tensors may have arrays besides, and one of ndarrays a function `array`.
    order = ("StridedMemoryView", "Tensor", "ndarray", "Array", "array")
    return sorted(names, key=order.index)


def _imports(peers: "Iterable[Peer]") -> Iterator[str]:
    modules = {peer.consumer.gives[0][0] for peer in peers if peer.consumer and peer.consumer.gives}
    for module in sorted(modules):
        yield f"import {module}\n"


def _alias(peer: "Peer") -> str:
    return "_" + "".join(word.capitalize() for word in peer.name.replace(".", "_").split("_"))


def _names(peer: "Peer") -> str:
    names = ", ".join(f'"{name}"' for name in dict.fromkeys((peer.name, *peer.modules)))
    return f"{_alias(peer)}: TypeAlias = Literal[{names}]\n"


def _variable(peer: "Peer") -> str:
    if peer.consumer is None or not peer.consumer.gives:
        return ""
    kind, name = ".".join(peer.consumer.gives[0]), f"{_alias(peer)}T"
    line = f'{name} = TypeVar("{name}", bound={kind}, default={kind})\n'
    if len(line) > _COLUMNS:
        inner = f'"{name}",\n    bound={kind},\n    default={kind},'
        line = f"{name} = TypeVar(\n    {inner}\n)\n"
    return line


def _protocol(attribute: str) -> str:
    return f"""\
class _Has_{attribute}(Protocol[_Given_co]):
    @property
    def {attribute}(self) -> type[_Given_co]: ...

"""


def _overload(x: str, to: str, gives: str) -> str:
    given = f"x: {x}, *, to: {to}, **policies: Unpack[_Policies]"
    line = f"def handoff({given}) -> {gives}: ..."
    if len(line) > _COLUMNS:
        line = f"def handoff(\n    {given}\n) -> {gives}: ..."
    return f"@overload\n{line}\n"


def _documentation() -> str:
    """Give the function's own, for editors, which show that of the stub."""
    from anystream._handoff import handoff  # noqa: PLC0415

    return "\n" + textwrap.indent(f'"""{inspect.getdoc(handoff)}\n"""\n', "    ")


def text() -> str:
    """Write the file."""
    peers = consumers()
    kinds = [(_alias(peer), class_of(peer)) for peer in peers]
    kinds += [(f"_Has_{name}[_Given]", "_Given") for name in attributes(peers)]
    kinds.append(("str | ModuleType", "Any"))
    parts = (
        _HEAD,
        *_imports(peers),
        _POLICIES,
        "# The names of each library, and of its modules.\n",
        *map(_names, peers),
        _CLASSES,
        *map(_variable, peers),
        "\n# The modules, which are known by the class of arrays that they have.\n",
        *map(_protocol, attributes(peers)),
        *(_overload(x, to, gives.format(kind)) for x, gives in _SHAPES for to, kind in kinds),
    )
    return "".join(parts).removesuffix(" ...\n") + _documentation()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "python"))
    print(text(), end="")
