# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Real libraries run on the software drivers, each in a process of its own."""

import importlib.util

import pytest

from software_driver import child_on

HELD_RACE = """
    # What both libraries' tests do: a consumer reads what a held producer has yet to write.
    def race(driver, producer, consumer, fill, copy, order):
        with driver.held(producer):
            fill(producer)
            if order:
                order(producer, consumer)
            copy(consumer)
            driver.settle()
            pending = len(driver.pending(consumer))
        driver.settle()
        return pending
"""


def require(module: str) -> None:
    """Skip where a library is not installed; it is imported in the test's own process only."""
    try:
        found = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        found = False
    if not found:
        pytest.skip(f"{module} is not installed")


def test_cuda_bindings() -> None:
    require("cuda.bindings")
    out = child_on(
        "cuda",
        """
        from cuda.bindings import driver as cuda

        def ok(result):
            code, *rest = result
            assert code == cuda.CUresult.CUDA_SUCCESS, code
            return rest[0] if rest else None

        ok(cuda.cuInit(0))
        assert ok(cuda.cuDeviceGetCount()) == 3
        context = ok(cuda.cuDevicePrimaryCtxRetain(2))
        ok(cuda.cuCtxSetCurrent(context))
        stream = ok(cuda.cuStreamCreate(1))
        event = ok(cuda.cuEventCreate(0))
        with driver.held(stream):
            ok(cuda.cuEventRecord(event, stream))
            assert cuda.cuEventQuery(event) == (cuda.CUresult.CUDA_ERROR_NOT_READY,)
        ok(cuda.cuEventSynchronize(event))
        ok(cuda.cuStreamDestroy(stream))
        assert cuda.cuStreamQuery(stream) == (cuda.CUresult.CUDA_ERROR_INVALID_HANDLE,)
        assert ok(cuda.cuGetErrorName(cuda.CUresult(709))) == b"CUDA_ERROR_CONTEXT_IS_DESTROYED"
        ok(cuda.cuEventDestroy(event))
        assert driver.live()["events"] == driver.live()["streams"] == 0
        print(driver.calls("cuEventRecord", "cuEventQuery")[1].split(" = ")[1])
        """,
        devices=3,
    )
    assert out == "CUDA_ERROR_NOT_READY\n"


CUDA_CORE = """
    import numpy as np
    from cuda.core import Device, LegacyPinnedMemoryResource
    device = Device(0)
    device.set_current()
    producer, consumer = device.create_stream(), device.create_stream()
    buffer = device.allocate(64, stream=producer)
    host = LegacyPinnedMemoryResource().allocate(64)
    read = np.from_dlpack(host)
    producer.sync()
    def fill(stream):
        buffer.fill(7, stream=stream)
    def copy(stream):
        buffer.copy_to(host, stream=stream)
"""


def test_cuda_core_is_early_without_order() -> None:
    require("cuda.core")
    out = child_on(
        "cuda",
        HELD_RACE,
        CUDA_CORE,
        """
    pending = race(driver, producer, consumer, fill, copy, None)
    print(pending, read.view(np.uint8)[0])
    """,
    )
    assert out == f"0 {0xA5}\n"


def test_cuda_core_is_right_with_order() -> None:
    require("cuda.core")
    out = child_on(
        "cuda",
        HELD_RACE,
        CUDA_CORE,
        """
    pending = race(driver, producer, consumer, fill, copy, lambda one, other: other.wait(one))
    print(pending, read.view(np.uint8)[0])
    """,
    )
    assert out == "2 7\n"


def test_cuda_core_knows_its_objects() -> None:
    require("cuda.core")
    out = child_on(
        "cuda",
        CUDA_CORE,
        """
    from cuda.core import EventOptions
    from cuda.core.utils import StridedMemoryView
    view = StridedMemoryView.from_dlpack(buffer, stream_ptr=int(consumer.handle))
    print(view.device_id, view.is_device_accessible, view.ptr == int(buffer.handle))
    print(buffer.__dlpack_device__(), host.__dlpack_device__())
    one = producer.record(options=EventOptions(timing_enabled=True))
    two = producer.record(options=EventOptions(timing_enabled=True))
    two.sync()
    print(two - one >= 0, one.is_done, producer.device.device_id)
    print(producer.context == consumer.context)
    buffer.close(producer)
    host.close()
    producer.close()
    consumer.close()
    del one, two
    print(driver.live()["allocations"], driver.live()["streams"], driver.live()["events"])
    """,
    )
    assert out.splitlines() == ["0 True True", "(2, 0) (3, 0)", "True True 0", "True", "0 0 0"]


def test_cuda_core_captures() -> None:
    require("cuda.core")
    out = child_on(
        "cuda",
        CUDA_CORE,
        """
    from cuda.bindings import driver as cuda
    mode = cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    cuda.cuStreamBeginCapture(producer.handle, mode)
    print(producer.is_capturing if hasattr(producer, "is_capturing") else True)
    buffer.fill(9, stream=producer)
    code, graph = cuda.cuStreamEndCapture(producer.handle)
    code, executable = cuda.cuGraphInstantiate(graph, 0)
    copy(producer)
    producer.sync()
    print(read.view(np.uint8)[0])
    print(*map(int, cuda.cuGraphLaunch(executable, producer.handle)))
    copy(producer)
    producer.sync()
    print(read.view(np.uint8)[0])
    """,
    )
    assert out.splitlines() == ["True", str(0xA5), "0", "9"]


