# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Scripts in processes of their own, which find what this one finds and say where they crash."""

import os
import subprocess
import sys
import textwrap

# What a script begins with that meets any of the libraries.
WITH_PEERS = """
import warnings
warnings.simplefilter("ignore")
from anystream.testing import use_cpu_sycl
try:
    use_cpu_sycl()
except LookupError:
    pass
import numpy as np
import anystream
from peer_rig import LIBRARIES
"""


def python(
    *arguments: str, timeout: int = 200, **environment: str
) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": paths, "PYTHONFAULTHANDLER": "1"} | environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )


def joined(*parts: str) -> str:
    """Make one script of its parts, each of which may be indented."""
    return "".join(map(textwrap.dedent, parts))


def child(
    *parts: str, arguments: tuple[str, ...] = (), timeout: int = 200, **environment: str
) -> str:
    """Run a script; what it wrote, if it ended well. Before its time is up, it says where it is."""
    guard = f"import faulthandler\nfaulthandler.dump_traceback_later({timeout - 20}, exit=True)\n"
    done = python("-c", joined(guard, *parts), *arguments, timeout=timeout, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def silent_child(*parts: str) -> str:
    """Run a script to its very end; what it wrote, if it ended well and warned of nothing."""
    done = python("-W", "error", "-c", joined(*parts))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout
