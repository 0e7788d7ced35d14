# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Where the race is run: on SYCL where that can be had, else on the simulated device."""

import typer

from anystream._cli.race import Scene
from anystream._cli.race_simulated import SimulatedScene
from anystream._cli.race_sycl import SyclScene, opencl_device


def choose_scene(on: str, no_sycl: str) -> Scene:
    """Make the scene on "sycl", on "simulated", or on the best of the two ("auto").

    no_sycl says why SYCL cannot be used; "" if it can.
    """
    if on == "simulated":
        return SimulatedScene("")
    missing = no_sycl or _why_no_slow_kernel()
    if not missing:
        return SyclScene(opencl_device())
    if on == "sycl":
        raise typer.BadParameter(f"SYCL cannot be used here: {missing}", param_hint="--on")
    return SimulatedScene(f"Not on SYCL: {missing}")


def _why_no_slow_kernel() -> str:
    if opencl_device() is not None:
        return ""
    return "none of its devices is OpenCL's, which the slow kernel is written for"