NUMBA = """
    import numpy as np
    from numba import cuda
    producer, consumer = cuda.stream(), cuda.stream()
    source = cuda.pinned_array(8, dtype=np.int64)
    source[:] = 7
    array = cuda.to_device(np.zeros(8, np.int64))
    result = cuda.pinned_array(8, dtype=np.int64)
    def fill(stream):
        array.copy_to_device(source, stream=stream)
    def copy(stream):
        array.copy_to_host(result, stream=stream)
    def order(one, other):
        event = cuda.event(timing=False)
        event.record(one)
        event.wait(other)
"""


@pytest.mark.parametrize(
    ("ordered", "expected"), [("None", "0 0\n"), ("order", "2 7\n")], ids=["early", "right"]
)
def test_numba(ordered: str, expected: str) -> None:
    require("numba_cuda")
    show = f"""
    pending = race(driver, producer, consumer, fill, copy, {ordered})
    print(pending, result[0])
    """
    assert child_on("cuda", HELD_RACE, NUMBA, show) == expected


def test_numba_knows_its_objects() -> None:
    require("numba_cuda")
    out = child_on(
        "cuda",
        NUMBA,
        """
    print(len(cuda.gpus), array.copy_to_host().tolist() == [0] * 8)
    lent = cuda.as_cuda_array(cuda.device_array(8, dtype=np.int64, stream=producer))
    print(lent.__cuda_array_interface__["stream"] == driver_handle(producer))
    managed = cuda.managed_array(4)
    managed[:] = 1
    print(managed.sum())
    with cuda.gpus[1]:
        other = cuda.to_device(np.ones(2))
        print(other.copy_to_host().tolist())
    """.replace("driver_handle(producer)", "producer.__cuda_stream__()[1]"),
    )
    assert out.splitlines() == ["2 True", "True", "4.0", "[1.0, 1.0]"]


def test_hip_python() -> None:
    require("rocm.bindings.hip")
    out = child_on(
        "hip",
        """
        from hip import hip

        def ok(result):
            code, *rest = result
            assert code == hip.hipError_t.hipSuccess, code
            return rest[0] if rest else None

        producer, consumer = ok(hip.hipStreamCreateWithFlags(1)), ok(hip.hipStreamCreate())
        event, memory = ok(hip.hipEventCreate()), ok(hip.hipMalloc(64))
        with driver.held(producer):
            ok(hip.hipMemsetAsync(memory, 7, 64, producer))
            ok(hip.hipEventRecord(event, producer))
            ok(hip.hipStreamWaitEvent(consumer, event, 0))
            driver.settle()
            print(driver.pending(consumer)[0].partition("(")[0])
        ok(hip.hipStreamSynchronize(consumer))
        print(bytearray((__import__("ctypes").c_char * 2).from_address(int(memory))))
        """,
    )
    assert out == "hipStreamWaitEvent\nbytearray(b'\\x07\\x07')\n"


def test_the_controls() -> None:
    """Without any library: what test programs of C++ say at length."""
    out = child_on(
        "cuda",
        """
        import ctypes
        cuda = driver.library
        assert cuda.cuInit(0) == 0
        context, stream = ctypes.c_void_p(), ctypes.c_void_p()
        assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
        assert cuda.cuCtxSetCurrent(context) == 0
        driver.clear()
        driver.fail("cuStreamCreate", 2)
        assert cuda.cuStreamCreate(ctypes.byref(stream), 1) == 2
        assert cuda.cuStreamCreate(ctypes.byref(stream), 1) == 0
        assert (driver.count("cuStreamCreate"), driver.failed) == (2, 1)
        driver.hold(stream.value)
        assert cuda.cuEventRecord(None, stream) == 400
        driver.delay(0.001)
        event = ctypes.c_void_p()
        assert cuda.cuEventCreate(ctypes.byref(event), 2) == 0
        assert cuda.cuEventRecord(event, stream) == 0
        driver.settle()
        assert len(driver.pending(stream.value)) == 1
        driver.step(stream.value)
        driver.settle()
        assert driver.pending(stream.value) == []
        driver.release_on_wait()
        assert cuda.cuEventRecord(event, stream) == 0
        assert cuda.cuEventSynchronize(event) == 0
        print(driver.calls("cuStreamCreate")[0])
        print(driver.live()["streams"], "cuMemAlloc" in driver.entries(), driver.written_after_free)
        driver.reset(devices=1)
        print(driver.live()["streams"], driver.calls())
        """,
    )
    assert out.splitlines() == [
        "cuStreamCreate(stream=?, flags=1) = CUDA_ERROR_OUT_OF_MEMORY",
        "1 True 0",
        "0 []",
    ]
