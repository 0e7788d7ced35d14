# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The way back on CUDA: memory of cuda-core's pool, recycled at once, under a consumer held."""

from pathlib import Path

import pytest

from cuda_rig import hide_from_clients, run

ROUNDS = 50

# A round: the array goes while the consumer's reader is held, and the producer asks the pool for
# memory again, which it writes to at once.
STORY = """
    def handed(stream, **policies):
        x = lab.buffer(7)
        array = anystream.from_dlpack(x, producer_stream=producer, **policies)
        return array.data_ptr, stream(array)

    def recycled(stream, **policies):
        pointer, lent = handed(stream, **policies)
        producer.sync()
        driver.hold(consumer)
        lab.read(pointer)
        del lent
        gc.collect()
        again = lab.buffer(9)
        early = lab.early() == UNREAD
        return lab.outcome(), early, int(again.handle) == pointer

    def by_object(array):
        return array.__dlpack__(stream=consumer)
    def by_number(array):
        return array.__dlpack__(stream=handle_of(consumer))
    def by_cuda_core(array):
        return lab.view(array, consumer)
    def by_interface(array):
        from cuda.core.utils import StridedMemoryView
        on_consumer = anystream.Stream(consumer)
        array.record_stream(on_consumer)
        return StridedMemoryView.from_cuda_array_interface(array, stream_ptr=handle_of(consumer))
"""

WAYS = ("by_object", "by_number", "by_cuda_core", "by_interface")
by_way = pytest.mark.parametrize("way", WAYS)


@by_way
@pytest.mark.parametrize("release", ["ordered", "deferred"])
def test_the_consumer_reads_right_values_every_time(release: str, way: str) -> None:
    out = run(
        STORY,
        f"""
        found = [recycled({way}, release="{release}") for _ in range({ROUNDS})]
        print({{value for value, *_ in found}}, all(early for _, early, _ in found))
        anystream.synchronize()
        print(tuple(anystream.pending_releases()), driver.written_after_free)
        producer.sync()
        gc.collect()
        print(driver.live()["allocations"])
        """,
    )
    assert out == ["{7} True", "(0, 0) 0", "1"]  # what is left is what the reader reads into


@by_way
def test_without_a_way_back_it_reads_wrong_ones_every_time(way: str) -> None:
    out = run(
        STORY,
        f"""
        found = [recycled({way}, release="none") for _ in range({ROUNDS})]
        print({{value for value, *_ in found}}, all(early for _, early, _ in found))
        print(all(same for *_, same in found))
        """,
    )
    assert out == ["{9} True", "True"]


def test_the_host_waits_where_that_is_asked_for() -> None:
    out = run(
        STORY,
        """
        driver.release_on_wait()
        print({recycled(by_object, release="host")[0] for _ in range(5)})
        """,
    )
    assert out == ["{7}"]


@by_way
def test_a_write_of_the_producer_comes_after_the_reader(way: str) -> None:
    """The memory is the producer's all the time; only the loan ends."""
    out = run(
        STORY,
        f"""
        x = lab.buffer(7)
        array = anystream.from_dlpack(x, producer_stream=producer)
        lent = {way}(array)
        producer.sync()
        driver.hold(consumer)
        lab.read(array.data_ptr)
        del array, lent
        gc.collect()
        x.fill(9, stream=producer)
        print(lab.early() == UNREAD, names_of(driver.pending(producer))[:1], lab.outcome())
        """,
    )
    assert out == ["True ['cuStreamWaitEvent'] 7"]


def test_borrow_ends_with_the_block() -> None:
    out = run(
        """
        x = lab.buffer(7)
        with anystream.borrow(x, stream=consumer, producer_stream=producer) as array:
            producer.sync()
            driver.hold(consumer)
            lab.read(array.data_ptr)
        x.fill(9, stream=producer)
        print(lab.early() == UNREAD, lab.outcome())
        """,
    )
    assert out == ["True 7"]


# ---- a stream that is a mere number

GONE = """
    def lent(x):
        array = anystream.from_dlpack(x, producer_stream=producer)
        return array.data_ptr, array.__dlpack__(stream=number)

    number = handle_of(consumer)
    x = lab.buffer(7)
    pointer, capsule = lent(x)
    producer.sync()
    driver.hold(number)
    lab.read(pointer)
    consumer.close()
    driver.clear()
    del x, capsule
    gc.collect()
    touched = [call for call in driver.calls() if f"stream={number:#x}" in call]
    again = lab.buffer(9)
    print(touched, lab.early() == UNREAD)
"""


def test_a_number_is_not_touched_once_its_stream_may_be_gone() -> None:
    """An event of all its context stands for it: the reader that was enqueued still reads right."""
    out = run(
        GONE,
        """
        print(len(driver.calls("cuCtxRecordEvent")), lab.outcome(), driver.written_after_free)
        """,
    )
    assert out == ["[] True", "1 7 0"]


# ---- a driver without an event of a context


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the driver one of before CUDA 12.5."""
    hide_from_clients("cuCtxRecordEvent", tmp_path, monkeypatch)


@pytest.mark.usefixtures("older")
def test_a_thread_waits_where_the_driver_has_no_event_of_a_context() -> None:
    out = run(
        GONE,
        """
        print(hasattr(driver.library, "cuCtxRecordEvent"), int(again.handle) != pointer)
        print(anystream.pending_releases().number, lab.outcome())
        anystream.synchronize()
        print(anystream.pending_releases().number, driver.written_after_free)
        print(len(driver.calls("cuCtxSynchronize")) > 0)
        """,
    )
    assert out == ["[] True", "False True", "1 7", "0 0", "True"]


@pytest.mark.usefixtures("older")
@pytest.mark.parametrize("way", ["by_number", "by_cuda_core"])
def test_on_an_older_driver_readers_are_right_every_time(way: str) -> None:
    out = run(
        STORY,
        f"""
        print({{recycled({way})[:2] for _ in range({ROUNDS})}}, driver.written_after_free)
        """,
    )
    assert out == ["{(7, True)} 0"]
