# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks that set what holds for a thread or an asyncio task, in whatever order they are left."""

from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Entered(Generic[Value]):
    """One entering of a block; the contexts that have it, copies included, keep it alive."""

    __slots__ = ("ended", "kept", "token", "value")

    def __init__(self, value: Value, kept: object) -> None:
        self.value, self.kept = value, kept
        self.ended = False
        self.token: Token[Stack[Value]] | None = None

    def end(self) -> None:
        """Have it hold nowhere any more."""
        self.ended, self.kept = True, None


Stack = tuple[Entered[Value], ...]  # the innermost is the last


class Block(ContextDecorator, Generic[Value]):
    """A block that has a value hold; it can be entered again, also while it is entered."""

    __slots__ = ("_entered", "_value", "_variable")

    def __init__(self, variable: "ContextVar[Stack[Value]]", value: Value) -> None:
        """Take note; nothing holds before the block is entered."""
        self._variable, self._value = variable, value
        self._entered: list[Entered[Value]] = []

    def __enter__(self) -> None:
        """Have the value hold here."""
        entered = Entered(self._value, self._keep())
        entered.token = self._variable.set((*self._here(), entered))
        self._entered.append(entered)

    def __exit__(self, *error: object) -> None:
        """Take away what was entered last, and nothing that others have entered meanwhile."""
        if not self._entered:
            raise RuntimeError("this block is not entered.\n  Use it as: with block: …")
        here = self._here()
        own = [one for one in here if one in self._entered] or self._entered
        entered = own[-1]
        self._entered.remove(entered)
        if self._is_of_this_context(entered):
            self._variable.set(tuple(one for one in here if one is not entered))
        else:  # as a generator's that somebody else ends: where it was entered is out of reach
            entered.end()

    def _is_of_this_context(self, entered: Entered[Value]) -> bool:
        token, entered.token = entered.token, None
        assert token is not None  # noqa: S101 - it is left once
        try:
            self._variable.reset(token)
        except ValueError:  # the only thing that tells contexts apart
            return False
        return True

    def _here(self) -> Stack[Value]:
        return tuple(one for one in self._variable.get() if not one.ended)

    def _keep(self) -> object:
        """Give what is to live for as long as the value holds anywhere."""
        return None


def value_here(variable: ContextVar[Stack[Value]], otherwise: Value) -> Value:
    """Give the value of the innermost block."""
    for entered in reversed(variable.get()):
        if not entered.ended:
            return entered.value
    return otherwise
