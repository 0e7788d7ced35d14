# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""`__sycl_usm_array_interface__` comes in: all forms of its "syclobj", and what is wrong."""

import gc
import re
from typing import Any

import pytest

import anystream
from anystream import Stream, _core
from interface_rig import MISSING, USM, WRONG, Described, Fresh

FORMS = ["queue", "queue capsule", "object of a queue", "stream"]
CONTEXTS = ["context", "context capsule", "object of a context", "filter string"]
# A pair is what this interface has, too; it takes only one version, strides in elements, and "|".
USM_WRONG = [row for row in WRONG if row[0] != "version" and row[:2] != ("typestr", "|f4")]


class Gives:
    """An object that gives a capsule; another one at each call, as dpctl's do."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def _get_capsule(self) -> Any:
        return self.inner._get_capsule()


def form(name: str, queue: Any) -> Any:
    context = queue.sycl_context
    made: dict[str, Any] = {
        "queue": lambda: queue,
        "queue capsule": queue._get_capsule,
        "object of a queue": lambda: Gives(queue),
        "stream": lambda: Stream(queue, out_of_order="barrier"),
        "context": lambda: context,
        "context capsule": context._get_capsule,
        "object of a context": lambda: Gives(context),
        "filter string": lambda: queue.sycl_device.filter_string,
    }
    return made[name]()


def on(
    sycl: Any, queue: Any, syclobj: Any, kind: type[Described] = Described, **changes: Any
) -> Any:
    """1024 int32 in memory of a queue, described with some syclobj."""
    memory = sycl.zeros("dpctl", queue)
    fields = {"shape": (1024,), "typestr": "<i4", "data": (memory._pointer, False)}
    x = kind(USM, **{**fields, "syclobj": syclobj, **changes})
    x.usm = memory
    return x


@pytest.mark.parametrize("in_order", [True, False], ids=["in-order", "out-of-order"])
@pytest.mark.parametrize("name", FORMS)
def test_a_queue_is_what_the_work_is_on(sycl: Any, name: str, in_order: bool) -> None:
    producer, consumer = sycl.queue(in_order=in_order), sycl.queue()
    x = on(sycl, producer, form(name, producer))
    assert anystream.from_dlpack(x).stream == Stream(producer)
    work = sycl.write_slowly(producer, x.usm, 7)
    y = anystream.handoff(x, to="dpnp", stream=consumer, strict=True)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 7).all()
    assert sycl.memory_of(y)._pointer == x.usm._pointer


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_context_tells_where_the_memory_is_and_no_order(sycl: Any, name: str) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = on(sycl, producer, form(name, producer))
    array = anystream.from_dlpack(x)
    assert array.device == Stream(producer).device
    assert array.stream is None
    assert array.plan.ordering.what == "nothing is known to be pending"
    text = r"^interface_rig.Described names no stream of its own, so nothing can be ordered"
    with pytest.raises(anystream.OrderingError, match=text):
        anystream.handoff(x, to="dpnp", stream=consumer)
    work = sycl.write_slowly(producer, x.usm, 5)
    y = anystream.handoff(x, to="dpnp", stream=consumer, producer_stream=producer, strict=True)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 5).all()


@pytest.mark.parametrize("name", ["queue capsule", "context capsule"])
def test_a_capsule_is_not_used_up(sycl: Any, name: str) -> None:
    import dpctl

    queue = sycl.queue()
    capsule = form(name, queue)
    x = on(sycl, queue, capsule)
    before = _core._capsule_name(capsule)
    for _ in range(3):
        anystream.from_dlpack(x)
    assert _core._capsule_name(capsule) == before
    kind = dpctl.SyclQueue if name == "queue capsule" else dpctl.SyclContext
    assert kind(capsule) == (queue if name == "queue capsule" else queue.sycl_context)


def test_a_used_capsule_is_refused_by_its_name(sycl: Any) -> None:
    import dpctl

    queue = sycl.queue()
    for capsule, kind in (
        (queue._get_capsule(), dpctl.SyclQueue),
        (queue.sycl_context._get_capsule(), dpctl.SyclContext),
    ):
        kind(capsule)
        text = f'got a capsule named "used_{kind.__name__}Ref".\n  A used capsule names nothing'
        with pytest.raises(BufferError, match=re.escape(text)):
            anystream.from_dlpack(on(sycl, queue, capsule))


@pytest.mark.parametrize(
    ("syclobj", "got"),
    [
        (MISSING, "a dict without it"),
        (None, "None"),
        (3, "int 3"),
        (object(), "an object"),
        ("nonsense", "str 'nonsense'"),
        ("gpu:99", "str 'gpu:99'"),
    ],
)
def test_what_is_no_syclobj(sycl: Any, syclobj: Any, got: str) -> None:
    takes = (
        f'{USM}["syclobj"] is a filter string such as "cpu:0", a dpctl.SyclContext, a '
        'dpctl.SyclQueue, a "SyclContextRef" or "SyclQueueRef" capsule, or an object whose '
        f"_get_capsule() gives such a capsule; got {got}."
    )
    with pytest.raises(BufferError, match=re.escape(takes)):
        anystream.from_dlpack(on(sycl, sycl.queue(), syclobj))


def test_a_capsule_of_another_thing(sycl: Any) -> None:
    from ctypes_tensors import named_capsule

    capsule = named_capsule("something_else")
    with pytest.raises(BufferError, match='got a capsule named "something_else"'):
        anystream.from_dlpack(on(sycl, sycl.queue(), capsule))


@pytest.mark.parametrize("name", FORMS + CONTEXTS)
def test_memory_of_another_context_is_refused(sycl: Any, name: str) -> None:
    """The runtime ends the process on such a pointer, so it is not asked about it."""
    queue = sycl.queue()
    elsewhere = sycl.queue(context=sycl.other_context())
    memory = sycl.zeros("dpctl", elsewhere)
    for pointer in (memory._pointer, 12345):
        x = on(sycl, queue, form(name, queue), data=(pointer, False))
        text = f'{USM}["data"] is a pointer to USM of the context of its syclobj; got tuple'
        with pytest.raises(BufferError, match=re.escape(text)):
            anystream.from_dlpack(x)


@pytest.mark.parametrize("name", ["queue", "context"])
def test_memory_of_a_context_of_its_own_is_taken(sycl: Any, name: str) -> None:
    queue = sycl.queue(context=sycl.other_context())
    array = anystream.from_dlpack(on(sycl, queue, form(name, queue)))
    assert array.device == Stream(queue).device
    assert (array.stream is None) == (name == "context")


def test_a_context_of_several_devices(sycl: Any) -> None:
    import dpctl

    try:
        parts = dpctl.SyclDevice().create_sub_devices(partition=1)[:2]
    except dpctl.SyclSubDeviceCreationError as error:
        pytest.skip(f"no sub-devices here: {error}")
    context = dpctl.SyclContext(parts)
    queue = sycl.queue(in_order=False, context=context, device=parts[1])
    x = on(sycl, queue, context)
    assert anystream.from_dlpack(x).device == Stream(sycl.queue()).device
    x.fields["data"] = (12345, False)
    with pytest.raises(BufferError, match="a pointer to USM of the context"):
        anystream.from_dlpack(x)


# ---- the other fields ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bool", "int8", "int16", "int64", "float32", "complex64"])
def test_what_dpnp_says_of_its_own_arrays(sycl: Any, name: str) -> None:
    """It writes "|" before every type: no byte order, also where elements have several bytes."""
    import dpnp

    x = dpnp.ones((2, 3), dtype=name, sycl_queue=sycl.queue())
    fields = x.get_array().__sycl_usm_array_interface__
    assert fields["typestr"].startswith("|")
    array = anystream.from_dlpack(Described(USM, **fields))
    assert (str(array.dtype), array.shape) == (name, (2, 3))
    assert dpnp.asnumpy(anystream.handoff(array, to="dpnp")).tolist() == [[1, 1, 1]] * 2


def test_every_field_in_elements(sycl: Any) -> None:
    import numpy as np

    queue = sycl.queue()
    memory = sycl.memory_of(sycl.zeros("dpnp", queue))
    memory.copy_from_host(np.arange(1024, dtype="int32").view("uint8"))
    data = (memory._pointer, False)
    x = on(sycl, queue, queue, shape=(2, 3), strides=(-5, 2), offset=100, data=data)
    array = anystream.from_dlpack(x)
    assert (array.data_ptr, array.byte_offset) == (memory._pointer, 400)
    assert array.strides == (-5, 2)
    assert anystream.handoff(x, to="numpy").tolist() == [[100, 102, 104], [95, 97, 99]]


@pytest.mark.parametrize("flag", [True, False])
def test_the_flag_is_read_only_by_the_text(sycl: Any, flag: bool) -> None:
    queue = sycl.queue()
    x = on(sycl, queue, queue)
    x.fields["data"] = (x.usm._pointer, flag)
    assert anystream.from_dlpack(x).readonly is flag
    plan = anystream.explain(x, to="dpctl")  # its memory cannot say so
    assert ("do not write to it" in plan.copy.why) is flag


def test_the_flag_of_a_row_that_says_otherwise(sycl: Any) -> None:
    memory = sycl.zeros("dpctl", sycl.queue())
    assert memory.__sycl_usm_array_interface__["data"][1] is True  # and it may be written to
    assert not anystream.from_dlpack(memory).readonly


@pytest.mark.parametrize("name", ["queue", "context", "filter string"])
def test_no_elements_and_no_pointer(sycl: Any, name: str) -> None:
    queue = sycl.queue()
    x = on(sycl, queue, form(name, queue), shape=(0, 3), data=(0, False))
    array = anystream.from_dlpack(x)
    assert (array.shape, array.data_ptr) == ((0, 3), 0)
    assert array.device == Stream(queue).device


@pytest.mark.parametrize(("key", "value", "text"), USM_WRONG, ids=range(len(USM_WRONG)))
def test_a_key_that_is_missing_or_wrong(sycl: Any, key: str, value: Any, text: str) -> None:
    queue = sycl.queue()
    changes = {"shape": (2, 3), "typestr": "<f4", key: value}
    with pytest.raises(BufferError, match=re.escape(text)):
        anystream.from_dlpack(on(sycl, queue, queue, **changes))


@pytest.mark.parametrize("version", [MISSING, 0, 2, 3, "1", 1.0, True])
def test_version_1_only(sycl: Any, version: Any) -> None:
    queue = sycl.queue()
    with pytest.raises(BufferError, match=re.escape(f'{USM}["version"] is the int 1; got ')):
        anystream.from_dlpack(on(sycl, queue, queue, version=version))


@pytest.mark.parametrize("offset", [-1, 1.0, "1", 2**63, 2**62])
def test_the_offset_is_a_number_of_elements(sycl: Any, offset: Any) -> None:
    queue = sycl.queue()
    text = f'{USM}["offset"] is an int from 0, in elements, whose bytes fit 63 bits; got '
    with pytest.raises(BufferError, match=re.escape(text)):
        anystream.from_dlpack(on(sycl, queue, queue, offset=offset))


def test_it_is_read_once(sycl: Any) -> None:
    queue = sycl.queue()
    x = on(sycl, queue, queue)
    anystream.from_dlpack(x)
    assert x.reads == 1


@pytest.mark.parametrize("name", FORMS + CONTEXTS)
def test_what_the_dict_holds_lives_as_long_as_the_array(sycl: Any, name: str) -> None:
    queue = sycl.queue()
    x = on(sycl, queue, form(name, queue), Fresh)
    array = anystream.from_dlpack(x)
    gc.collect()
    assert x.home() is not None
    assert x.reads == 1
    del array
    gc.collect()
    assert x.home() is None
