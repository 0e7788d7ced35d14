# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Telling anystream at run time of a platform, and of stream classes."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anystream import _core, _platforms
from anystream._arguments import got, shown, small_int, tells_its_parameters
from anystream._core import _add_stream_class, _register_platform
from anystream._peer import ClassName
from anystream._recognise import FAMILIES

Handle = str | Callable[[Any], int]
StreamName = type | str | tuple[str, str]


class Location(NamedTuple):
    """Where bytes begin, as ``copy`` of a platform is told: nothing is added to a handle."""

    data: int
    offset: int  # in bytes
    on_host: bool  # data is an address of the host's own memory

    @property
    def address(self) -> int:
        """The two added, where data is an address."""
        return self.data + self.offset


_KINDS = ("unknown", "device", "host", "shared")
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
# By (device type, name): what it was registered with.
_registered: dict[tuple[int, str], dict[str, Any]] = {}
# The way that the handle of each platform's streams is read.
_handles: dict[str, Handle] = {}
_BUILT_IN = ("cuda", "cuda_like", "hip", "sycl", "opencl", "metal", "simulated")


@tells_its_parameters
def register_platform(
    device_type: int | str,
    name: str,
    /,
    *,
    stream: StreamName | Sequence[StreamName] | None = None,
    handle: Handle | None = None,
    capsule: str | None = None,
    integers: bool = False,
    device_of: Callable[[Any], int] | None = None,
    in_order: bool | Callable[[Any], bool] = True,
    same: Callable[[Any, Any], bool] | None = None,
    order: Callable[[Any, Any], object] | None = None,
    record: Callable[[Any], Any] | None = None,
    wait: Callable[[Any, Any], object] | None = None,
    complete: Callable[[Any], bool] | None = None,
    synchronize: Callable[[Any], object] | None = None,
    destroy: Callable[[Any], object] | None = None,
    copy: Callable[[Any, Location, Location, int], object] | None = None,
    allocate: Callable[[int, int, Any], int] | None = None,
    deallocate: Callable[[int, int, Any], object] | None = None,
    frees_in_order: bool = False,
    memory: str | Callable[[int], str] = "unknown",
    host_address: Callable[[int], int | None] | None = None,
    owns: Callable[[int], bool] | None = None,
    across_devices: bool = True,
    devices: Callable[[], Any] | Sequence[tuple[int, str, str]] | None = None,
    takes: str | None = None,
    fix: str | None = None,
) -> None:
    """Tell anystream of a platform: how its streams are named, and how two of them are ordered.

    ``register_platform("vulkan", "my_engine", stream=my_engine.Queue, record=…, wait=…)``. Only
    ``stream`` (or ``capsule``) is needed: hand-offs on one and the same stream work then, and
    whatever takes more is a DriverUnavailable that names what is missing.

    device_type: a word of the device strings, or a number of DLPack's, assigned yet or not; none
        that has a built-in platform (a stream class is added there by ``register_stream_type``).
    name: 1 to 31 of a-z, 0-9, "_", "." and "-".
    stream: the class of its streams, or its name: "module:qualname" or a pair, so that nothing need
        be imported; or a list of them.
    handle: how the handle is read from such an object, and what the functions below are then
        given: "attr:NAME", "call:NAME", "int", "capsule:NAME", or a function that gives an int.
        None: the functions are given the object itself. The object is kept while it is in use.
    capsule, integers: the name that a stream capsule has; whether an int > 0 as ``stream`` is a
        handle. Both take ``handle``.
    device_of(stream): the number of its device; None: that of the array that it is named for.
    in_order: True, False, or a function of the stream, which is asked once.
    same(a, b): whether two are one queue; None: if they have one handle.
    order(producer, consumer): later work of the consumer waits on the device for earlier work of
        the producer, in one step; None: by record and wait.
    record(stream): gives an event, any object: a point after the stream's work so far.
    wait(stream, event): later work of the stream waits for it; the host does not.
    complete(event): whether it is done, without waiting. synchronize(event): waits; None: complete
        is asked time and again. destroy(event): where dropping the object is not enough.
    copy(stream, target, source, nbytes): enqueues; both are a ``Location`` (data, offset,
        on_host), which may be host memory.
    allocate(device_id, nbytes, stream): gives a pointer; deallocate(device_id, pointer, stream);
        the stream may be None. frees_in_order: deallocate is ordered after the stream's work.
    memory: "device", "host", "shared" (the host may read it after the right wait), "unknown", or a
        function of the pointer. host_address(pointer): where the host sees it, or None.
    owns(pointer): whether memory is this platform's. With it, it lives beside others on its device
        type; without, it is the type's own, of which there is one.
    across_devices: whether a stream can wait for one of another device of the platform.
    devices: [(number, "cpu" | "gpu" | "accelerator" | "other", name), …], or a function that gives
        it, for listings.
    takes, fix: words for messages: what its streams are, and how to name one, a sentence.

    The functions are called from any thread, also that of the releases, with the GIL and no lock
    held; never after the interpreter began to go away, nor in a forked child. What one raises is
    the cause of the DriverError that whoever called gets. A platform stays for the process.

    Raises TypeError and ValueError for what does not fit; ValueError for a name, or a device type,
    that has its platform already. The very same call a second time does nothing. Any thread.
    """
    given = {key: value for key, value in locals().items() if key not in ("device_type", "name")}
    given = {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
    number = type_number(device_type, "register_platform(device_type)")
    called = _checked_name(name)
    if _registered.get((number, called)) == given:
        return
    names = class_names_of(stream, "register_platform(stream=…)")
    if not (names or capsule is not None or integers is True):
        raise ValueError(
            "register_platform(stream=…) takes the class of the platform's streams; got None, and "
            "neither capsule=… nor integers=True.\n  Name the class: stream=my_library.Queue."
        )
    _check_words(given)
    objects = _check_handle(given)
    callbacks = _callbacks(given)
    for one in names:
        _check_class(one, called, "register_platform(stream=…)")
    _register_platform(
        number,
        called,
        takes=takes or " or ".join(f"a {shown_class(one)}" for one in names),
        capsules=capsule or "",
        fix=fix or "",
        flags=_flags(given),
        memory=_KINDS.index(memory) if isinstance(memory, str) else 0,
        objects=objects,
        callbacks=callbacks,
    )
    _registered[number, called] = given
    _handles[called] = "object" if handle is None else handle
    for one in names:
        _add_class(one, called, called, _handles[called], 1)


@tells_its_parameters
def register_stream_type(
    stream: StreamName,
    platform: str,
    /,
    *,
    handle: Handle | None = None,
    null_means: int = 1,
) -> None:
    """Add a class of streams to a platform, registered or built in.

    ``register_stream_type(MyStream, "cuda", handle="attr:ptr")``. Objects of the class, and of its
    subclasses, are then taken wherever streams of the platform are.

    stream: the class, or its name: "module:qualname" or a pair, so that nothing need be imported.
    platform: a name that ``register_platform`` was given, or "cuda", "hip", "cuda_like" (of either,
        as the array says), "sycl", "opencl", "metal" or "simulated".
    handle: how its handle is read: "attr:NAME" (an int), "call:NAME" (a method that gives it),
        "int" (int(x)), "protocol" (``__cuda_stream__``), "capsule:NAME" (a method that gives the
        platform's capsule), or a function that gives an int. Of SYCL: the address of a
        sycl::queue. None: as the registered platform has it.
    null_means: on CUDA, the default stream that a handle of 0 is: 1 or 2.

    Raises TypeError and ValueError for what does not fit, and ValueError for a class that has its
    platform already; the very same call a second time does nothing. Any thread, with the GIL.
    """
    where = "register_stream_type(stream)"
    (name,) = class_names_of(stream, where) or (None,)
    if name is None or (isinstance(stream, Sequence) and not isinstance(stream, (str, tuple))):
        raise TypeError(f"{where} takes one class, or its name; got {got(stream)}.\n  {_NAMES}")
    found, family = _checked_platform(platform)
    read = _handle_for(found, handle)
    if null_means not in (1, 2) or isinstance(null_means, bool):
        raise ValueError(
            f"register_stream_type(null_means=…) takes 1 or 2; got {got(null_means)}.\n"
            "  It is the default stream that a handle of 0 is on CUDA: 1 legacy, 2 per thread."
        )
    if not _check_class(name, found, where, read):
        _add_class(name, found, family, read, null_means)


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


def _checked_name(name: Any) -> str:
    if isinstance(name, str) and "\0" not in name:
        return str(name)  # the core looks at its letters
    raise (ValueError if isinstance(name, str) else TypeError)(
        f"register_platform(name) takes a str without NULs; got {got(name)}.\n"
        "  Take the word that your library is known by."
    )


_NAMES = 'Write my_library.Queue, "my_library:Queue" or ("my_library", "Queue").'


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
        f"got {got(stream)}.\n  {_NAMES}"
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, str) for v in value)


