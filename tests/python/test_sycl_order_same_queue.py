# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""One and the same queue on both sides: a barrier if it is out-of-order, else nothing to do.

Each test of an out-of-order queue first shows that the same read without anystream is wrong. On an
in-order queue every read is right, and what is shown is that anystream does nothing there.
"""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from sycl_ways import WAYS, Way

FORMS: dict[str, Callable[[Any], Any]] = {
    "queue": lambda queue: queue,
    "capsule": lambda queue: queue._get_capsule(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["dpnp", "dpctl"])
@pytest.mark.parametrize("way", WAYS)
def test_an_out_of_order_queue(sycl: Any, way: Way, kind: str, form: str) -> None:
    queue = sycl.queue(in_order=False)
    x = sycl.zeros(kind, queue)
    memory = sycl.memory_of(x)
    assert sycl.unordered_read_is_wrong(queue, queue, memory)
    named = FORMS[form](queue)
    for value in (2, 3):  # a capsule has not been used up
        stream = anystream.Stream(named, out_of_order="barrier")
        work = sycl.write_slowly(queue, memory, value)
        handed = way(x, named, stream)
        assert sycl.pending(work), "the host waited"
        assert (sycl.read(queue, handed) == value).all()


def test_the_plan_is_a_barrier(sycl: Any) -> None:
    queue = sycl.queue(in_order=False)
    x = sycl.zeros("dpnp", queue)
    stream = anystream.Stream(queue, out_of_order="barrier")
    plan = anystream.explain(x, to="dpnp", stream=stream)
    assert plan.ordering.what == "barrier"


@pytest.mark.parametrize("reader", ["copy", "negative"])
def test_an_out_of_order_queue_read_by_dpnp(sycl: Any, reader: str) -> None:
    """dpnp's default queue is out-of-order, and nobody names a stream."""
    import dpnp

    function, sign = getattr(dpnp, reader), 1 if reader == "copy" else -1
    x = dpnp.zeros(sycl.ELEMENTS, dtype="int32")
    queue, memory = x.sycl_queue, sycl.memory_of(x)
    assert not queue.is_in_order
    function(x)  # compiled and warm
    queue.wait()
    sycl.write_slowly(queue, memory, 1)
    assert (dpnp.asnumpy(function(dpnp.from_dlpack(x))) != sign).any()
    queue.wait()

    work = sycl.write_slowly(queue, memory, 2)
    y = anystream.handoff(x, to="dpnp")
    assert sycl.pending(work)
    assert y.sycl_queue == queue
    assert (dpnp.asnumpy(function(y)) == 2 * sign).all()


def test_an_out_of_order_queue_is_refused_unless_it_is_named_so(sycl: Any) -> None:
    queue = sycl.queue(in_order=False)
    x = sycl.zeros("dpnp", sycl.queue())
    with pytest.raises(ValueError, match=r'out_of_order="barrier"'):
        anystream.handoff(x, to="dpnp", stream=queue)
    with pytest.raises(ValueError, match=r"in-order"):
        anystream.from_dlpack(x, stream=queue._get_capsule())
    with pytest.raises(ValueError, match=r"in-order"):
        anystream.order(producer=sycl.queue(), consumer=queue)


def test_one_in_order_queue_needs_nothing(sycl: Any) -> None:
    queue = sycl.queue()
    x = sycl.zeros("dpnp", queue)
    work = sycl.write_slowly(queue, sycl.memory_of(x), 1)
    copy_of_the_queue = type(queue)(queue._get_capsule())  # another object, the same queue
    plan = anystream.explain(x, to="dpnp", stream=copy_of_the_queue)
    assert plan.ordering.what == "nothing"
    assert plan.actions.orders == "nothing"
    y = anystream.handoff(x, to="dpnp", stream=copy_of_the_queue)
    assert sycl.pending(work)
    assert (sycl.read(queue, sycl.memory_of(y)) == 1).all()
