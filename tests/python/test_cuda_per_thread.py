# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Handle 2, another CUDA stream in each thread: ordered in its own, not touched by others."""

import pytest

from cuda_rig import UNREAD, run

STORY = """
    import re
    mine = lab.core.PER_THREAD_DEFAULT_STREAM
    x = lab.buffer(1)
    producer.sync()

    def in_thread(function):
        found = []
        def work():
            lab.device.set_current()
            found.append(function())
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return found[0]
"""


@pytest.mark.parametrize("given", ["2", "mine", "anystream.Stream(2, 'cuda:0')"])
def test_a_reader_on_it_is_never_early(given: str) -> None:
    out = run(
        STORY,
        f"""
        array = anystream.from_dlpack(x, producer_stream=producer)
        driver.hold(producer)
        x.fill(7, stream=producer)
        driver.clear()
        lent = array.__dlpack__(stream={given})
        lab.read(array.data_ptr, mine)
        print(lab.early(), names_of(lab.work()), lab.outcome())
        """,
    )
    assert out[0].startswith(f"{UNREAD} ['cuEventCreate', 'cuEventRecord', 'cuStreamWaitEvent'"), (
        out
    )
    assert out[0].endswith(" 7")


def test_as_the_producers_stream() -> None:
    out = run(
        STORY,
        """
        driver.hold(2)
        x.fill(7, stream=mine)
        array = anystream.from_dlpack(x, producer_stream=2, stream=consumer)
        lab.read(array.data_ptr)
        print(lab.early(), lab.outcome())
        """,
    )
    assert out == [f"{UNREAD} 7"]


def test_to_the_thread_itself_it_is_one_stream() -> None:
    out = run(
        STORY,
        """
        array = anystream.from_dlpack(x, producer_stream=2)
        driver.clear()
        lent = array.__dlpack__(stream=2)
        del lent
        print(lab.work(), anystream.Stream(2, "cuda:0") == anystream.Stream(mine, "cuda:0"))
        """,
    )
    assert out == ["[] True"]


def test_in_another_thread_it_is_another_stream() -> None:
    """The number that an array came with there is not the one of here: the host waits for it."""
    out = run(
        STORY,
        """
        there = in_thread(lambda: anystream.from_dlpack(x, producer_stream=2))
        driver.clear()
        driver.release_on_wait()
        lent = there.__dlpack__(stream=2)
        print(there.stream == anystream.Stream(2, "cuda:0"), len(lab.work()) > 0)
        """,
    )
    assert out == ["False True"]


def test_it_comes_back_in_its_own_thread_by_a_record() -> None:
    out = run(
        STORY,
        """
        def story():
            array = anystream.from_dlpack(x, producer_stream=producer)
            lent = array.__dlpack__(stream=2)
            driver.hold(2)
            lab.read(array.data_ptr, mine)
            del array, lent
            gc.collect()
            x.fill(9, stream=producer)
            return lab.early() == UNREAD, len(driver.calls("cuCtxRecordEvent")), lab.outcome()
        print(story(), in_thread(story))
        """,
    )
    assert out == ["(True, 0, 1) (True, 0, 9)"]


def test_it_comes_back_from_another_thread_untouched() -> None:
    """All work of the context is waited for instead, and the reader is right."""
    out = run(
        STORY,
        """
        def story():
            array = anystream.from_dlpack(x, producer_stream=producer)
            lent = array.__dlpack__(stream=2)
            driver.hold(2)
            lab.read(array.data_ptr, mine)
            driver.settle()
            return array.data_ptr, lent
        kept = []
        more = threading.Event()
        ready = threading.Event()
        def work():
            lab.device.set_current()
            kept.append(story())
            ready.set()
            more.wait()
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        ready.wait()
        producer.sync()
        driver.clear()
        kept.clear()
        gc.collect()
        touched = [call for call in driver.calls() if re.search(r"stream=0x2\b", call)]
        x.fill(9, stream=producer)
        print(touched, names_of(driver.calls("cuCtxRecordEvent", "cuStreamWaitEvent")))
        print(lab.early() == UNREAD, lab.outcome())
        more.set()
        thread.join()
        """,
    )
    assert out == ["[] ['cuCtxRecordEvent', 'cuStreamWaitEvent']", "True 1"]


def test_it_comes_back_when_its_thread_has_ended() -> None:
    out = run(
        STORY,
        """
        def story():
            array = anystream.from_dlpack(x, producer_stream=producer)
            return array.__dlpack__(stream=2)
        lent = in_thread(story)
        driver.clear()
        del lent
        gc.collect()
        print(names_of(driver.calls("cuCtxRecordEvent", "cuEventRecord"))[:1])
        anystream.synchronize()
        print(anystream.pending_releases().number)
        """,
    )
    assert out == ["['cuCtxRecordEvent']", "0"]
