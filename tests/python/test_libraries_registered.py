# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries that were registered, and what other installed packages bring by entry points."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from process_rig import child, python

# A library as another package would bring it: arrays with a queue, an importer, a current queue.
LIBRARY = """
import anystream
from platform_rig import *
class Queue(LabQueue): pass
class Array(LabArray):
    def __init__(self, inner, queue=None):
        super().__init__(inner)
        self.queue = queue
class Took:
    def __init__(self, x):
        self.capsule = x.__dlpack__(max_version=(1, 3))
def from_dlpack(x): return Took(x)
CURRENT = Queue()
def current_queue(device): return CURRENT
def register_platform():
    anystream.register_platform("vulkan", "lab", **{**WHOLE, "stream": "lab_library:Queue"})
def register_peer():
    anystream.register_library("lab_library", arrays="lab_library:Array", stream="queue",
        orders="ignores", quiet=-1, from_dlpack="lab_library:from_dlpack",
        takes=("vulkan", "cpu"), current={"vulkan": "lab_library:current_queue"},
        package="lab-library", readonly="safe")
"""

USES = """
import lab_library, anystream
from lab_library import Queue, Array
from platform_rig import lab_array, fill, read
inner, view = lab_array(7)
queue = Queue()
array = Array(inner.inner, queue)
queue.hold()
fill(queue, view, 3)
plan = anystream.explain(array, to="lab_library")
assert plan.producer.what == plan.consumer.what == "lab_library", plan
assert plan.ordering.what == "record, wait", plan
assert "x.queue" in plan.stream.why and plan.stream.what == "its current stream on this thread"
took = anystream.handoff(array, to=lab_library)
assert type(took) is lab_library.Took and array.sent == -1
seen = read(lab_library.CURRENT, view)
assert seen == []
queue.resume()
lab_library.CURRENT.drain()
assert seen == [3] * 8
stream = anystream.current_stream("lab_library", "vulkan:0")
assert stream == anystream.Stream(lab_library.CURRENT, device="vulkan:0")
"""

REGISTERED = "import lab_library; lab_library.register_platform(); lab_library.register_peer()\n"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lab_library.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_library_is_ordered_by_its_row(library: Path) -> None:
    child(REGISTERED, USES)


def test_the_same_row_once_more_does_nothing(library: Path) -> None:
    again = "lab_library.register_peer(); lab_library.register_platform()\n"
    child(REGISTERED, again, USES)


def test_a_row_comes_in_time_for_a_class_that_was_met_before(library: Path) -> None:
    before = """
    import anystream, lab_library
    class Host:
        def __init__(self):
            import numpy
            self.x = numpy.arange(3)
        def __dlpack_device__(self): return (1, 0)
        def __dlpack__(self, **keywords): return self.x.__dlpack__()
    one = Host()
    for _ in range(2):
        assert anystream.explain(one).producer.what == "__main__.Host"
        anystream.from_dlpack(one)
    anystream.register_library("hosts", arrays=Host, orders="waits")
    for _ in range(2):
        assert anystream.explain(one).producer.what == "hosts"
        assert anystream.from_dlpack(one).plan.producer.what == "hosts"
    """
    child(before)


def test_two_libraries_cannot_have_one_name(library: Path) -> None:
    script = """
    try:
        anystream.register_library("lab_library", arrays="other:Array")
    except ValueError as error:
        assert "lab_library has a row already" in str(error)
    else:
        raise AssertionError
    """
    child(REGISTERED, "import anystream\n", script)


# ---- entry points --------------------------------------------------------------------------------


def installed(folder: Path, entry_points: str) -> str:
    """Install a package with these entry points into a folder of its own."""
    info = "lab_library-1.0.dist-info"
    wheel = folder / "lab_library-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("lab_library.py", LIBRARY)
        made.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: lab-library\nVersion: 1.0\n"
        )
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/entry_points.txt", entry_points)
        files = ("lab_library.py", *(f"{info}/{name}" for name in ("METADATA", "WHEEL")))
        listed = [f"{name},," for name in (*files, f"{info}/entry_points.txt", f"{info}/RECORD")]
        made.writestr(f"{info}/RECORD", "\n".join(listed) + "\n")
    target = folder / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-index",
            "--no-deps",
            "--disable-pip-version-check",
            "--target",
            str(target),
            str(wheel),
        ],
        check=True,
        timeout=120,
    )
    return str(target)


