# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Telling anystream at run time of an array library: a row behind those of the peers table."""

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from anystream import _core
from anystream._arguments import got, shown, tells_its_parameters
from anystream._known import forget_known
from anystream._peer import (
    Behaviour,
    ClassName,
    Consumer,
    CurrentStream,
    Does,
    Frees,
    Peer,
    Producer,
)
from anystream._producer import KEYWORDS, forget_types
from anystream._recognise import LIBRARIES, add_library, library_of_class
from anystream._register import StreamName
from anystream._register_checks import class_names_of, shown_class, type_number

DeviceTypes = int | str | Sequence[int | str]
_registered: dict[str, Peer] = {}
_READONLY = ("kept", "lost", "safe")
_LAYOUTS = ("any", "no negative strides", "dense", "row-major")


@tells_its_parameters
def register_library(
    name: str,
    /,
    *,
    arrays: StreamName | Sequence[StreamName] = (),
    modules: Sequence[str] = (),
    package: str | None = None,
    stream: str = "",
    current: Mapping[int | str, str] | None = None,
    orders: Does | Mapping[int | str, Does] | None = None,
    keywords: Sequence[str] | None = None,
    quiet: int | None = None,
    frees: Frees = "immediate",
    platform: str = "",
    from_dlpack: str = "",
    takes: DeviceTypes = (),
    readonly: str = "lost",
    layout: str = "any",
    copies: bool = False,
    dtypes: Sequence[str] = (),
) -> None:
    """Tell anystream of an array library, as the rows of its own table do of torch or numpy.

    ``register_library("engine", arrays="engine:Buffer", stream="queue", orders="ignores",
    from_dlpack="engine:from_dlpack", takes="vulkan")``. Its arrays are then ordered by what is said
    here, ``handoff(x, to="engine")`` gives it arrays, and plans name it. Nothing is imported.

    arrays: the class of its arrays, or its name: "module:qualname" or a pair; or a list of them.
    modules: names of its modules, which ``to=`` may be given too. package: what pip installs.
    stream: the path, on an array, of the stream that its work is on: "queue", "queue.raw", "get()".
    current: where its current stream of a device is found, by device type: "module:function",
        called with the number of the device.
    orders: what its ``__dlpack__`` does with the stream that it is given: "orders" (it makes that
        wait, on the device), "waits" (on the host, whatever it is given) or "ignores"; a mapping
        says it by device type. None: nobody vouches for it, and it is sent the stream.
    keywords: those that its ``__dlpack__`` takes; None: as its signature says. quiet: the value of
        ``stream`` that makes it do nothing; None: the keyword left out.
    frees: what becomes of its memory when the last reference goes while work is pending: it is
        reused in the order of the array's stream ("stream_ordered"), the free waits
        ("blocks_until_idle"), or it is free at once ("immediate").
    platform: the registered platform of its arrays, where several share their device type.
    from_dlpack: "module:function", which makes an array of an object with ``__dlpack__``. takes:
        the device types that it takes. readonly: whether its arrays can say that they are
        read-only ("kept"), cannot ("lost"), or are never written to ("safe"). layout, copies,
        dtypes: what it takes ("any", "no negative strides", "dense" or "row-major"; names such as
        "float32"; () is all), and whether it copies what is in host memory.

    Raises TypeError and ValueError for what does not fit, and ValueError for a name or a class that
    has its row already; the very same call a second time does nothing. Any thread, with the GIL.
    """
    given = dict(locals())
    _check_words(given)
    classes = class_names_of(arrays, "register_library(arrays=…)")
    peer = Peer(
        name=name,
        package=package or name,
        modules=_strings(modules, "modules") or (name,),
        arrays=classes,
        producer=_producer(given) if classes else None,
        consumer=_consumer(given),
        current=_current(current),
    )
    if _registered.get(name) == peer:
        return
    _check_new(peer)
    _registered[name] = peer
    add_library(peer)
    # What was found out of its classes, when nobody knew them, does not hold any more.
    forget_types()
    forget_known()
    _core._forget_routes()  # noqa: SLF001 - the package's own


def _refuse(key: str, takes: str, value: Any, fix: str, *, wrong: bool) -> None:
    raise (ValueError if wrong else TypeError)(
        f"register_library({key}) takes {takes}; got {got(value)}.\n  {fix}"
    )


def _check_words(given: dict[str, Any]) -> None:
    if not (isinstance(given["name"], str) and given["name"]):
        wrong = isinstance(given["name"], str)
        _refuse("name", "a str", given["name"], "Take the name that users know.", wrong=wrong)
    package = given["package"]
    if package is not None and not (isinstance(package, str) and package):
        _refuse("package=…", "a str", package, "It is what pip installs.", wrong=False)
    for key, words in (
        ("frees", get_args(Frees)),
        ("readonly", _READONLY),
        ("layout", _LAYOUTS),
    ):
        _check_among(f"{key}=…", given[key], words)
    for key in ("stream", "platform", "from_dlpack"):
        if not isinstance(given[key], str):
            _refuse(
                f"{key}=…", "a str", given[key], "Leave it out where there is none.", wrong=False
            )
    if not isinstance(given["copies"], bool):
        _refuse("copies=…", "True or False", given["copies"], "It is for good.", wrong=False)
    quiet = given["quiet"]
    if quiet is not None and (not isinstance(quiet, int) or isinstance(quiet, bool)):
        _refuse("quiet=…", "None or an int", quiet, "-1 is what DLPack has for it.", wrong=False)
    _check_path(given["stream"])


