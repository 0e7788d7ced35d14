# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays that have no protocol, and whose memory is a handle: reading them, and making them.

What is read of them, and what they are made of, is said by their library's row.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from anystream._core import Array, Stream, memory_device
from anystream._device import Device
from anystream._memory import Memory, Triple, in_elements, itemsize_of
from anystream._peer import Build, Handle, Producer, class_names, follow
from anystream._typestr import UnknownTypeError, dtype_of

_BYTES: Triple = (1, 8, 1)


def row_of(x: Any, row: Producer) -> Handle | None:
    """Find what tells of an object of x's class; None: it is none of those."""
    names = class_names(type(x)) if row.handles else ()
    return next((one for one in row.handles if not set(one.classes).isdisjoint(names)), None)


def read(x: Any, row: Handle) -> Memory:
    """Read an array. Nothing is made yet, and nothing is put on a queue. Raises BufferError."""
    why, fix = row.refused
    if why:
        raise BufferError(f"a {_name(x)} cannot be handed over: {why}.\n  {fix}")
    holder = follow(x, row.memory) if row.memory else x
    events = tuple(follow(x, row.events)) if row.events else ()
    stream, words = _stream(x, row, events)
    dtype, shape, strides = _layout(x, row)
    make = _maker(x, row, holder)
    # Of memory that has no handle yet there is an object, whose address stands for it till then.
    pointer = id(holder) if make else _handle(holder, row)
    return Memory(
        pointer,
        shape,
        strides,
        dtype,
        _device(x, row, pointer, stream),
        owner=holder,
        byte_offset=int(follow(x, row.offset)) if row.offset else 0,
        stream=stream,
        stream_is=words,
        make=make,
        join=_joiner(row, events),
    )


def _name(x: Any) -> str:
    module, name = class_names(type(x))[0]
    return f"{module}.{name}"


def _handle(holder: Any, row: Handle) -> int:
    return 0 if holder is None else int(follow(holder, row.handle))


def _layout(x: Any, row: Handle) -> tuple[Triple, tuple[int, ...], tuple[int, ...] | None]:
    shape = follow(x, row.shape)
    if not row.dtype:
        return _BYTES, (int(shape),), None
    try:
        dtype = dtype_of(follow(x, row.dtype))
    except UnknownTypeError as error:
        raise BufferError(f"this {_name(x)} cannot be handed over: {error}") from None
    shape = tuple(int(extent) for extent in shape)
    strides = in_elements(tuple(follow(x, row.strides)), shape, itemsize_of(dtype))
    if strides is None:
        raise BufferError(
            f"this {_name(x)} cannot be handed over: its strides are no multiples of the "
            f"{itemsize_of(dtype)} bytes of an element, and DLPack counts whole elements.\n"
            "  Pass a copy: x.copy()."
        )
    return dtype, shape, strides


def _stream(x: Any, row: Handle, events: tuple[Any, ...]) -> tuple[Stream | None, str]:
    """Find the queue of an array, or of what it depends on where it has none itself."""
    queue, words = follow(x, row.queue) if row.queue else None, f"x.{row.queue}"
    if queue is None and events:
        queue, words = follow(events[0], row.event_queue), f"the queue of x.{row.events}[0]"
    if queue is None:
        return None, ""
    others = f" and x.{row.events}" if events and row.events not in words else ""
    return Stream(queue, out_of_order="barrier"), words + others


def _device(x: Any, row: Handle, pointer: int, stream: Stream | None) -> Device:
    if stream is not None:
        return Device(stream.device)
    claimed = Device((row.device_type, 0))
    if not pointer:
        return claimed
    if _is_wrapped(follow(x, row.memory) if row.memory else x, row):
        raise BufferError(
            f"this {_name(x)} cannot be handed over: it names no queue, and its memory no device."
            "\n  Pass x.with_queue(queue)."
        )
    return Device(memory_device(claimed.type, claimed.id, "", pointer))


def _is_wrapped(holder: Any, row: Handle) -> bool:
    """Tell whether memory has no handle itself."""
    return row.wraps in class_names(type(holder))


def _maker(x: Any, row: Handle, holder: Any) -> Callable[[], tuple[int, Any]] | None:
    if not row.wrap or not _is_wrapped(holder, row):
        return None

    def make() -> tuple[int, Any]:
        made = getattr(holder, row.wrap)(follow(x, row.context))
        return int(follow(made, row.handle)), (made, holder)

    return make


def _joiner(row: Handle, events: tuple[Any, ...]) -> Callable[[Stream], None] | None:
    """Give what has a stream wait for events that its own queue's work does not cover."""
    if not events:
        return None

    def covered(event: Any, stream: Stream) -> bool:
        queue = follow(event, row.event_queue)
        return queue is not None and int(follow(queue, row.handle)) == stream.handle

    def join(stream: Stream) -> None:
        others = [event for event in events if not covered(event, stream)]
        if others:
            module = import_module(row.library)
            follow(module, row.wait)(follow(module, row.queue_of)(stream.handle), wait_for=others)

    return join


def build(row: Build, module: Any, array: Array, stream: Stream | None) -> Any:
    """Make the library's array on a queue, around memory that keeps ours until it goes itself.

    Raises BufferError for a queue of another context than the memory's.
    """
    on = stream if stream is not None else array.stream
    queue = None if on is None else follow(module, row.queue)(on.handle)
    memory = None if not array.data_ptr else follow(module, row.memory)(array.data_ptr)
    _check_context(row, memory, queue, array)
    if memory is not None:
        setattr(memory, row.keeps, array)
    return follow(module, row.array)(
        queue if queue is not None else follow(memory, row.context),
        array.shape,
        array.dtype.name,
        data=memory,
        offset=array.byte_offset,
        strides=tuple(stride * array.itemsize for stride in array.strides),
    )


def _check_context(row: Build, memory: Any, queue: Any, array: Array) -> None:
    if memory is None or queue is None:
        return
    if follow(memory, row.context) != follow(queue, row.context):
        raise BufferError(
            f"memory on {array.device} is of a context, and the queue that was named is of another "
            "one, where nothing can use it.\n  Name a queue of the array's own context, or copy it "
            'to the host first: anystream.from_dlpack(x, device="cpu").'
        )
