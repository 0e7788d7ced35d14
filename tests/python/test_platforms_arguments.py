# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What the three register functions refuse, each message with got, accepted and fix."""

from typing import Any

import pytest

import anystream
from platform_rig import Lab, new_queue_class

NUMBER = 2001  # nothing is ever registered on it: all of it is refused


def nothing(*_: Any) -> None:
    pass


def platform(**given: Any) -> None:
    device_type, name = given.pop("device_type", NUMBER), given.pop("name", "refused")
    anystream.register_platform(device_type, name, **{"stream": "lab:Refused", **given})


WRONG_PLATFORMS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"device_type": "cuda"}, ValueError, 'has a built-in platform, "cuda"'),
    ({"device_type": "opencl"}, ValueError, 'has a built-in platform, "opencl"'),
    ({"device_type": "cpu"}, ValueError, 'has a built-in platform, "host"'),
    ({"device_type": "vulkan:0"}, ValueError, "takes a device type; got the device 'vulkan:0'"),
    ({"device_type": "vulcan"}, ValueError, 'got "vulcan"'),
    ({"device_type": -1}, ValueError, "got int -1"),
    ({"device_type": 0}, ValueError, "a number of DLPack's, from 1"),
    ({"device_type": True}, TypeError, "got bool True"),
    ({"device_type": 2.0}, TypeError, "got float 2.0"),
    ({"name": 5}, TypeError, "takes a str without NULs; got int 5"),
    ({"name": ""}, ValueError, "1 to 31 letters"),
    ({"name": "Big"}, ValueError, "1 to 31 letters"),
    ({"name": "x" * 32}, ValueError, "1 to 31 letters"),
    ({"name": "a\0b"}, ValueError, "without NULs"),
    ({"name": "sycl"}, ValueError, "the name of a built-in platform"),
    ({"stream": None}, ValueError, "takes the class of the platform's streams; got None"),
    ({"stream": 5}, TypeError, "got int 5"),
    ({"stream": "lab"}, ValueError, "got str 'lab'"),
    ({"stream": ("lab", "")}, ValueError, "got tuple ('lab', '')"),
    ({"stream": ["lab:Queue", 5]}, TypeError, "got int 5"),
    ({"stream": ("torch.cuda.streams", "Stream")}, ValueError, "is a class of streams already"),
    ({"handle": "ptr"}, ValueError, "got str 'ptr'"),
    ({"handle": "attr:"}, ValueError, "got str 'attr:'"),
    ({"handle": 5}, TypeError, "got int 5"),
    ({"capsule": "lab_queue"}, ValueError, "takes handle=…"),
    ({"capsule": 5, "handle": "int"}, TypeError, "got int 5"),
    ({"capsule": "", "handle": "int"}, TypeError, "got str ''"),
    ({"integers": True}, ValueError, "takes handle=…"),
    ({"integers": 1, "handle": "int"}, TypeError, "takes True or False; got int 1"),
    ({"in_order": 1}, TypeError, "takes a function, True or False; got int 1"),
    ({"record": 5}, TypeError, "register_platform(record=…) takes a function; got int 5"),
    ({"allocate": nothing}, ValueError, "allocate and deallocate go together"),
    ({"deallocate": nothing}, ValueError, "allocate and deallocate go together"),
    ({"memory": "cold"}, ValueError, "got str 'cold'"),
    ({"memory": 1}, TypeError, "got int 1"),
    ({"across_devices": None}, TypeError, "takes True or False; got None"),
    ({"frees_in_order": "no"}, TypeError, "takes True or False; got str 'no'"),
    ({"devices": 2}, TypeError, "got int 2"),
    ({"devices": [0]}, TypeError, "got int 0"),
    ({"devices": [(0, "tpu", "x")]}, ValueError, "cpu, gpu, accelerator, other"),
    ({"devices": [(-1, "gpu", "x")]}, ValueError, "got tuple (-1, 'gpu', 'x')"),
    ({"takes": 5}, TypeError, "got int 5"),
    ({"fix": ""}, TypeError, "got str ''"),
    ({"recrod": nothing}, TypeError, "It is called as register_platform("),
]


@pytest.mark.parametrize(("given", "error", "words"), WRONG_PLATFORMS, ids=str)
def test_a_wrong_platform_is_refused(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    before = anystream._core.registered_count()
    with pytest.raises(error) as caught:
        platform(**given)
    assert type(caught.value) is error
    assert words in str(caught.value)
    assert "\n  " in str(caught.value)
    assert anystream._core.registered_count() == before


def test_a_name_and_a_type_have_one_platform() -> None:
    lab = Lab()
    with pytest.raises(ValueError, match="of that name is registered on the device type already"):
        anystream.register_platform(lab.type, lab.name, **{**lab.given, "stream": "lab:Else"})
    with pytest.raises(ValueError, match=f'a platform of its own already, "{lab.name}"'):
        anystream.register_platform(lab.type, "another", stream="lab:Another")
    with pytest.raises(ValueError, match="of that name is registered on the device type already"):
        anystream.register_platform(lab.type, lab.name, **{**lab.given, "record": nothing})
    assert anystream.Device((lab.type, 0), platform=lab.name).platform == ""


def test_a_class_has_one_platform() -> None:
    lab = Lab()
    with pytest.raises(ValueError, match=r"lab\.Queue\d+ is a class of streams already"):
        anystream.register_platform(NUMBER, "refused", stream=lab.queue_class)
    with pytest.raises(ValueError, match="is a class of streams already"):
        anystream.register_stream_type(lab.queue_class, "cuda", handle="int")


WRONG_STREAM_TYPES: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    ((5, "cuda"), {"handle": "int"}, TypeError, "got int 5"),
    ((None, "cuda"), {"handle": "int"}, TypeError, "got None"),
    ((["lab:Q"], "cuda"), {"handle": "int"}, TypeError, "takes one class"),
    (("lab:Q", "nope"), {"handle": "int"}, ValueError, "cuda, cuda_like, hip, sycl"),
    (("lab:Q", 5), {"handle": "int"}, TypeError, "got int 5"),
    (("lab:Q", "cuda"), {}, TypeError, "says how the handle is read; got None"),
    (("lab:Q", "cuda"), {"handle": "object"}, ValueError, "got str 'object'"),
    (("lab:Q", "cuda"), {"handle": "int", "null_means": 3}, ValueError, "got int 3"),
    (("lab:Q", "cuda"), {"handle": "int", "null_means": True}, ValueError, "got bool True"),
    (("lab:Q",), {}, TypeError, "It is called as register_stream_type("),
]


