// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// dpnp's arrays, read from the struct of its usm_ndarray, and their queues, which dpctl's C exports
// tell: exactly these classes. Neither library is needed to build this, and none is imported by it.
#include "routes.hpp"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <anystream/device.hpp>
#include <anystream/layout.hpp>

#include "array_type.hpp"
#include "numpy_abi.hpp"
#include "way_back.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

// ---- the libraries' C interfaces --------------------------------------------------------------

// PyUSMArrayObject of dpnp/tensor/_usmarray.h, which dpnp installs for others to include.
struct usm_array {
  PyObject_HEAD void* functions;
  char* data;  // of the first element
  int nd;
  Py_ssize_t* shape;
  Py_ssize_t* strides;  // in elements; may be null where the array has no gaps
  int type_number;
  int flags;
  PyObject* memory;
  PyObject* array_namespace;
  PyObject* weak_references;
};

using queue_function = void* (*)(PyObject* memory);    // a sycl::queue*, borrowed
using pointer_function = void* (*)(PyObject* memory);  // where the memory begins

constexpr const char* queue_signature = "DPCTLSyclQueueRef (struct Py_MemoryObject *)";
constexpr const char* pointer_signature = "DPCTLSyclUSMRef (struct Py_MemoryObject *)";

struct interface {
  PyTypeObject* array = nullptr;  // the types are owned
  std::array<PyTypeObject*, 3> memories{};
  queue_function queue = nullptr;
  pointer_function pointer = nullptr;
  int writable = 0;
  int row_major = 0;
  PyObject* wrapped = nullptr;  // the name of the slot in which dpnp's own class has its array
};

PyObject* loaded_module(const char* name) noexcept {
  return PyDict_GetItemString(PyImport_GetModuleDict(), name);
}

nb::object exports_of(nb::handle module) { return nb::getattr(module, "__pyx_capi__"); }

void* exported(const nb::object& exports, const char* name, const char* signature) {
  void* found = PyCapsule_GetPointer(nb::object(exports[name]).ptr(), signature);
  if (found == nullptr) throw nb::python_error();
  return found;
}

int exported_number(const nb::object& exports, const char* name) {
  return *static_cast<int*>(exported(exports, name, "int"));
}

PyTypeObject* type_in(nb::handle module, const char* name) {
  return reinterpret_cast<PyTypeObject*>(nb::object(module.attr(name)).release().ptr());
}

// Its numbers are NumPy's. A few are compared: others would show a change of scheme.
bool has_numpys_numbers(const nb::object& exports) {
  constexpr std::pair<const char*, DLDataType> samples[] = {
      {"UAR_BOOL", {kDLBool, 8, 1}},       {"UAR_LONG", {kDLInt, 64, 1}},
      {"UAR_ULONGLONG", {kDLUInt, 64, 1}}, {"UAR_HALF", {kDLFloat, 16, 1}},
      {"UAR_DOUBLE", {kDLFloat, 64, 1}},   {"UAR_CDOUBLE", {kDLComplex, 128, 1}}};
  return std::ranges::all_of(samples, [&](const auto& sample) {
    const DLDataType found = numpy::dtype_of(exported_number(exports, sample.first));
    return found.code == sample.second.code &&
           (found.bits == sample.second.bits || found.code == kDLInt);
  });
}

// Throws Python's errors where a version of the libraries has something else there.
interface read_interface(nb::handle arrays, nb::handle memories) {
  interface out;
  const nb::object numbers = exports_of(arrays), functions = exports_of(memories);
  out.array = type_in(arrays, "usm_ndarray");
  out.memories = {type_in(memories, "MemoryUSMDevice"), type_in(memories, "MemoryUSMShared"),
                  type_in(memories, "MemoryUSMHost")};
  out.queue =
      reinterpret_cast<queue_function>(exported(functions, "Memory_GetQueueRef", queue_signature));
  out.pointer = reinterpret_cast<pointer_function>(
      exported(functions, "Memory_GetUsmPointer", pointer_signature));
  out.writable = exported_number(numbers, "USM_ARRAY_WRITABLE");
  out.row_major = exported_number(numbers, "USM_ARRAY_C_CONTIGUOUS");
  out.wrapped = PyUnicode_InternFromString("_array_obj");
  const bool fits = std::cmp_equal(out.array->tp_basicsize, sizeof(usm_array));
  return fits && has_numpys_numbers(numbers) ? out : interface{};
}

