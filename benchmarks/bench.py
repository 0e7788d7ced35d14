# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Prints what anystream costs, as ratios to competitors measured in the same run.

usage: bench.py [--smoke] [--write PAGE] [SECTION...]

sections: import, export, onward, order, order-cpp, order-opencl, resolve, instructions, copy,
whole, growth, release
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import page
from copies import bench_copies
from exports import bench_export
from growth import bench_growth
from imports import bench_import
from instructions import bench_instructions
from onward import bench_onward
from ordering import (
    bench_order,
    bench_order_in_cpp,
    bench_order_on_opencl,
    make_sycl_visible,
)
from releases import bench_releases
from rotation import PRINTED, SMOKE, Effort
from streams import bench_resolve
from targets import judge, print_verdicts
from whole import bench_whole

SECTIONS: dict[str, Callable[[Effort], None]] = {
    "import": bench_import,
    "export": bench_export,
    "onward": bench_onward,
    "order": bench_order,
    "order-cpp": bench_order_in_cpp,
    "order-opencl": bench_order_on_opencl,
    "resolve": bench_resolve,
    "instructions": bench_instructions,
    "copy": bench_copies,
    "whole": bench_whole,
    "growth": bench_growth,
    "release": bench_releases,
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="one call each: does it run at all")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the figures into a page")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; the sections are {', '.join(SECTIONS)}.")
    if options.write and (options.sections or options.smoke):
        parser.error("--write takes no section and no --smoke: a page has the figures of one run.")
    return options


def main() -> None:
    """Run the sections named on the command line, all if none is."""
    options = _options()
    make_sycl_visible()
    print("\n".join(page.machine()))
    for name in options.sections or SECTIONS:
        SECTIONS[name](SMOKE if options.smoke else Effort())
    verdicts = judge(PRINTED)
    print_verdicts([v for v in verdicts if v.ratio is not None or not options.sections])
    if options.write:
        page.write(options.write, verdicts)


if __name__ == "__main__":
    main()
