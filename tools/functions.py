# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the functions of C++ and Python text, with the lines of code of their bodies."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

# Literals are matched too, so that a // or a { inside one is not taken for code.
NOT_CODE = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|R"(?P<mark>[^(\s"]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:\\.|[^\\\n])*",
    re.DOTALL | re.MULTILINE,
)
TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|\[\s*\]|[^\s\w(]+)")
LAMBDA = re.compile(r"=\s*\[[^\]]*\]\s*(?:\([^{}]*)?$", re.DOTALL)
MEMBER_INITIALISERS = re.compile(r"\)[^()]*?(?<!:):(?!:)", re.DOTALL)
TYPE = re.compile(r"\b(?:namespace|class|struct|union|enum)\b[^()]*$|\bextern\s*$")
ACCESS = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
NAME = re.compile(r"([\w:~]+|operator\b\s*\S+?)\s*\(")


@dataclass(frozen=True)
class Function:
    """A function: the line of its signature, and the lines of code inside it."""

    line: int
    name: str
    lines: int


def blanked(text: str, *, comments_only: bool = False) -> str:
    """Return C++ text of the same shape, without comments, literals and directives."""

    def blank(match: re.Match[str]) -> str:
        if comments_only and not match["comment"]:
            return match.group()
        return re.sub(r"[^\n]", " ", match.group())

    return NOT_CODE.sub(blank, text)


def python_functions(text: str) -> Iterator[Function]:
    """Yield the functions of Python text; a docstring is no code."""
    rows = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            numbers = {n for part in body for n in range(part.lineno, (part.end_lineno or 0) + 1)}
            code = [n for n in numbers if rows[n - 1].strip() and rows[n - 1].lstrip()[0] != "#"]
            yield Function(node.lineno, node.name, len(code))


def _outside_parentheses(text: str) -> str:
    flat = re.sub(r"\([^()]*\)", "", text)
    return text if flat == text else _outside_parentheses(flat)


def _opens(head: str) -> str:
    """Tell what a brace after these words opens: a scope, a function or an initialiser."""
    head = OPERATOR.sub("operator", TEMPLATE.sub("", head)).strip()
    if head.count("(") != head.count(")"):
        return "initialiser"
    if TYPE.search(head):
        return "scope"
    if MEMBER_INITIALISERS.search(head) and re.search(r"[\w>]$", head):
        return "initialiser"
    if "(" not in head or "=" in _outside_parentheses(head):
        return "function" if LAMBDA.search(head) else "initialiser"
    return "function"


def _closing(code: str, opening: int) -> int:
    depth = 0
    for match in re.finditer(r"[{}]", code[opening:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return opening + match.start()
    return len(code) - 1


def cpp_functions(text: str) -> Iterator[Function]:
    """Yield the functions with a body of C++ text; a lambda belongs to the function around it."""
    code = ACCESS.sub(lambda match: ";".rjust(len(match.group())), blanked(text))
    lines = blanked(text, comments_only=True).splitlines()
    head = position = 0
    while match := re.compile(r"[{};]").search(code, position):
        position = match.end()
        if match.group() != "{":
            head = position
            continue
        opened = _opens(code[head : match.start()])
        if opened == "scope":
            head = position
            continue
        end = _closing(code, match.start())
        position = end + 1
        if opened == "function":
            yield _function(code, lines, head, match.start(), end)
            head = position


def _function(code: str, lines: list[str], head: int, opening: int, end: int) -> Function:
    words = code[head:opening]
    start = code.count("\n", 0, head + len(words) - len(words.lstrip()))
    name = NAME.search(TEMPLATE.sub("", words))
    first, last = code.count("\n", 0, opening), code.count("\n", 0, end)
    inside = lines[first + 1 : last] if last > first else lines[first : first + 1]
    count = sum(1 for line in inside if line.strip())
    return Function(start + 1, name.group(1) if name else "lambda", count)
