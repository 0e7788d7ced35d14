# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The arguments of handoff, explain, from_dlpack and order; the plan that runs."""

import ctypes
import sys
import threading
from typing import Any

import pytest

import anystream
from anystream import _core, _execute, _handoff
from anystream._peers import PEERS
from anystream._recognise import load
from anystream.testing import SimulatedDevice
from peer_rig import address
from stand_ins import Memory, Producer, TorchTensor

FIX = "Any library that imports DLPack can be given anystream.from_dlpack(x, stream=s)."
KNOWN = (
    "'numpy', 'torch', 'jax', 'dpnp', 'dpctl', 'tvm_ffi', 'mlx', 'cupy', 'numba', 'warp', "
    "'cuda.core', 'paddle', 'pyopencl'"
)


@pytest.fixture
def np() -> Any:
    return pytest.importorskip("numpy", reason="numpy is not installed")


def message(call: Any, error: type[Exception]) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# -- to= ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["nonsense", "rmm", "os"])
def test_an_unknown_library_lists_the_known(to: str) -> None:
    got = message(lambda: anystream.handoff(Producer(), to=to), ValueError)
    assert got == f"handoff(to=…) takes {KNOWN}; got {to!r}.\n  {FIX}"


def test_an_unknown_module_lists_the_known() -> None:
    got = message(lambda: anystream.handoff(Producer(), to=ctypes), ValueError)
    assert got == f"handoff(to=…) takes {KNOWN}; got module 'ctypes'.\n  {FIX}"


@pytest.mark.parametrize("to", [None, 3, object()])
def test_what_names_no_library_is_a_type_error(to: Any) -> None:
    assert "takes the name of a library" in message(
        lambda: anystream.handoff(Producer(), to=to), TypeError
    )


def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "tvm_ffi"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tvm_ffi", None)  # what Python itself does not find
    got = message(lambda: anystream.handoff(Producer(), to="tvm_ffi"), ModuleNotFoundError)
    assert got == (
        "handoff(to='tvm_ffi') needs the library tvm_ffi, which is not installed.\n"
        "  pip install apache-tvm-ffi"
    )


HINTS = {
    "cupy": "cupy-cuda13x (cupy-cuda12x for a CUDA 12 driver, cupy-rocm-7-0 for ROCm)",
    "mlx": 'mlx (on Linux "mlx[cpu]")',
    "warp": "warp-lang",
}


@pytest.mark.parametrize("name", HINTS)
def test_what_to_install_is_a_package_that_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    [peer] = (peer for peer in PEERS if peer.name == name)
    monkeypatch.setitem(sys.modules, peer.modules[0], None)
    got = message(lambda: load(peer, peer.modules[0], "here"), ModuleNotFoundError)
    assert got == (
        f"here needs the library {name}, which is not installed.\n  pip install {HINTS[name]}"
    )


# -- other arguments ------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [anystream.from_dlpack, anystream.explain])
def test_wrong_values(call: Any) -> None:
    assert 'takes "device", "host" or "none"' in message(
        lambda: call(Producer(), ordering="later"), ValueError
    )
    assert "takes None, True or False" in message(lambda: call(Producer(), copy=1), TypeError)
    assert "got an object" in message(lambda: call(Producer(), stream=object()), TypeError)
    assert "got int 7" in message(lambda: call(Producer(), stream=7), ValueError)


def test_a_stream_for_the_host_is_refused(np: Any) -> None:
    assert anystream.handoff(Producer(), to="numpy", stream=-1).tolist() == [1, 2, 3]
    got = message(lambda: anystream.handoff(Producer(), to="numpy", stream=1), ValueError)
    assert got.startswith("handoff(stream=…): a kDLCPU array takes None or -1; got int 1.")


def test_a_device_that_the_library_does_not_take(np: Any) -> None:
    got = message(lambda: anystream.handoff(Producer(), to="numpy", device="cuda:0"), BufferError)
    assert got.startswith("numpy, as it is installed here, takes arrays on cpu; got cuda:0.")


def test_order_takes_keywords_only() -> None:
    with SimulatedDevice() as device, pytest.raises(TypeError, match="positional"):
        anystream.order(device.stream(), device.stream())  # type: ignore[call-arg]


# -- the plan -------------------------------------------------------------------------------------


def test_explain_does_nothing(np: Any) -> None:
    x = Producer()
    anystream.explain(x)
    anystream.explain(x, to="numpy", copy=True)
    assert x.calls == []


@pytest.mark.parametrize("arguments", [{}, {"copy": True}, {"ordering": "host"}, {"device": "cpu"}])
def test_the_plan_of_an_array_is_what_explain_shows(arguments: dict[str, Any]) -> None:
    x = Producer()
    assert anystream.from_dlpack(x, **arguments).plan is anystream.explain(x, **arguments)
    with SimulatedDevice() as device:
        y = device.full(4, 1.0, stream=device.stream())
        assert anystream.from_dlpack(y, **arguments).plan is anystream.explain(y, **arguments)
        named = arguments | ({} if "device" in arguments else {"stream": device.stream()})
        assert anystream.from_dlpack(y, **named).plan is anystream.explain(y, **named)


