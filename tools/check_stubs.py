# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the typed stub of the extension, _core.pyi, with the one that the extension tells.

usage: PYTHONPATH=python python check_stubs.py

Names, kinds, bases, and parameters with their names, kinds and defaults must agree. Types, too, as
far as the extension knows them: it tells int from str, and not what a tuple is of. Takes an
interpreter that has nanobind.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sources import ROOT, Finding, report

STUB = Path("python/anystream/_core.pyi")

# In the stub only; so are names for types.
STUB_ONLY = {"Array.__buffer__": "Python gives it that name from 3.12 on"}
# In the extension only.
EXTENSION_ONLY = {
    "Stream.__cuda_stream__": "a checker would take every Stream for one of CUDA",
    "Stream._get_capsule": "a checker would take every Stream for a SYCL queue",
    "Stream._cuda_stream": "what __cuda_stream__ gives where it is there",
    "Stream._dlpack_stream": "what __dlpack_stream__ gives where it is there",
    "Stream._make_capsule": "what _get_capsule gives where it is there",
}
OF_ANOTHER_KIND = {
    "Stream.__dlpack_stream__": "an attribute that gives a method, or says why there is none",
}
# What every class has; the stub has no need of it.
_OF_CLASSES = {
    *("__repr__", "__hash__", "__doc__", "__module__", "__weakref__", "__class_getitem__"),
    "__release_buffer__",  # from 3.12 on
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
}
_KNOWN_TYPES = {"int", "str", "bool", "bytes", "float", "None", "tuple", "list", "dict"}


class Parameter(NamedTuple):
    """A parameter; without a name where the extension gave it none."""

    name: str
    kind: str
    default: str


class Member(NamedTuple):
    """A name of a module or class, with what is written of it: several times if overloaded."""

    kind: str
    nodes: tuple[ast.stmt, ...]

    @property
    def line(self) -> int:
        """Where the first of them stands."""
        return self.nodes[0].lineno


Function = ast.FunctionDef | ast.AsyncFunctionDef
Members = dict[str, Member]


def _kind(node: Function) -> str:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Name) and decorator.id in ("property", "staticmethod"):
            return {"property": "value", "staticmethod": "static method"}[decorator.id]
    return "function"


def _names_a_type(node: ast.stmt) -> bool:
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation) == "TypeAlias"
    if not isinstance(node, ast.ClassDef):
        return False
    bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
    # What one is made of that only the stub has is one as well.
    return bool(bases & {"TypedDict", "Protocol"}) or any(base[0] == "_" for base in bases)


def _named(node: ast.stmt) -> tuple[str, str] | None:
    if isinstance(node, Function):
        return node.name, _kind(node)
    if isinstance(node, ast.ClassDef):
        return node.name, "class"
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, "value"
    return None


def members(body: Iterable[ast.stmt], inside: str = "") -> Members:
    """Read what a stub declares, by dotted names."""
    found: Members = {}
    for node in body:
        named = _named(node)
        if named is None or (inside and named[0] in _OF_CLASSES):
            continue
        # Either may be typed; the extension has one signature for both.
        name, kind = inside + named[0].replace("__new__", "__init__"), named[1]
        before = found[name].nodes if name in found else ()
        found[name] = Member(kind, (*before, node))
        if isinstance(node, ast.ClassDef) and not inside and not _names_a_type(node):
            found |= members(node.body, f"{name}.")
    return found


def _is_unnamed(name: str) -> bool:
    return name == "arg" or (name.startswith("arg") and name[3:].isdigit())