WORKING = (
    "[anystream.platforms]\nlab = lab_library:register_platform\n"
    "[anystream.peers]\nlab = lab_library:register_peer\n"
)
BROKEN = (
    "[anystream.platforms]\nnone = lab_library:nowhere\n"
    "[anystream.peers]\nno_module = lab_nowhere:register\nlab = lab_library:register_peer\n"
)


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("pip", reason="pip is not installed")
    return installed(tmp_path_factory.mktemp("working"), WORKING)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("pip", reason="pip is not installed")
    return installed(tmp_path_factory.mktemp("broken"), BROKEN)


def test_the_import_loads_no_entry_point(working: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(working)
    script = """
    import sys, anystream
    assert not {"lab_library", "importlib.metadata"} & sys.modules.keys()
    anystream.from_dlpack(anystream.testing.SimulatedDevice().empty((1,), "int8"))
    assert "lab_library" not in sys.modules
    """
    child(script)


# What is met first, by which the package is found.
FIRST = {
    "a device": "import anystream; anystream.Device('vulkan', platform='lab')",
    "a name": "import anystream; anystream.explain(__import__('numpy').ones(3), to='lab_library')",
    "a listing": "import anystream; anystream.devices(); assert anystream._core.registered_count()",
    "a stream": (
        "import lab_library, anystream\n"
        "s = anystream.Stream(lab_library.Queue(), device='vulkan:0'); assert s.platform == 'lab'"
    ),
    "an argument": (
        "import lab_library, anystream\n"
        "form, s = anystream._core.resolve_stream(lab_library.Queue(), 7, 0)\n"
        "assert form == 'stream' and s.platform == 'lab'"
    ),
    "an array": (
        "import lab_library, anystream\n"
        "from platform_rig import lab_array\n"
        "x = lab_library.Array(lab_array(7)[0].inner, lab_library.Queue())\n"
        "assert anystream.explain(x).producer.what == 'lab_library'"
    ),
}


@pytest.mark.parametrize("first", FIRST)
def test_what_is_unknown_is_asked_of_other_packages(
    working: str, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.syspath_prepend(working)
    child(FIRST[first] + "\n", USES)


def test_a_thread_waits_for_the_one_that_asks_them(
    working: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(working)
    script = """
    import threading, time
    import anystream, lab_library
    register = lab_library.register_platform
    def take_long():
        time.sleep(0.3)
        register()
    lab_library.register_platform = take_long
    found = []
    def use():
        found.append(anystream.Stream(lab_library.Queue(), device="vulkan:0").platform)
    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert found == ["lab"] * 4, found
    """
    child(script)


def test_a_broken_entry_point_is_a_warning_that_names_it(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(broken)
    script = """
    import warnings
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        import anystream, numpy
        anystream.explain(numpy.ones(3), to="lab_library")  # the one that works
    texts = [str(one.message) for one in told]
    assert len(texts) == 2, texts
    assert texts[0].startswith("the entry point 'none' = 'lab_library:nowhere' of "
                               "anystream.platforms failed, and is left out: AttributeError"), texts
    assert "'no_module' = 'lab_nowhere:register' of anystream.peers" in texts[1]
    """
    child(script)


@pytest.mark.parametrize("command", ["devices", "devices --types"])
def test_the_command_line_shows_the_platform(
    working: str, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    pytest.importorskip("typer", reason="typer is not installed")
    monkeypatch.syspath_prepend(working)
    done = python("-m", "anystream", *command.split(), COLUMNS="200")
    assert done.returncode == 0, done.stdout + done.stderr
    wanted = {
        "devices": "the lab's first",
        "devices --types": "None, -1, or a lab_library.Queue",
    }
    assert wanted[command] in done.stdout


def test_the_doctor_shows_the_platform(working: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    monkeypatch.syspath_prepend(working)
    script = """
    from rich.console import Console
    from anystream._cli.drivers import find_drivers
    from anystream._cli.report import show_drivers
    show_drivers(Console(width=200), find_drivers())
    """
    assert "found: registered for vulkan, with in_order, record, wait" in child(script)
