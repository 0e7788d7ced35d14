// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Telling apart what was passed as `stream`, and reading it.
#include "stream_source.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "configuration.hpp"
#include "dlpack_stream.hpp"
#include "stream_class.hpp"
#include "stream_handle.hpp"
#include "vouched_queues.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

using wanted_family = std::optional<wanted_stream>;

bool is_cuda_like(stream_family family) noexcept {
  return family == stream_family::cuda || family == stream_family::hip;
}

// Whether an object of that family is a stream there: where it is not, it is refused unread.
bool fits(std::string_view family, wanted_family wanted) noexcept {
  if (!wanted || family == wanted->word) return true;
  return family == "cuda_like" && is_cuda_like(wanted->family);
}

// Python does not print ints of any length, nor would it help.
std::string text_of_large(nb::handle number) {
  const nb::object bits = number.attr("bit_length")();
  return "an int of " + nb::cast<std::string>(nb::str(bits)) + " bits";
}

std::string text_of_integer(nb::handle given, const stream_source& source, nb::handle number) {
  if (source.overflow != 0) return text_of_large(number);
  return type_name(Py_TYPE(given.ptr())) + " " + std::to_string(source.integer);
}

void read_integer(nb::handle given, nb::handle number, stream_source& out) {
  out.kind = ANYSTREAM_ARGUMENT_INTEGER;
  int overflow = 0;
  out.integer = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  out.overflow = overflow;
  const bool plain = PyLong_CheckExact(given.ptr()) && overflow == 0;
  out.value_text =
      plain ? "int " + std::to_string(out.integer) : text_of_integer(given, out, number);
}

// np.int64, an IntEnum, and what else has __index__. One that refuses (a numpy bool or a float
// tensor, which have it too) is a number of another kind.
bool read_index(nb::handle object, stream_source& out) {
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (number.is_valid()) return read_integer(object, number, out), true;
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
  PyErr_Clear();
  return false;
}

// What is never a stream, whatever a producer may know.
bool is_plain_value(PyObject* object) noexcept {
  const PyNumberMethods* slots = Py_TYPE(object)->tp_as_number;
  const bool number = PyIndex_Check(object) != 0 || PyComplex_Check(object) ||
                      (slots != nullptr && slots->nb_float != nullptr);
  const bool text = PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object) ||
                    PyMemoryView_Check(object);
  return number || text || object == Py_Ellipsis || object == Py_NotImplemented;
}

bool read_exact_kind(nb::handle object, stream_source& out) {
  if (object.is_none()) return out.value_text = "None", true;
  if (PyBool_Check(object.ptr())) {
    out.kind = ANYSTREAM_ARGUMENT_BOOL;
    out.type_text = object.is(Py_True) ? "bool True" : "bool False";
    return true;
  }
  if (PyLong_CheckExact(object.ptr())) return read_integer(object, object, out), true;
  return false;
}

bool read_exact_capsule(nb::handle object, stream_source& out) {
  if (!PyCapsule_CheckExact(object.ptr())) return false;
  read_capsule(object, nb::borrow(object), out);
  out.value_text = out.capsule_name == nullptr
                       ? "an unnamed capsule"
                       : "a \"" + std::string(out.capsule_name) + "\" capsule";
  return true;
}

// An int that its library also hands out bare is remembered as such.
void remember(nb::handle object, const stream_class& row, const stream_source& source) {
  const bool sycl = std::string_view(source.family) == "sycl";
  const bool hands_out_ints = sycl && row.source == handle_source::attribute;
  if (hands_out_ints && source.handle != 0) remember_queue(source.handle, object);
}

// What an object says of itself comes first.
bool read_class_that_tells(nb::handle object, stream_source& out) {
  const known_type known = recognise(Py_TYPE(object.ptr()));
  out.type_text = known.text;
  return known.tells && read_dlpack_stream(object, out);
}

bool read_known_class(nb::handle object, wanted_family wanted, stream_source& out) {
  const known_type known = recognise(Py_TYPE(object.ptr()));
  if (known.row == nullptr) return false;
  out.kind = ANYSTREAM_ARGUMENT_OBJECT;
  out.family = family_of(object, *known.row);
  out.null_means = static_cast<std::uintptr_t>(known.row->null_means);
  out.owner = nb::borrow(object);
  if (*out.family == '\0' || !fits(out.family, wanted)) return true;
  read_by_row(object, *known.row, out);
  if (out.version != 0) out.kind = ANYSTREAM_ARGUMENT_PROTOCOL;  // for the core to refuse
  remember(object, *known.row, out);
  return true;
}

