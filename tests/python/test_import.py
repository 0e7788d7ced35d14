# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The package as a module: what it exports, what it imports, and its values."""

import ast
import json
import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import anystream
from anystream import Device, DeviceType, DType, _core, _device

LATER = """
import json, sys
before = set(sys.modules)
import anystream
from anystream import _core

class Mine:
    def __init__(self, array): self.array = array
    def __dlpack__(self, **keywords): return _core.Carrier(self.array).__dlpack__(**keywords)
    def __dlpack_device__(self): return (1, 0)

array = anystream.testing.SimulatedDevice().full(4, 1.0)
anystream.from_dlpack(array)
anystream.from_dlpack(Mine(anystream.from_dlpack(array, device="cpu")))
anystream.explain(array)
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""


def test_using_it_imports_no_library_that_was_not_named() -> None:
    command = [sys.executable, "-c", LATER]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    foreign = set(json.loads(done.stdout)) - set(sys.stdlib_module_names) - {"anystream"}
    assert foreign == set()


BESIDE_DPCTL = """
import json, sys
import anystream
from anystream import _core
(sycl,) = [driver for driver in _core.drivers() if driver["name"] == "sycl"]
print(json.dumps([sycl, "dpctl" in sys.modules]))
"""


def test_the_driver_of_sycl_is_found_beside_the_installed_dpctl() -> None:
    dpctl = find_spec("dpctl")
    if dpctl is None:
        pytest.skip("dpctl is not installed")
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "LD_LIBRARY_PATH" and not name.startswith("ANYSTREAM_")
    }
    command = [sys.executable, "-c", BESIDE_DPCTL]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    driver, imported = json.loads(done.stdout)
    assert driver["available"], driver["reason"]
    assert [str(Path(driver["library"]).parent)] == list(dpctl.submodule_search_locations or ())
    assert not imported


def test_what_is_public_is_there() -> None:
    assert set(dir(anystream)) == set(anystream.__all__)
    for name in anystream.__all__:
        assert getattr(anystream, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        anystream.nonsense  # noqa: B018
    assert anystream.from_dlpack is _core.from_dlpack


def test_every_public_function_is_documented() -> None:
    for name in anystream.__all__:
        thing = getattr(anystream, name)
        if callable(thing):
            assert len((thing.__doc__ or "").strip()) > 20, name


def typed_members() -> dict[str, int]:
    tree = ast.parse(Path(_device.__file__).read_text())
    (listing,) = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name == "DeviceType"
    )
    return {
        statement.targets[0].id: statement.value.value  # type: ignore[attr-defined]
        for statement in listing.body
        if isinstance(statement, ast.Assign)
    }


def test_device_types_are_those_of_the_table() -> None:
    table = {row["id"].upper(): row["value"] for row in _core.DEVICE_TABLE}
    assert {member.name: member.value for member in DeviceType} == table
    assert typed_members() == table


@pytest.mark.parametrize("row", _core.DEVICE_TABLE, ids=lambda row: row["name"])
def test_devices(row: dict[str, Any]) -> None:
    text = row["name"] if row["value"] == DeviceType.CPU else f"{row['name']}:2"
    device = Device(text)
    assert str(device) == text
    assert device == Device(DeviceType(row["value"]), device.id)
    assert device == Device(device.__dlpack_device__()) == Device(device)
    assert device.type is DeviceType(row["value"])
    assert eval(repr(device)) == device
    assert pickle.loads(pickle.dumps(device)) == device
    assert hash(device) == hash(Device(text))


def test_devices_of_a_platform_are_told_apart() -> None:
    ours = Device(DeviceType.EXT_DEV, 0, "simulated")
    assert ours.platform == "simulated"
    assert ours != Device("ext_dev:0")
    assert eval(repr(ours)) == ours
    assert Device(DeviceType.ONE_API, 0, "sycl") == Device("oneapi:0")
    assert Device("oneapi:0") != (14, 0)


def test_an_unknown_device_type_keeps_its_number() -> None:
    assert Device((77, 1)).type == 77
    assert str(Device((77, 1))) == "device_type_77:1"


@pytest.mark.parametrize("wrong", [None, 1.5, True, (1, 2, 3), object()])
def test_what_names_no_device(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"^Device\(…\) takes a device string"):
        Device(wrong)


@pytest.mark.parametrize("wrong", ["", "cuda:", "cuda:-1", "gpu:0", "cuda:0:1", "CUDA:0"])
def test_a_string_outside_the_grammar(wrong: str) -> None:
    with pytest.raises(ValueError, match="cuda"):
        Device(wrong)


def test_dtypes() -> None:
    dtype = DType("bfloat16")
    assert dtype.triple == (4, 16, 1)
    assert dtype == DType(4, 16) == DType(dtype)
    assert (str(dtype), dtype.itemsize) == ("bfloat16", 2)
    assert eval(repr(dtype)) == dtype
    assert pickle.loads(pickle.dumps(dtype)) == dtype
    assert DType("complex64").bits == 64
    assert dtype != "bfloat16"
    with pytest.raises(ValueError, match="nonsense"):
        DType("nonsense")


SUBINTERPRETER = """
import _xxsubinterpreters as interpreters
try:
    interpreters.run_string(interpreters.create(), "import anystream")
except interpreters.RunFailedError as error:
    print(error)
import anystream
print(anystream.Device("cpu"))
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another name since 3.13")
def test_a_subinterpreter_is_refused_and_harms_nobody() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    refused, *_, device = done.stdout.splitlines()
    assert "anystream works in the main interpreter only" in refused
    assert device == "cpu"
