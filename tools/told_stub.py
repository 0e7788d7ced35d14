# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a stub of the extension from what that says of itself.

usage: PYTHONPATH=python python told_stub.py

Of functions it is nanobind's generated stub. Of classes, and of functions written by hand, which
that cannot read, it is their __text_signature__. Takes an interpreter that has nanobind.
"""

import ast
import inspect
import types
from collections.abc import Iterator
from importlib import import_module
from typing import Any

MODULE = "anystream._core"


def _arguments(value: Any) -> str:
    """Give the signature that a function, a method or a class says in its text."""
    if not getattr(value, "__text_signature__", None):
        return "(*args, **kwargs)"
    return str(inspect.signature(value))


def _member(cls: type, name: str, value: Any) -> list[str]:
    if isinstance(value, staticmethod):
        return ["@staticmethod", f"def {name}{_arguments(getattr(cls, name))}: ..."]
    if isinstance(value, classmethod | types.ClassMethodDescriptorType):
        return ["@classmethod", f"def {name}{_arguments(value)}: ..."]
    if inspect.isroutine(value):
        return [f"def {name}{_arguments(value)}: ..."]
    if inspect.isgetsetdescriptor(value):
        return ["@property", f"def {name}(self): ..."]
    return [f"{name}: {type(value).__name__}"]


def class_text(cls: type) -> str:
    """Write a class, with its constructor's signature as that of ``__init__``."""
    lines = [f"class {cls.__name__}({', '.join(base.__name__ for base in cls.__bases__)}):", "pass"]
    if getattr(cls, "__text_signature__", None):
        lines.append(f"def __init__{_arguments(cls).replace('(', '(self, ', 1)}: ...")
    for name, value in vars(cls).items():
        if name not in ("__init__", "__new__"):
            lines += _member(cls, name, value)
    return "\n    ".join(lines)


def _classes(module: types.ModuleType) -> Iterator[str]:
    yield from (class_text(one) for one in vars(module).values() if isinstance(one, type))


def told() -> str:
    """Write the stub."""
    from nanobind.stubgen import StubGen  # noqa: PLC0415 - a build tool

    module = import_module(MODULE)
    generator = StubGen(module, include_private=True, include_docstrings=False)
    generator.put(module)
    functions = [
        ast.unparse(node)
        for node in ast.parse(generator.get()).body
        if not isinstance(node, ast.ClassDef | ast.Import | ast.ImportFrom)
    ]
    version = f"__version__: {type(module.__version__).__name__}"  # which the generator leaves out
    return "\n".join((version, *functions, *_classes(module)))


if __name__ == "__main__":
    print(ast.unparse(ast.parse(told())))
