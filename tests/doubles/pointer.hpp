// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a driver says of a pointer, attribute by attribute: both number them alike.
#pragma once

#include <cstdint>

#include "status.hpp"

namespace doubles {

// The number that the library has for the type of managed memory.
extern const std::uint32_t type_of_managed;

// Of memory that the driver does not know: an error.
status get_pointer_attribute(void* data, int attribute, std::uintptr_t pointer);
// The same: nothing, as zeros.
void get_pointer_attributes(unsigned count, const int* attributes, void** data,
                            std::uintptr_t pointer);
void set_pointer_attribute(const void* value, int attribute, std::uintptr_t pointer);

}  // namespace doubles
