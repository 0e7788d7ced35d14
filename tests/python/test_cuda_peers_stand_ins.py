# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the peers table for CUDA and ROCm, with stand-ins on the software drivers.

Each of these libraries would order by itself if it were sent the consumer's stream; it is sent -1,
and anystream orders, so that whether it takes that stream, or looks for its own on another device,
does not matter.
"""

import pytest

from software_driver import child_on

PREAMBLE = """
    import anystream
    from driver_stand_ins import *
    from stand_ins import CudaStream

    machine = Machine(driver, {platform!r})
    one, two = machine.stream(), machine.stream()

    def early(reader, pointer, call):
        # The producer's stream is held while it is handed over and read.
        target = machine.memory()
        driver.settle()
        driver.clear()
        with driver.held(one):
            machine.fill(pointer, 7, one)
            result = call()
            machine.fill(target, 1, reader)
            driver.settle()
            waits = bool(driver.pending(reader))
        driver.settle()
        return result, not waits

    def refused(call, error):
        try:
            call()
        except error as caught:
            return str(caught)
        raise AssertionError("taken")
"""


def on(platform: str, script: str) -> None:
    out = child_on(platform, PREAMBLE.format(platform=platform), script, "\nprint('done')")
    assert out.endswith("done\n")


PRODUCERS = [
    ("cuda", "torch"),
    ("cuda", "cupy"),
    ("cuda", "warp"),
    ("cuda", "paddle"),
    ("hip", "torch"),
    ("hip", "cupy"),
]


@pytest.mark.parametrize(("platform", "name"), PRODUCERS)
def test_its_current_stream_is_waited_for_by_hand(platform: str, name: str) -> None:
    on(
        platform,
        f"""
        peer = library({name!r}, hip=machine.is_hip)
        peer.current = one
        pointer = machine.memory()
        for stream in (two, CudaStream(two)):
            x = peer.make(machine, pointer)
            call = lambda: anystream.from_dlpack(x, stream=stream)
            array, was_early = early(two, pointer, call)
            assert not was_early
            assert array.stream.handle == two
            assert x.asked["stream"] == -1, x.asked
            assert len(machine.ordering()) == 2, machine.ordering()
            del array
        x = peer.make(machine, pointer)
        anystream.synchronize()
        driver.settle()  # on their way back the streams wait for each other
        driver.clear()
        assert anystream.from_dlpack(x, stream=one).stream.handle == one
        assert machine.ordering() == [], machine.ordering()
        assert anystream.from_dlpack(peer.make(machine, pointer)).stream.handle == one
        """,
    )


@pytest.mark.parametrize("name", ["torch", "cupy", "warp", "paddle"])
def test_the_calling_threads_stream(name: str) -> None:
    """torch and paddle would refuse the 2."""
    on(
        "cuda",
        f"""
        peer = library({name!r})
        peer.current = one
        pointer = machine.memory()
        x = peer.make(machine, pointer)
        array, was_early = early(2, pointer, lambda: anystream.from_dlpack(x, stream=2))
        assert not was_early
        assert x.asked["stream"] == -1
        assert array.stream.handle == 2
        """,
    )


@pytest.mark.parametrize("name", ["torch", "cupy", "paddle"])
def test_memory_goes_back_in_the_order_of_a_stream_that_its_library_knows(name: str) -> None:
    """A stream that the user named may have written it, but it is another's pool that has it."""
    on(
        "cuda",
        f"""
        peer = library({name!r})
        peer.current = one
        x = peer.make(machine, machine.memory())
        plan = anystream.explain(x, stream=two)
        assert plan.release.what == "record, wait, then the producer's deleter", plan
        plan = anystream.explain(x, stream=two, producer_stream=machine.stream())
        assert plan.release.what.endswith("the producer's deleter when that is done"), plan
        assert "not of the one that was named" in plan.release.why, plan
        """,
    )


@pytest.mark.parametrize(("platform", "name"), PRODUCERS)
def test_as_a_consumer_its_current_stream_waits(platform: str, name: str) -> None:
    on(
        platform,
        f"""
        peer = library({name!r}, hip=machine.is_hip)
        peer.current = two
        pointer = machine.memory()
        array = machine.array(pointer)
        give = lambda: anystream.handoff(array, to={name!r}, producer_stream=one)
        carrier, was_early = early(two, pointer, give)
        assert not was_early
        assert peer.given == [carrier]
        assert carrier.__dlpack_device__() == machine.device
        assert len(machine.ordering()) == 2
        """,
    )


def test_a_build_takes_the_devices_of_its_platform() -> None:
    on(
        "cuda",
        """
        for name in ("torch", "cupy"):
            for hip in (False, True):
                library(name, hip=hip)
                for device in (CUDA, ROCM):
                    x = machine.array(machine.memory(), device)
                    give = lambda: anystream.explain(x, to=name, ordering="none", device=device)
                    if hip == (device == ROCM):
                        assert give().device.what == str(anystream.Device(device))
                    else:
                        assert f"{name}, as it is installed here, takes" in refused(
                            give, BufferError)
        """,
    )


def test_host_arrays_are_copied_to_cupy() -> None:
    on(
        "cuda",
        """
        import numpy as np
        peer = library("cupy")
        peer.current = two
        carrier = anystream.handoff(np.arange(64, dtype="uint8"), to="cupy")
        assert carrier.__dlpack_device__() == CUDA
        back = anystream.handoff(anystream.from_dlpack(carrier), to="numpy", ordering="none")
        assert back.tolist() == list(range(64))
        """,
    )


