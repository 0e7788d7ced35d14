// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// handoff(x, to=…) of a host array, without planning anew what has been planned for its class: the
// import by its quick way, then the result by the consumer's. Whatever else is asked, or does not
// fit, is for the package's own function.
#include "handoff.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array_type.hpp"
#include "errors.hpp"
#include "exchange_lookup.hpp"
#include "export_host.hpp"
#include "numpy_abi.hpp"
#include "routes.hpp"
#include "type_version.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

// ---- giving -----------------------------------------------------------------------------------

// Element types of one lane, by code and width.
class dtype_set {
 public:
  void add(DLDataType type) noexcept {
    if (type.code < codes_.size() && type.lanes == 1) codes_[type.code] |= bit_of(type.bits);
  }
  bool has(DLDataType type) const noexcept {
    return type.code < codes_.size() && type.lanes == 1 && (codes_[type.code] & bit_of(type.bits));
  }

 private:
  static std::uint64_t bit_of(std::uint8_t bits) noexcept {
    return bits % 4 == 0 ? std::uint64_t{1} << std::min(bits / 4, 63) : 0;
  }
  std::array<std::uint64_t, 32> codes_{};
};

struct giving {
  const DLPackExchangeAPI* table = nullptr;  // null: an ndarray is made
  bool backwards = false;                    // negative strides are taken
  dtype_set dtypes;
};

using versioned_tensor = managed_tensor<DLManagedTensorVersioned>;

bool has_negative(const DLTensor& tensor) noexcept {
  return std::any_of(tensor.strides, tensor.strides + tensor.ndim,
                     [](std::int64_t stride) { return stride < 0; });
}

// The consumer's table takes the tensor, also when it fails (dlpack.h): one that lets it go then
// without its deleter (torch 2.13) leaks it, and we cannot tell.
PyObject* given_by_table(versioned_tensor managed, const DLPackExchangeAPI* table) {
  void* result = nullptr;
  const int status = table->managed_tensor_to_py_object_no_sync(managed.release(), &result);
  if (status != 0 || result == nullptr) throw_table_failure(nullptr, "array");
  return static_cast<PyObject*>(result);
}

PyObject* given_as_ndarray(PyObject* array) {
  const array_object& self = as_array(array);
  const DLTensor& tensor = tensor_of(self);
  const int number = numpy::number_of(tensor.dtype);
  if (number < 0 || numpy::array_class() == nullptr) return nullptr;
  std::array<Py_ssize_t, 2UL * max_ndim> numbers;
  Py_ssize_t* const strides = numbers.data() + tensor.ndim;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) {
    numbers[static_cast<std::size_t>(axis)] = tensor.shape[axis];
    strides[axis] = tensor.strides[axis] * (tensor.dtype.bits / 8);
  }
  char* const first = static_cast<char*>(tensor.data) + tensor.byte_offset;
  PyObject* made = numpy::new_array(number, tensor.ndim, numbers.data(), strides, first,
                                    !is_read_only(self), array);
  if (made == nullptr) throw nb::python_error();
  return made;
}

// Whether the consumer takes it as it is, and need not be warned.
bool fits(const DLTensor& tensor, std::uint64_t flags, const giving& how) noexcept {
  return (flags & flag_read_only) == 0 && how.dtypes.has(tensor.dtype) &&
         (how.backwards || !has_negative(tensor));
}

// Null without an error where something else is to be done first.
PyObject* given(PyObject* array, const giving& how) {
  const array_object& self = as_array(array);
  if (how.table == nullptr) return given_as_ndarray(array);
  if (!fits(self.tensor, self.flags, how)) return nullptr;
  return given_by_table(host_tensor<DLManagedTensorVersioned>(array), how.table);
}

// The same of an ndarray, without an Array between.
PyObject* ndarray_given(PyObject* x, const giving& how) {
  versioned_tensor managed = ndarray_tensor(x);
  if (managed == nullptr || !fits(managed->dl_tensor, managed->flags, how)) return nullptr;
  return given_by_table(std::move(managed), how.table);
}

// The package's function, and what the interpreter needs of ours.
struct handoff_function {
  nb::object whole;
  nb::object hand_on;  // the same, of an array that has been imported: (x, to, array)
  std::string signature;
  std::string doc;
  PyMethodDef definition{};
  PyObject* to_name = nullptr;
};

handoff_function& settings() noexcept {
  static handoff_function& made = *new handoff_function;  // NOLINT(*-at-new): at the import
  return made;
}

// ---- what is remembered -----------------------------------------------------------------------

// One class of arrays, one `to`.
struct handover {
  route import;
  PyObject* to = nullptr;  // owned, so that its address stays its own
  giving give;
};

constexpr std::size_t places = 64;
std::array<handover, places> handovers;  // changed with the GIL only

handover& place_of(const PyTypeObject* type, const PyObject* to) noexcept {
  const auto mixed = reinterpret_cast<std::uintptr_t>(type) ^ reinterpret_cast<std::uintptr_t>(to);
  return handovers[place_in(places, mixed)];
}

