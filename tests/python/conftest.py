# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Makes SYCL run on the CPU for all tests, before any of them loads its runtime."""

import importlib.util
import os
from typing import Any

import pytest

# Of peers: no other thread pool than the tests need, and no message about missing accelerators.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

if importlib.util.find_spec("anystream") is not None:
    from anystream.testing import use_cpu_sycl

    try:
        use_cpu_sycl()
    except LookupError as error:
        NO_SYCL = str(error)
    else:
        NO_SYCL = ""
else:
    NO_SYCL = "anystream is not built"


@pytest.fixture
def sycl() -> Any:
    """Queues and slow kernels on the CPU; skips, with the reason, where SYCL cannot run."""
    if NO_SYCL:
        pytest.skip(NO_SYCL)
    pytest.importorskip("dpctl", reason="dpctl is not installed")
    pytest.importorskip("dpnp", reason="dpnp is not installed")
    import sycl_rig

    return sycl_rig
