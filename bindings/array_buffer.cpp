// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The buffer protocol of host arrays. A buffer has no stream, and whoever holds one reads when he
// likes: memory that a device may have work on has none, even where the host could read it.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <anystream/error.hpp>

#include "array_interfaces.hpp"
#include "errors.hpp"
#include "export.hpp"

namespace anystream::python {
namespace {

constexpr bool asks(int flags, int wanted) noexcept { return (flags & wanted) == wanted; }

bool is_row_major(const DLTensor& tensor) noexcept {
  return anystream::is_row_major(shape_of(tensor), strides_of(tensor));
}

bool is_column_major(const DLTensor& tensor) noexcept {
  const auto ndim = static_cast<std::size_t>(tensor.ndim);
  std::array<std::int64_t, max_ndim> shape;
  std::array<std::int64_t, max_ndim> strides;
  std::ranges::reverse_copy(shape_of(tensor), shape.begin());
  std::ranges::reverse_copy(strides_of(tensor), strides.begin());
  return anystream::is_row_major({shape.data(), ndim}, {strides.data(), ndim});
}

// The layout that was asked for and is not the array's, in words; null if there is none. Who does
// not ask for strides asks for elements in row-major order.
const char* missing_layout(const DLTensor& tensor, int flags) noexcept {
  const bool rows = !asks(flags, PyBUF_STRIDES) || asks(flags, PyBUF_C_CONTIGUOUS);
  if (rows && !is_row_major(tensor)) return "in row-major order";
  const bool columns = asks(flags, PyBUF_F_CONTIGUOUS);
  if (columns && !is_column_major(tensor)) return "in column-major order";
  const bool either = asks(flags, PyBUF_ANY_CONTIGUOUS);
  const bool neither = either && !is_row_major(tensor) && !is_column_major(tensor);
  return neither ? "in one of the two orders" : nullptr;
}

// ---- refusals ---------------------------------------------------------------------------------

void check_device(const array_object& self) {
  if (is_host(self)) return;
  throw exchange_error("only an array in the host's own memory has a buffer; this is " +
                       array_words(tensor_of(self).device, platform_of(self)) +
                       ".\n  anystream.from_dlpack(a, device=\"cpu\") waits for its work, and "
                       "copies it where the host cannot read it.");
}

// Elements that share bytes cannot be counted in them.
std::int64_t element_bytes(const array_object& self) {
  const dtype type(tensor_of(self).dtype);
  const std::int64_t bits = element_step_bits(type, flags_of(self));
  if (bits % 8 == 0) return bits / 8;
  throw exchange_error("elements of type " + to_string(type) +
                       " are packed, several to a byte, so this array has no buffer.\n  Take it "
                       "by __dlpack__, which carries every type.");
}

const char* format_of(DLDataType type, int flags) {
  if (!asks(flags, PyBUF_FORMAT)) return nullptr;
  const dtype_spelling* row = find_spelling(type);
  if (row != nullptr) return row->format;
  throw exchange_error("elements of type " + to_string(dtype(type)) +
                       " have no format in the buffer protocol.\n  Take the array by __dlpack__ or "
                       "__array__, or its bytes by a buffer without PyBUF_FORMAT.");
}

void check_writable(const array_object& self, int flags) {
  if (!asks(flags, PyBUF_WRITABLE) || !is_read_only(self)) return;
  throw exchange_error(
      "a buffer to write to was asked for, and this array is read-only.\n  Ask for one to read, or "
      "copy the array: anystream.from_dlpack(a, copy=True).");
}

void check_layout(const DLTensor& tensor, int flags) {
  const char* missing = missing_layout(tensor, flags);
  if (missing == nullptr) return;
  throw exchange_error(std::string("a buffer ") + missing +
                       " without gaps was asked for; this array has the shape " +
                       to_string(shape_of(tensor)) + " and the strides " +
                       to_string(strides_of(tensor)) +
                       ".\n  Ask for its strides (PyBUF_STRIDES), as memoryview does.");
}

// ---- filling ----------------------------------------------------------------------------------

// Not NULL where there is no memory: some readers take that for a failure.
void* memory_of(const DLTensor& tensor) noexcept {
  alignas(16) static char nothing[16];
  const std::uintptr_t address = address_of(tensor);
  return address != 0 ? reinterpret_cast<void*>(address) : nothing;
}

using numbers = std::unique_ptr<Py_ssize_t[]>;

// The shape, then the strides in bytes; the view's, until it is released.
numbers numbers_of(const DLTensor& tensor, std::int64_t itemsize) {
  const extents shape = shape_of(tensor);
  auto out = std::make_unique<Py_ssize_t[]>(2 * shape.size());
  std::ranges::copy(shape, out.get());
  std::ranges::transform(strides_of(tensor), out.get() + shape.size(), [=](std::int64_t stride) {
    return static_cast<Py_ssize_t>(byte_step(stride, itemsize));
  });
  return out;
}

void fill_extents(Py_buffer& view, const DLTensor& tensor, int flags) {
  view.ndim = asks(flags, PyBUF_ND) ? tensor.ndim : 1;
  if (view.ndim == 0 || !asks(flags, PyBUF_ND)) return;
  numbers extents = numbers_of(tensor, view.itemsize);
  view.shape = extents.get();
  if (asks(flags, PyBUF_STRIDES)) view.strides = extents.get() + tensor.ndim;
  view.internal = extents.release();
}

void fill(Py_buffer& view, PyObject* array, int flags) {
  const array_object& self = as_array(array);
  const DLTensor& tensor = tensor_of(self);
  check_device(self);
  Py_buffer out{};
  out.itemsize = static_cast<Py_ssize_t>(element_bytes(self));
  out.format = const_cast<char*>(format_of(tensor.dtype, flags));
  check_writable(self, flags);
  check_layout(tensor, flags);
  const std::int64_t count = element_count(shape_of(tensor));
  out.len = static_cast<Py_ssize_t>(detail::checked_multiply(count, out.itemsize, "size in bytes"));
  out.buf = memory_of(tensor);
  out.readonly = is_read_only(self) ? 1 : 0;
  fill_extents(out, tensor, flags);
  view = out;
  view.obj = Py_NewRef(array);
}

}  // namespace

int array_get_buffer(PyObject* array, Py_buffer* view, int flags) {
  if (view == nullptr) {
    PyErr_SetString(PyExc_BufferError, "a buffer needs a Py_buffer to fill; got NULL.");
    return -1;
  }
  view->obj = nullptr;
  return at_border(-1, [&] { return fill(*view, array, flags), 0; });
}

void array_release_buffer(PyObject*, Py_buffer* view) {
  delete[] static_cast<Py_ssize_t*>(view->internal);
}

}  // namespace anystream::python