def shown_class(name: ClassName) -> str:
    """Name a class for a message, without the modules whose names begin with "_"."""
    module, qualname = name
    public = ".".join(part for part in module.split(".") if not part.startswith("_"))
    return f"{public}.{qualname}" if public else qualname


def _check_words(given: dict[str, Any]) -> None:
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
    if not callable(memory) and memory not in _KINDS:
        kind = ValueError if isinstance(memory, str) else TypeError
        raise kind(
            f'{where}(memory=…) takes "device", "host", "shared", "unknown" or a function of '
            f"a pointer that gives one of these; got {got(memory)}.\n"
            '  "device" is what the host must not read.'
        )


_HANDLES = ("attr:", "call:", "capsule:")
_HANDLE_FIX = 'Write handle="attr:ptr", "call:get_ptr", "int", or a function that gives an int.'


def _check_handle(given: dict[str, Any]) -> bool:
    """Tell whether the handles are the objects themselves."""
    handle = given["handle"]
    if handle is None:
        for key in ("capsule", "integers"):
            if given[key]:
                raise ValueError(
                    f"register_platform({key}=…) takes handle=…, since the streams of the platform "
                    f"are then numbers; got handle=None.\n  {_HANDLE_FIX}"
                )
        return True
    _check_way(handle, "register_platform(handle=…)", ("int",))
    return False


