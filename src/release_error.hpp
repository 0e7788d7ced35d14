// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Who is told of what failed in a release, where nothing can be thrown.
#pragma once

#include <exception>

namespace anystream::core {

using release_error_handler = void (*)(void* context, const char* message);

// Null: stderr. It is called from any thread, with no lock held, and must not throw.
void on_release_error(release_error_handler handler, void* context);

// what: "an event could not be asked for its state".
void report_failed_release(const char* what, const std::exception& error) noexcept;

}  // namespace anystream::core
