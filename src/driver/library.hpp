// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The system's loader of libraries. What it opens is never closed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/table.hpp"

namespace anystream::core {

// What separates a folder from a file in a path.
#if defined(_WIN32)
inline constexpr char path_separator = '\\';
#else
inline constexpr char path_separator = '/';
#endif

// Opens a file by its path, or by its bare name where the system looks for it. Null on failure;
// then `why` is what the system said.
void* load_library(const std::string& name, std::string& why);

// The library of that name if it is in the process already, else null. It then stays there.
void* find_loaded_library(const char* name);

// The symbol of that library, or of one that it was linked with, if it is in the process already.
void* find_loaded_symbol(const char* library, const char* symbol) noexcept;

// The path of an opened library; `otherwise` where the system does not tell.
std::string library_file(void* library, const std::string& otherwise);

// Fills a driver's struct, unless `table` is null. Returns the first required function that is not
// there, else null.
const char* bind_symbols(void* library, std::span<const driver_symbol> symbols,
                         void* table) noexcept;

// A number that changes when a library is loaded into the process, by anyone; 0 where the system
// cannot tell.
std::uint64_t load_count() noexcept;

// The files in the process now whose name, without the folder, begins with `prefix`.
std::vector<std::string> loaded_files(std::string_view prefix);

}  // namespace anystream::core