def _check_among(key: str, value: Any, words: tuple[str, ...]) -> None:
    if not (isinstance(value, str) and value in words):
        listed = ", ".join(f'"{word}"' for word in words)
        fix = "help(anystream.register_library) says what each means."
        _refuse(key, listed, value, fix, wrong=isinstance(value, str))


def _check_path(path: str) -> None:
    if all(step.removesuffix("()").isidentifier() for step in path.split(".")) or not path:
        return
    takes = 'a path on an array, such as "queue", "queue.raw" or "get()"'
    _refuse("stream=…", takes, path, "Leave it out where its arrays tell no stream.", wrong=True)


def _strings(value: Any, key: str) -> tuple[str, ...]:
    listed = (value,) if isinstance(value, str) and value else value
    if isinstance(listed, (list, tuple)) and all(isinstance(one, str) for one in listed):
        return tuple(listed)
    _refuse(f"{key}=…", "a list of str", value, "Leave it out where there is none.", wrong=False)
    return ()


def _module_and_path(text: Any, key: str) -> tuple[str, str]:
    module, colon, path = text.partition(":") if isinstance(text, str) else ("", "", "")
    if not (module and colon and path):
        _refuse(
            key,
            '"module:function"',
            text,
            "Nothing is imported until it is used.",
            wrong=isinstance(text, str),
        )
    return module, path


def _types(value: Any, key: str) -> tuple[int, ...]:
    listed = value if isinstance(value, (list, tuple)) else (value,)
    return tuple(type_number(one, f"register_library({key}=…)") for one in listed)


def _producer(given: dict[str, Any]) -> Producer:
    keywords = given["keywords"]
    if keywords is not None:
        keywords = _strings(keywords, "keywords")
        for one in keywords:
            _check_among("keywords=…", one, tuple(sorted(KEYWORDS)))
    return Producer(
        keywords=keywords,
        behaviour=_behaviour(given["orders"], given["quiet"]),
        own_stream=given["stream"],
        platform=given["platform"],
        frees=given["frees"],
    )


def _behaviour(orders: Any, quiet: int | None) -> tuple[Behaviour, ...]:
    if orders is None:
        return ()
    if isinstance(orders, Mapping):
        return tuple(
            row
            for kind, does in orders.items()
            for row in (Behaviour(_types(kind, "orders"), _does(does), quiet),)
        )
    return (Behaviour((), _does(orders), quiet),)


def _does(word: Any) -> Does:
    _check_among("orders=…", word, get_args(Does))
    return cast("Does", word)


def _current(current: Any) -> tuple[CurrentStream, ...]:
    if current is None:
        return ()
    if not isinstance(current, Mapping):
        takes = 'a mapping such as {"vulkan": "engine:current_queue"}'
        _refuse("current=…", takes, current, "Leave it out where there is none.", wrong=False)
    return tuple(
        CurrentStream(number, *_module_and_path(where, "current=…"))
        for kind, where in current.items()
        for number in _types(kind, "current")
    )


def _consumer(given: dict[str, Any]) -> Consumer | None:
    if not given["from_dlpack"]:
        return None
    module, path = _module_and_path(given["from_dlpack"], "from_dlpack=…")
    types = _types(given["takes"], "takes")
    if not types:
        fix = 'Name the device types that it takes: takes="vulkan", or a list.'
        _refuse(
            "takes=…", "device types, where from_dlpack=… is given", given["takes"], fix, wrong=True
        )
    return Consumer(
        module,
        path,
        takes=tuple((kind, "") for kind in types),
        readonly=given["readonly"],
        layout=given["layout"],
        copies=given["copies"],
        dtypes=_strings(given["dtypes"], "dtypes"),
    )


def _check_new(peer: Peer) -> None:
    if not (peer.arrays or peer.consumer or peer.current):
        raise ValueError(
            f"register_library({shown(peer.name)}) says nothing of the library; got only its name."
            "\n  Give arrays=…, from_dlpack=… with takes=…, or current=…."
        )
    for known in LIBRARIES:
        names = {known.name, *known.modules} & {peer.name, *peer.modules}
        if names:
            raise ValueError(
                f"register_library({shown(peer.name)}): {known.name} has a row already; got "
                f"{', '.join(sorted(names))} again.\n  A row stays for the process: take other "
                "names."
            )
    for name in peer.arrays:
        _check_class(peer, name)


def _check_class(peer: Peer, name: ClassName) -> None:
    known = library_of_class(name)
    if known is not None:
        raise ValueError(
            f"register_library({shown(peer.name)}): {shown_class(name)} is {known.name}'s already; "
            "got it for another library.\n  A subclass can be another's."
        )
