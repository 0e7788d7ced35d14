# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""The real cuda.core and numba-cuda hand over to each other on a software CUDA driver.

What shows the order: the producer's stream is held, so that what reads too early reads 0xA5, which
new memory is filled with there.
"""

import importlib.util

import pytest

from software_driver import child_on

pytestmark = pytest.mark.filterwarnings("ignore::anystream.ReadOnlyWarning")

PREAMBLE = """
    import warnings
    warnings.simplefilter("ignore")
    import numpy as np
    from cuda.core import Device
    from cuda.core.utils import StridedMemoryView
    from numba import cuda
    from numba.cuda.cudadrv.driver import device_memset
    import anystream

    device = Device(0)
    device.set_current()
    one, two = device.create_stream(), device.create_stream()
    resource = device.memory_resource

    def core(stream, size=64):
        return resource.allocate(size, stream=stream)

    def waits(call):
        # What blocks its thread until work is done lets the held streams go; the log tells.
        driver.clear()
        driver.release_on_wait()
        result = call()
        driver.release_on_wait(False)
        assert any(line.startswith("double: released by") for line in driver.calls())
        return result
"""


@pytest.fixture(autouse=True)
def _libraries() -> None:
    for module in ("numba_cuda", "cuda"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    for module in ("cuda.core", "cuda.bindings"):
        pytest.importorskip(module, reason=f"{module} is not installed")


def on_cuda(script: str) -> None:
    assert child_on("cuda", PREAMBLE, script, "\nprint('done')").endswith("done\n")


def test_a_buffer_to_numba_on_a_stream_of_its_own() -> None:
    on_cuda(
        """
        buffer, stream = core(one), cuda.stream()
        target = cuda.pinned_array(64, dtype="uint8")
        driver.settle()
        with driver.held(one):
            buffer.fill(7, stream=one)
            array = anystream.handoff(buffer, to="numba", producer_stream=one, stream=stream)
            array.view("uint8").copy_to_host(target, stream=stream)
            driver.settle()
            assert driver.pending(stream)
        stream.synchronize()
        assert (target == 7).all()
        assert int(array.stream.handle) == int(stream.handle)
        """
    )


def test_a_buffer_to_numba_without_anystream_is_early() -> None:
    on_cuda(
        """
        buffer, stream = core(one), cuda.stream()
        target = cuda.pinned_array(64, dtype="uint8")
        driver.settle()
        with driver.held(one):
            buffer.fill(7, stream=one)
            view = StridedMemoryView.from_dlpack(buffer, stream_ptr=int(stream))
            array = cuda.from_cuda_array_interface(
                {"shape": (64,), "data": (view.ptr, False), "typestr": "|u1", "version": 3}
            )
            array.copy_to_host(target, stream=stream)
            driver.settle()
            assert not driver.pending(stream)
        stream.synchronize()
        assert (target == 0xA5).all()
        """
    )


def test_a_buffer_to_numba_on_its_default_stream() -> None:
    on_cuda(
        """
        buffer = core(one)
        plan = anystream.explain(buffer, to="numba", producer_stream=one)
        assert plan.stream.what == "its default stream", plan
        assert plan.ordering.what == "record, wait"
        driver.settle()
        with driver.held(one):
            buffer.fill(7, stream=one)
            array = anystream.handoff(buffer, to="numba", producer_stream=one)
            array = array.view("uint8")
            target = cuda.pinned_array(64, dtype="uint8")
            array.copy_to_host(target, stream=cuda.legacy_default_stream())
            driver.settle()
            assert driver.pending(cuda.legacy_default_stream())
        cuda.legacy_default_stream().synchronize()
        assert (target == 7).all()
        """
    )


def test_a_buffer_to_numpy() -> None:
    on_cuda(
        """
        buffer = core(one)
        driver.hold(one)
        buffer.fill(7, stream=one)
        read = lambda: anystream.handoff(buffer, to="numpy", producer_stream=one)
        assert (waits(read).view("uint8") == 7).all()
        """
    )


def test_a_buffer_orders_nothing_and_names_no_stream() -> None:
    on_cuda(
        """
        view = StridedMemoryView.from_dlpack(core(one), stream_ptr=-1)
        driver.clear()
        for x in (core(one), view):
            for call in (
                lambda: anystream.handoff(x, to="numba"),
                lambda: anystream.handoff(x, to="numpy"),
                lambda: anystream.from_dlpack(x, stream=two),
            ):
                try:
                    call()
                except anystream.OrderingError as error:
                    assert "cuda.core ignores the stream that it is given" in str(error), error
                    assert "producer_stream=" in str(error), error
                else:
                    raise AssertionError("taken")
        assert not driver.calls("cuEventRecord", "cuStreamWaitEvent")
        """
    )


@pytest.mark.parametrize("named", [True, False])
def test_numba_to_cuda_core(named: bool) -> None:
    """An array of a stream tells it; one of none may have a kernel on the default stream."""
    on_cuda(
        f"""
        producer = cuda.stream() if {named} else cuda.legacy_default_stream()
        x = cuda.device_array(64, dtype="uint8", **(dict(stream=producer) if {named} else {{}}))
        assert (x.__cuda_array_interface__["stream"] is not None) is {named}
        target = cuda.pinned_array(64, dtype="uint8")
        out = StridedMemoryView.from_dlpack(target, stream_ptr=-1)
        driver.settle()
        with driver.held(producer):
            device_memset(x, 7, 64, stream=producer)
            view = anystream.handoff(x, to="cuda.core", stream=two)
            cuda.as_cuda_array(anystream.from_dlpack(view, producer_stream=two), sync=False
                ).copy_to_host(target, stream=cuda.external_stream(int(two.handle)))
            driver.settle()
            assert driver.pending(two)
        two.sync()
        assert (target == 7).all()
        """
    )


def test_cuda_core_names_no_stream_so_the_host_waits_for_it() -> None:
    on_cuda(
        """
        producer = cuda.stream()
        x = cuda.device_array(64, dtype="uint8", stream=producer)
        driver.hold(producer)
        device_memset(x, 7, 64, stream=producer)
        view = waits(lambda: anystream.handoff(x, to="cuda.core"))
        assert not driver.pending(producer)
        assert view.shape == (64,)
        """
    )


@pytest.mark.parametrize("named", [True, False])
def test_numba_to_numpy(named: bool) -> None:
    """The managed and the mapped ones are ndarrays, too, whose own __dlpack__ waits for nothing."""
    on_cuda(
        f"""
        for make in (cuda.device_array, cuda.managed_array, cuda.mapped_array):
            producer = cuda.stream() if {named} else cuda.legacy_default_stream()
            x = make(64, dtype="uint8", **(dict(stream=producer) if {named} else {{}}))
            assert anystream.from_dlpack(x).plan.producer.what == "numba"
            driver.hold(producer)
            device_memset(x, 7, 64, stream=producer)
            assert (waits(lambda: anystream.handoff(x, to="numpy")) == 7).all()
        """
    )


VALUES = """
        values = np.arange(24, dtype="float32").reshape(4, 6)
        layouts = [values, values[:, ::2], values.T, values[::-1], values[1:], values[:, 2],
                   values[:0], np.array(2.5, dtype="float32")]
