// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The version of anystream: written here, read by CMake and by the Python build.
#pragma once

#define ANYSTREAM_VERSION "0.1.0"

namespace anystream {

// The version of the headers. The version of the library in use is `api().version`.
inline constexpr const char* version = ANYSTREAM_VERSION;

}  // namespace anystream
