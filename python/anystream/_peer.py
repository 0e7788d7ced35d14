# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a row of the peers table is made of, and how its paths are read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import attrgetter, methodcaller
from typing import Any, Literal

StreamClass = tuple[str, str, str, Any, int]
ClassName = tuple[str, str]  # (__module__, __qualname__)

# What a producer's __dlpack__ does about its pending work on some device types:
#   "orders"   it makes the stream that it is given wait, on the device
#   "waits"    it waits on the host until the values are there, whatever it is given
#   "ignores"  nothing, whatever it is given
Does = Literal["orders", "waits", "ignores"]
Frees = Literal["stream_ordered", "blocks_until_idle", "immediate"]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What ``__dlpack__`` does on some device types; ``devices`` () means every other one."""

    devices: tuple[int, ...]
    does: Does
    quiet: int | None = None  # the stream that makes it do nothing; None: the keyword left out
    refuses: tuple[int, ...] = ()  # handles that it does not take, though they are streams there


@dataclass(frozen=True, slots=True)
class Refusal:
    """An array that its library would export with wrong values, or with none.

    ``test`` is a path on the array that is true then; "not " and a path that is false then, or has
    nothing to read and raises RuntimeError; or "class MODULE:QUALNAME". Where ``unless``, a path on
    the array, is true, the array is taken all the same.
    """

    test: str
    why: str
    fix: str
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Translation:
    """An exception class of a library that means "this exchange is impossible"."""

    error: ClassName
    why: str
    fix: str


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """Work on a device type that a library has encoded, and not handed to the device yet.

    Until it is, nothing can wait for it. The two paths of ``module`` hand it over, and hand it over
    and wait on the host until all of it has ended.
    """

    device_type: int
    module: str
    commits: str
    waits: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A device type that arrays say where a predicate of their library holds, and what they mean.

    The predicate is read on the first module of the row.
    """

    says: int
    where: str
    means: int


@dataclass(frozen=True, slots=True)
class Native:
    """A C++ function of a library that answers one of ``Producer.forbids``, and sooner.

    It takes the address that ``Producer.handle`` tells, or a reference to it, and gives a bool. It
    is used where the library's table exports tensors whose context begins with that address.
    """

    forbids: str
    symbol: str  # mangled: it says what the function takes
    by_reference: bool


@dataclass(frozen=True, slots=True)
class Handle:
    """How arrays without any protocol tell of memory that is a handle of their platform's.

    Paths are read on the array. Without a ``dtype`` it is bytes, and ``shape`` their number.
    """

    classes: tuple[ClassName, ...]
    device_type: int
    shape: str
    handle: str  # path on the object that has the memory, an int
    memory: str = ""  # path of that object; "": the array
    dtype: str = ""  # path of the type string
    strides: str = ""  # in bytes
    offset: str = ""  # in bytes
    queue: str = ""  # what its work is on; None there: it names none
    # What its values depend on beside that, the path on such an event of its queue, and functions
    # of the library: queue_of(handle), and wait(queue, wait_for=events) on the device.
    events: str = ""
    event_queue: str = ""
    library: str = ""
    queue_of: str = ""
    wait: str = ""
    # The class, and its method, of memory that has no handle itself but is given one in a context.
    wraps: ClassName = ("", "")
    wrap: str = ""
    context: str = ""  # path of that context
    # Why objects of these classes tell too little, and what to pass.
    refused: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Build:
    """How an array is made around a handle, by a library that imports nothing.

    Paths of functions of the importer's module: of the handle to an object of the library for the
    memory, and for the queue; and what is called as array(queue, shape, dtype name, data=memory,
    offset=bytes, strides=bytes).
    """

    memory: str
    queue: str
    array: str
    context: str  # path of its context on either object; in place of a queue where there is none
    keeps: str  # attribute by which the object for the memory keeps what lends it


