# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What a hand-off asks of the CUDA driver: nothing, or record and wait; and on refusal nothing."""

import pytest

from cuda_rig import run
from software_driver import child_on

HAND_OVER = """
    x = anystream.from_dlpack(np.arange(8), device="cuda:0", stream=producer)
    def lend(stream):
        return x.__dlpack__(stream=stream)
    for stream in (producer, consumer):  # once, for what is looked up once
        lend(stream)
    gc.collect()
    producer.sync()
    consumer.sync()
    driver.clear()
"""


@pytest.mark.parametrize("form", ["producer", "handle_of(producer)", "producer.handle", "-1"])
def test_on_the_same_stream_nothing_is_done(form: str) -> None:
    """Neither there nor back."""
    out = run(
        HAND_OVER,
        f"""
        lent = lend({form})
        print(lab.work())
        del lent
        print(lab.work())
        """,
    )
    assert out == ["[]", "[]"]


def test_between_two_streams_it_is_a_record_and_a_wait_each_way() -> None:
    out = run(
        HAND_OVER,
        """
        one, other = (f"stream={handle_of(stream):#x}" for stream in (producer, consumer))
        lent = lend(consumer)
        there = lab.work()
        driver.clear()
        del lent
        back = lab.work()
        print(names_of(there), one in there[0], other in there[1])
        print(names_of(back), other in back[0], one in back[1])
        event = lambda call: call.partition("event=")[2].partition(",")[0]
        print([event(calls[0]) == event(calls[1]) for calls in (there, back)])
        """,
    )
    assert out == [
        "['cuEventRecord', 'cuStreamWaitEvent'] True True",
        "['cuEventRecord', 'cuStreamWaitEvent'] True True",
        "[True, True]",
    ]


def test_to_a_number_the_way_back_is_an_event_of_its_context() -> None:
    out = run(
        HAND_OVER,
        """
        lent = lend(handle_of(consumer))
        print(names_of(lab.work()))
        driver.clear()
        del lent
        print(names_of(lab.work()))
        """,
    )
    assert out[0] == "['cuEventRecord', 'cuStreamWaitEvent']"
    assert out[1].replace("'cuEventCreate', ", "") == "['cuCtxRecordEvent', 'cuStreamWaitEvent']"


def test_of_a_plain_buffer_the_order_is_the_same() -> None:
    """Its memory is let go when the producer's stream is there; so far it is kept."""
    out = run(
        """
        def hand_over():
            buffer = lab.buffer()
            driver.clear()
            array = anystream.from_dlpack(buffer, producer_stream=producer, stream=consumer)
            print(names_of(lab.work()))
            driver.clear()
            del array
            print(names_of(lab.work())[:2])
            anystream.synchronize()  # what was put off has an event of its own
        for _ in range(3):
            hand_over()
        """,
    )
    assert out[2:] == ["['cuEventRecord', 'cuStreamWaitEvent']"] * 4


