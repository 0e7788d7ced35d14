# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What names a device, in every form; what does not, and what is said then."""

from collections.abc import Callable
from typing import Any

import pytest

import anystream
from anystream import Device, DeviceType, Stream, _core
from ctypes_tensors import Producer
from stand_ins import Memory
from stand_ins import Producer as Recorded

OURS = Device(12, 0, "simulated")
FORMS: dict[str, Any] = {
    "a string": "ext_dev:0",
    "a pair": (12, 0),
    "a type": DeviceType.EXT_DEV,
    "a Device": Device("ext_dev:0"),
}


# ---- platforms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_platform_is_kept_with_every_form(form: Any) -> None:
    device = Device(form, platform="simulated")
    assert device == OURS
    assert device.platform == "simulated"
    assert Device(device) == Device(device, platform="simulated") == device
    assert Device(form).platform == ""


@pytest.mark.parametrize("row", _core.DEVICE_TABLE, ids=lambda row: row["name"])
def test_the_only_platform_of_a_type_is_no_part_of_a_device(row: dict[str, Any]) -> None:
    plain = Device((row["value"], 0))
    assert Device(plain, platform=row["backend"]) == plain
    assert Device(row["value"], 0, row["backend"]).platform == ""


@pytest.mark.parametrize(
    ("form", "platform", "what"),
    [
        ("cpu", "simulated", "str 'simulated' for cpu"),
        ((2, 0), "simulated", "str 'simulated' for cuda:0"),
        (DeviceType.CUDA, "sycl", "str 'sycl' for cuda:0"),
        ("ext_dev", "bogus", "str 'bogus' for ext_dev:0"),
        (OURS, "bogus", "str 'bogus' for ext_dev:0"),
        (Device("cpu"), "simulated", "str 'simulated' for cpu"),
        ((77, 0), "sycl", "str 'sycl' for device_type_77:0"),
    ],
)
def test_a_platform_that_the_type_has_not_is_refused(form: Any, platform: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"; got {what}\\.\n  Leave it out") as caught:
        Device(form, platform=platform)
    assert str(caught.value).startswith("Device(platform=…) takes the name of a platform that sh")
    assert '"simulated" of ext_dev; got' in str(caught.value)


@pytest.mark.parametrize("platform", [None, 3, b"simulated"])
def test_a_platform_is_a_text(platform: Any) -> None:
    with pytest.raises(TypeError, match=r"^Device\(platform=…\) takes the name of a platform"):
        Device("ext_dev", platform=platform)


# ---- numbers -------------------------------------------------------------------------------------

TAKING: dict[str, Callable[[Any], object]] = {
    "Device(…)": Device,
    "from_dlpack(device=…)": lambda device: anystream.from_dlpack(Producer(), device=device),
    "handoff(device=…)": lambda device: anystream.handoff(Producer(), to="numpy", device=device),
    "to_device(device)": lambda device: anystream.from_dlpack(Memory().array((1, 0))).to_device(
        device
    ),
    "current_stream(device)": lambda device: anystream.current_stream("numpy", device),
    "Stream(device=…)": lambda device: Stream(7, device),
    "Stream.from_handle(device, …)": lambda device: Stream.from_handle(device, 7),
}


@pytest.mark.parametrize("number", [0, 1, 99])
@pytest.mark.parametrize(("where", "take"), TAKING.items(), ids=TAKING)
def test_a_number_alone_is_no_device(
    where: str, take: Callable[[Any], object], number: int
) -> None:
    with pytest.raises(TypeError) as caught:
        take(number)
    first, _, fix = str(caught.value).partition("\n  ")
    assert first.startswith(f"{where} takes a ")
    assert first.endswith(f"; got int {number}.")
    assert fix.startswith("A number alone does not tell its type")
    assert '"cuda:0"' in fix


def test_a_type_has_its_first_device() -> None:
    assert Device(DeviceType.CUDA) == Device("cuda:0")
    assert Device(2, 3) == Device("cuda:3")


@pytest.mark.parametrize("wrong", ["gpu:0", "xpu", "cuda:-1", ""])
@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
def test_an_unknown_word_lists_the_known(take: Callable[[Any], object], wrong: str) -> None:
    with pytest.raises(ValueError, match=f'; got "{wrong}"') as caught:
        take(wrong)
    words = str(caught.value).partition("The words are ")[2].partition(";")[0].split(", ")
    assert words == [row["name"] for row in _core.DEVICE_TABLE]


@pytest.mark.parametrize("wrong", [99, 0, "cuda"])
def test_an_unknown_type_lists_the_known(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^DeviceType\(…\) takes a number that DLPack has") as it:
        DeviceType(wrong)
    for member in DeviceType:
        assert f" {member.value} {member.name}" in str(it.value)
    assert DeviceType["CUDA"] is DeviceType.CUDA is DeviceType(2)


# ---- the host ------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu:1", (1, 1), Device("cpu:1")])
@pytest.mark.parametrize("copy", [None, True, False])
def test_the_host_has_one_number(device: Any, copy: bool | None) -> None:
    calls: dict[str, Callable[[Any], object]] = {
        "from_dlpack": lambda x: anystream.from_dlpack(x, device=device, copy=copy),
        "handoff": lambda x: anystream.handoff(x, to="numpy", device=device, copy=copy),
    }
    for where, call in calls.items():
        x = Recorded()
        with pytest.raises(ValueError, match="; got cpu:1") as caught:
            call(x)
        assert str(caught.value) == (
            f"{where}(device=…) takes cpu for the host, which is one device; got cpu:1.\n"
            '  Write device="cpu".'
        )
        assert not x.calls
    with pytest.raises(ValueError, match=r"takes cpu for the host, which is one device; got cpu:1"):
        anystream.from_dlpack(Memory().array((1, 0))).to_device(device)


def test_an_array_that_says_so_itself_stays_there() -> None:
    """It is its producer's number: nothing is changed without a word."""
    array = anystream.from_dlpack(Producer(device=(1, 1)), device="cpu:1")
    assert str(array.device) == "cpu:1"
    with pytest.raises(BufferError, match=r"\(1, 0\); got \(1, 1\)\.\n  The host is one device"):
        anystream.from_dlpack(Producer()).__dlpack__(dl_device=(1, 1))


# ---- where a library takes arrays ----------------------------------------------------------------


def test_a_library_says_where_it_takes_arrays() -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    with pytest.raises(BufferError) as caught:
        anystream.handoff(Producer(), to="numpy", device="vulkan:0")
    assert str(caught.value) == (
        "numpy, as it is installed here, takes arrays on cpu; got vulkan:0.\n"
        "  Name a device that it takes with device=."
    )


def test_a_library_says_where_it_has_a_current_stream() -> None:
    pytest.importorskip("torch", reason="torch is not installed (PEERS=all installs it)")
    with pytest.raises(
        ValueError, match=r"^torch has no current stream on vulkan:0; it has one on"
    ):
        anystream.current_stream("torch", "vulkan:0")


def test_a_library_that_is_not_there_has_no_stream_of_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was named, so it is imported, even where there is nothing to ask it."""
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match="needs the library torch"):
        anystream.current_stream("torch", "cpu")