def test_the_plan_that_explain_shows_is_executed(np: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[Any] = []
    run = _execute.execute

    def execute(plan: Any, job: Any) -> Any:
        executed.append(plan)
        return run(plan, job)

    monkeypatch.setattr(_handoff, "execute", execute)
    x = Producer()
    plan = anystream.explain(x, to="numpy")
    anystream.handoff(x, to="numpy")
    assert len(executed) == 1
    assert executed[0] is plan


def test_many_threads_get_one_plan() -> None:
    x, found = Producer((2, 123)), []
    start = threading.Barrier(16)

    def explain() -> None:
        start.wait()
        found.append(anystream.explain(x))

    threads = [threading.Thread(target=explain) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(plan) for plan in found}) == 1


# -- capsules -------------------------------------------------------------------------------------


def capsule(device: tuple[int, int]) -> Any:
    return _core.Carrier(Memory().array(device)).__dlpack__(max_version=(1, 0))


def test_a_capsule_of_the_host(np: Any) -> None:
    given = capsule((1, 0))
    assert anystream.explain(given).device.what == "cpu"  # and it is still unused
    assert anystream.handoff(given, to="numpy").tolist() == [1, 2, 3]
    assert "used" in message(lambda: anystream.handoff(given, to="numpy"), ValueError)


def test_a_capsule_of_a_device_names_no_stream() -> None:
    given = capsule((2, 0))
    assert "strict=True" in message(
        lambda: anystream.from_dlpack(given, strict=True), anystream.OrderingError
    )
    array = anystream.from_dlpack(given, stream=0x5000)
    assert array.plan.ordering.what == "nothing is known to be pending"
    assert array.device == anystream.Device("cuda:0")


def test_a_capsule_with_its_stream_named(sycl: Any) -> None:
    producer, consumer = sycl.queue(), sycl.queue()
    x = sycl.zeros("dpnp", producer)
    given = x.__dlpack__(max_version=(1, 0))
    work = sycl.write_slowly(producer, sycl.memory_of(x), 4)
    y = anystream.handoff(given, to="dpnp", stream=consumer, producer_stream=producer, strict=True)
    assert sycl.pending(work)
    assert (sycl.read(consumer, sycl.memory_of(y)) == 4).all()


# -- read-only memory, devices, opaque numbers ----------------------------------------------------


def test_read_only_memory_stays_so(np: Any) -> None:
    x = np.arange(3.0)
    x.flags.writeable = False
    y = anystream.handoff(x, to="numpy")
    assert not y.flags.writeable
    assert address(y) == address(x)


def test_a_device_type_that_dlpack_has_not_named_is_carried() -> None:
    x = Producer((77, 3))
    array = anystream.from_dlpack(x)
    assert array.device == anystream.Device((77, 3))
    assert array.__dlpack_device__() == (77, 3)
    token = object()
    y = Producer((77, 3))
    anystream.from_dlpack(y, stream=token)
    assert y.asked["stream"] is token  # nobody here knows it; the producer may


def test_a_device_type_that_dlpack_has_not_named_goes_to_nobody(np: Any) -> None:
    got = message(lambda: anystream.handoff(Producer((77, 3)), to="numpy"), BufferError)
    assert got.startswith("numpy cannot be given arrays on device_type_77:3")


@pytest.mark.parametrize("claimed", [(2, 0), (14, 0), (13, 0)])
def test_a_producer_that_lies_about_its_device(claimed: tuple[int, int]) -> None:
    x = Producer(claimed, Memory().array((1, 0)))
    got = message(lambda: anystream.from_dlpack(x, ordering="none"), BufferError)
    assert got.startswith("__dlpack_device__ of this stand_ins.Producer array says ")
    assert len(x.calls) == 1


@pytest.mark.parametrize("claimed", [(3, 0), (11, 0)])
def test_pinned_memory_may_be_called_the_hosts(np: Any, claimed: tuple[int, int]) -> None:
    """torch has no current stream where it has no CUDA: other drivers pin memory, too."""
    x = TorchTensor(claimed, Memory().array((1, 0)))
    assert anystream.handoff(x, to="numpy", ordering="none").tolist() == [1, 2, 3]
    assert anystream.from_dlpack(x).device == anystream.Device("cpu")


@pytest.mark.parametrize("device", [(3, 0), (11, 0), (13, 0)])
def test_memory_that_the_host_can_read(np: Any, device: tuple[int, int]) -> None:
    """A view, once it has been waited for: by the driver, or by the caller's word."""
    x = Producer(device)
    y = anystream.handoff(x, to="numpy", ordering="none", copy=False)
    assert y.ctypes.data == x._array.data_ptr
    with pytest.raises(anystream.DriverUnavailable, match="cannot be used"):
        anystream.handoff(Producer(device), to="numpy")


@pytest.mark.parametrize("device", [(7, 0), (8, 0), (9, 0), (15, 0), (21, 0)])
def test_memory_that_nobody_here_can_copy(np: Any, device: tuple[int, int]) -> None:
    x = Producer(device)
    assert anystream.from_dlpack(x).device == anystream.Device(device)
    with pytest.raises(anystream.DriverUnavailable):
        anystream.handoff(x, to="numpy", ordering="none")


def test_a_device_argument_copies_there_and_back(sycl: Any, np: Any) -> None:
    x = np.arange(4.0)
    there = anystream.from_dlpack(x, device="oneapi:0")
    assert there.device == anystream.Device("oneapi:0")
    assert there.stream is not None
    back = anystream.from_dlpack(there, device="cpu")
    assert np.from_dlpack(back).tolist() == x.tolist()
    assert "copy=False" in message(
        lambda: anystream.from_dlpack(x, device="oneapi:0", copy=False), BufferError
    )