@pytest.mark.parametrize("named", [False, True])
def test_jax_waits_on_a_stream_that_only_its_import_names(named: bool) -> None:
    """Whatever stream the user names, jax's own is what reads; the host does not wait."""
    on(
        "cuda",
        f"""
        import sys
        from types import SimpleNamespace
        private = machine.stream()
        jax = SimpleNamespace(
            default_backend=lambda: "gpu",
            from_dlpack=lambda x: x.__dlpack__(stream=private),
            config=SimpleNamespace(jax_enable_x64=True),
        )
        sys.modules["jax"] = sys.modules["jax.dlpack"] = jax
        array = machine.array(machine.memory())
        keywords = dict(stream=two) if {named} else {{}}
        plan = anystream.explain(array, to="jax", producer_stream=one, **keywords)
        assert plan.ordering.what == ("record, wait" if {named} else "nothing yet"), plan
        give = lambda **more: anystream.handoff(
            array, to="jax", producer_stream=one, **keywords, **more)
        capsule, was_early = early(private, array.data_ptr, give)
        assert not was_early
        quiet = lambda: give(ordering="none")
        capsule, was_early = early(private, array.data_ptr, quiet)
        assert was_early
        """,
    )


def test_warp_is_never_given_a_byte_offset() -> None:
    on(
        "cuda",
        """
        peer = library("warp")
        peer.current = two
        pointer = machine.memory()
        inner = anystream._core._array_from_pointer(
            pointer, (8,), None, anystream.DType("uint8").triple, CUDA, byte_offset=24,
            readonly=False, owner=None, stream=None, plan=None,
        )
        carrier = anystream.handoff(inner, to="warp", producer_stream=two)
        array = anystream.from_dlpack(carrier)
        assert (array.data_ptr, array.byte_offset) == (pointer + 24, 0)
        peer = library("cupy")
        peer.current = two
        array = anystream.from_dlpack(anystream.handoff(inner, to="cupy", producer_stream=two))
        assert (array.data_ptr, array.byte_offset) == (pointer, 24)
        """,
    )


INTERFACES = {
    "rmm": ("rmm.pylibrmm.device_buffer", "DeviceBuffer", 0, 1),
    "pylibraft": ("pylibraft.common.device_ndarray", "device_ndarray", 3, 2),
    "pycuda": ("pycuda.gpuarray", "GPUArray", 3, 1),
}


@pytest.mark.parametrize("name", INTERFACES)
def test_an_interface_that_names_no_stream(name: str) -> None:
    """So work may be pending on the stream on which its library works unless it is told."""
    module, qualname, version, handle = INTERFACES[name]
    on(
        "cuda",
        f"""
        class X:
            @property
            def __cuda_array_interface__(self):
                fields = dict(shape=(64,), typestr="|u1", data=(pointer, False))
                return dict(fields, strides=None, version={version})

        X.__module__, X.__qualname__ = {module!r}, {qualname!r}
        pointer, one = machine.memory(), {handle}
        assert anystream.explain(X()).producer.what == {name!r}
        array, was_early = early(two, pointer, lambda: anystream.from_dlpack(X(), stream=two))
        assert not was_early
        assert len(machine.ordering()) == 2
        X.__module__ = "somebody.elses"
        array, was_early = early(two, pointer, lambda: anystream.from_dlpack(X(), stream=two))
        assert was_early  # of a class that nothing is known of, the interface is believed
        """,
    )


@pytest.mark.parametrize("platform", ["cuda", "hip"])
def test_pinned_memory_of_torch_is_waited_for(platform: str) -> None:
    """Its capsule says that it is the host's; a build for ROCm says that it is CUDA's."""
    on(
        platform,
        """
        import numpy as np
        peer = library("torch", hip=machine.is_hip)
        peer.current = one
        pointer = machine.pinned()

        def pinned():
            return TorchTensor((3, 0), machine.array(pointer, (1, 0)))

        for read in (
            lambda: anystream.handoff(pinned(), to="numpy"),
            lambda: anystream.handoff(anystream.from_dlpack(pinned()), to="numpy"),
            lambda: np.from_dlpack(anystream.from_dlpack(pinned())),
        ):
            machine.fill(pointer, 1, one)
            driver.settle()
            driver.clear()
            driver.hold(one)
            driver.release_on_wait()
            machine.fill(pointer, 7, one)
            values = read().tolist()
            driver.release_on_wait(False)
            driver.release(one)
            assert values == [7] * 64, values[:3]
        """,
    )


def test_paddle_on_the_host_and_on_another_makers_chip() -> None:
    on(
        "cuda",
        """
        import numpy as np
        from stand_ins import Memory
        library("paddle")
        x = PaddleTensor((1, 0), Memory().array((1, 0)))
        assert anystream.handoff(x, to="numpy").tolist() == [1, 2, 3]
        assert x.asked["stream"] is None
        x = PaddleTensor((14, 0), machine.array(machine.memory(), (14, 0)), xpu=True)
        assert "it is on a Kunlun chip" in refused(lambda: anystream.from_dlpack(x), BufferError)
        assert x.calls == []
        """,
    )