// Read once both modules are loaded; without a type where they are not, or are not as expected.
const interface& usm() {
  static interface known;  // changed with the GIL only, and once
  static bool is_read = false;
  if (is_read) return known;
  PyObject* arrays = loaded_module("dpnp.tensor._usmarray");
  PyObject* memories = loaded_module("dpctl.memory._memory");
  if (arrays == nullptr || memories == nullptr) return known;
  is_read = true;
  try {
    known = read_interface(arrays, memories);
  } catch (nb::python_error&) {  // NOLINT(bugprone-empty-catch)
    // Another version's: its arrays are imported as their class tells.
  }
  return known;
}

// ---- one array --------------------------------------------------------------------------------

// Null where x is not as expected.
const usm_array* array_in(PyObject* x, Py_ssize_t place) {
  PyObject* inner =
      place == 0 ? x : *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(x) + place);
  if (inner == nullptr || !Py_IS_TYPE(inner, usm().array)) return nullptr;
  const auto* from = reinterpret_cast<const usm_array*>(inner);
  if (from->memory == nullptr) return nullptr;
  return std::ranges::find(usm().memories, Py_TYPE(from->memory)) != usm().memories.end() ? from
                                                                                          : nullptr;
}

// Shape and strides are copied: both can be set on the array.
void fill_layout(const array_object& self, const usm_array& from) noexcept {
  const auto ndim = static_cast<std::size_t>(from.nd);
  std::int64_t* const shape = self.tensor.shape;
  std::int64_t* const strides = self.tensor.strides;
  std::copy_n(from.shape, ndim, shape);
  if (from.strides != nullptr) {
    std::copy_n(from.strides, ndim, strides);
  } else if ((from.flags & usm().row_major) != 0) {
    row_major_strides({shape, ndim}, {strides, ndim});
  } else {
    std::int64_t step = 1;
    for (std::size_t axis = 0; axis < ndim; ++axis) {
      strides[axis] = step;
      step *= shape[axis];
    }
  }
}

struct situation {
  DLDevice device{};
  PyObject* stream = nullptr;  // a Stream, of the memory's queue
  PyObject* plan = nullptr;
};

void fill(array_object& self, const usm_array& from) noexcept {
  fill_layout(self, from);
  self.tensor.data = usm().pointer(from.memory);
  self.tensor.byte_offset =
      static_cast<std::uint64_t>(from.data - static_cast<char*>(self.tensor.data));
  self.flags = (from.flags & usm().writable) != 0 ? 0 : flag_read_only;
  self.keeps = keeper::object;  // the memory: dpnp's own class may be given another array
  self.owner = Py_NewRef(from.memory);
}

void put_on(array_object& self, DLDevice device) noexcept {
  const auto type = static_cast<device_type>(device.device_type);
  self.tensor.device = device;
  self.platform = find_device(type)->rules.backend.data();
}

// A new place may make the collector run, and so anything: what is needed after it is held.
PyObject* new_usm_array(const usm_array& from, const situation& where) {
  const DLDataType dtype = numpy::dtype_of(from.type_number);
  if (dtype.bits == 0) return nullptr;
  const auto held = nb::borrow(reinterpret_cast<PyObject*>(const_cast<usm_array*>(&from)));
  nb::object stream = nb::borrow(where.stream), plan = nb::borrow(where.plan);
  array_object* self = new_host_array(from.nd);
  if (self == nullptr) throw nb::python_error();
  if (from.nd != self->tensor.ndim) return discard(self), nullptr;
  fill(*self, from);
  put_on(*self, where.device);
  self->tensor.dtype = dtype;
  self->stream = stream.release().ptr();
  self->plan = plan.release().ptr();
  return publish(self);
}

