# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of strict() and releasing(): left in any order, anywhere, nothing of them stays behind."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, NamedTuple

import pytest

import anystream
from anystream._release import release_here
from anystream._strict import strict_here


class Kind(NamedTuple):
    """What makes blocks, of two values; what holds outside of them; and what holds here."""

    block: Callable[[Any], Any]
    one: Any
    two: Any
    usual: Any
    here: Callable[[], Any]


KINDS = {
    "strict": Kind(anystream.strict, True, False, False, lambda: strict_here(None)),
    "releasing": Kind(
        anystream.releasing, "none", "host", "ordered", lambda: release_here(None, "handoff")
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: Any) -> Iterator[Kind]:
    found = KINDS[request.param]
    assert found.here() == found.usual
    yield found
    gc.collect()
    assert found.here() == found.usual


def test_blocks_left_in_the_order_in_which_they_were_entered(kind: Kind) -> None:
    first, second, third = kind.block(kind.one), kind.block(kind.two), kind.block(kind.one)
    first.__enter__()
    second.__enter__()
    first.__exit__()
    assert kind.here() == kind.two
    third.__enter__()
    second.__exit__()
    assert kind.here() == kind.one
    third.__exit__()


def test_a_block_can_be_entered_again_and_within_itself(kind: Kind) -> None:
    block, other = kind.block(kind.one), kind.block(kind.two)
    for _ in range(2):
        with block:
            with other, block:
                assert kind.here() == kind.one
            assert kind.here() == kind.one
        assert kind.here() == kind.usual


def test_a_block_that_is_not_entered_is_not_left(kind: Kind) -> None:
    block = kind.block(kind.one)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="this block is not entered"):
            block.__exit__()
        with block:
            pass


def test_a_call_alone_does_nothing(kind: Kind) -> None:
    kept = kind.block(kind.one)
    assert kind.here() == kind.usual
    del kept


def test_a_function_can_be_decorated(kind: Kind) -> None:
    def again(depth: int) -> Any:
        return decorated(depth - 1) if depth else kind.here()

    decorated = kind.block(kind.one)(again)
    assert decorated(3) == kind.one


def test_a_block_of_all_threads_is_each_ones_own(kind: Kind) -> None:
    block, seen = kind.block(kind.one), list[Any]()
    entered, go_on = threading.Barrier(9), threading.Event()

    def hold() -> None:
        with block:
            entered.wait()
            go_on.wait()
            seen.append(kind.here())
        seen.append(kind.here())

    threads = [threading.Thread(target=hold) for _ in range(8)]
    for thread in threads:
        thread.start()
    entered.wait()
    with block:
        assert kind.here() == kind.one
    assert kind.here() == kind.usual
    go_on.set()
    for thread in threads:
        thread.join()
    assert sorted(map(str, seen)) == sorted(map(str, [kind.one, kind.usual] * 8))


# -- generators -----------------------------------------------------------------------------------


def within(block: Any) -> Generator[None]:
    with block:
        yield


def test_generators_that_end_in_another_order(kind: Kind) -> None:
    first, second = within(kind.block(kind.one)), within(kind.block(kind.two))
    next(first)
    next(second)
    first.close()
    assert kind.here() == kind.two
    second.close()


def test_a_context_manager_of_the_users_own_has_its_block_hold(kind: Kind) -> None:
    @contextmanager
    def own() -> Iterator[None]:
        with kind.block(kind.one):
            yield

    with own():
        assert kind.here() == kind.one


def test_a_generator_that_another_context_ends_leaves_nothing_behind(kind: Kind) -> None:
    generator = within(kind.block(kind.one))
    next(generator)
    inherited = copy_context()
    inherited.run(generator.close)
    assert kind.here() == kind.usual
    assert inherited.run(kind.here) == kind.usual
    generator = within(kind.block(kind.one))
    next(generator)
    thread = threading.Thread(target=generator.close)
    thread.start()
    thread.join()


# -- asyncio --------------------------------------------------------------------------------------


def test_tasks_do_not_see_each_others_blocks(kind: Kind) -> None:
    async def take_turns(value: Any, turns: int) -> None:
        for _ in range(turns):
            with kind.block(value):
                await asyncio.sleep(0)
                assert kind.here() == value
            assert kind.here() == kind.usual
            await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(take_turns(kind.one, 7), take_turns(kind.two, 5))

    asyncio.run(both())


def test_a_task_keeps_the_block_that_it_was_started_in(kind: Kind) -> None:
    async def started() -> Any:
        await asyncio.sleep(0)
        return kind.here()

    async def start() -> Any:
        with kind.block(kind.one):
            task = asyncio.create_task(started())
        assert kind.here() == kind.usual
        return await task

    assert asyncio.run(start()) == kind.one


def test_an_asynchronous_generator_that_the_loop_ends(kind: Kind) -> None:
    ended = asyncio.Event()

    async def one_by_one() -> AsyncIterator[int]:
        try:
            with kind.block(kind.one):
                yield 1
        finally:
            ended.set()

    async def breaks_off() -> Any:
        async for _ in one_by_one():
            break
        gc.collect()
        await ended.wait()
        return kind.here()

    assert asyncio.run(breaks_off()) == kind.usual


def test_a_task_that_outlives_a_block_has_no_quick_way_round_it(sycl: Any) -> None:
    """On SYCL the extension imports by itself what it knows, with the usual policy."""
    array: Any = sycl.zeros("dpnp", sycl.queue())
    for _ in range(3):
        anystream.from_dlpack(array)
    with anystream.releasing("none"):
        outliving = copy_context()
    took: Any = outliving.run(anystream.from_dlpack, array)
    assert "release='none'" in took.plan.release.why
    assert "release='none'" not in anystream.from_dlpack(array).plan.release.why
