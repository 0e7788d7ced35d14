# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The ends of processes: no stream of the simulation keeps one from ending, or ends it badly."""

import os
import subprocess
import sys

import pytest

BEGIN = """
import threading, time
import anystream
from anystream.testing import SimulatedDevice, peek, values

device = SimulatedDevice()
"""

ENDINGS = {
    "an operation is pending on a held stream": """
stream = device.stream()
stream.hold()
array = device.full((3,), 1, "int32", stream)
stream.call(print)
""",
    "a thread waits for a held stream": """
stream = device.stream()
stream.hold()
array = device.full((3,), 1, "int32", stream)
threading.Thread(target=stream.synchronize, daemon=True).start()
hand_over = lambda: anystream.from_dlpack(array, device="cpu")
threading.Thread(target=hand_over, daemon=True).start()
""",
    "a function of Python waits": """
started = threading.Event()
device.default_stream.call(lambda: (started.set(), threading.Event().wait()))
started.wait()
""",
    "a function of Python comes and goes": """
def again():
    time.sleep(0)
    device.default_stream.call(again)

device.default_stream.call(again)
""",
    "a function of Python runs on": """
started = threading.Event()

def run():
    started.set()
    while True:
        pass

device.default_stream.call(run)
started.wait()
""",
    "streams are referenced from everywhere": """
import sys
sys.kept = [device, device.stream(), anystream.Stream(device.default_stream)._get_capsule()]
sys.kept.append(sys.kept)
""",
}


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + script + '\nprint("end")'],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("script", ENDINGS.values(), ids=ENDINGS)
def test_the_process_ends(script: str) -> None:
    ended = run(script)
    assert (ended.returncode, ended.stdout.split("\n")[-2], ended.stderr) == (0, "end", "")


FORK = """
import os, sys, warnings

stream = device.stream()
stream.hold()
array = device.full((3,), 1, "int32", stream)
event = anystream.Stream(stream).record()
warnings.simplefilter("ignore", DeprecationWarning)  # since 3.12: it has threads; that is the test
child = os.fork()
if child == 0:
    assert not event.query()
    for call in (stream.synchronize, event.synchronize, SimulatedDevice, lambda: stream.pending,
                 lambda: peek(array), lambda: stream.fill(array, 2)):
        try:
            call()
        except anystream.DriverUnavailable as error:
            assert "was forked" in str(error)
        else:
            sys.exit("no error")
    del array, event, stream
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
stream.release()
event.synchronize()
assert values(array) == [1, 1, 1]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_says_so_and_ends() -> None:
    ended = run(FORK)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "end\n", "")