@pytest.mark.parametrize("streams", ["(consumer,)", "(consumer, producer, handle_of(consumer))"])
def test_in_steady_state_no_event_is_made_nor_destroyed(streams: str) -> None:
    """Over 100000 hand-offs, there and back."""
    out = run(
        HAND_OVER,
        f"""
        driver.log(False)
        def many(count):
            for _ in range(count // len({streams})):
                for stream in {streams}:
                    lend(stream)
        many(300)
        producer.sync()
        consumer.sync()
        driver.clear()
        many(100_000)
        print([driver.count(f"cuEvent{{name}}") for name in ("Create", "Destroy")])
        records = driver.count("cuEventRecord") + driver.count("cuCtxRecordEvent")
        print(records, driver.count("cuStreamWaitEvent"))
        """,
    )
    pairs = 200_000 if streams == "(consumer,)" else 4 * (100_000 // 3)
    assert out == ["[0, 0]", f"{pairs} {pairs}"]


def test_how_many_questions_a_hand_off_asks() -> None:
    """Not one of them waits, or looks at a stream's work; a change here is a change of speed."""
    out = run(
        HAND_OVER,
        """
        lent = lend(consumer)
        asked = [name for name in names_of(driver.calls()) if name in STATE]
        print({name: asked.count(name) for name in sorted(set(asked))})
        """,
    )
    (counts,) = map(eval, out)
    assert set(counts) <= {
        "cuCtxGetId",
        "cuCtxGetCurrent",
        "cuStreamIsCapturing",
        "cuStreamGetId",
        "cuStreamGetCtx",
    }
    assert sum(counts.values()) <= 14, counts


REFUSED = """
    import anystream
    from stream_oracle import OUTCOMES, WHERE
    from stream_values import VALUES
    from test_streams_oracle import ERRORS, array_on
    import pytest

    def refuses(array, name):
        try:
            value = VALUES[name]()
        except pytest.skip.Exception:
            return
        driver.clear()
        try:
            array.__dlpack__(stream=value.passed)
        except (TypeError, ValueError):
            pass
        else:
            print("not refused:", array.device, name)
        if driver.count():
            print(array.device, name, driver.calls())
"""


@pytest.mark.parametrize(
    ("driver", "init", "column"), [("cuda", "cuInit", "cuda"), ("hip", "hipInit", "rocm")]
)
def test_what_is_refused_makes_no_call(driver: str, init: str, column: str) -> None:
    """Every value that the oracle refuses, on each type of memory that has streams."""
    out = child_on(
        driver,
        REFUSED,
        f"""
        assert driver.library.{init}(0) == 0
        count = 0
        for where in WHERE:
            if where.column != "{column}":
                continue
            array = array_on(where, anystream.Stream.from_handle("{column}:0", 4096))
            for name, outcomes in OUTCOMES.items():
                if outcomes[where.column].kind in ERRORS:
                    refuses(array, name)
                    count += 1
        print(count > 60)
        """,
    )
    assert out == "True\n"


def test_what_the_oracle_takes_is_ordered() -> None:
    """With handles that are there in the place of those that are made up."""
    out = run(
        HAND_OVER,
        """
        from stream_values import capsule, stand_in, with_protocol
        handle = handle_of(consumer)
        taken = {
            "int": handle,
            "np.int64": np.int64(handle),
            "cudaStream_t": capsule("cudaStream_t", handle),
            "CUstream": capsule("CUstream", handle),
            "protocol": with_protocol((0, handle)),
            "attribute": with_protocol((0, handle), method=False),
            "torch": stand_in("torch.cuda.streams", "Stream", cuda_stream=handle),
            "numba": stand_in("numba.cuda.cudadrv.driver", "Stream", __int__=lambda _: handle),
            "rmm": stand_in("rmm.pylibrmm.stream", "Stream", __cuda_stream__=lambda _: (0, handle)),
            "cuda.core": consumer,
            "cuda.bindings": consumer.handle,
            "ours": anystream.Stream(consumer),
        }
        defaults = {
            "None": None, "1": 1, "2": 2, "null of a protocol": with_protocol((0, 0)),
            "null of torch": stand_in("torch.cuda.streams", "Stream", cuda_stream=0),
        }
        def asked(value):
            driver.clear()
            lent = lend(value)
            return [call.partition("stream=")[2] for call in lab.work()
                    if "Wait" in call or "Record" in call]
        for name, value in taken.items():
            found = asked(value)
            if len(found) != 2 or not found[1].startswith(f"{handle:#x},"):
                print(name, found)
        print({name: asked(value)[1].partition(",")[0] for name, value in defaults.items()})
        """,
    )
    legacy = "0x0"
    assert out == [
        str(
            {
                "None": legacy,
                "1": legacy,
                "2": "0x2",
                "null of a protocol": legacy,
                "null of torch": legacy,
            }
        )
    ]
