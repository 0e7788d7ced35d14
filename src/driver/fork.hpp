// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Being told that this process is a forked child, where no driver of the parent's works any more.
#pragma once

namespace anystream::core {

// Has `child` called in every process that is forked from now on. Does nothing where there is no
// fork. The child may be one of a program with threads: only atomics may be touched in there.
void call_after_fork(void (*child)()) noexcept;

}  // namespace anystream::core
