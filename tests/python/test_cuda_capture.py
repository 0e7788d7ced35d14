# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hand-offs while streams of cuda-core are captured into graphs: part of the graph, or refused."""

import pytest

from cuda_capture_rig import CAPTURE
from cuda_rig import UNREAD, run


def test_another_stream_of_one_capture_is_waited_for_in_the_graph() -> None:
    out = run(
        CAPTURE,
        """
        begin(producer)
        join(producer, consumer)
        x.fill(7, stream=producer)
        array = anystream.from_dlpack(x, producer_stream=producer, stream=consumer)
        lab.read(array.data_ptr)
        print(status(producer), status(consumer))
        producer.wait(consumer)
        graph = end(producer)
        driver.settle()
        print(lab.value() == UNREAD, status(producer))
        launch(graph, producer)
        print(lab.value())
        """,
    )
    assert out == ["active active", "True none", "7"]


def test_a_stream_that_is_not_captured_becomes_part_of_it() -> None:
    """The consumer waits for captured work: the driver joins it to the capture."""
    out = run(
        CAPTURE,
        """
        begin(producer)
        x.fill(7, stream=producer)
        array = anystream.from_dlpack(x, producer_stream=producer, stream=consumer)
        lab.read(array.data_ptr)
        print(status(producer), status(consumer))
        del array
        gc.collect()
        producer.wait(consumer)
        launch(end(producer), producer)
        print(lab.value())
        """,
    )
    assert out == ["active active", "7"]


def test_the_way_back_is_part_of_the_graph_too() -> None:
    """The producer's next write comes after the reader in every launch."""
    out = run(
        CAPTURE,
        """
        begin(producer)
        join(producer, consumer)
        x.fill(7, stream=producer)
        array = anystream.from_dlpack(x, producer_stream=producer, stream=consumer)
        lab.read(array.data_ptr)
        del array
        gc.collect()
        x.fill(9, stream=producer)
        graph = end(producer)
        print(isinstance(graph, ctypes.c_void_p))
        for _ in range(3):
            launch(graph, producer)
            print(lab.value())
            lab.seen[:] = UNREAD
        """,
    )
    assert out == ["True", "7", "7", "7"]


@pytest.mark.parametrize("mode", ["GLOBAL", "THREAD", "RELAXED"])
def test_a_producer_outside_of_the_capture_is_refused(mode: str) -> None:
    """Before it is asked for anything, and the capture is as good as it was."""
    out = run(
        CAPTURE,
        f"""
        watched = Watched(anystream.from_dlpack(x, producer_stream=producer))
        begin(consumer, {mode})
        ask = lambda: anystream.from_dlpack(watched, producer_stream=producer, stream=consumer)
        no_work, text = refused(ask)
        print(no_work, watched.asked, "cannot wait for work outside of the capture" in text)
        array = anystream.from_dlpack(x, producer_stream=producer)
        no_work, text = refused(lambda: array.__dlpack__(stream=consumer))
        print(no_work, "cannot wait for work outside of the capture" in text)
        print(status(producer), status(consumer))
        print(isinstance(end(consumer), ctypes.c_void_p))
        ask()
        """,
    )
    assert out == ["True 0 True", "True True", "none active", "True"]


def test_what_is_named_as_done_may_be_used_in_a_capture() -> None:
    """The way round that the message names."""
    out = run(
        CAPTURE,
        """
        begin(consumer)
        array = anystream.from_dlpack(x, producer_stream=-1, stream=consumer)
        lab.read(array.data_ptr)
        print(status(consumer))
        launch(end(consumer), consumer)
        print(lab.value())
        """,
    )
    assert out == ["active", "1"]


def test_two_captures_cannot_wait_for_each_other() -> None:
    out = run(
        CAPTURE,
        """
        array = anystream.from_dlpack(x, producer_stream=producer)
        begin(producer)
        begin(consumer)
        no_work, text = refused(lambda: array.__dlpack__(stream=consumer))
        print(no_work, "into two graphs" in text, status(producer), status(consumer))
        """,
    )
    assert out == ["True True active active"]


def test_the_host_does_not_wait_for_a_capture() -> None:
    out = run(
        CAPTURE,
        """
        pinned = lab.target
        begin(producer)
        host = lambda: anystream.handoff(pinned, to="numpy", producer_stream=producer)
        no_work, text = refused(host)
        print(no_work, "the host cannot wait" in text, status(producer))
        no_work, text = refused(
            lambda: anystream.from_dlpack(
                x, producer_stream=producer, stream=consumer, ordering="host"))
        print(no_work, "the host cannot wait" in text, status(producer))
        """,
    )
    assert out == ["True True active", "True True active"]


