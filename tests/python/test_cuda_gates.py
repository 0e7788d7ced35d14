# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""cuda-core and numba-cuda hand arrays over while the producer's stream is held: never early."""

import pytest

from cuda_rig import POISON, UNREAD, run

# How an array is made on the producer's stream, and a write of 7s is put there.
PRODUCERS = {
    "buffer": """
        x = lab.buffer()
        def write():
            x.fill(7, stream=producer)
        """,
    "view": """
        memory = lab.buffer()
        x = lab.view(memory, producer)
        def write():
            memory.fill(7, stream=producer)
        """,
    "numba": """
        from numba import cuda
        x = cuda.device_array(SIZE, np.uint8, stream=cuda.external_stream(handle_of(producer)))
        source = cuda.pinned_array(SIZE, np.uint8)
        source[:] = 7
        def write():
            x.copy_to_device(source, stream=x.stream)
        """,
}

# How a consumer takes the array, and where it reads from then on; a numba array brings its stream
# along, by its interface, where anystream is not there to be told.
CONSUMERS = {
    "dlpack to a stream": """
        def take(x):
            return anystream.from_dlpack(x, producer_stream=producer, stream=consumer)
        pointer = lambda y: y.data_ptr
        """,
    "dlpack to cuda-core": """
        def take(x):
            return lab.view(anystream.from_dlpack(x, producer_stream=producer), consumer)
        pointer = lambda y: y.ptr
        """,
    "interface to cuda-core": """
        from cuda.core.utils import StridedMemoryView
        def take(x):
            array = anystream.from_dlpack(x, producer_stream=producer)
            return StridedMemoryView.from_cuda_array_interface(
                array, stream_ptr=handle_of(consumer))
        pointer = lambda y: y.ptr
        """,
    "interface to numba": """
        from numba import cuda
        def take(x):
            array = anystream.from_dlpack(x, producer_stream=producer, stream=consumer)
            lent = cuda.as_cuda_array(array, sync=False)
            assert handle_of(lent.stream) == handle_of(consumer)
            return lent
        pointer = lambda y: y.device_ctypes_pointer.value
        """,
}

RACE = """
    producer.sync()
    driver.clear()
    driver.hold(producer)
    write()
    y = take(x)
    lab.read(pointer(y))
    waits = driver.calls(*HOST_WAITS)
    print(lab.early(), len(driver.pending(producer)) > 0, waits)
    print(lab.outcome())
"""

by_producer = pytest.mark.parametrize("producer", PRODUCERS)


@pytest.mark.parametrize("consumer", CONSUMERS)
@by_producer
def test_a_reader_is_never_early(producer: str, consumer: str) -> None:
    """Nor is the host held up by the hand-off: it comes back while the producer is held."""
    needs = ("cuda.core", "numba_cuda")
    out = run(PRODUCERS[producer], CONSUMERS[consumer], RACE, needs=needs)
    assert out == [f"{UNREAD} True []", "7"]


CONTROLS = {
    "dlpack": ("buffer", "take = lambda x: lab.view(x, consumer)\n", "ptr"),
    "dlpack of a view": ("view", "take = lambda x: lab.view(x, consumer)\n", "ptr"),
    "interface": (
        "numba",
        "from numba import cuda\ntake = lambda x: cuda.as_cuda_array(x, sync=False)\n",
        "device_ctypes_pointer.value",
    ),
}


@pytest.mark.parametrize("control", CONTROLS)
def test_without_anystream_the_same_reader_is_early(control: str) -> None:
    producer, take, where = CONTROLS[control]
    out = run(
        PRODUCERS[producer],
        take,
        f"pointer = lambda y: y.{where}\n",
        RACE,
        needs=("cuda.core", "numba_cuda"),
    )
    assert out == [f"{POISON} True []", str(POISON)]


@by_producer
def test_without_order_anystream_is_early_too(producer: str) -> None:
    """That is what ordering="none" asks for."""
    out = run(
        PRODUCERS[producer],
        """
        take = lambda x: anystream.from_dlpack(
            x, producer_stream=producer, stream=consumer, ordering="none")
        pointer = lambda y: y.data_ptr
        """,
        RACE,
        needs=("cuda.core", "numba_cuda"),
    )
    assert out == [f"{POISON} True []", str(POISON)]


HOST_MEMORY = {
    "cuda_host:0": "lab.core.LegacyPinnedMemoryResource().allocate(SIZE)",
    "cuda_managed:0": "lab.core.ManagedMemoryResource().allocate(SIZE, stream=producer)",
}


@pytest.mark.parametrize("device", HOST_MEMORY)
def test_the_host_reads_after_the_producers_stream(device: str) -> None:
    """numpy takes memory that the host may read; then the host waits for what is pending."""
    out = run(
        f"x = {HOST_MEMORY[device]}\n",
        """
        memory = lab.buffer(7)
        producer.sync()
        driver.clear()
        driver.hold(producer)
        x.copy_from(memory, stream=producer)
        print(anystream.from_dlpack(x, producer_stream=producer).device)
        driver.release_on_wait()
        y = anystream.handoff(x, producer_stream=producer, to="numpy")
        print(set(y.view(np.uint8).tolist()), names_of(driver.calls(*HOST_WAITS)))
        """,
    )
    assert out == [device, "{7} ['cuStreamSynchronize']"]


@pytest.mark.parametrize("given", ["handle_of(consumer)", "consumer", "consumer.handle"])
def test_the_consumers_stream_in_each_of_its_forms(given: str) -> None:
    """As a number, as cuda-core's object, and as the one of cuda-bindings."""
    out = run(
        PRODUCERS["buffer"],
        f"""
        def take(x):
            array = anystream.from_dlpack(x, producer_stream=producer)
            kept.append(array.__dlpack__(stream={given}))
            return array
        kept = []
        pointer = lambda y: y.data_ptr
        """,
        RACE,
    )
    assert out == [f"{UNREAD} True []", "7"]


def test_a_consumer_that_names_no_stream_gets_the_legacy_one() -> None:
    out = run(
        PRODUCERS["buffer"],
        """
        consumer = lab.core.LEGACY_DEFAULT_STREAM
        def take(x):
            array = anystream.from_dlpack(x, producer_stream=producer)
            kept.append(array.__dlpack__())
            return array
        kept = []
        pointer = lambda y: y.data_ptr
        """,
        RACE.replace("pointer(y))", "pointer(y), consumer)"),
    )
    assert out == [f"{UNREAD} True []", "7"]
