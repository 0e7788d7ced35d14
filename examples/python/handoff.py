# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Hand a matrix from one SYCL queue to another while it is still being computed."""

from anystream.testing import use_cpu_sycl

use_cpu_sycl()  # SYCL on the CPU, so that this runs everywhere; before dpctl is imported

import dpctl  # noqa: E402
import dpnp  # noqa: E402

import anystream  # noqa: E402

q1 = dpctl.SyclQueue(property="in_order")
q2 = dpctl.SyclQueue(property="in_order")
a = dpnp.ones((2000, 2000), dtype="float32", sycl_queue=q1)

x = a @ a  # dpnp returns at once; q1 goes on computing
computed = q1.submit_barrier()

y = anystream.handoff(x, to="dpnp", stream=q2)  # q2 waits for q1; this thread does not

print("handed over while q1 was", computed.execution_status.name)
print("y is on q2:", y.sycl_queue == q2)
print("right elements:", int((dpnp.copy(y) == 2000).sum()), "of", y.size)
