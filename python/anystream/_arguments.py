# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, with the messages that `from_dlpack` has for its own."""

import operator
from typing import Any

_LONGEST_REPR = 40
_SHOWN = (int, float, str, bytes, tuple)
ORDERINGS = ("device", "host", "none")


def got(value: object) -> str:
    """Say what was given: short values with their type, of anything else the type."""
    if value is None:
        return "None"
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ != "builtins":
        name = f"{kind.__module__}.{name}"
    if isinstance(value, _SHOWN) and len(shown := repr(value)) <= _LONGEST_REPR:
        return f"{name} {shown}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def check_policy(
    where: str, copy: object, ordering: object, strict: object, writable: object = False
) -> None:
    """Refuse what is no value of `copy`, `ordering`, `strict` or `writable`."""
    if not (copy is None or copy is True or copy is False):
        raise TypeError(f"{where}(copy=…) takes None, True or False; got {got(copy)}.")
    if not (isinstance(ordering, str) and ordering in ORDERINGS):
        _refuse_ordering(where, ordering)
    if not (strict is True or strict is False):
        raise TypeError(f"{where}(strict=…) takes True or False; got {got(strict)}.")
    if not (writable is True or writable is False):
        raise TypeError(f"{where}(writable=…) takes True or False; got {got(writable)}.")


def _refuse_ordering(where: str, ordering: object) -> None:
    text = f'{where}(ordering=…) takes "device", "host" or "none"; got {got(ordering)}.'
    if not isinstance(ordering, str):
        raise TypeError(text)
    raise ValueError(
        f'{text}\n  "device" orders on the device, "host" has the host wait, "none" leaves the '
        "order to you."
    )


def small_int(value: Any) -> int:
    """Read an int that fits DLPack's 32 bits. Raises TypeError, or ValueError out of range."""
    if isinstance(value, bool):
        raise TypeError("a bool is no number of a device")
    number = operator.index(value)
    if not 0 <= number < 2**31:
        raise ValueError(number)
    return number