def parameters(node: Function) -> list[Parameter]:
    """List the parameters, but for a method's first."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    rows: list[tuple[ast.arg, str, ast.expr | None]] = []
    for index, (one, default) in enumerate(zip(positional, defaults, strict=True)):
        alone = index < len(given.posonlyargs) or _is_unnamed(one.arg)
        rows.append((one, "by position" if alone else "either way", default))
    if given.vararg:
        rows.append((given.vararg, "all by position", None))
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    rows += [(one, "by name", default) for one, default in named]
    if given.kwarg:
        rows.append((given.kwarg, "all by name", None))
    return [
        Parameter(
            "" if _is_unnamed(one.arg) else one.arg, kind, ast.unparse(default) if default else ""
        )
        for one, kind, default in rows
        if one.arg not in ("self", "cls")
    ]


def _agree(stub: Parameter, told: Parameter) -> bool:
    return stub == told or (not told.name and stub[1:] == told[1:])


def _signature(rows: Iterable[Parameter]) -> str:
    return "; ".join(
        f"{row.name or '(unnamed)'} {row.kind}" + (f" = {row.default}" if row.default else "")
        for row in rows
    )


def head(written: ast.expr | None, names: Members) -> str:
    """Reduce a type to what the extension would know of it: "tuple", of tuple[int, int]."""
    if isinstance(written, ast.Constant):
        return type(written.value).__name__ if written.value is not None else "None"
    if isinstance(written, ast.Name):
        alias = names.get(written.id)
        node = alias.nodes[0] if alias else None
        return head(node.value, names) if isinstance(node, ast.AnnAssign) else written.id
    if isinstance(written, ast.Subscript):
        outer = ast.unparse(written.value)
        inner = written.slice.elts[0] if isinstance(written.slice, ast.Tuple) else written.slice
        return head(inner, names) if outer in ("Final", "ClassVar", "Literal") else outer
    return ""


def _types(node: ast.stmt) -> dict[str, ast.expr | None]:
    """Give the types that a declaration has: by parameter, and of what it is or gives."""
    if isinstance(node, ast.AnnAssign):
        return {"": node.annotation}
    if not isinstance(node, Function):
        return {}
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return {str(index): one.annotation for index, one in enumerate(given)} | {"": node.returns}


def _type_findings(name: str, stub: Member, told: Member, names: Members) -> Iterator[Finding]:
    ours = _types(stub.nodes[-1])
    for place, theirs in _types(told.nodes[0]).items():
        known, written = head(theirs, {}), head(ours.get(place), names)
        if known in _KNOWN_TYPES and known != written:
            where = f"parameter {place}" if place else "its type"
            text = f"{name}: {where} is {written or 'untold'} here and {known} in the extension"
            yield Finding(STUB, stub.line, text)


def _base_findings(name: str, stub: Member, told: Member) -> Iterator[Finding]:
    ours, theirs = (
        {
            ast.unparse(base)
            for one in node.nodes
            if isinstance(one, ast.ClassDef)
            for base in one.bases
        }
        for node in (stub, told)
    )
    ours = {base for base in ours if not base.startswith("Generic[")} or {"object"}
    if ours != theirs:
        yield Finding(STUB, stub.line, f"{name}: its bases are {sorted(theirs)} in the extension")


def _member_findings(name: str, stub: Member, told: Member, names: Members) -> Iterator[Finding]:
    if stub.kind != told.kind:
        if name not in OF_ANOTHER_KIND:
            text = f"{name} is a {stub.kind} here and a {told.kind} in the extension"
            yield Finding(STUB, stub.line, text)
        return
    if stub.kind == "class":
        yield from _base_findings(name, stub, told)
        return
    yield from _type_findings(name, stub, told, names)
    [node] = told.nodes
    if isinstance(node, Function) and stub.kind != "value":
        theirs = parameters(node)
        ours = [parameters(one) for one in stub.nodes if isinstance(one, Function)]
        if not any(len(one) == len(theirs) and all(map(_agree, one, theirs)) for one in ours):
            here = _signature(ours[-1])
            text = f"{name}: the extension takes ({_signature(theirs)}), here is ({here})"
            yield Finding(STUB, stub.line, text)


def stub_findings(stub_text: str, told_text: str) -> list[Finding]:
    """Return what differs between the typed stub and the told one."""
    stub, told = (members(ast.parse(text).body) for text in (stub_text, told_text))
    found = [
        Finding(STUB, stub[name].line, f"{name} is not in the extension")
        for name in sorted(stub.keys() - told.keys() - STUB_ONLY.keys())
        if not _names_a_type(stub[name].nodes[0])
    ]
    found += [
        Finding(STUB, 1, f"{name} is in the extension, and not here")
        for name in sorted(told.keys() - stub.keys() - EXTENSION_ONLY.keys())
    ]
    for name in stub.keys() & told.keys():
        found += _member_findings(name, stub[name], told[name], stub)
    return sorted(found, key=lambda finding: (finding.line, finding.text))


def main() -> int:
    """Compare the tree's stub with the extension that Python finds."""
    from told_stub import told  # noqa: PLC0415 - takes a build tool

    return report(stub_findings((ROOT / STUB).read_text(encoding="utf-8"), told()))


if __name__ == "__main__":
    sys.exit(main())