// __cuda_stream__ is of CUDA and ROCm: elsewhere the object is told by it, and not asked.
bool read_cuda_protocol(nb::handle object, wanted_family wanted, stream_source& out) {
  const nb::object protocol = optional_attribute(object, "__cuda_stream__");
  if (!protocol.is_valid()) return false;
  out.kind = ANYSTREAM_ARGUMENT_PROTOCOL;
  out.owner = nb::borrow(object);
  if (!wanted || is_cuda_like(wanted->family)) read_protocol(object, protocol, out);
  return true;
}

bool read_given_capsule(nb::handle object, wanted_family wanted, stream_source& out) {
  if (wanted && !tells_its_device(wanted->family)) return false;
  const nb::object method = optional_attribute(object, "_get_capsule");
  if (!method.is_valid()) return false;
  const nb::object capsule = method();
  if (!PyCapsule_CheckExact(capsule.ptr())) return false;
  read_capsule(capsule, nb::make_tuple(nb::borrow(object), capsule), out);
  return true;
}

// What a user may have meant to name a stream by, and none does on any device.
void read_no_stream(nb::handle object, const char* why, const char* fix, stream_source& out) {
  out.kind = ANYSTREAM_ARGUMENT_NUMBER;
  out.type_text = nullptr;
  out.value_text = got(object.ptr()) + why;
  out.fix = fix;
}

// Its methods are there, but not the object that they are of.
bool read_class(nb::handle object, stream_source& out) {
  if (!PyType_Check(object.ptr())) return false;
  read_no_stream(object, ", not an instance of it", "Pass an instance of that class.", out);
  return true;
}

bool read_array(nb::handle object, stream_source& out) {
  if (!is_some_array(object.ptr())) return false;
  read_no_stream(object, ", which is an array and no stream",
                 "Pass the stream that its work is on, or leave it to anystream to find it.", out);
  return true;
}

bool has_length(PyObject* object) noexcept {
  const PyTypeObject* type = Py_TYPE(object);
  return (type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length != nullptr) ||
         (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length != nullptr);
}

void read_plain_value(nb::handle object, stream_source& out) {
  out.type_text = nullptr;
  if (PyIndex_Check(object.ptr()) != 0 && read_index(object, out)) return;
  out.kind = ANYSTREAM_ARGUMENT_NUMBER;
  out.value_text = got(object.ptr());
}

}  // namespace

// An array of one number has __index__, too. An int has not got a length.
bool is_some_array(PyObject* object) {
  if (PyLong_Check(object)) return false;
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  constexpr const char* names[] = {"__dlpack__", "__cuda_array_interface__",
                                   "__sycl_usm_array_interface__"};
  const auto has = [type](const char* name) { return nb::hasattr(type, name); };
  return std::ranges::any_of(names, has) || (PyIndex_Check(object) != 0 && has_length(object));
}

std::string_view word_of(stream_family family) noexcept {
  switch (family) {
    case stream_family::cuda:
      return "cuda";
    case stream_family::hip:
      return "hip";
    case stream_family::sycl:
      return "sycl";
    case stream_family::opencl:
      return "opencl";
    case stream_family::metal:
      return "metal";
    case stream_family::simulated:
      return "simulated";
    default:
      return "";
  }
}

anystream_argument stream_source::argument(const char* where) const noexcept {
  anystream_argument out{};
  out.kind = kind;
  out.overflow = overflow;
  out.integer = integer;
  out.version = version;
  out.handle = handle;
  out.null_means = null_means;
  out.capsule_name = capsule_name;
  out.family = family;
  out.got = got();
  out.where = where;
  return out;
}

stream_source read_source(nb::handle object, wanted_family wanted) {
  stream_source out;
  if (read_exact_kind(object, out) || read_exact_capsule(object, out)) return out;
  if (read_class_that_tells(object, out)) return out;
  if (read_known_class(object, wanted, out) || read_class(object, out)) return out;
  // The capsule first where its platform is wanted or none is: it says more than the protocol.
  if (read_given_capsule(object, wanted, out) || read_cuda_protocol(object, wanted, out))
    return out;
  if (read_array(object, out)) return out;
  out.kind = ANYSTREAM_ARGUMENT_UNKNOWN;
  if (is_plain_value(object.ptr())) return read_plain_value(object, out), out;
  // Another package may know its class. Where a platform is wanted, the caller asks for that, too.
  return !wanted && load_entry_points() ? read_source(object, wanted) : out;
}

}  // namespace anystream::python
