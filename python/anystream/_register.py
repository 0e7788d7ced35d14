# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Telling anystream at run time of a platform, and of stream classes."""

from collections.abc import Callable, Sequence
from typing import Any

from anystream import _platforms
from anystream._arguments import got, small_int, tells_its_parameters
from anystream._core import DEVICE_TABLE, _add_stream_class, _register_platform, parse_device
from anystream._peer import ClassName
from anystream._recognise import FAMILIES
from anystream._register_checks import (
    HANDLE_FIX,
    KINDS,
    NAMES_FIX,
    Location,
    callbacks_of,
    check_handle,
    check_way,
    check_words,
    checked_name,
    class_names_of,
    flags_of,
    shown_class,
    type_number,
)

Handle = str | Callable[[Any], int]
StreamName = type | str | tuple[str, str]
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
    called = checked_name(name)
    if _registered.get((number, called)) == given:
        return
    names = class_names_of(stream, "register_platform(stream=…)")
    if not (names or capsule is not None or integers is True):
        raise ValueError(
            "register_platform(stream=…) takes the class of the platform's streams; got None, and "
            "neither capsule=… nor integers=True.\n  Name the class: stream=my_library.Queue."
        )
    check_words(given)
    objects = check_handle(given)
    callbacks = callbacks_of(given)
    if (number, called) not in _registered:  # there the core says that the platform is known
        for one in names:
            _check_class(one, called, "register_platform(stream=…)")
    _register_platform(
        number,
        called,
        takes=takes or " or ".join(f"a {shown_class(one)}" for one in names),
        capsules=capsule or "",
        fix=fix or "",
        flags=flags_of(given),
        memory=KINDS.index(memory) if isinstance(memory, str) else 0,
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
        raise TypeError(f"{where} takes one class, or its name; got {got(stream)}.\n  {NAMES_FIX}")
    found, family = _checked_platform(platform)
    read = _handle_for(found, handle)
    if null_means not in (1, 2) or isinstance(null_means, bool):
        raise ValueError(
            f"register_stream_type(null_means=…) takes 1 or 2; got {got(null_means)}.\n"
            "  It is the default stream that a handle of 0 is on CUDA: 1 legacy, 2 per thread."
        )
    if not _check_class(name, found, where, read):
        _add_class(name, found, family, read, null_means)


def _families() -> dict[str, str]:
    families = {name: name for name in _BUILT_IN}
    families.update((row["id"], row["objects"]) for row in _platforms.rows())
    return families


def _checked_platform(platform: Any) -> tuple[str, str]:
    """Give the platform, and what the core calls its stream classes."""
    families = _families()
    if isinstance(platform, str) and platform in families:
        return platform, families[platform]
    raise (ValueError if isinstance(platform, str) else TypeError)(
        f"register_stream_type(platform) takes the name of a platform: {', '.join(families)}; got "
        f"{got(platform)}.\n  {_platform_fix(platform)}"
    )


def _platform_fix(given: Any) -> str:
    """Say which platform has the devices that were named in its place: "sycl" for "oneapi"."""
    another = "register_platform makes another one known."
    try:
        number = parse_device(given)[0] if isinstance(given, str) else small_int(given)
    except (TypeError, ValueError):
        return another
    rows = [row for row in (*DEVICE_TABLE, *_platforms.rows()) if row["value"] == number]
    names = [row["id"] if row.get("own") else row["objects"] for row in rows]
    found = [name for name in names if name in _families()]
    return f'That of these devices is "{found[0]}".' if found else another


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
        raise TypeError(f"{where} says how the handle is read; got None.\n  {HANDLE_FIX}")
    check_way(handle, where, ("int", "protocol"))
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
