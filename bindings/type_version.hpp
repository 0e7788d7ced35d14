// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What is remembered per type, and how it is told that the type is still what it was: by its
// version, a number that no two states of all types share. So the type need not be kept alive, and
// neither another one at its address nor a patched class or base passes for it.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace anystream::python {

// 0 where the type has none now, as after it was changed: it gets another when it is looked at.
inline unsigned type_version(const PyTypeObject* type) noexcept {
#if PY_VERSION_HEX < 0x030D0000
  if ((type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG) == 0) return 0;
#endif
  return type->tp_version_tag;
}

// The same for a type that is about to be remembered: it gets a version if it can have one.
inline unsigned given_type_version(PyTypeObject* type) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  PyUnstable_Type_AssignVersionTag(type);
#else
  static PyObject* const name = PyUnicode_InternFromString("__dlpack__");
  _PyType_Lookup(type, name);  // any look-up does
#endif
  return type_version(type);
}

// The place of an address in a table of `count`; two that share one take it from each other.
inline std::size_t place_in(std::size_t count, std::uintptr_t address) noexcept {
  return (address >> 4 ^ address >> 12) % count;
}

inline std::size_t place_in(std::size_t count, const void* object) noexcept {
  return place_in(count, reinterpret_cast<std::uintptr_t>(object));
}

}  // namespace anystream::python
