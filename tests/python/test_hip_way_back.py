# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hand-offs and the way back on the software HIP driver, with memory that is recycled at once."""

import pytest

from software_driver import child_on

STORY = """
    import ctypes, gc, sys
    import anystream
    from anystream import _core
    from cuda_rig import STATE, names_of

    SIZE, UNREAD, POISON = 64, 0xEE, 0xA5
    hip = driver.library
    for name in ("hipMemsetAsync", "hipMemcpyAsync", "hipFreeAsync", "hipMallocAsync"):
        getattr(hip, name).argtypes = {
            "hipMemsetAsync": [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p],
            "hipMemcpyAsync": [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                               ctypes.c_void_p],
            "hipFreeAsync": [ctypes.c_void_p, ctypes.c_void_p],
            "hipMallocAsync": [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p],
        }[name]
    def ok(code):
        assert code == 0, code

    class ihipStream_t:
        '''As hip-python's.'''
        __module__, __qualname__ = "hip.hip", "ihipStream_t"
        def __init__(self, device=0):
            made, before = ctypes.c_void_p(), ctypes.c_int()
            ok(hip.hipGetDevice(ctypes.byref(before)))
            ok(hip.hipSetDevice(device))
            ok(hip.hipStreamCreateWithFlags(ctypes.byref(made), 1))
            ok(hip.hipSetDevice(before))
            self.value = made.value
        def __int__(self):
            return self.value

    class Memory:
        '''Memory of the pool; it goes back to it, in order, with the last reference.'''
        def __init__(self, value, stream):
            made = ctypes.c_void_p()
            ok(hip.hipMallocAsync(ctypes.byref(made), SIZE, int(stream)))
            self.pointer, self.stream = made.value, stream
            self.fill(value)
        def fill(self, value):
            ok(hip.hipMemsetAsync(self.pointer, value, SIZE, int(self.stream)))
        def __del__(self):
            freed.append(1)
            hip.hipFreeAsync(self.pointer, int(self.stream))

    class Lent:
        def __init__(self, memory):
            self.memory = memory
        def __dlpack_device__(self):
            return 10, 0
        def __dlpack__(self, *, stream=None, max_version=None, **_):
            array = _core._array_from_pointer(
                self.memory.pointer, (SIZE,), None, (1, 8, 1), (10, 0), readonly=False,
                owner=self.memory, stream=None, plan=None, platform="")
            return _core.Carrier(array).__dlpack__(max_version=max_version)

    freed = []
    producer, consumer = ihipStream_t(), ihipStream_t()
    seen = (ctypes.c_ubyte * SIZE)()
    pinned = ctypes.c_void_p()
    ok(hip.hipHostMalloc(ctypes.byref(pinned), ctypes.c_size_t(SIZE), 0))
    seen = (ctypes.c_ubyte * SIZE).from_address(pinned.value)

    def read(pointer, stream):
        ctypes.memset(pinned, UNREAD, SIZE)
        ok(hip.hipMemcpyAsync(pinned, pointer, SIZE, 4, int(stream)))
    def value():
        (found,) = set(seen)
        return found
    def early():
        driver.settle()
        return value()
    def outcome():
        driver.release_all()
        driver.settle()
        return value()
    def sync(stream):
        ok(hip.hipStreamSynchronize(ctypes.c_void_p(int(stream))))
    def work():
        return [name for name in names_of(driver.calls()) if name not in STATE]

    def taken(memory, **keywords):
        return anystream.from_dlpack(Lent(memory), producer_stream=producer, **keywords)
    def by_object(array):
        return array.__dlpack__(stream=consumer)
    def by_number(array):
        return array.__dlpack__(stream=int(consumer))

    def recycled(way, **policies):
        array = taken(Memory(7, producer), **policies)
        pointer, lent = array.data_ptr, way(array)
        del array
        sync(producer)
        driver.hold(consumer)
        read(pointer, consumer)
        del lent
        gc.collect()
        again = Memory(9, producer)
        return early() == UNREAD, outcome(), again.pointer == pointer
"""


def run(*parts: str) -> list[str]:
    return child_on("hip", STORY, *parts).splitlines()


@pytest.mark.parametrize("way", ["by_object", "by_number"])
def test_a_reader_is_never_early(way: str) -> None:
    out = run(
        f"""
        memory = Memory(1, producer)
        sync(producer)
        driver.clear()
        driver.hold(producer)
        memory.fill(7)
        array = taken(memory)
        lent = {way}(array)
        read(array.data_ptr, consumer)
        print(early() == UNREAD, outcome(), driver.calls("hipStreamSynchronize"))
        """
    )
    assert out == ["True 7 []"]


def test_without_order_the_same_reader_is_early() -> None:
    out = run(
        """
        memory = Memory(1, producer)
        sync(producer)
        driver.hold(producer)
        memory.fill(7)
        array = taken(memory, ordering="none", stream=consumer)
        read(array.data_ptr, consumer)
        print(early(), outcome())
        """
    )
    assert out == ["1 1"]


@pytest.mark.parametrize("way", ["by_object", "by_number"])
@pytest.mark.parametrize("release", ["ordered", "deferred"])
def test_recycled_memory_stays_right(release: str, way: str) -> None:
    """HIP has no event of a device, so a thread waits where a stream is a mere number."""
    out = run(
        f"""
        found = [recycled({way}, release="{release}") for _ in range(50)]
        print({{one[:2] for one in found}})
        anystream.synchronize()
        print(driver.written_after_free, len(freed) == 100, anystream.pending_releases().number)
        """
    )
    assert out == ["{(True, 7)}", "0 True 0"]


