# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""What every stream argument comes to on every device type, written out, not computed.

The rules are the array API standard's where it speaks, and anystream's own elsewhere.
The table of the core is what is tested against them, so it must not be read here.
"""

from typing import NamedTuple


class Where(NamedTuple):
    """A device type, the column that holds for it, and how messages speak of it."""

    type: int
    platform: str
    column: str
    array: str
    takes: str
    fix: str


_CUDA = (
    (
        "None, -1, 1 (legacy default), 2 (per-thread default), a handle > 2, a CUDA stream object "
        '(__cuda_stream__), or a "cudaStream_t" or "CUstream" capsule'
    ),
    "Write 1 for the legacy default stream, 2 for the calling thread's, or pass the stream object.",
)
_ROCM = (
    (
        "None, -1, 0 (default), a handle > 2, a HIP stream object (__cuda_stream__), or a "
        '"hipStream_t" capsule'
    ),
    "Write 0 for the default stream, or pass the stream object.",
)
_OPEN = (
    "None, -1, or any stream object that its producer understands",
    "Pass the stream object of the library that owns the array.",
)
_SYCL = (
    'None, -1, an in-order dpctl.SyclQueue or torch.xpu.Stream, or a "SyclQueueRef" capsule',
    "Pass the queue itself: stream=q, where q.is_in_order is True.",
)
_OPENCL = (
    'None, -1, a pyopencl.CommandQueue, or a "cl_command_queue" capsule',
    "Pass the queue itself: stream=queue.",
)
_METAL = (
    'None, -1, an MTLCommandQueue object, or a "MTLCommandQueue" capsule',
    "Pass the queue itself: stream=queue.",
)
_SIMULATED = (
    'None, -1, an anystream.testing.SimulatedStream, or a "anystream_simulated_stream" capsule',
    "Pass the stream itself: stream=s.",
)
_CPU = ("None or -1", "The result is on the host, where there is no stream: leave stream out.")

WHERE = (
    Where(1, "", "cpu", "a kDLCPU array", *_CPU),
    Where(2, "", "cuda", "a kDLCUDA array", *_CUDA),
    Where(3, "", "cuda", "a kDLCUDAHost array", *_CUDA),
    Where(4, "", "opencl", "a kDLOpenCL array", *_OPENCL),
    Where(7, "", "open", "a kDLVulkan array", *_OPEN),
    Where(8, "", "metal", "a kDLMetal array", *_METAL),
    Where(9, "", "open", "a kDLVPI array", *_OPEN),
    Where(10, "", "rocm", "a kDLROCM array", *_ROCM),
    Where(11, "", "rocm", "a kDLROCMHost array", *_ROCM),
    Where(12, "", "open", "a kDLExtDev array", *_OPEN),
    Where(12, "simulated", "simulated", "a simulated kDLExtDev array", *_SIMULATED),
    Where(13, "", "cuda", "a kDLCUDAManaged array", *_CUDA),
    Where(14, "", "oneapi", "a kDLOneAPI array", *_SYCL),
    Where(15, "", "open", "a kDLWebGPU array", *_OPEN),
    Where(16, "", "open", "a kDLHexagon array", *_OPEN),
    Where(17, "", "open", "a kDLMAIA array", *_OPEN),
    Where(18, "", "open", "a kDLTrn array", *_OPEN),
    Where(19, "", "open", "a kDLTPU array", *_OPEN),
    Where(20, "", "open", "a kDLTPUHost array", *_OPEN),
    Where(21, "", "open", "a kDLAscend array", *_OPEN),
    # Never assigned, and not yet known.
    Where(5, "", "open", "an array of device type 5", *_OPEN),
    Where(6, "", "open", "an array of device type 6", *_OPEN),
    Where(77, "", "open", "an array of device type 77", *_OPEN),
)

# What a consumer that says nothing of streams is promised: as if it had named the stream of this
# handle, by column; else, and on types whose memory the host may read, a wait on the host.
NONE_IS: dict[str, str | int] = {"cpu": "nothing", "cuda": 1, "rocm": 0}
HOST_READS = (3, 11, 13)


def on_none(where: Where) -> str | int:
    return "host wait" if where.type in HOST_READS else NONE_IS.get(where.column, "host wait")


# What the second line of a message begins with.
REASONS = {
    "": "",
    "int": "Integers are CUDA and ROCm stream handles. ",
    "bool": "True and False are not stream numbers. ",
    "zero": "0 may mean either of the default streams. ",
    "cuda": "1 and 2 are CUDA's default streams. ",
    "minus": "The only negative number is -1, which asks for no ordering. ",
    "large": "No stream handle is that large. ",
    "used": "It was used up by whoever took it: make a new capsule. ",
    "version": "anystream knows version 0 of __cuda_stream__. ",
    "proto": "__cuda_stream__ names CUDA and ROCm streams. ",
    "on cuda": "That stream is on cuda:0. ",
    "on rocm": "That stream is on rocm:0. ",
    "on sycl": "That stream is on oneapi:0. ",
    "on sim": "That stream is on ext_dev:{id}. ",  # they are numbered as tests make them
    "null": "Its handle is NULL. ",
    "strange": "register_stream_type makes a class of streams known. ",
}

# A line a value: what it comes to everywhere, then what on which columns instead.
#   default, unordered, foreign   the forms that are no stream
#   a number                      a Stream of that handle
#   same                          a Stream that is the queue of the value
#   T, V and a reason             TypeError, ValueError
EXPECTED = """
None                 | default
-1                   | unordered
True                 | T bool
False                | T bool
0                    | T int; cpu V; cuda V zero; rocm 0
1                    | T int; cpu V; cuda 1; rocm V cuda
2                    | T int; cpu V; cuda 2; rocm V cuda
3                    | T int; cpu V; cuda 3; rocm 3
an address           | T int; cpu V; cuda 139637976731648; rocm 139637976731648
-2                   | V minus
-2**64               | V minus
2**63                | V large
2**64                | V large
2**10000             | V large
np.int64(7)          | T int; cpu V; cuda 7; rocm 7
np.int64(-1)         | unordered
np.int64(-3)         | V minus
IntEnum 2            | T int; cpu V; cuda 2; rocm V cuda
np.bool_             | T
np.array(3.5)        | T
np.array(7)          | T
np.arange(3)         | T
a class              | T
1.0                  | T
np.float64(1)        | T
1j                   | T
"1"                  | T
b"1"                 | T
bytearray            | T
...                  | T
NotImplemented       | T
object()             | T strange; cpu T; open foreign
a list               | T strange; cpu T; open foreign
cudaStream_t         | T; cuda 4096; open foreign
CUstream             | T; cuda 4096; open foreign
hipStream_t          | T; rocm 4096; open foreign
SyclQueueRef         | T; oneapi same; open foreign
cl_command_queue     | T; opencl same; open foreign
MTLCommandQueue      | T; metal 4096; open foreign
simulated capsule    | T; simulated same; open foreign
used_cudaStream_t    | T; cuda V used; open foreign
used_CUstream        | T; cuda V used; open foreign
used_hipStream_t     | T; rocm V used; open foreign
used_SyclQueueRef    | T; oneapi V used; open foreign
used_cl_command_queue | T; opencl V used; open foreign
used_MTLCommandQueue | T; metal V used; open foreign
used_simulated       | T; simulated V used; open foreign
dltensor             | T; open foreign
unnamed capsule      | T; open foreign
protocol method      | T proto; cuda 7; rocm 7
protocol attribute   | T proto; cuda 7; rocm 7
protocol null        | T proto; cuda 1; rocm 0
protocol enum        | T proto; cuda 2; rocm 2
protocol version 1   | T proto; cuda V version; rocm V version
gives SyclQueueRef   | T; oneapi same; open foreign; cuda T strange; rocm T strange; metal T strange
gives CUstream       | T; open foreign; cuda T strange; rocm T strange; metal T strange
gives no capsule     | T strange; cpu T; open foreign
protocol and capsule | T proto; cuda 7; rocm 7; oneapi same; opencl T; simulated T
torch.cuda Stream    | T; cuda 4096; rocm 4096
its null handle      | T; cuda 1; rocm 0
numba Stream         | T; cuda 4096
numba null           | T; cuda 1
rmm Stream           | T; cuda 4096
rmm version 1        | T; cuda V version
hip-python stream    | T; rocm 4096
hip-python null      | T; rocm 0
pyopencl queue       | T; opencl same
pyopencl null        | T; opencl V null
in-order SyclQueue   | T; oneapi same
default SyclQueue    | T; oneapi same
torch.xpu Stream     | T; oneapi same
SimulatedStream      | T; simulated same
ours, on cuda:0      | T on cuda; cuda 7
ours, on rocm:0      | T on rocm; rocm 7
ours, on SYCL        | T on sycl; oneapi same
ours, simulated      | T on sim; simulated same
ours, unresolved 7   | T int; cpu V; cuda 7; rocm 7
ours, of a protocol  | T proto; cuda 7; rocm 7
"""


class Outcome(NamedTuple):
    """A form ("default" …), a Stream of a handle or of the value's queue, or an error."""

    kind: str
    handle: int | None = None
    reason: str = ""


def _outcome(text: str) -> Outcome:
    word, _, reason = text.partition(" ")
    if word in ("T", "V"):
        return Outcome(word, reason=REASONS[reason])
    if word in ("default", "unordered", "foreign"):
        return Outcome(word)
    return Outcome("stream", handle=None if word == "same" else int(word))


def _line(text: str) -> tuple[str, dict[str, Outcome]]:
    name, cells = (part.strip() for part in text.split(" | "))
    everywhere, *instead = cells.split("; ")
    outcomes = dict.fromkeys((where.column for where in WHERE), _outcome(everywhere))
    for cell in instead:
        column, outcome = cell.split(" ", 1)
        assert column in outcomes, text
        outcomes[column] = _outcome(outcome)
    return name, outcomes


OUTCOMES = dict(map(_line, EXPECTED.strip().splitlines()))
