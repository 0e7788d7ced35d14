// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a platform's Python callback raised, on its way through the core, which carries text only:
// the error that is raised in the end has it as its cause.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace anystream::python {

// Of the calling thread, in place of what was kept before. text: part of the message to come.
void keep_cause(nanobind::object exception, std::string text) noexcept;

// Gives the error with that message the cause that was kept for it, and forgets it. True where
// the cause itself is to be raised: it is no Exception, but what ends a program.
bool attach_cause(const nanobind::object& error, const char* message) noexcept;

}  // namespace anystream::python
