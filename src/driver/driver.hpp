// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The vendors' drivers: opened when one is first needed, with every attempt remembered.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "driver/table.hpp"

namespace anystream::core {

enum class driver_id : std::uint8_t { sycl, cuda, hip, opencl, metal };

// What is known of a driver's library before it is opened; rows in driver/specs.hpp.
struct driver_spec {
  driver_id id;
  const char* name;      // "sycl", the word of add_search_path and of the listings
  const char* platform;  // "SYCL", for messages
  const char* variable;  // environment variable that names the file
  std::span<const char* const> libraries;  // file names in order, the versioned one first
  std::span<const driver_symbol> symbols;  // empty where there is no backend to call them
  const char* missing;                     // how to get it
  const char* otherwise;                   // what a hand-off there does without it
  const char* deviceless = "";             // what to do where it is there and finds no device
};

// What opening a driver came to. Lives for the process.
struct driver_state {
  const driver_spec* spec;
  void* handle;          // null if it is not available
  std::string library;   // the file that was opened, else the name that was looked for
  std::string attempts;  // every place tried and what it said, a line each, each starting "  "

  bool available() const noexcept { return handle != nullptr; }
};

std::span<const driver_spec> driver_specs() noexcept;
const driver_spec* find_driver(std::string_view name) noexcept;

// Opens the library on first need. Success is latched. A failure is latched too, until something
// that could change it has: a search path, the environment variable, or the library having been
// loaded by someone else. Any thread; holds no lock, since loading runs foreign initialisers.
const driver_state& open_driver(driver_id id);

// As open_driver; throws driver_unavailable with unavailable_message where it could not be opened.
const driver_state& require_driver(driver_id id);

// Got, accepted, fix: the text of a driver_unavailable, with every attempt.
std::string unavailable_message(const driver_state& state);

// A folder in which the driver's library is looked for, after the files already in the process and
// before the loader's own path. Throws value_error, listing the known, for an unknown driver.
void add_search_path(std::string_view driver, std::string_view folder);

}  // namespace anystream::core
