# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""After a warm-up, many thousand imports and exports leave the process as large as it was.

Each library in a process of its own. A round that grows by less than a MiB is enough, of three:
what leaks a few bytes each time grows in every round, what an allocator keeps does not. Python's
own blocks and references are counted, so that one object left behind a call is always seen.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from peer_rig import LIBRARIES
from process_rig import WITH_PEERS, child

pytest.importorskip("numpy", reason="numpy is not installed")

STATM = Path("/proc/self/statm")

pytestmark = pytest.mark.skipif(
    not STATM.exists(), reason="this system does not tell how much is resident"
)

SCRIPT = """
import gc, json, resource, sys
from importlib import import_module

name, counts = sys.argv[1], json.loads(sys.argv[2])
library = LIBRARIES[name]
module = import_module("mlx.core" if name == "mlx" else library.module)
module = getattr(module, "dlpack", module)
values = np.arange(64, dtype="float32")
x = library.make(values)
array = anystream.from_dlpack(x)
foreign = array if name == "dpnp" else anystream.from_dlpack(values)
unordered = {} if library.host else {"stream": -1}

def refused():
    for call, error in (
        (lambda: array.__dlpack__(max_version="1"), TypeError),
        (lambda: anystream.from_dlpack(x, ordering="later"), ValueError),
        (lambda: array.__dlpack__(dl_device=(99, 0)), BufferError),
    ):
        try:
            call()
        except error:
            pass
        else:
            raise SystemExit("taken")

routes = {
    "import": lambda: anystream.from_dlpack(x),
    "import of ours": lambda: anystream.from_dlpack(array),
    "export": lambda: array.__dlpack__(max_version=(1, 0), **unordered),
    "by the library": lambda: module.from_dlpack(foreign),
    "by a capsule": lambda: anystream.from_dlpack(array.__dlpack__(max_version=(1, 0))),
    "to numpy": lambda: anystream.handoff(x, to="numpy"),
    "from numpy": lambda: anystream.handoff(values[:32], to=name),
    "refused": refused,
}

def resident():
    with open("/proc/self/statm", encoding="ascii") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize()

def state():
    gc.collect()
    return sys.getallocatedblocks(), len(gc.get_objects()), sys.getrefcount(x), resident()

def many(do, times):
    for _ in range(times):
        do()

def grown(route, count):
    many(routes[route], count // 10)
    for _ in range(3):
        before = state()
        many(routes[route], count)
        grown = [now - then for now, then in zip(state(), before)]
        if grown[3] < 1 << 20:
            break
    return grown

print(json.dumps({route: grown(route, count) for route, count in counts.items()}))
"""

# How often each; fewer where somebody else's part takes much longer than ours.
MANY, FEW, RARE = 200_000, 20_000, 2_000
HOST = {
    "import": MANY,
    "export": MANY,
    "by the library": MANY,
    "import of ours": FEW,
    "by a capsule": FEW,
    "to numpy": FEW,
    "from numpy": FEW,
    "refused": FEW,
}
SYCL = {"import": FEW, "import of ours": FEW, "to numpy": RARE, "from numpy": RARE, "refused": FEW}
COUNTS: dict[str, dict[str, int]] = {
    "numpy": HOST,
    "torch": HOST,
    "jax": HOST | {"by the library": RARE, "from numpy": RARE},
    "mlx": HOST,
    "tvm_ffi": HOST,
    "cuda.core": {route: FEW for route in HOST if route != "by the library"},
    "dpnp": SYCL | {"export": MANY, "by the library": RARE},
    "dpctl": SYCL,
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_process_does_not_grow(request: Any, name: str) -> None:
    if not LIBRARIES[name].require().host:
        request.getfixturevalue("sycl")
    counts = COUNTS[name]
    written = child(WITH_PEERS, SCRIPT, arguments=(name, json.dumps(counts)), timeout=300)
    grown = json.loads(written)
    assert list(grown) == list(counts)
    for route, (blocks, objects, references, size) in grown.items():
        assert references == 0, route
        assert objects < 100, route
        assert blocks < counts[route] // 2, route
        assert size < 1 << 20, route
