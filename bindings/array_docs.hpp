// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What help() says of Array, Carrier and from_dlpack.
#pragma once

namespace anystream::python::doc {

inline constexpr const char* array =
    "Memory of some library, with its layout and the stream that its work is on.\n\n"
    "anystream.from_dlpack(x) makes one of any array, without a copy where it can. It keeps the\n"
    "memory alive, and every export keeps the array's memory alive in turn. Nothing of it "
    "changes:\n"
    "shape, strides and flags are those of the moment of the import, whatever becomes of x.\n\n"
    "It may be used from any thread that holds the GIL. It can be referred to weakly, and is\n"
    "compared by identity.";

inline constexpr const char* shape = "Extents, in elements: a tuple of ints >= 0, () for a scalar.";
inline constexpr const char* strides =
    "Steps from one element to the next, in elements, one for each axis. A step may be 0\n"
    "(elements repeat) or negative; that of an axis of extent 0 or 1 means nothing. Always there:\n"
    "a producer's NULL has become the row-major steps.";
inline constexpr const char* ndim = "Number of axes.";
inline constexpr const char* size = "Number of elements: 1 for a scalar, 0 if an extent is 0.";
inline constexpr const char* nbytes =
    "Bytes of the elements, as if they lay without gaps: ceil(size * bits * lanes / 8).";
inline constexpr const char* itemsize =
    "Bytes of one element, all its lanes, rounded up: 1 for a 4-bit type.";
inline constexpr const char* dtype = "The type of the elements: an anystream.DType.";
inline constexpr const char* device = "Where the memory is: an anystream.Device.";
inline constexpr const char* stream =
    "The stream that the work on the memory is on: an anystream.Stream, or None where none is\n"
    "known. The array may be used on it at once, and on another after it.";
inline constexpr const char* readonly =
    "True if the memory must not be written, as its producer said it.";
inline constexpr const char* plan =
    "How it was handed over: the anystream.Plan that was executed, or None if nothing was.";
inline constexpr const char* data_ptr =
    "DLTensor.data as an int. byte_offset is not added. On some device types it is a handle and\n"
    "no address; 0 for an array without elements.";
inline constexpr const char* byte_offset =
    "Bytes from data_ptr to element (0, …, 0), never negative.";
inline constexpr const char* memory_kind =
    "Who may read the memory: 'device' (the host must not), 'host' and 'shared' (the host may,\n"
    "after the right wait), or 'unknown'. May open the device's driver; DriverUnavailable if only\n"
    "that could tell and it is not there.";

inline constexpr const char* dlpack =
    "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
    "Export the array as a DLPack capsule, in order before the consumer's later work.\n\n"
    "stream: what the consumer will use the array on, as its device type takes it: None, -1 (no\n"
    "ordering is wanted), an int on CUDA and ROCm, a queue or stream object, or a capsule of one.\n"
    "With a stream, the device orders it after the array's own, and the host goes on. With None\n"
    "on CUDA and ROCm the default stream is meant; elsewhere the host waits if work is pending.\n"
    "The capsule of a stream is borrowed and serves again.\n"
    "max_version: None or a major version of 0 gives a \"dltensor\" capsule, later ones a\n"
    "\"dltensor_versioned\" one of DLPack 1.\n"
    "dl_device: the array's own device, or (1, 0) for the host: then stream must be None, the "
    "host\n"
    "waits, and the memory is copied where the host cannot read it.\n"
    "copy: True copies, onto the consumer's stream where there is one; False never does.\n\n"
    "TypeError and ValueError: an argument is none of these. BufferError: the exchange cannot be,\n"
    "as with read-only memory in an unversioned capsule, or a copy that was forbidden.\n"
    "DriverUnavailable: nothing here can order on that device. Whatever is refused is refused\n"
    "before anything is exported. The GIL is dropped for every wait.";
inline constexpr const char* dlpack_device =
    "__dlpack_device__($self, /)\n--\n\n"
    "Return where the memory is, in DLPack's numbers: (device type, device id).";
inline constexpr const char* to_device =
    "to_device($self, device, /, *, stream=None)\n--\n\n"
    "Return the array on a device: itself where it is there already, else a copy, in row-major\n"
    "order.\n\n"
    "device: what anystream.Device takes, such as \"cpu\" or \"oneapi:0\".\n"
    "stream: what the copy runs on, after what is pending on the array's own: a stream of the new\n"
    "device, or of the old one on the way to the host. A result on a device is on it; where\n"
    "nothing has to be copied, it is a view that is ordered for it. None: to the host, the\n"
    "array's own stream; to a device, a new one, where there are any to be had.\n\n"
    "A copy is complete when this returns. TypeError and ValueError: an argument is none of\n"
    "these, or a stream is needed. BufferError: there is no way there. DriverUnavailable: nothing\n"
    "here can copy to that device. The GIL is dropped for the copy and for every wait.";
inline constexpr const char* sycl_usm_array_interface =
    "Version 1 of the protocol for SYCL's unified shared memory: a dict with shape, typestr, data\n"
    "(pointer, is read-only), strides (in elements, None if row-major), offset (in elements),\n"
    "syclobj and version. syclobj is the array's stream, or the device's number where none is\n"
    "known. Nothing is ordered by it. AttributeError for an array that is not on a SYCL device,\n"
    "or of elements that have no typestr.";
inline constexpr const char* cuda_array_interface =
    "Version 3 of the protocol for CUDA memory: a dict with shape, typestr, data (pointer, is\n"
    "read-only; the pointer is 0 for an array without elements), strides (in bytes, None if\n"
    "row-major), version and stream: the handle of the array's stream, 1 or 2 for a default one,\n"
    "None where none is known. The reader waits for that stream. AttributeError for an array that\n"
    "is not in CUDA's device or managed memory, or of elements that have no typestr.";
inline constexpr const char* array_interface =
    "Version 3 of the array interface: a dict with shape, typestr, data (pointer, is read-only),\n"
    "strides (in bytes, None if row-major) and version. AttributeError for an array that is not\n"
    "in the host's own memory, or of elements that have no typestr.";
inline constexpr const char* class_getitem =
    "__class_getitem__($type, platform, /)\n--\n\n"
    "Array[Cuda] is the type of arrays on a platform, for annotations (anystream.typing).";

inline constexpr const char* array_protocol =
    "__array__($self, /, dtype=None, copy=None)\n--\n\n"
    "Return host memory as an ndarray: a view, unless dtype or copy ask for another.\n\n"
    "Element types beyond NumPy's own are those of the package that defines them for it. Packed\n"
    "elements, several to a byte, are copied to one a byte.\n"
    "TypeError: the array is not in the host's own memory (anystream.handoff waits and copies),\n"
    "or nobody has a type for its elements. ValueError: copy is False and a copy is needed.";

inline constexpr const char* release =
    "release($self, /)\n--\n\n"
    "Bring the memory back to its producer: what the producer's stream is given from now on comes\n"
    "after what the array has been used for so far.\n\n"
    "Its streams are that of the array, those that it was exported for by __dlpack__(stream=…),\n"
    "and those of record_stream. The order is made on the device, or as the array's release "
    "policy\n"
    "says; the memory stays the array's until its last reference goes. Later uses come back by\n"
    "another release(), or with that. On the host there is nothing to do. DriverError: the driver\n"
    "failed; what was not ordered is still in use then. Any thread; the GIL is dropped for a wait.";
inline constexpr const char* record_stream =
    "record_stream($self, stream, /)\n--\n\n"
    "Say that the array is used on a further stream, which its release then waits for.\n\n"
    "stream: anything that __dlpack__(stream=…) takes as a stream; it may be out-of-order.\n"
    "TypeError, ValueError: it is none of the array's device; or it is not known where the array\n"
    "goes back to. Any thread, with the GIL.";

inline constexpr const char* carrier =
    "Carrier(array, /)\n--\n\n"
    "An array on its way to a library, its order already seen to.\n\n"
    "Exports the array's memory by __dlpack__, and by __sycl_usm_array_interface__ on a SYCL\n"
    "device, like the array itself, but orders nothing: whatever stream the library names, or "
    "does\n"
    "not name, is ignored.";

inline constexpr const char* from_dlpack =
    "from_dlpack($module, x, /, *, device=None, copy=None, stream=None, producer_stream=None,\n"
    "            ordering='device', strict=None, release=None)\n--\n\n"
    "Make an anystream.Array of an array of any library, in order.\n\n"
    "x: an object with __dlpack__ and __dlpack_device__, with __cuda_array_interface__,\n"
    "__sycl_usm_array_interface__ or __array_interface__, or with the buffer protocol, of which\n"
    "the first that it has is taken; an Array; or a bare DLPack capsule, which is used up and\n"
    "of which nobody can tell what is pending. A list, a tuple or a dict of arrays gives one of\n"
    "Arrays: two streams are then ordered once, however many of the arrays are theirs.\n"
    "device: where the result shall be (\"cpu\", \"cuda:0\", an anystream.Device or a pair as\n"
    "from __dlpack_device__); None: where x is.\n"
    "copy: True copies, False never does (BufferError if it would have to), None as needed.\n"
    "stream: what the result will be used on; None: it stays on the producer's stream, and is\n"
    "ordered when it is handed on.\n"
    "producer_stream: what x was last written on, one or several, where that is not its\n"
    "library's current stream.\n"
    "ordering: 'device' orders on the device, 'host' has the host wait, 'none' leaves it to you.\n"
    "strict: OrderingError instead of a host wait, or of taking a producer's word; None: as\n"
    "anystream.strict() has it.\n"
    "release: what happens when the memory's last reference goes, as anystream.handoff has it.\n\n"
    "TypeError and ValueError: an argument is none of these; what is no array is an\n"
    "AttributeError, too. BufferError: x cannot be exchanged. DriverUnavailable: the order\n"
    "cannot be had here. What x itself raises is passed on. The GIL is dropped for every wait.";

// The primitives of the hand-off: what they take, as their parsers in array.cpp have it.
inline constexpr const char* array_from_capsule =
    "_array_from_capsule($module, capsule, /, stream, plan, platform='', readonly=False)\n--\n\n";
inline constexpr const char* array_from_pointer =
    "_array_from_pointer($module, /, pointer, shape, strides, dtype, device, *, byte_offset=0,\n"
    "                    readonly, owner, stream, plan, platform='', padded=False)\n--\n\n";
inline constexpr const char* array_empty =
    "_array_empty($module, /, shape, dtype, device, *, platform='', stream=None)\n--\n\n";
inline constexpr const char* array_copy =
    "_array_copy($module, array, /, device, stream, plan)\n--\n\n";
inline constexpr const char* array_host_view = "_array_host_view($module, array, /, plan)\n--\n\n";
inline constexpr const char* array_on_stream =
    "_array_on_stream($module, array, /, stream, plan, *, homes=None, release=None,\n"
    "                 frees_in_order=False, fresh=False)\n--\n\n";
inline constexpr const char* capsule_device = "_capsule_device($module, capsule, /)\n--\n\n";

}  // namespace anystream::python::doc
