// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Giving memory back to its owner.
#include "release.hpp"

namespace anystream::core {

// The owner is told at once: what else is to happen first belongs here.
void release_memory(array& array) noexcept { array.memory.release(); }

}  // namespace anystream::core
