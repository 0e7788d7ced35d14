# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Every stream class that a library documents has a row, or is named here without one."""

from typing import Any

import pytest

import anystream
from anystream import _core
from anystream._peers import STREAM_CLASSES
from stream_values import HANDLE, stand_in

# Every class that a library documents as its stream, of all libraries that were looked at.
DOCUMENTED = {
    "torch": ["Stream"],
    "torch.cuda.streams": ["Stream", "ExternalStream"],
    "torch.xpu.streams": ["Stream"],
    "cupy.cuda.stream": ["_BaseStream", "Stream", "ExternalStream"],
    "numba.cuda.cudadrv.driver": ["Stream"],
    "warp._src.context": ["Stream"],
    "warp.context": ["Stream"],
    "cuda.core._stream": ["Stream"],
    "cuda.core.experimental._stream": ["Stream"],
    "cuda.bindings.driver": ["CUstream"],
    "cuda.bindings.runtime": ["cudaStream_t"],
    "rmm.pylibrmm.stream": ["Stream"],
    "pylibraft.common.cuda": ["Stream"],
    "pycuda._driver": ["Stream"],
    "nvidia.dali.experimental.dynamic._stream": ["Stream"],
    "nvidia.dali.backend_impl": ["Stream"],
    "paddle.device": ["Stream"],
    "paddle.base.libpaddle": ["CUDAStream", "XPUStream"],
    "hip.hip": ["ihipStream_t"],
    "rocm.bindings.hip": ["ihipStream_t"],
    "dpctl._sycl_queue": ["SyclQueue"],
    "pyopencl._cl": ["CommandQueue"],
    "mlx.core": ["Stream", "ThreadLocalStream"],
    "slangpy": ["NativeHandle"],
}
# Of those the ones that no row takes, with what they have; why is said beside the rows.
WITHOUT_A_ROW: dict[tuple[str, str], dict[str, Any]] = {
    ("mlx.core", "Stream"): {"device": "gpu"},
    ("mlx.core", "ThreadLocalStream"): {"device": "gpu"},
    ("paddle.base.libpaddle", "XPUStream"): {"xpu_stream": HANDLE},
    ("slangpy", "NativeHandle"): {"value": HANDLE},
}
# Rows beyond the libraries' own lists: PyObjC's one class for all, and ours.
BEYOND = {("objc", "objc_object"), ("anystream.testing._simulated", "SimulatedStream")}


def test_every_documented_class_has_a_row_or_is_named_without_one() -> None:
    documented = {(module, name) for module, names in DOCUMENTED.items() for name in names}
    assert documented >= WITHOUT_A_ROW.keys()
    rows = {(module, name) for module, name, *_ in STREAM_CLASSES}
    assert rows == (documented - WITHOUT_A_ROW.keys()) | BEYOND


@pytest.mark.parametrize("name", WITHOUT_A_ROW, ids=".".join)
def test_a_class_without_a_handle_is_refused_where_streams_are_known(name: tuple[str, str]) -> None:
    stream = stand_in(*name, **WITHOUT_A_ROW[name])
    for row in _core.DEVICE_TABLE:
        if row["objects"] != "unknown":
            with pytest.raises(TypeError, match=f"; got an? {'.'.join(name)}.\n"):
                _core.resolve_stream(stream, row["value"], 0)
    with pytest.raises(TypeError, match=f"got an? {'.'.join(name)}"):
        anystream.Stream(stream)


def test_streams_of_mlx_have_no_handle() -> None:
    mlx = pytest.importorskip("mlx.core", reason="mlx is not installed")
    stream = mlx.default_stream(mlx.cpu)
    assert (type(stream).__module__, type(stream).__qualname__) in WITHOUT_A_ROW
    with pytest.raises(TypeError, match=r"got a mlx\.core\.Stream"):
        anystream.Stream(stream)
