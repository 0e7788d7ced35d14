# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, with the messages that `from_dlpack` has for its own."""

import inspect
import operator
from collections.abc import Callable
from functools import wraps
from itertools import takewhile
from typing import Any, ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_LONGEST_REPR = 40
_SHOWN = (int, float, str, bytes, tuple)
ORDERINGS = ("device", "host", "none")


def got(value: object) -> str:
    """Say what was given: short values with their type, of anything else the type.

    The extension has the same for its own messages. What a foreign object says of itself may be
    anything, so of it only the name of its class is asked.
    """
    if value is None:
        return "None"
    kind = type(value)
    if issubclass(kind, type):
        return f"the class {name_of(value)}"
    name = name_of(kind)
    if issubclass(kind, _SHOWN) and (text := _short_repr(value)):
        return f"{name} {text}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def name_of(kind: Any) -> str:
    """Name a class as its users know it: without the modules whose names begin with "_"."""
    public = ".".join(takewhile(_is_public, _module_of(kind).split(".")))
    name: str = kind.__qualname__
    return name if public in ("", "builtins") else f"{public}.{name}"


def _module_of(kind: Any) -> str:
    try:
        module = kind.__module__
    except Exception:  # noqa: BLE001 - a metaclass may do anything; then it has no module
        return ""
    return module if isinstance(module, str) else ""


def _is_public(part: str) -> bool:
    return not part.startswith("_") or part.startswith("__")


def _short_repr(value: Any) -> str:
    """Give a short repr, or "" where there is none: what it raises is no one's concern here."""
    try:
        too_long = isinstance(value, (str, bytes, tuple)) and len(value) > _LONGEST_REPR
        text = "" if too_long else repr(value)
    except Exception:  # noqa: BLE001 - a message is being written about something else
        return ""
    return text if len(text) <= _LONGEST_REPR else ""


def shown(text: str) -> str:
    """Quote a text that was given, cut where it is long."""
    plain = str.__str__(text)
    return repr(plain if len(plain) <= _LONGEST_REPR else f"{plain[:_LONGEST_REPR]}…")


def tells_its_parameters(
    function: Callable[_Parameters, _Result],
) -> Callable[_Parameters, _Result]:
    """Have a call that does not fit a function say how it is called.

    Only a call that failed is looked at: an error that no frame of the function was entered for is
    the interpreter's, about the arguments.
    """

    @wraps(function)
    def called(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            text = str(error).replace(".__init__()", "()")
            raise TypeError(f"{text}.\n  It is called as {_call_of(function)}.") from None

    return called


def _call_of(function: Callable[..., Any]) -> str:
    """Write a function's name and parameters, without their types."""
    bare = [
        parameter.replace(annotation=parameter.empty)
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self"
    ]
    return f"{function.__qualname__.removesuffix('.__init__')}{inspect.Signature(bare)}"


def check_policy(
    where: str, copy: object, ordering: object, strict: object, writable: object = False
) -> None:
    """Refuse what is no value of `copy`, `ordering`, `strict` or `writable`."""
    if not (copy is None or copy is True or copy is False):
        raise TypeError(f"{where}(copy=…) takes None, True or False; got {got(copy)}.\n  {_COPY}")
    if not (isinstance(ordering, str) and ordering in ORDERINGS):
        _refuse_ordering(where, ordering)
    if not (strict is None or strict is True or strict is False):
        raise TypeError(
            f"{where}(strict=…) takes None, True or False; got {got(strict)}.\n  {_STRICT}"
        )
    if not (writable is True or writable is False):
        raise TypeError(
            f"{where}(writable=…) takes True or False; got {got(writable)}.\n  {_WRITABLE}"
        )


_COPY = "True makes new memory, False refuses to, None copies only where it must."
_STRICT = (
    "True refuses an order that is not proved on the device; None does as anystream.strict() says."
)
_WRITABLE = "True refuses read-only memory, because the result is to be written to."


def _refuse_ordering(where: str, ordering: object) -> None:
    kind = ValueError if isinstance(ordering, str) else TypeError
    raise kind(
        f'{where}(ordering=…) takes "device", "host" or "none"; got {got(ordering)}.\n'
        '  "device" orders on the device, "host" has the host wait, "none" leaves the order to you.'
    )


def small_int(value: Any) -> int:
    """Read an int that fits DLPack's 32 bits. Raises TypeError, or ValueError out of range."""
    if isinstance(value, bool):
        raise TypeError("a bool is no number of a device")
    number = operator.index(value)
    if not 0 <= number < 2**31:
        raise ValueError(number)
    return number