@pytest.mark.parametrize(("given", "keywords", "error", "words"), WRONG_STREAM_TYPES, ids=str)
def test_a_wrong_stream_type_is_refused(
    given: tuple[Any, ...], keywords: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        anystream.register_stream_type(*given, **keywords)
    assert type(caught.value) is error
    assert words in str(caught.value)
    assert "\n  " in str(caught.value)


@pytest.mark.parametrize(
    ("given", "meant"),
    [("rocm", "hip"), ("oneapi:0", "sycl"), (anystream.DeviceType.CUDA_HOST, "cuda")],
    ids=str,
)
def test_a_device_in_the_place_of_a_platform_is_told_its_name(given: Any, meant: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f'That of these devices is "{meant}".'):
        anystream.register_stream_type("lab:Q", given, handle="int")


def test_a_type_in_the_place_of_a_registered_platform_is_told_its_name() -> None:
    lab = Lab()
    with pytest.raises(TypeError, match=f'That of these devices is "{lab.name}".'):
        anystream.register_stream_type("lab:Q", lab.type, handle="int")  # type: ignore[arg-type]


def test_streams_that_are_objects_have_no_number_to_read() -> None:
    lab = Lab()
    with pytest.raises(ValueError, match="which have no number to read; got str 'int'"):
        anystream.register_stream_type(new_queue_class("More"), lab.name, handle="int")


WRONG_LIBRARIES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"name": 5}, TypeError, "register_library(name) takes a str; got int 5"),
    ({"name": ""}, ValueError, "got str ''"),
    ({"name": "numpy", "arrays": "lab:Array"}, ValueError, "numpy has a row already"),
    ({}, ValueError, "says nothing of the library"),
    ({"arrays": "lab"}, ValueError, "got str 'lab'"),
    ({"arrays": ("numpy", "ndarray")}, ValueError, "numpy.ndarray is numpy's already"),
    ({"arrays": "lab:Array", "modules": 5}, TypeError, "got int 5"),
    ({"arrays": "lab:Array", "modules": ["torch"]}, ValueError, "torch has a row already"),
    ({"arrays": "lab:Array", "package": ""}, TypeError, "got str ''"),
    ({"arrays": "lab:Array", "stream": "a b"}, ValueError, "takes a path on an array"),
    ({"arrays": "lab:Array", "stream": 5}, TypeError, "got int 5"),
    ({"arrays": "lab:Array", "current": "lab:f"}, TypeError, "takes a mapping"),
    ({"arrays": "lab:Array", "current": {"vulkan": "f"}}, ValueError, '"module:function"'),
    ({"arrays": "lab:Array", "current": {"vulkan:0": "lab:f"}}, ValueError, "Leave its number"),
    ({"arrays": "lab:Array", "orders": "yes"}, ValueError, '"orders", "waits", "ignores"'),
    ({"arrays": "lab:Array", "orders": {"cuda": 5}}, TypeError, "got int 5"),
    ({"arrays": "lab:Array", "keywords": ["strem"]}, ValueError, "got str 'strem'"),
    ({"arrays": "lab:Array", "quiet": True}, TypeError, "got bool True"),
    ({"arrays": "lab:Array", "frees": "never"}, ValueError, "got str 'never'"),
    ({"arrays": "lab:Array", "platform": None}, TypeError, "got None"),
    ({"from_dlpack": "lab"}, ValueError, '"module:function"'),
    ({"from_dlpack": "lab:f"}, ValueError, "takes device types"),
    ({"from_dlpack": "lab:f", "takes": "cuda", "readonly": "no"}, ValueError, "got str 'no'"),
    ({"from_dlpack": "lab:f", "takes": "cuda", "layout": "odd"}, ValueError, "got str 'odd'"),
    ({"from_dlpack": "lab:f", "takes": "cuda", "copies": 1}, TypeError, "got int 1"),
    ({"from_dlpack": "lab:f", "takes": "cuda", "dtypes": 5}, TypeError, "got int 5"),
    ({"arays": "lab:Array"}, TypeError, "It is called as register_library("),
]


@pytest.mark.parametrize(("given", "error", "words"), WRONG_LIBRARIES, ids=str)
def test_a_wrong_library_is_refused(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    keywords = dict(given)
    name = keywords.pop("name", "refused_library")
    with pytest.raises(error) as caught:
        anystream.register_library(name, **keywords)
    assert type(caught.value) is error
    assert words in str(caught.value)
    assert "\n  " in str(caught.value)
