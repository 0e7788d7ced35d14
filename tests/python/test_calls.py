# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Calls that do not fit: what each says, and that none speaks of how it is bound."""

import inspect
from typing import Any

import pytest

import anystream
from anystream import Array, Device, DType, Event, Stream, order, use_stream
from anystream.testing import SimulatedDevice
from ctypes_tensors import Producer
from stream_values import simulated

S: Any = Stream(7, "cuda:0")
A: Any = anystream.from_dlpack(Producer())
MAKING = r"^Stream\(\) takes 1 or 2 positional arguments; got {}\.\n  Write Stream\(s\), or "
RAW = (
    r"^Stream\.from_handle\(\) takes 2 positional arguments; got {}\.\n"
    r"  Write Stream\.from_handle\(device, handle\), or with owner=…\.$"
)
ORDER = r"\.\n  It is called as order\(\*, producer, consumer\)\.$"
HANDOFF = (
    r"\.\n  It is called as handoff\(x, \*, to, stream=None, .*, writable=False, release=None\)\.$"
)
any_call: Any = anystream.handoff

CALLS: dict[str, tuple[Any, str]] = {
    "Stream()": (Stream, MAKING.format(0)),
    "Stream(3)": (lambda: any_of(Stream)(1, 2, 3), MAKING.format(3)),
    "Stream(stream=)": (lambda: Stream(stream=1), MAKING.format(0)),  # type: ignore[call-overload]
    "Stream(keyword)": (
        lambda: Stream(1, stram=2),  # type: ignore[call-overload]
        r"^Stream\(\) has no keyword argument 'stram'; it takes device and out_of_order\.$",
    ),
    "Stream(device twice)": (
        lambda: Stream(1, "cuda", device="cuda"),  # type: ignore[call-overload]
        r"^Stream\(\) takes device once; got it by position and by keyword\.$",
    ),
    "Stream.__new__": (lambda: Stream.__new__(Stream), r"^Stream\.__new__\(\) makes no stream\."),
    "from_handle()": (Stream.from_handle, RAW.format(0)),
    "from_handle(1)": (lambda: Stream.from_handle("cuda"), RAW.format(1)),  # type: ignore[call-arg]
    "from_handle(keyword)": (
        lambda: Stream.from_handle("cuda", 5, own=1),  # type: ignore[call-arg]
        r"^Stream\.from_handle\(\) has no keyword argument 'own'; it takes owner\.$",
    ),
    "wait(3)": (
        lambda: S.wait(3),
        r"^Stream\.wait\(…\) takes an anystream\.Event; got int 3\.\n  Take .*: e = s\.record",
    ),
    "wait(stream)": (
        lambda: S.wait(S),
        r"takes an anystream\.Event; got an anystream\.Stream\.\n  Write wait_stream\(s\)",
    ),
    "wait()": (S.wait, r"^Stream\.wait\(\) takes exactly one argument \(0 given\)"),
    "wait_stream()": (lambda: S.wait_stream(1, 2), r"takes exactly one argument \(2 given\)"),
    "wait_stream(keyword)": (lambda: S.wait_stream(producer=1), "takes no keyword arguments"),
    "record(1)": (lambda: S.record(1), r"^Stream\.record\(\) takes no arguments \(1 given\)"),
    "query(1)": (lambda: S.query(1), "takes no arguments"),
    "synchronize(1)": (lambda: S.synchronize(1), "takes no arguments"),
    "use_stream()": (
        use_stream,
        r"^use_stream\(\) takes 1 positional argument; got 0\.\n  Write use_stream\(s\)\.$",
    ),
    "use_stream(stream=)": (
        lambda: use_stream(stream=S),  # type: ignore[call-arg]
        r"^use_stream\(\) takes 1 positional argument; got 0\.\n  Write use_stream\(s\)\.$",
    ),
    "use_stream(keyword)": (
        lambda: use_stream(S, device=1),  # type: ignore[call-arg]
        r"^use_stream\(\) has no keyword argument 'device'; it takes none\.$",
    ),
    "Event()": (
        Event,
        r"^Event\(\) makes no event: .*\n  Take it there: e = s\.record\(\), where s is",
    ),
    "Array(x)": (
        lambda: any_of(Array)([1, 2]),
        r"^Array\(\) makes no array: .*\n  Write anystream\.from",
    ),
    "to_device()": (
        A.to_device,
        r"^to_device\(\) takes 1 positional argument; got 0\.\n  Write a\.to_device\(device, stre",
    ),
    "__array__(3)": (
        lambda: A.__array__(1, 2, 3),
        r"^Array\.__array__\(\) takes .*\.\n  It is called as Array\.__array__\(dtype=None, copy=",
    ),
    "__array__(keyword)": (
        lambda: A.__array__(kind=1),
        r"^Array\.__array__\(\) got an unexpected keyword argument 'kind'\.\n  It is called as",
    ),
    "order(2)": (
        lambda: any_of(order)(S, S),
        r"^order\(\) takes 0 positional.*2 were given" + ORDER,
    ),
    "order()": (order, r"^order\(\) missing 2 .*'consumer'" + ORDER),
    "order(keyword)": (lambda: any_of(order)(producer=S, reader=S), "'reader'" + ORDER),
    "handoff()": (lambda: any_call(A), r"^handoff\(\) missing 1 required .*'to'" + HANDOFF),
    "handoff(2)": (lambda: any_call(A, "numpy"), r"^handoff\(\) takes 1 positional.*" + HANDOFF),
    "handoff(keyword)": (lambda: any_call(A, to="numpy", stram=1), "'stram'" + HANDOFF),
    "explain(keyword)": (
        lambda: any_of(anystream.explain)(A, stram=1),
        r"'stram'\.\n  It is called as explain\(x, \*, to=None, .*, release=None\)\.$",
    ),
    "current_stream(1)": (
        lambda: any_of(anystream.current_stream)("torch"),
        r"'device'\.\n  It is called as current_stream\(library_name, device, /\)\.$",
    ),
    "devices(1)": (lambda: any_of(anystream.devices)(1), r"\.\n  It is called as devices\(\)\.$"),
    "Device()": (
        Device,
        r"^Device\(\) missing .*\n  It is called as Device\(device, number=None, platform=''\)\.$",
    ),
    "DType(keyword)": (
        lambda: any_of(DType)("int8", bit=3),
        r"^DType\(\) got .*'bit'\.\n  It is called as DType\(dtype, bits=None, lanes=None\)\.$",
    ),
}