// The producer is not called twice: what it gave goes on, to be ordered and given by a plan.
PyObject* handed_on(PyObject* x, PyObject* to, PyObject* array) {
  PyObject* const arguments[] = {x, to, array};
  PyObject* result = PyObject_Vectorcall(settings().hand_on.ptr(), arguments, 3, nullptr);
  if (result == nullptr) throw nb::python_error();
  return result;
}

PyObject* handed_over(PyObject* x, PyObject* to) {
  const handover& found = place_of(Py_TYPE(x), to);
  if (found.to != to || !is_current(found.import, Py_TYPE(x))) return nullptr;
  if (found.import.take == take_array_struct && found.give.table != nullptr) {
    if (PyObject* result = ndarray_given(x, found.give)) return result;
  }
  const handover how = found;  // what is called may change the place
  const nb::object plan = nb::borrow(how.import.plan);
  const nb::object array = nb::steal(how.import.take(x, how.import));
  if (!array.is_valid()) return nullptr;
  PyObject* result = is_host(as_array(array.ptr())) ? given(array.ptr(), how.give) : nullptr;
  return result != nullptr ? result : handed_on(x, to, array.ptr());
}

// consumer: a class with an exchange table, or None for an ndarray.
bool read_giving(giving& out, nb::handle consumer, bool backwards, nb::handle dtypes) {
  out.backwards = backwards;
  for (const nb::handle triple : dtypes) out.dtypes.add(to_dtype(triple.ptr(), "dtypes"));
  if (consumer.is_none()) return true;
  out.table = find_exchange_table(reinterpret_cast<PyTypeObject*>(consumer.ptr()));
  return out.table != nullptr;
}

void remember_handover(nb::handle x, nb::object to, nb::handle row, nb::handle consumer,
                       bool backwards, nb::handle dtypes) {
  handover made;
  if (!read_giving(made.give, consumer, backwards, dtypes)) return;
  if (!read_row(made.import, x, row)) return;
  handover& place = place_of(made.import.type, to.ptr());
  const nb::object former_to = nb::steal(place.to);
  const nb::object former_plan = nb::steal(place.import.plan);
  made.to = to.release().ptr();
  place = made;
}

bool has_handover(nb::handle x, nb::handle to) {
  const PyTypeObject* type = Py_TYPE(x.ptr());
  const handover& found = place_of(type, to.ptr());
  return found.to == to.ptr() && is_current(found.import, type);
}

// ---- the function -----------------------------------------------------------------------------

// What the interpreter says of a call that does not fit the whole function has no traceback: no
// frame was entered. It does not say what would fit.
[[noreturn]] void throw_failure(const handoff_function& own) {
  nb::python_error failure;
  if (!failure.matches(PyExc_TypeError) || failure.traceback().is_valid())
    throw nb::python_error(failure);
  throw type_error(nb::cast<std::string>(nb::str(failure.value())) + ".\n  It is called as " +
                   own.signature + ".");
}

PyObject* handoff(PyObject*, PyObject* const* values, Py_ssize_t given, PyObject* names) {
  return at_border<PyObject*>(nullptr, [&] {
    const handoff_function& own = settings();
    const bool plain = given == 1 && names != nullptr && PyTuple_GET_SIZE(names) == 1 &&
                       PyTuple_GET_ITEM(names, 0) == own.to_name && !hand_offs_are_watched;
    if (plain) {
      if (PyObject* result = handed_over(values[0], values[1])) return result;
    }
    PyObject* result =
        PyObject_Vectorcall(own.whole.ptr(), values, static_cast<std::size_t>(given), names);
    if (result == nullptr) throw_failure(own);
    return result;
  });
}

nb::object quick_handoff(nb::object whole, nb::object hand_on, const std::string& signature) {
  handoff_function& own = settings();
  const nb::object doc = whole.attr("__doc__");
  own.signature = signature;
  own.doc = signature + "\n--\n\n" + (doc.is_none() ? "" : nb::cast<std::string>(doc));
  own.whole = std::move(whole);
  own.hand_on = std::move(hand_on);
  own.to_name = PyUnicode_InternFromString("to");
  own.definition = {"handoff", as_function(handoff), METH_FASTCALL | METH_KEYWORDS,
                    own.doc.c_str()};
  const nb::object module = nb::cast("anystream");
  return nb::steal(PyCFunction_NewEx(&own.definition, nullptr, module.ptr()));
}

}  // namespace

void forget_handovers() {
  for (handover& each : handovers) {
    const nb::object former_to = nb::steal(each.to);
    const nb::object former_plan = nb::steal(each.import.plan);
    each = {};
  }
}

void register_handoff(nb::module_& m) {
  m.def("_quick_handoff", quick_handoff, "whole"_a, "hand_on"_a, "signature"_a);
  m.def("_has_handover", has_handover, "x"_a, "to"_a);
  m.def("_remember_handover", remember_handover, "x"_a, "to"_a, "row"_a, "consumer"_a.none(),
        "backwards"_a, "dtypes"_a);
}

}  // namespace anystream::python