def _check_way(handle: Any, where: str, words: tuple[str, ...]) -> None:
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
        f"got {got(handle)}.\n  {_HANDLE_FIX}"
    )


def _callbacks(given: dict[str, Any]) -> dict[str, Callable[..., Any]]:
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


def _flags(given: dict[str, Any]) -> int:
    integers, separate, frees = 1, 2, 4
    return (
        (integers if given["integers"] else 0)
        | (0 if given["across_devices"] else separate)
        | (frees if given["frees_in_order"] else 0)
    )


def _checked_platform(platform: Any) -> tuple[str, str]:
    """Give the platform, and what the core calls its stream classes."""
    families = {name: name for name in _BUILT_IN}
    families.update((row["id"], row["objects"]) for row in _platforms.rows())
    if isinstance(platform, str) and platform in families:
        return platform, families[platform]
    raise (ValueError if isinstance(platform, str) else TypeError)(
        f"register_stream_type(platform) takes the name of a platform: {', '.join(families)}; got "
        f"{got(platform)}.\n  register_platform makes another one known."
    )


def _handle_for(platform: str, handle: Any) -> Handle:
    where = "register_stream_type(handle=…)"
    usual = _handles.get(platform)
    if usual == "object" and handle is not None:
        raise ValueError(
            f'{where}: the streams of platform "{platform}" are Python objects, which have no '
            f"number to read; got {got(handle)}.\n  Leave it out."
        )
    if handle is None and usual is not None:
        return usual
    if handle is None:
        raise TypeError(f"{where} says how the handle is read; got None.\n  {_HANDLE_FIX}")
    _check_way(handle, where, ("int", "protocol"))
    chosen: Handle = handle
    return chosen


# How each class was added, so that the same once more is told from another.
_ways: dict[ClassName, tuple[str, Handle]] = {}


def _check_class(name: ClassName, platform: str, where: str, handle: Handle | None = None) -> bool:
    """Tell whether a class is there already, as it is wanted; ValueError where it is otherwise."""
    known = FAMILIES.get(name)
    if known is None or (handle is not None and _ways.get(name) == (platform, handle)):
        return known is not None
    raise ValueError(
        f"{where}: {shown_class(name)} is a class of streams already; got platform "
        f'"{platform}".\n  A class has one row, and keeps it; a subclass can have another.'
    )


def _add_class(
    name: ClassName, platform: str, family: str, handle: Handle, null_means: int
) -> None:
    _add_stream_class((*name, family, handle, null_means))
    FAMILIES[name] = platform
    _ways[name] = (platform, handle)