@pytest.mark.parametrize("way", ["by_object", "by_number"])
def test_without_a_way_back_recycled_memory_is_wrong(way: str) -> None:
    out = run(f'print({{recycled({way}, release="none") for _ in range(50)}})\n')
    assert out == ["{(True, 9, True)}"]


def test_a_number_is_not_touched_once_its_stream_may_be_gone() -> None:
    out = run(
        """
        array = taken(Memory(7, producer))
        pointer, lent = array.data_ptr, by_number(array)
        del array
        sync(producer)
        driver.hold(consumer)
        read(pointer, consumer)
        ok(hip.hipStreamDestroy(ctypes.c_void_p(int(consumer))))
        driver.clear()
        del lent
        gc.collect()
        again = Memory(9, producer)
        touched = [call for call in driver.calls() if f"stream={int(consumer):#x}" in call]
        print(touched, early() == UNREAD, outcome())
        """
    )
    assert out == ["[] True 7"]


def test_what_is_called() -> None:
    """Nothing on one stream; a record and a wait each way between two."""
    out = run(
        """
        import numpy as np
        x = anystream.from_dlpack(np.arange(8), device="rocm:0", stream=producer)
        for stream in (producer, consumer, consumer):
            driver.clear()
            lent = x.__dlpack__(stream=stream)
            there = work()
            driver.clear()
            del lent
            print(there, work())
        driver.log(False)
        driver.clear()
        for _ in range(100_000):
            x.__dlpack__(stream=consumer)
        print([driver.count(name) for name in ("hipEventCreateWithFlags", "hipEventDestroy",
                                               "hipEventRecord", "hipStreamWaitEvent")])
        """
    )
    pair = "['hipEventRecord', 'hipStreamWaitEvent']"
    assert out[0] == "[] []"
    assert out[2] == f"{pair} {pair}"
    assert out[3] == "[0, 0, 200000, 200000]"


def test_what_the_oracle_takes_is_ordered() -> None:
    """With a handle that is there in the place of those that are made up: each way, its stream."""
    out = run(
        """
        import numpy as np
        from stream_values import capsule, stand_in, with_protocol
        handle = int(consumer)
        taken = {
            "int": handle,
            "np.int64": np.int64(handle),
            "hipStream_t": capsule("hipStream_t", handle),
            "protocol": with_protocol((0, handle)),
            "attribute": with_protocol((0, handle), method=False),
            "torch": stand_in("torch.cuda.streams", "Stream", cuda_stream=handle),
            "cupy": stand_in("cupy.cuda.stream", "Stream", ptr=handle),
            "hip-python": consumer,
            "ours": anystream.Stream(consumer, "rocm:0"),
        }
        defaults = {
            "None": None, "0": 0, "null of a protocol": with_protocol((0, 0)),
            "null of torch": stand_in("torch.cuda.streams", "Stream", cuda_stream=0),
            "null of hip-python": stand_in("hip.hip", "ihipStream_t", __int__=lambda _: 0),
        }
        x = anystream.from_dlpack(np.arange(8), device="rocm:0", stream=producer)
        def asked(value):
            driver.clear()
            lent = x.__dlpack__(stream=value)
            return [call.partition("stream=")[2].partition(",")[0].strip(")")
                    for call in driver.calls("hipEventRecord", "hipStreamWaitEvent")]
        for name, value in taken.items():
            if asked(value) != [hex(int(producer)), hex(handle)]:
                print(name, asked(value))
        print({name: asked(value)[1] for name, value in defaults.items()})
        """
    )
    names = ("None", "0", "null of a protocol", "null of torch", "null of hip-python")
    assert out == [str(dict.fromkeys(names, "0x0"))]


def test_two_devices_and_the_current_one() -> None:
    out = run(
        """
        other = ihipStream_t(1)
        def current():
            found = ctypes.c_int()
            ok(hip.hipGetDevice(ctypes.byref(found)))
            return found.value
        for at in (0, 1):
            ok(hip.hipSetDevice(at))
            memory = Memory(1, producer)
            sync(producer)
            driver.hold(producer)
            memory.fill(7)
            array = taken(memory)
            lent = array.__dlpack__(stream=anystream.Stream(other, "rocm:1"))
            read(array.data_ptr, other)
            there = early() == UNREAD, outcome()
            driver.hold(other)
            read(array.data_ptr, other)
            del array, lent
            gc.collect()
            memory.fill(9)
            print(there, early() == UNREAD, outcome(), current() == at)
        """
    )
    assert out == ["(True, 7) True 7 True"] * 2


def test_what_is_no_stream_and_no_device_is_told_of() -> None:
    out = run(
        """
        import numpy as np
        def told(function):
            try:
                function()
            except ValueError as error:
                return str(error).splitlines()
        print(told(lambda: anystream.from_dlpack(
            Lent(Memory(7, producer)), producer_stream=producer, stream=0x1234560)))
        print(told(lambda: anystream.from_dlpack(np.zeros(3), device="rocm:7")))
        """
    )
    wanted = [
        [
            (
                "what was given as a HIP stream is none: "
                "hipStreamGetDevice says that the handle is invalid (400)."
            ),
            (
                "  Pass the stream object of its library, or the handle of a stream that has not "
                "been destroyed."
            ),
        ],
        ["HIP has no device 7 here.", "  anystream.devices() lists those that there are."],
    ]
    assert out == [str(each) for each in wanted]
