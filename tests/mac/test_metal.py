# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Metal on a Mac: queues of PyObjC that a test holds by an event, and arrays of torch and mlx.

It has not been run: no Mac was at hand when it was written.
"""

import sys
from typing import Any

import pytest

import anystream
from anystream import _core

if sys.platform != "darwin":
    pytest.skip("Metal is part of macOS", allow_module_level=True)
Metal = pytest.importorskip("Metal", reason="pyobjc-framework-Metal is not installed")
SIZE = 64


@pytest.fixture
def device() -> Any:
    made = Metal.MTLCreateSystemDefaultDevice()
    if made is None:
        pytest.skip("this Mac has no GPU that Metal knows")
    return made


def buffer(device: Any, storage: int = 0) -> Any:
    return device.newBufferWithLength_options_(SIZE, storage << 4)


def values(of: Any) -> set[int]:
    return set(bytes(of.contents().as_buffer(SIZE)))


def array(of: Any, queue: Any) -> anystream.Array:
    return _core._array_from_pointer(
        of.__c_void_p__().value,
        (SIZE,),
        None,
        (1, 8, 1),
        (8, 0),
        readonly=False,
        owner=of,
        stream=anystream.Stream(queue, device="metal:0"),
        plan=None,
    )


def fill(queue: Any, target: Any, value: int, gate: Any = None) -> Any:
    """Fill a buffer; not before the gate is open, where there is one."""
    commands = queue.commandBuffer()
    if gate is not None:
        commands.encodeWaitForEvent_value_(gate, 1)
    encoder = commands.blitCommandEncoder()
    encoder.fillBuffer_range_value_(target, (0, SIZE), value)
    encoder.endEncoding()
    commands.commit()
    return commands


def copy(queue: Any, target: Any, source: Any) -> Any:
    commands = queue.commandBuffer()
    encoder = commands.blitCommandEncoder()
    encoder.copyFromBuffer_sourceOffset_toBuffer_destinationOffset_size_(source, 0, target, 0, SIZE)
    encoder.endEncoding()
    commands.commit()
    return commands


def test_the_device_is_listed(device: Any) -> None:
    found = [str(each) for each in anystream.devices()]
    assert "metal:0" in found


def test_a_consumer_waits_on_the_device(device: Any) -> None:
    first, second, gate = (
        device.newCommandQueue(),
        device.newCommandQueue(),
        device.newSharedEvent(),
    )
    x, read = buffer(device), buffer(device)
    fill(first, x, 7, gate)
    a = array(x, first)
    anystream.from_dlpack(a, stream=second, strict=True)
    work = copy(second, read, x)
    assert not a.stream.query()
    assert values(read) == {0}
    gate.setSignaledValue_(1)
    work.waitUntilCompleted()
    assert values(read) == {7}


@pytest.mark.parametrize("storage", [0, 2])
def test_to_the_host(device: Any, storage: int) -> None:
    queue, x = device.newCommandQueue(), buffer(device, storage)
    fill(queue, x, 9)
    y = anystream.handoff(array(x, queue), to="numpy")
    assert set(y.tolist()) == {9}


def test_copies_in_both_directions(device: Any) -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    queue = device.newCommandQueue()
    there = anystream.from_dlpack(np.arange(10, dtype="f4")).to_device("metal:0", stream=queue)
    assert np.from_dlpack(there.to_device("cpu")).tolist() == list(range(10))


def test_a_queue_is_let_go(device: Any) -> None:
    queue = device.newCommandQueue()
    before = queue.retainCount()
    streams = [anystream.Stream(queue, device="metal:0") for _ in range(5)]
    assert queue.retainCount() == before + 5
    del streams
    assert queue.retainCount() == before


def test_torch_to_numpy(device: Any) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not torch.backends.mps.is_available():
        pytest.skip("torch finds no Metal")
    x = torch.ones(1000, device="mps").cumsum(0)
    y = anystream.handoff(x, to="numpy")
    assert y[-1] == 1000


def test_mlx_to_numpy(device: Any) -> None:
    mx = pytest.importorskip("mlx.core", reason="mlx is not installed")
    x = mx.cumsum(mx.ones(1000))
    assert anystream.handoff(x, to="numpy")[-1] == 1000


def test_torch_to_mlx(device: Any) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("mlx.core", reason="mlx is not installed")
    if not torch.backends.mps.is_available():
        pytest.skip("torch finds no Metal")
    x = torch.ones(1000, device="mps").cumsum(0)
    assert anystream.handoff(x, to="mlx")[-1].item() == 1000