@dataclass(frozen=True, slots=True)
class Producer:
    """How a library's arrays are exported. Paths are read on the array."""

    keywords: tuple[str, ...] | None = ()  # those that its __dlpack__ takes; None: it tells
    behaviour: tuple[Behaviour, ...] = ()
    own_stream: str = ""  # path of the stream that the array's work is on
    platform: str = ""  # that its arrays are on, where several share the device type
    claims: tuple[Claim, ...] = ()  # device types that are not what they say
    uncommitted: tuple[Uncommitted, ...] = ()  # where it holds work that is not handed over yet
    dlpack: bool = True  # False: a __dlpack__ that its arrays have is not the library's
    # What an interface that names no stream says: that nothing is pending; or nothing at all, so
    # that work may be pending on the library's current stream.
    unnamed: Literal["idle", "current"] = "idle"
    # What becomes of its memory when the last reference goes while work is pending: it is reused in
    # the order of the array's stream; the free waits until that is idle; or it is free at once.
    frees: Frees = "immediate"
    memory_kind: str = ""  # path of "device", "shared" or "host"
    writable: str = ""  # path that is true where the array may be written to; "": it always may
    immutable: bool = False  # its arrays must not be written to, and its capsules cannot say so
    usm_flag: Literal["readonly", "writable"] = "readonly"  # __sycl_usm_array_interface__ data[1]
    # Path of the type of the elements, which has `.str`, a type string, and `.type`, a class: where
    # its __dlpack__ does not know the former, a package may know the latter.
    dtype: str = ""
    # Paths of its strides and of the size of its elements, both in bytes.
    byte_strides: tuple[str, str] = ("", "")
    # How arrays of exactly the row's classes are imported, and why that is safe: the host's, and by
    # "usm struct" those of other devices.
    route: Literal["dlpack", "array struct", "table", "buffer", "copied buffer", "usm struct"] = (
        "dlpack"
    )
    route_same: tuple[str, str] = (
        "",
        "",
    )  # paths on the array: equal where the way is right for it
    route_types: tuple[str, tuple[str, ...]] = ("", ())  # path of the dtype; those it is right for
    # Of the refusals those that an export would not tell, "NAME" or "NAME()", with "complex:" or
    # "byte:" before it of complex arrays or of integers of a byte only, with "=MODULE.NAME|…" after
    # it where that is its value; that an array has no memory, its export tells.
    forbids: tuple[str, ...] = ()
    handle: str = ""  # path of the address of the library's own tensor, an int
    natives: tuple[Native, ...] = ()
    # What its __dlpack__ calls: int (*)(void* handle, DLManagedTensorVersioned** out).
    exporter: str = ""
    library: str = ""  # extension module that is linked with these functions
    flagless: bool = False  # its versioned capsules say no more than its unversioned ones
    offset: str = ""  # method: where the array begins in its memory, in elements
    table_error: ClassName | None = None  # by which its table says that an export is impossible
    handles: tuple[Handle, ...] = ()  # of those of its classes that have no protocol
    refusals: tuple[Refusal, ...] = ()
    translations: tuple[Translation, ...] = ()


@dataclass(frozen=True, slots=True)
class CurrentStream:
    """Where a library's current stream of a device is found.

    ``function`` of ``module`` is called with ``argument`` ("{id}" is the device's number) after
    ``convert``: "int", "str" or a function of the same module; with nothing where ``argument`` is
    "". ``available`` is a predicate, read on the module: where it is false, there is no such stream
    to ask for, and to ask is an error unless it is ``optional``. A library that has but one stream,
    and no object for it, has its ``handle`` instead.
    """

    device_type: int
    module: str
    function: str = ""
    argument: str = "{id}"
    convert: str = "int"
    what: str = "its current stream on this thread"
    available: str = ""
    optional: bool = False
    handle: int = 0


