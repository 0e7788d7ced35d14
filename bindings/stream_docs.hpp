// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The docstrings of the Python class Stream.
#pragma once

namespace anystream::python::docs {

inline constexpr const char* stream =
    R"(Stream(stream, /, device=None, *, out_of_order=None)
--

One stream of one platform: a queue of device work, of whatever library.

``Stream(v, device=None, *, out_of_order=None)`` takes a stream object of a known library,
an object with ``__dlpack_stream__``, ``__cuda_stream__`` or ``_get_capsule()``, a stream
capsule, a CUDA or ROCm stream number, or another Stream. An object that tells its own platform
(a SYCL or OpenCL queue, a simulated stream) is resolved at once. A number, ``__cuda_stream__``
and the streams of CUDA, ROCm and Metal do not tell their device: without ``device`` the Stream
stays unresolved, and the array that it is used with says it. Two Streams are equal if the runtime
says that they are one queue.

``out_of_order`` says what happens where an out-of-order queue is named as the stream that will
use an array: ``"refuse"`` raises ValueError, ``"barrier"`` puts a barrier into the queue. None
refuses, or, of a Stream, keeps what it does.

Nothing here waits unless it says so. Every method may be called from any thread.

TypeError for what is no stream, or none of that device; ValueError for a wrong number, a
capsule that was used up, an unknown version of ``__cuda_stream__``, or a device that is not the
stream's, or has no streams; DriverUnavailable where a driver is needed and not there. What a
foreign object raises while it is asked for its handle is left as it is. Where the handle stays the
library's, its object is kept alive.)";

inline constexpr const char* from_handle =
    R"(from_handle(device, handle, /, *, owner=None)
--

Make a Stream of a raw handle that the caller vouches for.

handle is the address that the platform's C interface uses: cudaStream_t, hipStream_t,
sycl::queue*, cl_command_queue, MTLCommandQueue. It cannot be checked: a made-up one may crash
the process. A sycl::queue is copied, a cl_command_queue retained; other handles must stay valid as
long as the Stream, which keeps owner alive for that. TypeError or ValueError for a bad device,
a handle that is no int, or where it can be told that there is no such object;
DriverUnavailable where the platform's driver must copy the handle and is not there.)";

inline constexpr const char* device =
    "The anystream.Device that the stream is on; None while that is not known.";

inline constexpr const char* platform =
    R"(The platform: "sycl", "cuda", "hip", "simulated" …; "" while the stream is unresolved.)";

inline constexpr const char* handle =
    R"(The platform's handle as an int: an address, or a CUDA or ROCm stream number.

Of a SYCL queue it is that of our own copy, which lives as long as this Stream.)";

inline constexpr const char* in_order =
    R"(Whether work on it runs in the order in which it was queued.

ValueError while the stream is unresolved; DriverUnavailable where only a backend that this
version lacks could tell (Metal).)";

inline constexpr const char* out_of_order =
    R"(What happens where it is used as a consumer and is not in-order: "refuse" or "barrier".)";

inline constexpr const char* cuda_stream =
    R"(__cuda_stream__(): the pair (0, handle) of the CUDA stream protocol.

Only a CUDA or ROCm stream has it; on ROCm the handle is a hipStream_t.)";

inline constexpr const char* dlpack_stream =
    R"(__dlpack_stream__(): the triple (device_type, device_id, capsule) of a proposed protocol.

The first two are DLPack's numbers of the stream's device. The capsule is named as the device
type's streams are ("cudaStream_t", "hipStream_t", "SyclQueueRef", "cl_command_queue" …), holds the
handle and keeps what it names alive; None stands for the default stream of a ROCm device, whose
handle is NULL. An unresolved stream has no such attribute.)";

inline constexpr const char* class_getitem =
    R"(__class_getitem__($type, platform, /)
--

Stream[Cuda] is the type of streams of a platform, for annotations (anystream.typing).)";

inline constexpr const char* get_capsule =
    R"(_get_capsule(): a new capsule of a further reference to the queue.

Only a stream whose platform passes queues on in capsules has it: SYCL ("SyclQueueRef", a
sycl::queue*), OpenCL ("cl_command_queue") and the simulated platform. The capsule owns the
reference, whoever renames it, so that dpctl.SyclQueue(s._get_capsule()) is the same queue.)";

inline constexpr const char* wait_stream =
    R"(wait_stream($self, producer, /)
--

Make work queued here from now on wait for what producer has been given so far.

producer is anything that Stream(…) takes; a number and the like are of this stream's device.
One in-order queue: nothing is done. One out-of-order queue: a barrier. Two queues of a
platform: an event, waited for on the device. Two platforms: the host waits, if work is pending,
without the GIL.

ValueError if this stream is out-of-order and refuses that, or is unresolved; TypeError and
ValueError as Stream(…) for a bad producer; DriverUnavailable where no backend can order;
DriverError if the driver fails.)";

inline constexpr const char* record =
    R"(record($self, /)
--

Give an Event that is complete once everything queued here so far has finished.

Never waits. ValueError while the stream is unresolved, DriverUnavailable where no backend can
record, DriverError if the driver fails.)";

inline constexpr const char* wait =
    R"(wait($self, event, /)
--

Make work queued here from now on wait for event, on the device.

An event of another platform is waited for by the host, without the GIL. Raises as wait_stream
does.)";

inline constexpr const char* query =
    R"(query($self, /)
--

Tell whether nothing is pending. Never waits. Raises as record does.)";

inline constexpr const char* synchronize =
    R"(synchronize($self, /)
--

Wait on the host until everything queued so far has finished, without the GIL.

Raises as record does.)";

}  // namespace anystream::python::docs
