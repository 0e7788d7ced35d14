# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Making the CPU runtime visible to SYCL: what is set, what is left alone, what is refused."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from anystream.testing import _cpu_sycl, use_cpu_sycl

VARIABLE = "OCL_ICD_FILENAMES"
LIBRARY = "libintelocl.so"


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Forget what this process did: no variable is set and no SYCL runtime is loaded."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(_cpu_sycl, "_sycl_is_loaded", lambda: False)
    return monkeypatch


@pytest.fixture
def installed(tmp_path: Path, untouched: pytest.MonkeyPatch) -> Path:
    """Install a package intel-opencl-rt in a folder that is searched before any other."""
    info = tmp_path / "site" / "intel_opencl_rt-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: intel-opencl-rt\nVersion: 1.0\n")
    files = ["../libintelocl.so-gdb.py", f"../{LIBRARY}.1", f"../{LIBRARY}"]
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    untouched.syspath_prepend(str(tmp_path / "site"))
    (tmp_path / LIBRARY).touch()
    return tmp_path / LIBRARY


def test_the_installed_runtime_is_found_by_its_metadata(installed: Path) -> None:
    assert use_cpu_sycl() == installed
    assert os.environ[VARIABLE] == str(installed)


def test_calling_it_again_changes_nothing(installed: Path) -> None:
    assert [use_cpu_sycl(), use_cpu_sycl()] == [installed, installed]
    assert os.environ[VARIABLE] == str(installed)


def test_it_may_be_called_late_when_the_variable_is_in_effect(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cpu_sycl()
    monkeypatch.setattr(_cpu_sycl, "_sycl_is_loaded", lambda: True)
    assert use_cpu_sycl() == installed


def test_what_the_user_has_set_is_kept_and_comes_first(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, f"libpocl.so{os.pathsep}{os.pathsep}libother.so")
    monkeypatch.setenv("OCL_ICD_VENDORS", "somewhere")
    assert use_cpu_sycl() == installed
    assert os.environ[VARIABLE].split(os.pathsep) == ["libpocl.so", "libother.so", str(installed)]
    assert os.environ["OCL_ICD_VENDORS"] == "somewhere"


def test_a_runtime_of_the_users_choice_is_left_alone(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "chosen" / LIBRARY
    chosen.parent.mkdir()
    chosen.touch()
    for value in (str(chosen), LIBRARY):
        monkeypatch.setenv(VARIABLE, value)
        assert use_cpu_sycl() == Path(value)
        assert os.environ[VARIABLE] == value


def test_a_chosen_runtime_that_is_not_there(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone" / LIBRARY))
    with pytest.raises(LookupError, match=r"which is not there\.\n  Unset OCL_ICD_FILENAMES"):
        use_cpu_sycl()


def test_a_package_that_is_not_installed(untouched: pytest.MonkeyPatch) -> None:
    def not_installed(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    untouched.setattr(metadata, "files", not_installed)
    with pytest.raises(
        LookupError, match=r"is not installed in .*\n.* pip install intel-opencl-rt"
    ):
        use_cpu_sycl()
    assert VARIABLE not in os.environ


def test_a_package_without_its_library(installed: Path) -> None:
    installed.unlink()
    # Since 3.13 the metadata leaves out files that are gone.
    with pytest.raises(LookupError, match=r"(is not there|lists no .*)\.\n  Install it anew"):
        use_cpu_sycl()
    record = installed.parent / "site" / "intel_opencl_rt-1.0.dist-info" / "RECORD"
    record.write_text("")
    with pytest.raises(LookupError, match=f"lists no {LIBRARY}"):
        use_cpu_sycl()
    record.unlink()
    with pytest.raises(LookupError, match=f"lists no {LIBRARY}"):
        use_cpu_sycl()
    assert VARIABLE not in os.environ


def test_too_late(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cpu_sycl, "_sycl_is_loaded", lambda: True)
    with pytest.raises(RuntimeError, match="the SYCL runtime is already loaded") as late:
        use_cpu_sycl()
    assert f"Python with {VARIABLE}={installed}." in str(late.value)
    assert VARIABLE not in os.environ


# ---- the real runtime, in processes of their own


def run(script: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def need(*packages: str) -> None:
    for package in packages:
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{package} is not installed")


def test_a_sycl_queue_runs_on_the_cpu() -> None:
    need("intel-opencl-rt", "dpctl")
    script = """
from anystream.testing import use_cpu_sycl
path = use_cpu_sycl()
import dpctl
print([device.device_type.name for device in dpctl.get_devices(backend="opencl")])
assert use_cpu_sycl() == path
"""
    assert "'cpu'" in run(script)


def test_the_loaded_runtime_is_noticed() -> None:
    need("intel-opencl-rt", "dpctl")
    script = """
import sys
import dpctl
import anystream.testing
for hidden in (False, True):
    if hidden:
        del sys.modules["dpctl"]
    try:
        anystream.testing.use_cpu_sycl()
    except RuntimeError as error:
        print(str(error).splitlines()[1])
"""
    assert run(script).count("before importing dpctl or dpnp") == 2


def test_importing_sets_nothing() -> None:
    script = """
import os
before = dict(os.environ)
import anystream.testing
anystream.testing.SimulatedDevice().stream()
assert dict(os.environ) == before
"""
    run(script)


def test_without_it_a_sycl_that_finds_no_device_says_what_to_call() -> None:
    pytest.importorskip("dpctl", reason="dpctl is not installed")
    code = """
import anystream
try:
    anystream.current_stream("dpctl", "oneapi:0")
except ValueError as error:
    print(error)
else:
    print("a device of its own")
"""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    if "a device of its own" in run.stdout:
        pytest.skip("SYCL finds a device here without the CPU runtime")
    assert "there is no device oneapi:0; SYCL is here, and finds none." in run.stdout
    assert "call anystream.testing.use_cpu_sycl() before anything else uses SYCL." in run.stdout
