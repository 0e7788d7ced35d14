# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Import by `__sycl_usm_array_interface__`, version 1: a SYCL pointer, and whose context it is in.

Its "syclobj" is a filter string, a context, a queue, a capsule of either, or an object that gives
such a capsule. A queue is what work on the memory is pending on. A context tells where the memory
is, and nothing about order.
"""

from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple

from anystream._arguments import got
from anystream._core import Stream, _capsule_name, _capsule_twin
from anystream._device import Device
from anystream._fields import MOST, Fields
from anystream._memory import Memory, Triple, itemsize_of, wrapped
from anystream._peer import Producer, follow
from anystream._peers import SYCL_CONTEXT, SYCL_MEMORY, SYCL_OWNER, SYCL_QUEUE, SYCL_QUEUE_ERROR
from anystream._streams import row_of

_CAPSULE = ("builtins", "PyCapsule")


class _Place(NamedTuple):
    """A queue on which the memory may be used, and whether its work is pending there."""

    queue: Stream
    producers: bool


def read(fields: Fields, x: Any, row: Producer) -> Memory:
    """Read the interface. No capsule in it is used up: the next reader finds it as it was."""
    fields.version((1,), "the int 1")
    dtype = fields.dtype(bar_is_native=True)  # dpctl writes "|f4", as of all its types
    shape = fields.shape()
    strides = fields.strides(shape, 1)  # in elements already
    pointer, flag = fields.data()
    byte_offset = _offset(fields, dtype)
    place = _place(fields, x, row, pointer)
    memory = Memory(
        pointer,
        shape,
        strides,
        dtype,
        Device(place.queue.device),
        owner=(x, fields.value),
        readonly=flag == (row.usm_flag == "readonly"),
        byte_offset=byte_offset,
        stream=place.queue if place.producers else None,
        stream_is="its own queue" if place.producers else "",
    )
    _check_pointer(fields, memory, place.queue)
    return memory


def _offset(fields: Fields, dtype: Triple) -> int:
    """Read where the first element is, in bytes: what does not fit would be cut off later."""
    given = fields.get("offset")
    if given is None:
        return 0
    accepted = "an int from 0, in elements, whose bytes fit 63 bits"
    start = fields.whole("offset", given, accepted) * itemsize_of(dtype)
    if start > MOST:
        raise fields.refusal("offset", accepted, given)
    return start


def _check_pointer(fields: Fields, memory: Memory, queue: Stream) -> None:
    """Refuse what is no memory of the context: the runtime ends the process on such a pointer."""
    if 0 in memory.shape or wrapped(memory, queue, None).memory_kind != "unknown":
        return
    accepted = "a pointer to USM of the context of its syclobj"
    raise fields.refusal("data", accepted, fields.get("data"))


def _place(fields: Fields, x: Any, row: Producer, pointer: int) -> _Place:
    if row.own_stream:
        return _Place(Stream(follow(x, row.own_stream), out_of_order="barrier"), producers=True)
    given = fields.required("syclobj", SYCL_OWNER)
    if isinstance(given, str):
        return _Place(_of_filter(fields, given), producers=False)
    capsule: Any = given if _is_capsule(given) else _capsule_of(given)
    name = _capsule_name(capsule) if _is_capsule(capsule) else ""
    if name == SYCL_CONTEXT.capsule:
        return _Place(_of_context(fields, capsule, pointer), producers=False)
    return _Place(_queue(fields, given, capsule), producers=True)


def _is_capsule(thing: object) -> bool:
    return (type(thing).__module__, type(thing).__qualname__) == _CAPSULE


def _capsule_of(thing: object) -> Any:
    method = getattr(thing, "_get_capsule", None)
    return None if method is None else method()


def _queue(fields: Fields, given: object, capsule: object) -> Stream:
    """Take the producer's queue, whether in-order or not."""
    named = given if capsule is None or isinstance(given, Stream) else capsule
    try:
        stream = Stream(named, out_of_order="barrier")
    except (TypeError, ValueError):  # no stream, or a capsule that somebody has used up
        stream = None
    if stream is None or not stream.device or row_of(stream.device).get("objects") != "sycl":
        raise _refusal(fields, given, capsule)
    return stream


def _refusal(fields: Fields, given: object, capsule: Any) -> BufferError:
    if not _is_capsule(capsule):
        return fields.refusal("syclobj", SYCL_OWNER, given)
    name = _capsule_name(capsule)
    text = f'{fields.interface}["syclobj"] is {SYCL_OWNER}; got a capsule named "{name}"'
    given_by = "" if given is capsule else f" from {got(given)}"
    return BufferError(f"{text}{given_by}.\n  A used capsule names nothing: make a new one.")


def _of_filter(fields: Fields, text: str) -> Stream:
    """Give a queue of a device by its filter string: in the platform's default context."""
    try:
        module = import_module(SYCL_QUEUE[0])
    except ModuleNotFoundError:
        fix = f"A filter string takes {SYCL_QUEUE[0]}, which is not installed: name a queue."
        raise fields.refusal("syclobj", SYCL_OWNER, text, fix) from None
    try:
        return Stream(getattr(module, SYCL_QUEUE[1])(text), out_of_order="barrier")
    except getattr(module, SYCL_QUEUE_ERROR) as error:
        raise fields.refusal("syclobj", SYCL_OWNER, text, str(error)) from error


def _of_context(fields: Fields, capsule: Any, pointer: int) -> Stream:
    """Give a queue of the context and of the device on which the memory was allocated."""
    kind = getattr(import_module(SYCL_CONTEXT.module), SYCL_CONTEXT.name)
    context = kind(_capsule_twin(capsule))
    devices = getattr(context, SYCL_CONTEXT.devices)()
    queue = getattr(import_module(SYCL_QUEUE[0]), SYCL_QUEUE[1])(context, devices[0])
    first = Stream(queue, out_of_order="barrier")
    if len(devices) == 1 or pointer == 0:
        return first
    return _allocated_on(fields, context, pointer, first)


def _allocated_on(fields: Fields, context: Any, pointer: int, first: Stream) -> Stream:
    """Ask for the queue of one byte there, once it is known to be of that context."""
    byte = Memory(pointer, (1,), None, (1, 8, 1), Device(first.device), owner=None)
    _check_pointer(fields, byte, first)
    interface = {
        "version": 1,
        "data": (pointer, True),
        "shape": byte.shape,
        "typestr": "|u1",
        "strides": None,
        "syclobj": context,
    }
    module, function, queue = SYCL_MEMORY
    memory = getattr(import_module(module), function)(
        SimpleNamespace(**{fields.interface: interface})
    )
    return Stream(getattr(memory, queue), out_of_order="barrier")
