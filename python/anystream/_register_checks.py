# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of what a platform is registered with."""

from collections.abc import Callable
from typing import Any, NamedTuple

from anystream import _core
from anystream._arguments import got, shown, small_int
from anystream._peer import ClassName


class Location(NamedTuple):
    """Where bytes begin, as ``copy`` of a platform is told: nothing is added to a handle."""

    data: int
    offset: int  # in bytes
    on_host: bool  # data is an address of the host's own memory

    @property
    def address(self) -> int:
        """The two added, where data is an address."""
        return self.data + self.offset


KINDS = ("unknown", "device", "host", "shared")
_CALLBACKS = (
    *("device_of", "in_order", "same", "order", "record", "wait", "complete", "synchronize"),
    *(
        "destroy",
        "copy",
        "allocate",
        "deallocate",
        "memory_kind",
        "host_address",
        "owns",
        "devices",
    ),
)


def type_number(device_type: Any, where: str) -> int:
    """Give DLPack's number of a device type that was named for the parameter ``where``."""
    if isinstance(device_type, str):
        if ":" in device_type:
            raise ValueError(
                f"{where} takes a device type; got the device {shown(device_type)}.\n"
                "  Leave its number out."
            )
        return _core.parse_device(device_type)[0]
    try:
        return small_int(device_type)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f'{where} takes a word such as "vulkan", a DeviceType, or a number of DLPack\'s; got '
            f"{got(device_type)}.\n  DeviceType lists those with a name."
        ) from None


def checked_name(name: Any) -> str:
    """Give a name that is one as far as the core cannot tell."""
    if isinstance(name, str) and "\0" not in name:
        return str(name)  # the core looks at its letters
    raise (ValueError if isinstance(name, str) else TypeError)(
        f"register_platform(name) takes a str without NULs; got {got(name)}.\n"
        "  Take the word that your library is known by."
    )


NAMES_FIX = 'Write my_library.Queue, "my_library:Queue" or ("my_library", "Queue").'


def class_names_of(stream: Any, where: str) -> tuple[ClassName, ...]:
    """Give the (module, qualname) of the classes that were named for the parameter ``where``."""
    if stream is None:
        return ()
    if isinstance(stream, list) or (isinstance(stream, tuple) and not _is_pair(stream)):
        return tuple(name for one in stream for name in class_names_of(one, where))
    if isinstance(stream, type):
        return ((str(stream.__module__), stream.__qualname__),)
    pair = tuple(stream.split(":")) if isinstance(stream, str) else stream
    if _is_pair(pair) and all(pair):
        return ((pair[0], pair[1]),)
    kind = ValueError if isinstance(stream, (str, tuple)) else TypeError
    raise kind(
        f'{where} takes a class, "module:qualname", a pair of both, or a list of these; '
        f"got {got(stream)}.\n  {NAMES_FIX}"
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, str) for v in value)


def shown_class(name: ClassName) -> str:
    """Name a class for a message, without the modules whose names begin with "_"."""
    module, qualname = name
    public = ".".join(part for part in module.split(".") if not part.startswith("_"))
    return f"{public}.{qualname}" if public else qualname


def check_words(given: dict[str, Any]) -> None:
    """Refuse wrong words and truth values."""
    where = "register_platform"
    for key in ("capsule", "takes", "fix"):
        value = given[key]
        if value is not None and not (isinstance(value, str) and value and "\0" not in value):
            raise TypeError(
                f"{where}({key}=…) takes a str that is not empty, nor has NULs; got {got(value)}.\n"
                "  Leave it out where there is none."
            )
    for key in ("integers", "frees_in_order", "across_devices"):
        if not isinstance(given[key], bool):
            raise TypeError(
                f"{where}({key}=…) takes True or False; got {got(given[key])}.\n"
                "  It is one answer for the whole platform."
            )
    memory = given["memory"]
    if not callable(memory) and memory not in KINDS:
        kind = ValueError if isinstance(memory, str) else TypeError
        raise kind(
            f'{where}(memory=…) takes "device", "host", "shared", "unknown" or a function of '
            f"a pointer that gives one of these; got {got(memory)}.\n"
            '  "device" is what the host must not read.'
        )