"""


def test_values_from_the_host_to_numba_and_back() -> None:
    on_cuda(
        VALUES
        + """
        stream = cuda.stream()
        for x in layouts:
            array = anystream.handoff(x, to="numba", stream=stream)
            assert array.stream is stream or int(array.stream.handle) == int(stream.handle)
            assert np.array_equal(array.copy_to_host(), x), x
            assert np.array_equal(anystream.handoff(array, to="numpy"), x), x
        for dtype in ("bool", "int8", "uint16", "int64", "float16", "float64", "complex64"):
            x = np.arange(5).astype(dtype)
            array = anystream.handoff(x, to="numba")
            assert array.dtype == x.dtype
            assert np.array_equal(anystream.handoff(array, to="numpy"), x), x
        """
    )


def test_values_from_numba_to_cuda_core_and_back() -> None:
    on_cuda(
        VALUES
        + """
        whole = cuda.to_device(values)
        for index in (np.s_[:], np.s_[:, ::2], np.s_[::-1], np.s_[1:], np.s_[:, 2]):
            view = anystream.handoff(whole[index], to="cuda.core", stream=one)
            assert view.dtype == values.dtype
            assert view.device_id == 0 and view.is_device_accessible and not view.readonly
            for to in ("numpy", "numba"):
                back = anystream.handoff(view, to=to, producer_stream=one)
                back = back if to == "numpy" else anystream.handoff(back, to="numpy")
                assert np.array_equal(back, values[index]), index
        """
    )


def test_an_array_with_a_byte_offset() -> None:
    on_cuda(
        VALUES
        + """
        whole = cuda.to_device(values)
        array = anystream.from_dlpack(whole)
        middle = anystream._core._array_from_pointer(
            array.data_ptr, (6,), None, array.dtype.triple, (2, 0), byte_offset=24, owner=whole,
            readonly=False, stream=array.stream, plan=None,
        )
        assert middle.byte_offset == 24
        view = anystream.handoff(middle, to="cuda.core", stream=one)
        assert view.ptr == array.data_ptr + 24
        assert anystream.handoff(middle, to="numba").copy_to_host().tolist() == values[1].tolist()
        """
    )


def test_current_streams() -> None:
    on_cuda(
        """
        for number in (0, 1):
            stream = anystream.current_stream("numba", f"cuda:{number}")
            assert stream.handle == 1
            assert stream.device == anystream.Device(f"cuda:{number}")
        try:
            anystream.current_stream("cuda.core", "cuda:0")
        except ValueError as error:
            assert "has no current stream on cuda:0; it has none on any device" in str(error)
        else:
            raise AssertionError
        """
    )


def test_stream_objects() -> None:
    """Real ones of every library that runs on the driver, each in the device's own order."""
    on_cuda(
        """
        from cuda.bindings import driver as bindings, runtime
        from cuda.core import LEGACY_DEFAULT_STREAM, PER_THREAD_DEFAULT_STREAM

        theirs = cuda.stream()
        handle = int(one.handle)
        expected = [
            (one, handle),
            (LEGACY_DEFAULT_STREAM, 1),
            (PER_THREAD_DEFAULT_STREAM, 2),
            (theirs, int(theirs.handle)),
            (cuda.default_stream(), 1),
            (cuda.legacy_default_stream(), 1),
            (cuda.per_thread_default_stream(), 2),
            (cuda.external_stream(handle), handle),
            (bindings.CUstream(handle), handle),
            (bindings.CUstream(0), 1),
            (runtime.cudaStream_t(handle), handle),
        ]
        for stream, wanted in expected:
            ours = anystream.Stream(stream, device="cuda:0")
            assert ours.handle == wanted, (stream, ours)
            for x in (cuda.device_array(4), core(one)):
                array = anystream.from_dlpack(x, producer_stream=two, stream=stream)
                assert array.stream == ours
        """
    )


def test_read_only_memory_stays_so_in_cuda_core() -> None:
    on_cuda(
        """
        x = np.arange(4)
        x.flags.writeable = False
        assert anystream.handoff(x, to="cuda.core").readonly
        assert not anystream.handoff(np.arange(4), to="cuda.core").readonly
        """
    )
