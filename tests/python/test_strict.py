# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Strict mode: by the call, by a block, by the environment; and each thing that it refuses."""

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import pytest

import anystream
from anystream import OrderingError, _core
from anystream.testing import SimulatedDevice
from process_rig import python
from simulated_rig import Race
from stand_ins import Memory, Producer

REFUSED = r"^strict=True: the order cannot be proved on the device. The plan was: .*\n  \S"


def a_host_wait() -> None:
    """Two platforms share no event: the host waits."""
    device = SimulatedDevice()
    anystream.handoff(device.full(4, 1.0), to="numpy", copy=True)


def by_wish() -> None:
    device = SimulatedDevice()
    anystream.from_dlpack(device.full(4, 1.0), stream=device.stream(), ordering="host")


def a_raw_capsule() -> None:
    capsule = _core.Carrier(Memory().array((2, 0))).__dlpack__(max_version=(1, 0))
    anystream.from_dlpack(capsule, stream=0x5000)


def no_stream_to_be_had() -> None:
    device = SimulatedDevice()
    anystream.from_dlpack(Producer((12, device.device.id), device.full(4, 1.0)))


def a_stream_that_nobody_knows() -> None:
    """One that only the producer may know: whether it orders, nobody here can tell."""

    class VulkanQueue: ...

    anystream.from_dlpack(Producer((7, 0)), stream=VulkanQueue())


UNPROVED: dict[str, Callable[[], None]] = {
    "a host wait": a_host_wait,
    "a host wait by wish": by_wish,
    "a raw capsule": a_raw_capsule,
    "no stream": no_stream_to_be_had,
    "an unknown stream": a_stream_that_nobody_knows,
}


@pytest.mark.parametrize("what", UNPROVED)
def test_a_strict_block_refuses_what_is_not_proved(what: str) -> None:
    UNPROVED[what]()
    with anystream.strict(), pytest.raises(OrderingError, match=REFUSED):
        UNPROVED[what]()
    UNPROVED[what]()


def test_a_producer_that_ignores_its_stream() -> None:
    """tvm_ffi, which has no streams of its own."""
    pytest.importorskip("tvm_ffi", reason="tvm_ffi is not installed (PEERS=all installs it)")
    device = SimulatedDevice()
    x = anystream.handoff(device.full(4, 1.0), to="tvm_ffi", stream=device.stream())
    anystream.from_dlpack(x)
    with anystream.strict(), pytest.raises(OrderingError, match=REFUSED):
        anystream.from_dlpack(x)


def test_what_is_proved_is_taken() -> None:
    found = Race()
    source = found.produce()
    with anystream.strict():
        array = anystream.from_dlpack(source, stream=found.consumer)
        assert found.finish(found.read(array))
        same = anystream.from_dlpack(source, stream=found.producer)
        assert same.plan.ordering.what == "nothing"
        anystream.from_dlpack(bytearray(8))


Function = Callable[..., Any]


@pytest.mark.parametrize(
    ("outer", "said", "refused"),
    [
        (None, None, False),
        (None, True, True),
        (True, None, True),
        (True, False, False),
        (False, True, True),
        (False, None, False),
    ],
)
@pytest.mark.parametrize(
    "call",
    [anystream.from_dlpack, anystream.explain, lambda x, **said: anystream.explain([x], **said)],
    ids=["from_dlpack", "explain", "many"],
)
def test_the_call_has_the_last_word(
    call: Function, outer: bool | None, said: bool | None, refused: bool
) -> None:
    device = SimulatedDevice()
    x = Producer((12, device.device.id), device.full(4, 1.0))
    with anystream.strict(bool(outer)):
        if not refused:
            call(x, strict=said)
            return
        with pytest.raises(OrderingError):
            call(x, strict=said)


def unproved() -> Any:
    device = SimulatedDevice()
    return Producer((12, device.device.id), device.full(4, 1.0))


def test_blocks_nest_and_end_with_an_error() -> None:
    x = unproved()
    with anystream.strict():
        with anystream.strict(False):
            anystream.from_dlpack(x)
        with pytest.raises(OrderingError):
            anystream.from_dlpack(x)
        with pytest.raises(KeyError), anystream.strict(False):
            raise KeyError
        with pytest.raises(OrderingError):
            anystream.from_dlpack(x)
    anystream.from_dlpack(x)


def test_other_threads_are_not_in_the_block() -> None:
    x, outcome = unproved(), list[Any]()
    with anystream.strict():
        thread = threading.Thread(target=lambda: outcome.append(anystream.from_dlpack(x)))
        thread.start()
        thread.join()
        assert len(outcome) == 1
        with pytest.raises(OrderingError):  # a context that was copied here is
            copy_context().run(anystream.from_dlpack, x)


def test_read_only_memory_is_refused_in_a_block() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    anystream.handoff(np.zeros(3), to="torch")  # the quick way is known then
    fixed = np.frombuffer(b"123456", np.uint8)
    with anystream.strict():
        assert anystream.handoff(np.zeros(3), to="torch").shape == (3,)
        with pytest.raises(BufferError, match=r"^strict=True: this memory of numpy is read-only"):
            anystream.handoff(fixed, to="torch")


@pytest.mark.parametrize("wrong", [None, 1, "yes"])
def test_what_is_no_bool_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"anystream\.strict\(\) takes True or False; got "):
        anystream.strict(wrong).__enter__()


SCRIPT = """
import anystream
from anystream.testing import SimulatedDevice
device = SimulatedDevice()
try:
    anystream.from_dlpack(device.full(4, 1.0), stream=device.stream(), ordering="host")
except anystream.OrderingError:
    print("refused")
else:
    print("taken")
"""


@pytest.mark.parametrize(("value", "outcome"), [("", "taken"), ("0", "taken"), ("1", "refused")])
def test_the_environment_has_the_whole_process_strict(value: str, outcome: str) -> None:
    done = python("-c", SCRIPT, ANYSTREAM_STRICT=value)
    assert (done.stdout.strip(), done.stderr) == (outcome, "")


def test_a_value_that_it_does_not_take_is_told() -> None:
    done = python("-c", "import anystream", ANYSTREAM_STRICT="yes")
    assert done.returncode == 1
    assert "ValueError: ANYSTREAM_STRICT takes 1 or 0; got 'yes'.\n  1 refuses" in done.stderr