// ---- what the planner has found out -----------------------------------------------------------

// Where the arrays of a queue are, and the plan of those that have memory of a kind. Whether its
// context is one that DLPack can name has been looked at, too.
struct known_queue {
  void* reference = nullptr;       // its address, which no other has while `queue` lives
  PyTypeObject* memory = nullptr;  // one of the kinds of memory
  std::uint32_t process = 0;       // in a forked child nothing may be done with it
  PyObject* queue = nullptr;       // the objects are owned
  situation where{};
};

// Programs use few queues. One that has been forgotten is planned anew.
std::array<known_queue, 8> known_queues;  // changed with the GIL only
std::size_t next_place = 0;

known_queue* find_queue(const usm_array& from) noexcept {
  void* const reference = usm().queue(from.memory);
  for (known_queue& known : known_queues) {
    if (known.reference == reference && known.memory == Py_TYPE(from.memory)) return &known;
  }
  return nullptr;
}

// What was there goes last: that may run anything.
void put(known_queue& place, const known_queue& made) {
  for (PyObject* object : {made.queue, made.where.stream, made.where.plan}) Py_XINCREF(object);
  const known_queue former = std::exchange(place, made);
  for (PyObject* object : {former.queue, former.where.stream, former.where.plan}) {
    Py_XDECREF(object);
  }
}

DLDevice to_pair(nb::handle pair) {
  return {static_cast<DLDeviceType>(nb::cast<int>(pair[0])), nb::cast<int>(pair[1])};
}

const usm_array* array_of(nb::handle x) {
  const Py_ssize_t place = place_of_usm_array(Py_TYPE(x.ptr()));
  return place < 0 ? nullptr : array_in(x.ptr(), place);
}

void remember_queue(nb::handle x, nb::handle queue, nb::handle stream, nb::handle plan,
                    nb::handle device) {
  const usm_array* from = array_of(x);
  if (from == nullptr) return;
  known_queue* place = find_queue(*from);
  if (place == nullptr) place = &known_queues[next_place++ % known_queues.size()];
  put(*place, {.reference = usm().queue(from->memory),
               .memory = Py_TYPE(from->memory),
               .process = process_number(),
               .queue = queue.ptr(),
               .where = {to_pair(device), stream.ptr(), plan.ptr()}});
}

nb::object import_usm(nb::handle x, nb::handle plan, nb::handle device) {
  const usm_array* from = array_of(x);
  if (from == nullptr) return nb::none();
  PyObject* array = new_usm_array(*from, {to_pair(device), nullptr, plan.ptr()});
  return array != nullptr ? nb::steal(array) : nb::none();
}

}  // namespace

Py_ssize_t place_of_usm_array(PyTypeObject* type) {
  if (usm().array == nullptr) return -1;
  if (type == usm().array) return 0;
  PyObject* found = _PyType_Lookup(type, usm().wrapped);
  if (found == nullptr || !Py_IS_TYPE(found, &PyMemberDescr_Type)) return -1;
  const PyMemberDef* slot = reinterpret_cast<PyMemberDescrObject*>(found)->d_member;
  return slot->type == T_OBJECT_EX ? slot->offset : -1;
}

PyObject* take_usm_struct(PyObject* x, const route& how) {
  make_room_for_arrays();  // first: while it waits, anything may happen
  const usm_array* from = array_in(x, how.inner);
  if (from == nullptr) return nullptr;
  const known_queue* known = find_queue(*from);
  if (known == nullptr || known->process != process_number()) return nullptr;
  if (releasing_blocks != 0) return nullptr;
  return new_usm_array(*from, known->where);
}

void register_usm(nb::module_& m) {
  m.def("_remember_usm_queue", remember_queue, "x"_a, "queue"_a, "stream"_a, "plan"_a, "device"_a);
  m.def("_import_usm", import_usm, "x"_a, "plan"_a, "device"_a);
}

}  // namespace anystream::python