_HANDLES = ("attr:", "call:", "capsule:")
HANDLE_FIX = 'Write handle="attr:ptr", "call:get_ptr", "int", or a function that gives an int.'


def check_handle(given: dict[str, Any]) -> bool:
    """Tell whether the handles are the objects themselves."""
    handle = given["handle"]
    if handle is None:
        for key in ("capsule", "integers"):
            if given[key]:
                raise ValueError(
                    f"register_platform({key}=…) takes handle=…, since the streams of the platform "
                    f"are then numbers; got handle=None.\n  {HANDLE_FIX}"
                )
        return True
    check_way(handle, "register_platform(handle=…)", ("int",))
    return False


def check_way(handle: Any, where: str, words: tuple[str, ...]) -> None:
    """Refuse what is no way to read a handle; ``words`` are those without a name."""
    if callable(handle):
        return
    if isinstance(handle, str):
        named = any(handle.startswith(word) and handle != word for word in _HANDLES)
        if named or handle in words:
            return
    kind = ValueError if isinstance(handle, str) else TypeError
    listed = ", ".join(f'"{word}"' for word in words)
    raise kind(
        f'{where} takes "attr:NAME", "call:NAME", "capsule:NAME", {listed} or a function; '
        f"got {got(handle)}.\n  {HANDLE_FIX}"
    )


def callbacks_of(given: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Give the functions by the names that the core has for them."""
    functions = {key: given[key] for key in _CALLBACKS if key in given and given[key] is not None}
    if isinstance(given["in_order"], bool):
        del functions["in_order"]
        if given["in_order"] is False:
            functions["in_order"] = _never
    if callable(given["memory"]):
        functions["memory_kind"] = given["memory"]
    if given["devices"] is not None and not callable(given["devices"]):
        functions["devices"] = _listing(given["devices"])
    for key, function in functions.items():
        if not callable(function):
            raise TypeError(
                f"register_platform({key}=…) takes a function{_OR.get(key, '')}; got "
                f"{got(function)}.\n  help(anystream.register_platform) says how it is called."
            )
    if "copy" in functions:
        functions["copy"] = _with_locations(functions["copy"])
    return functions


_OR = {"in_order": ", True or False"}


def _never(_: Any) -> bool:
    return False


def _with_locations(copy: Callable[..., Any]) -> Callable[..., Any]:
    def located(stream: Any, target: Any, source: Any, nbytes: int) -> None:
        copy(stream, Location(*target), Location(*source), nbytes)

    return located


def _listing(devices: Any) -> Callable[[], Any]:
    kinds = ("cpu", "gpu", "accelerator", "other")
    wrong = (
        "register_platform(devices=…) takes a function, or a list of (number, kind, name) with a "
        f"kind among {', '.join(kinds)}; got {{}}.\n  Write devices=[(0, 'gpu', 'its name')]."
    )
    if not isinstance(devices, (list, tuple)):
        raise TypeError(wrong.format(got(devices)))
    for one in devices:
        if not isinstance(one, tuple) or len(one) != 3 or not isinstance(one[2], str):
            raise TypeError(wrong.format(got(one)))
        if one[1] not in kinds:
            raise ValueError(wrong.format(got(one)))
        try:
            small_int(one[0])
        except (TypeError, ValueError) as error:
            raise type(error)(wrong.format(got(one))) from None
    listed = tuple(devices)
    return lambda: listed


def flags_of(given: dict[str, Any]) -> int:
    """Give the C table's ANYSTREAM_PLATFORM_…."""
    integers, separate, frees = 1, 2, 4
    return (
        (integers if given["integers"] else 0)
        | (0 if given["across_devices"] else separate)
        | (frees if given["frees_in_order"] else 0)
    )
