// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back: every array gives its memory back here, and nowhere else.
#pragma once

#include "array.hpp"

namespace anystream::core {

// Called once an array, when its last reference has gone. Any thread; runs foreign code.
void release_memory(array& array) noexcept;

}  // namespace anystream::core