@dataclass(frozen=True, slots=True)
class Consumer:
    """How a library is given an array. Paths and predicates are read on the importer's module."""

    module: str
    function: str  # a path on the module
    keywords: tuple[tuple[str, object], ...] = field(default=(), kw_only=True)  # it is called with
    # For type checkers: the class of the arrays that it gives, by each of its public names, and the
    # modules that have it under such a name. (): it is not known, or checkers do not see it.
    gives: tuple[ClassName, ...] = field(default=(), kw_only=True)
    # It works on a stream that it tells nobody but the __dlpack__ of what it imports.
    asks: bool = field(default=False, kw_only=True)
    builds: Build | None = field(default=None, kw_only=True)  # in place of an import
    # Its arrays name their queue: where the user names none, that is the producer's.
    stays: bool = field(default=False, kw_only=True)
    # How an array of the host is given without a capsule: by the exchange table of the class
    # `array`, or as an ndarray that is made of it.
    quick: Literal["", "table", "ndarray"] = field(default="", kw_only=True)
    array: str = field(default="", kw_only=True)
    takes: tuple[tuple[int, str], ...]  # (device type or ANY_DEVICE, predicate or "")
    # Device types that host arrays are copied to where it does not take them: the first it takes.
    onto: tuple[int, ...] = ()
    offset: Literal["added", "dropped"] = "added"  # what it does with a byte offset
    bind: str = ""  # method of the result that puts it on a queue, without a copy
    # kept: its arrays say so, too; lost: they cannot; safe: it writes to nothing that it is given
    readonly: Literal["kept", "lost", "safe"] = "lost"
    layout: Literal["any", "no negative strides", "dense", "row-major"] = "any"
    empty: Literal["taken", "addressed", "refused"] = "taken"  # arrays of no elements
    alignment: int = 1  # bytes: it copies what does not start at a multiple
    copies: bool = False  # it always copies
    dtypes: tuple[str, ...] = ()  # those that it takes; (): all that DLPack has named
    classes: bool = False  # it has further ones by a package that defines them as classes
    narrows: tuple[str, ...] = ()  # dtypes that it would make smaller without a word …
    unless: str = ""  # … unless this is true
    fix: str = ""  # what makes it take them as they are


ANY_DEVICE = 0


@dataclass(frozen=True, slots=True)
class Peer:
    """One library: how it is named, recognised, exported from and imported into."""

    name: str
    package: str  # what pip installs
    modules: tuple[str, ...]  # modules that `to=` may name beside the name itself
    arrays: tuple[ClassName, ...] = ()
    producer: Producer | None = None
    consumer: Consumer | None = None
    current: tuple[CurrentStream, ...] = ()
    variants: str = ""  # what else pip may have to be told, where the package is not for everyone

    @property
    def install(self) -> str:
        """Say what installs it, for a message."""
        return f"pip install {self.package}{self.variants}"


def follow(thing: Any, path: str) -> Any:
    """Read a dotted path; a step that ends in "()" is called. "a()=b|c" compares with either."""
    return _reader(path)(thing)


@cache  # the paths are the table's, so they are few; some are read in each hand-off
def _reader(path: str) -> Callable[[Any], Any]:
    path, _, wanted = path.partition("=")
    steps: list[Callable[[Any], Any]] = [
        methodcaller(step[:-2]) if step.endswith("()") else attrgetter(step)
        for step in path.split(".")
    ]
    if wanted:
        among = wanted.split("|")
        steps.append(lambda thing: str(thing) in among)
    return steps[0] if len(steps) == 1 else lambda thing: reduce(_applied, steps, thing)


def _applied(thing: Any, step: Callable[[Any], Any]) -> Any:
    return step(thing)


def holds(thing: Any, predicate: str) -> bool:
    """Read a predicate of the table, paths joined by "&"; "" holds."""
    return all(follow(thing, path) for path in predicate.split("&") if path)


def class_names(kind: type) -> list[ClassName]:
    """Name the classes of a type's method resolution order, so that nothing need be imported."""
    return [(_module_of(base), base.__qualname__) for base in kind.__mro__]


def _module_of(kind: type) -> str:
    try:
        return str(kind.__module__)
    except AttributeError:  # made in C by hand: only "<class 'module.name'>" tells
        return type.__repr__(kind).partition("'")[2].rpartition("'")[0].rpartition(".")[0]
