# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries are known in the table of peers only, devices in the table of device types only."""

from pathlib import Path

import pytest

import check_knowledge
from check_knowledge import ABOUT_LIBRARIES, device_findings, library_findings
from sources import ROOT, sources

HANDOFF = Path("python/anystream/_handoff.py")
CORE = Path("src/order.cpp")


def test_the_tree_is_clean() -> None:
    assert [str(finding) for finding in check_knowledge.findings()] == []


def test_exceptions_are_still_there() -> None:
    assert [path for path in ABOUT_LIBRARIES if not (ROOT / path).exists()] == []


def test_the_check_reads_the_tree() -> None:
    assert len(sources("python", under="python/anystream")) > len(ABOUT_LIBRARIES)


@pytest.mark.parametrize(
    "text",
    [
        'name = "torch"',
        'name = "torch.xpu.streams"',
        "import numpy",
        "def f():\n    import numpy.ma as ma",
        "from dpctl import SyclQueue",
        'sys.modules["dpctl"]',
        'f"pass a dpctl.SyclQueue, got {x}"',
    ],
)
def test_a_library_by_name_is_found(text: str) -> None:
    assert list(library_findings(HANDOFF, text))


@pytest.mark.parametrize(
    "text",
    [
        '"""What numpy and torch do."""',
        'def f():\n    """Hand to torch."""\n    return 1  # numpy does not',
        'name = "mytorch"',
        'word = "warping"',
        "from . import numpy_like",
    ],
)
def test_people_may_be_told(text: str) -> None:
    assert list(library_findings(HANDOFF, text)) == []


def test_the_table_may_know() -> None:
    assert list(library_findings(Path("python/anystream/_peers.py"), 'name = "torch"')) == []


@pytest.mark.parametrize("text", ["if (type == kDLCUDA) f();", 'f("pass a torch.xpu.Stream");'])
def test_knowledge_in_the_core_is_found(text: str) -> None:
    assert list(device_findings(CORE, text + "\n"))
    assert list(device_findings(Path("src/backends/cuda.cpp"), text + "\n")) == []


def test_a_docstring_of_the_extension_may_know() -> None:
    text = 'constexpr auto order_doc =\n    "Orders.\\n"\n    "A torch.cuda.Stream is taken.";\n'
    assert list(device_findings(Path("bindings/stream.cpp"), text)) == []
    assert list(device_findings(Path("bindings/stream.cpp"), text + 'f("torch");\n'))


def test_the_host_is_no_secret() -> None:
    assert list(device_findings(CORE, "// not kDLCUDA\nreturn kDLCPU;\n")) == []
