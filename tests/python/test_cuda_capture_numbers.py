# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Memory lent to streams that are mere numbers, given back while streams are captured."""

import pytest

from cuda_capture_rig import CAPTURE
from cuda_rig import run

# In the capture: the producer waits for all of it, and its own end is marked.
CALLS = ["cuStreamUpdateCaptureDependencies", "cuEventCreate", "cuEventRecord"]

NUMBERS = """
    def lend(value, stream=consumer):
        y = lab.buffer(value)
        array = anystream.from_dlpack(y, producer_stream=producer)
        return array.data_ptr, array.__dlpack__(stream=handle_of(stream))
    def drop():
        gc.collect()
        anystream.pending_releases()
"""


def test_memory_lent_to_a_number_is_safe_beside_a_capture_that_is_not_known() -> None:
    """There is no event of a context that captures, so a thread waits; and the capture is broken.

    The driver tells nobody that a context has one, and breaks it when it is asked for the event.
    """
    out = run(
        CAPTURE,
        NUMBERS,
        """
        third = lab.device.create_stream()
        pointer, lent = lend(1)
        del lent  # an event that is used again, which was recorded before
        drop()
        pointer, lent = lend(7)
        producer.sync()
        driver.hold(consumer)
        lab.read(pointer)
        begin(third)
        del lent
        gc.collect()
        again = lab.buffer(9)
        print(lab.early() == UNREAD, int(again.handle) != pointer, end(third))
        print(lab.outcome())
        anystream.synchronize()
        print(anystream.pending_releases().number)
        """,
    )
    assert out == ["True True 901", "7", "0"]


@pytest.mark.parametrize("home", [True, False])
@pytest.mark.parametrize("mode", ["GLOBAL", "THREAD", "RELAXED"])
def test_a_number_waits_for_the_end_of_a_capture_that_is_known(mode: str, home: bool) -> None:
    """One of the stream that the memory goes back to, or of any that was met: it goes on whole."""
    out = run(
        CAPTURE,
        NUMBERS,
        f"""
        import sys
        told = []
        sys.unraisablehook = lambda args: told.append(str(args.exc_value))
        third = producer if {home} else lab.device.create_stream()
        pointer, lent = lend(7)
        producer.sync()
        driver.hold(consumer)
        lab.read(pointer)
        begin(third, {mode})
        met = anystream.Stream(third, "cuda:0")
        assert {home} or met.record()
        driver.clear()
        del lent
        for _ in range(3):
            drop()
        names = "cuCtxRecordEvent", "cuCtxSynchronize"
        driver.settle()
        print(anystream.pending_releases().number, driver.calls(*names), status(third))
        print([text for text in told if "outside of the capture" not in text], len(told) == {home})
        print(isinstance(end(third), ctypes.c_void_p), anystream.pending_releases().number)
        again = lab.buffer(9)
        print(lab.early() == UNREAD, int(again.handle) != pointer, lab.outcome())
        anystream.synchronize()
        print(anystream.pending_releases().number, driver.written_after_free)
        """,
    )
    assert out == ["1 [] active", "[] True", "True 1", "True True 7", "0 0"]


def test_a_number_in_a_capture_is_not_touched_and_is_waited_for_in_the_graph() -> None:
    """A hand-off made it part of the capture; what the producer captures next comes after."""
    out = run(
        CAPTURE,
        NUMBERS,
        """
        begin(producer)
        x.fill(7, stream=producer)
        array = anystream.from_dlpack(x, producer_stream=producer)
        lent = array.__dlpack__(stream=handle_of(consumer))
        lab.read(array.data_ptr)
        print(status(producer), status(consumer))
        driver.clear()
        del lent, array
        drop()
        calls = driver.calls()
        number = f"stream={handle_of(consumer):#x}"
        print([call for call in calls if number in call], names_of(lab.work()))
        x.fill(9, stream=producer)  # in the graph, after the reader
        print(status(producer), anystream.pending_releases().number)
        graph = end(producer)  # nothing of the consumer's is left unjoined
        print(isinstance(graph, ctypes.c_void_p))
        for _ in range(3):
            launch(graph, producer)
            print(lab.value())
            lab.seen[:] = UNREAD
        anystream.synchronize()
        print(anystream.pending_releases().number)
        """,
    )
    assert out == ["active active", f"[] {CALLS}", "active 1", "True", "7", "7", "7", "0"]