def any_of(function: Any) -> Any:
    return function


@pytest.mark.parametrize(("call", "text"), CALLS.values(), ids=CALLS)
def test_a_call_that_does_not_fit(call: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call()


def public_callables() -> dict[str, Any]:
    """Everything that can be called: what the package exports, and the methods of its classes."""
    found: dict[str, Any] = {}
    with SimulatedDevice() as device:
        instances = {
            "Array": A,
            "Device": Device("cpu"),
            "DType": DType("int8"),
            "Event": Stream(simulated()).record(),
            "Stream": S,
            "SimulatedDevice": device,
            "SimulatedStream": device.stream(),
            "use_stream": use_stream(S),
        }
    for module in (anystream, anystream.testing):
        found |= {name: getattr(module, name) for name in module.__all__}
    for name, instance in instances.items():
        for method in dir(type(instance)):
            if not method.startswith("_") and callable(getattr(type(instance), method)):
                found[f"{name}.{method}"] = getattr(instance, method)
    errors = (BaseException, type(anystream))
    return {
        name: each
        for name, each in found.items()
        if callable(each) and not (isinstance(each, type) and issubclass(each, errors))
    }


PUBLIC = public_callables()
WRONG = [(), (object(),) * 9, ("\ud800",), (object(),), (None,), (-1, -1), (1.5, "x"), ([], {})]


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("keywords", [{}, {"no_such_keyword": 1}], ids=["", "a keyword"])
def test_no_call_speaks_of_how_it_is_bound(name: str, keywords: dict[str, Any]) -> None:
    said = []
    for arguments in WRONG:
        try:
            made = PUBLIC[name](*arguments, **keywords)
            getattr(made, "close", bool)()  # a log, a trace
        except Exception as error:  # noqa: BLE001 - whatever it is, its text is what is looked at
            said.append(str(error))
    anystream.set_pending_limit(1024, 256 * 2**20)  # as it was
    if keywords:
        assert len(said) == len(WRONG)
    for text in said:
        for word in ("incompatible function", "nanobind", "_core", "Invoked with", "bad_cast"):
            assert word not in text, text


@pytest.mark.parametrize(
    "function",
    [Stream, Stream.from_handle, Stream.wait, Event.query, use_stream, order, Device, DType],
)
def test_help_knows_the_parameters(function: Any) -> None:
    assert "object at" not in str(inspect.signature(function))


# ---- errors from inside come through as they are -------------------------------------------------


def test_an_error_from_inside_a_call_is_not_taken_for_one_of_the_call() -> None:
    class Refusing(Producer):
        def __dlpack__(self, **_: Any) -> Any:
            raise TypeError("mine")

    for call in (anystream.from_dlpack, anystream.explain, handed):
        if call is anystream.explain:
            continue  # it exports nothing
        with pytest.raises(TypeError, match=r"^mine$"):
            call(Refusing())


def handed(x: Any) -> Any:
    return anystream.handoff(x, to="numpy")


# ---- order ---------------------------------------------------------------------------------------


def test_order_names_its_arguments() -> None:
    with SimulatedDevice() as device:
        stream: Any = device.stream()
        for wrong in ("x", None, True, [stream]):
            with pytest.raises(TypeError, match=r"^order\(producer=…\): a"):
                order(producer=wrong, consumer=stream)
            with pytest.raises(TypeError, match=r"^order\(consumer=…\): a stream is an int"):
                order(producer=stream, consumer=wrong)
        with pytest.raises(ValueError, match=r"^order\(consumer=…\) needs a resolved stream"):
            order(producer=stream, consumer=7)
        with pytest.raises(ValueError, match=r"^order\(consumer=…\): .*out-of-order"):
            order(producer=stream, consumer=device.stream(in_order=False))
