# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""torch's and mlx's arrays on Metal: what is committed first, and where the host has to wait.

Stand-in classes go by the libraries' names; where queues matter, they are the software Metal's.
"""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import anystream
from metal_rig import child_on_metal
from stand_ins import Producer, TorchTensor, named

ON_METAL = (8, 0)


def mps_module(calls: list[str]) -> Any:
    """Like torch.mps: an event that is recorded commits, and synchronize waits, too."""
    event = SimpleNamespace(Event=lambda: SimpleNamespace(record=lambda: calls.append("commit")))
    return SimpleNamespace(event=event, synchronize=lambda: calls.append("wait"))


@pytest.fixture
def torch_mps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What torch.mps was asked to do."""
    calls: list[str] = []
    module: Any = ModuleType("torch")
    module.mps = mps_module(calls)
    monkeypatch.setitem(sys.modules, "torch", module)
    monkeypatch.setitem(sys.modules, "torch.mps", module.mps)
    return calls


def test_torch_tells_no_queue_so_the_host_waits(torch_mps: list[str]) -> None:
    x = TorchTensor(ON_METAL)
    plan = anystream.explain(x)
    assert plan.ordering.what == "host wait"
    assert plan.ordering.why == (
        "torch tells no stream of metal:0, and may hold work that it has not committed: "
        "torch.mps.synchronize() commits it and waits until it has ended"
    )
    assert torch_mps == []
    array = anystream.from_dlpack(x)
    assert torch_mps == ["wait"]
    assert str(array.device) == "metal:0"
    assert x.asked["stream"] == -1  # torch takes any int, and looks at none


def test_strict_refuses_that(torch_mps: list[str]) -> None:
    with pytest.raises(anystream.OrderingError, match=r"host wait \(torch tells no stream"):
        anystream.from_dlpack(TorchTensor(ON_METAL), strict=True)
    assert torch_mps == []


def test_what_is_not_to_be_ordered_is_not_flushed(torch_mps: list[str]) -> None:
    anystream.from_dlpack(TorchTensor(ON_METAL), ordering="none")
    anystream.from_dlpack(TorchTensor(ON_METAL), stream=-1)
    anystream.from_dlpack(TorchTensor(ON_METAL), producer_stream=-1)
    assert torch_mps == []


def test_elsewhere_torch_is_not_asked(torch_mps: list[str]) -> None:
    anystream.from_dlpack(TorchTensor((1, 0)))
    assert torch_mps == []


def test_many_tensors(torch_mps: list[str]) -> None:
    arrays = anystream.from_dlpack([TorchTensor(ON_METAL), TorchTensor(ON_METAL)])
    assert len(arrays) == 2
    assert set(torch_mps) == {"wait"}


# A tensor whose memory is a software buffer.
TENSOR = """
import sys
from types import ModuleType
from stand_ins import TorchTensor
calls = []
def record():
    calls.append("commit")
    while encoded:
        commit(encoded.pop())
encoded = []
mps = ModuleType("torch.mps")
mps.synchronize = lambda: calls.append("wait")
mps.event = type("event", (), {"Event": type("Event", (), {"record": lambda self: record()})})
mps.is_available = lambda: True
torch = ModuleType("torch")
torch.mps = mps
torch.from_dlpack = lambda x: x
torch.backends = type("backends", (), {"mps": type("mps", (), {"is_available": lambda: True})})
torch.version = type("version", (), {"hip": None})
torch.cuda = torch.xpu = type("cuda", (), {"is_available": lambda: False})
sys.modules |= {"torch": torch, "torch.mps": mps}
"""


def test_where_its_queue_is_named_what_it_holds_is_committed_first() -> None:
    child_on_metal(
        TENSOR,
        """
        first, second, memory, read = Queue(), Queue(), Buffer(16), Buffer(16)
        x = TorchTensor((8, 0), memory.array())
        plan = anystream.explain(x, producer_stream=first, stream=second)
        assert plan.ordering.what == "record, wait", plan
        assert plan.ordering.why.endswith("; torch.mps.event.Event().record() commits first what "
                                          "torch may hold back"), plan
        with held(first):
            encoded.append(first.encode_fill(memory, 6))
            a = anystream.from_dlpack(x, producer_stream=first, stream=second, strict=True)
            assert calls == ["commit"]
            second.copy(read, memory)
            second.settle()
            assert bytes(read.bytes) == bytes(16)
        first.settle(), second.settle()
        assert bytes(read.bytes) == bytes([6] * 16)
        """,
    )


@pytest.mark.parametrize("storage", [0, 2])
def test_from_torch_to_the_host(storage: int) -> None:
    child_on_metal(
        TENSOR,
        f"""
        queue, memory = Queue(), Buffer(16, {storage})
        mps.synchronize = lambda: (record(), queue.settle())
        encoded.append(queue.encode_fill(memory, 8))
        y = anystream.handoff(TorchTensor((8, 0), memory.array()), to="numpy")
        assert (y == 8).all()
        """,
    )


def test_to_torch_the_host_waits_since_it_names_no_stream() -> None:
    child_on_metal(
        TENSOR,
        """
        queue, memory = Queue(), Buffer(16)
        a = memory.array(queue)
        plan = anystream.explain(a, to="torch")
        assert plan.ordering == ("host wait if work is pending",
                                 "torch names no stream of metal:0 that could wait"), plan
        assert "torch names no stream of its own: let what it does" in plan.release.why, plan
        queue.fill(memory, 2)
        carrier = anystream.handoff(a, to="torch")
        assert bytes(memory.bytes) == bytes([2] * 16)
        assert carrier.__dlpack_device__() == (8, 0)
        """,
    )


class _Mlx(Producer):
    """Like mlx.core.array: it evaluates when it is exported, and takes any stream."""


_Mlx.__module__, _Mlx.__qualname__ = "mlx.core", "array"


def test_mlx_evaluates_and_waits_when_it_exports() -> None:
    x = _Mlx(ON_METAL)
    plan = anystream.explain(x)
    assert plan.ordering == (
        "by the producer",
        "__dlpack__ of mlx waits on the host until the values are there",
    )
    anystream.from_dlpack(x)
    assert "stream" not in x.asked
    with pytest.raises(anystream.OrderingError):
        anystream.from_dlpack(_Mlx(ON_METAL), strict=True)


def test_to_mlx_the_host_waits_since_it_names_no_stream() -> None:
    child_on_metal("""
        from types import ModuleType
        core = ModuleType("mlx.core")
        core.from_dlpack = lambda x: x
        core.metal = type("metal", (), {"is_available": lambda: True})
        core.core = core
        mlx = ModuleType("mlx")
        mlx.core = core
        sys.modules |= {"mlx": mlx, "mlx.core": core}
        queue, memory = Queue(), Buffer(16)
        plan = anystream.explain(memory.array(queue), to="mlx")
        assert plan.device.what == "metal:0", plan
        assert plan.ordering == ("host wait if work is pending",
                                 "mlx names no stream of metal:0 that could wait"), plan
    """)


def test_a_class_without_a_row_tells_nothing() -> None:
    x = named("somebody.lib", "Array", Producer)(ON_METAL)
    with pytest.raises(anystream.DriverUnavailable, match="Metal cannot be used"):
        anystream.from_dlpack(x, stream=None, ordering="host")
