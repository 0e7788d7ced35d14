# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What type checkers are told of handoff: the peers table, with its keywords."""

import ast
import re
from typing import Any

import handoff_types
from built import package


def peers() -> list[Any]:
    package()
    return handoff_types.consumers()


def test_the_file_is_what_the_table_makes_of_it() -> None:
    package()
    written = handoff_types.FILE.read_text(encoding="utf-8")
    assert written == handoff_types.text(), f"python {handoff_types.__file__} writes it"


def test_it_takes_what_the_function_takes() -> None:
    package()
    from anystream._handoff import SIGNATURE

    tree = ast.parse(handoff_types.FILE.read_text(encoding="utf-8"))
    (policies,) = (
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "_Policies"
    )
    typed = [ast.unparse(line.target) for line in policies.body if isinstance(line, ast.AnnAssign)]
    (function,) = ast.parse(f"def {SIGNATURE}: ...").body
    assert isinstance(function, ast.FunctionDef)
    assert ["to", *typed] == [one.arg for one in function.args.kwonlyargs]


def test_every_library_and_every_module_of_it_has_an_overload() -> None:
    text = handoff_types.FILE.read_text(encoding="utf-8")
    for peer in peers():
        for name in (peer.name, *peer.modules):
            named = rf'^_\w+: TypeAlias = Literal\[.*"{re.escape(name)}"'
            assert re.search(named, text, re.MULTILINE)
