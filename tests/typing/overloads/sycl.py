# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""dpnp and dpctl by stand-in stubs, since they ship none."""

from typing import assert_type

import dpctl
import dpnp

import anystream
from anystream import Array, Stream
from anystream.typing import Cuda, OneAPI, SupportsDLPack, SupportsSyclQueue


def arrays(x: dpnp.ndarray, queue: dpctl.SyclQueue, cuda: Array[Cuda]) -> None:
    a = anystream.from_dlpack(x, stream=queue)
    assert_type(a, Array[OneAPI])
    a.__dlpack__(stream=queue)
    a.__dlpack__(stream=x.sycl_queue)
    a.__dlpack__(stream=7)  # E: arg-type
    cuda.__dlpack__(stream=queue)  # E: arg-type
    producer: SupportsDLPack[dpctl.SyclQueue] = x
    both: SupportsDLPack[dpctl.SyclQueue] = a
    del producer, both


def streams(queue: dpctl.SyclQueue, cuda: Stream[Cuda]) -> None:
    shared: SupportsSyclQueue = queue
    stream = Stream(queue)
    assert_type(stream, Stream[OneAPI])
    wrong: Stream[Cuda] = stream  # E: assignment
    hidden: SupportsSyclQueue = cuda  # E: assignment
    del shared, wrong, hidden


def handed(x: dpnp.ndarray) -> None:
    assert_type(anystream.handoff(x, to="dpnp"), dpnp.ndarray)
    assert_type(anystream.handoff(x, to=dpnp), dpnp.ndarray)
    assert_type(anystream.handoff([x, x], to=dpnp), list[dpnp.ndarray])
    with anystream.borrow(x) as a:
        assert_type(a, Array[OneAPI])