@pytest.mark.parametrize("given", ["producer", "handle_of(producer)"])
def test_on_the_captured_stream_itself_nothing_is_done(given: str) -> None:
    out = run(
        CAPTURE,
        f"""
        array = anystream.from_dlpack(x, producer_stream=producer)
        begin(producer)
        driver.clear()
        lent = array.__dlpack__(stream={given})
        del lent
        print(lab.work(), status(producer))
        """,
    )
    assert out == ["[] active"]


def test_a_legacy_stream_beside_the_capture_of_a_blocking_one() -> None:
    """The driver would break the capture; so it is refused before."""
    out = run(
        CAPTURE,
        """
        blocking = ctypes.c_void_p()
        assert cuda.cuStreamCreate(ctypes.byref(blocking), 0) == 0
        array = anystream.from_dlpack(x, producer_stream=producer)
        assert cuda.cuStreamBeginCapture_v2(blocking, GLOBAL) == 0
        for given in (None, 1):
            no_work, text = refused(lambda: array.__dlpack__(stream=given))
            print(no_work, "legacy default stream" in text)
        print(status(anystream.Stream.from_handle("cuda:0", blocking.value)))
        """,
    )
    assert out == ["True True", "True True", "active"]


def test_a_release_in_a_capture_is_held_until_it_ends() -> None:
    """Memory that a graph was captured with is not let go before that; then it is, by itself."""
    out = run(
        CAPTURE,
        """
        import weakref
        class Kept:
            def __init__(self, array):
                self.array = array
            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
            def __dlpack__(self, **keywords):
                return self.array.__dlpack__(**keywords)
        begin(producer)
        join(producer, consumer)
        pool = lab.device.allocate
        before = driver.live()["allocations"]
        array = anystream.from_dlpack(x, producer_stream=producer, stream=consumer)
        lab.read(array.data_ptr)
        del x, array
        gc.collect()
        for _ in range(3):
            anystream.pending_releases()
        print(anystream.pending_releases().number, driver.live()["allocations"] - before)
        print(status(producer), status(consumer))
        graph = end(producer)
        print(isinstance(graph, ctypes.c_void_p))
        anystream.synchronize()
        print(anystream.pending_releases().number)
        """,
    )
    assert out == ["1 0", "active active", "True", "0"]


@pytest.mark.parametrize("mode", ["GLOBAL", "THREAD"])
def test_no_capture_of_another_thread_is_broken(mode: str) -> None:
    """By hand-offs, by releases that are asked for their state, by waits."""
    out = run(
        CAPTURE,
        f"""
        third = lab.device.create_stream()
        ready, done = threading.Event(), threading.Event()
        found = []
        def captures():
            lab.device.set_current()
            begin(third, {mode})
            ready.set()
            done.wait()
            found.append(status(third))
            found.append(isinstance(end(third), ctypes.c_void_p))
        thread = threading.Thread(target=captures, daemon=True)
        thread.start()
        ready.wait()
        for _ in range(20):
            y = anystream.from_dlpack(x, producer_stream=producer)
            lent = y.__dlpack__(stream=consumer)
            driver.hold(consumer)
            lab.read(y.data_ptr)
            del lent, y
            gc.collect()
            anystream.pending_releases()
            driver.release(consumer)
            anystream.Stream(consumer, "cuda:0").query()
            anystream.Stream(consumer, "cuda:0").synchronize()
            there = anystream.from_dlpack(np.arange(4), device="cuda:0", stream=producer)
            there.__dlpack__(stream=1)
            del there
        anystream.synchronize()
        done.set()
        thread.join()
        print(found)
        """,
    )
    assert out == ["['active', True]"]


def test_readers_wait_where_nothing_is_captured() -> None:
    """The same rig without a capture: what the tests above would see if theirs had ended."""
    out = run(
        CAPTURE,
        """
        driver.hold(producer)
        x.fill(7, stream=producer)
        array = anystream.from_dlpack(x, producer_stream=producer, stream=consumer)
        lab.read(array.data_ptr)
        print(lab.early(), status(producer), lab.outcome())
        """,
    )
    assert out == [f"{UNREAD} none 7"]
