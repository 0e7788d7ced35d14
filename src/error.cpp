// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The last error of each thread.
#include "error.hpp"

#include <new>
#include <string>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

namespace anystream::core {
namespace {

struct failure {
  anystream_status status = ANYSTREAM_OK;
  std::int64_t code = 0;
  std::string message;
  std::string api;
  std::string code_name;
};

// A plain pointer, because deleters may fail after the thread's objects are gone: a failure that
// comes so late makes a new record, which is leaked.
thread_local failure* current = nullptr;

struct cleanup {
  ~cleanup() { delete std::exchange(current, nullptr); }
};

failure& record() {
  thread_local const cleanup at_thread_end;
  static_cast<void>(at_thread_end);
  if (current == nullptr) current = new failure;
  return *current;
}

anystream_status keep(anystream_status status, const char* message) {
  failure made;
  made.status = status;
  made.message = message;
  record() = std::move(made);
  return status;
}

anystream_status keep(anystream_status status, const driver_error& error) {
  keep(status, error.what());
  current->code = error.code();
  current->api = error.api();
  current->code_name = error.code_name();
  return status;
}

// From the most derived type to the least: each is one status of the table.
anystream_status keep_in_flight() {
  try {
    throw;
  } catch (const type_error& error) {
    return keep(ANYSTREAM_TYPE_ERROR, error.what());
  } catch (const value_error& error) {
    return keep(ANYSTREAM_VALUE_ERROR, error.what());
  } catch (const ordering_error& error) {
    return keep(ANYSTREAM_ORDERING_ERROR, error.what());
  } catch (const exchange_error& error) {
    return keep(ANYSTREAM_EXCHANGE_ERROR, error.what());
  } catch (const driver_unavailable& error) {
    return keep(ANYSTREAM_DRIVER_UNAVAILABLE, error);
  } catch (const driver_error& error) {
    return keep(ANYSTREAM_DRIVER_ERROR, error);
  } catch (const internal_error& error) {
    return keep(ANYSTREAM_INTERNAL_ERROR, error.what());
  } catch (const out_of_memory& error) {
    return keep(ANYSTREAM_OUT_OF_MEMORY, error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return keep(ANYSTREAM_INTERNAL_ERROR, internal_error(error.what()).what());
  }
}

}  // namespace

out_of_memory::out_of_memory(std::size_t bytes, DLDevice where)
    : text_("there is no memory for " + std::to_string(bytes) + " bytes on " +
            to_string(device(where)) +
            ".\n  Take less at a time, or let go of what is there first.") {}

anystream_status record_failure() noexcept {
  try {
    return keep_in_flight();
  } catch (const std::bad_alloc&) {
    // No memory for a record either: whoever asks is told by the status.
    if (current != nullptr) *current = failure{};
    return ANYSTREAM_OUT_OF_MEMORY;
  } catch (...) {
    return ANYSTREAM_INTERNAL_ERROR;
  }
}

void last_failure(anystream_error& out) noexcept {
  out = {ANYSTREAM_OK, 0, 0, "", "", ""};
  if (current == nullptr) return;
  out.status = current->status;
  out.code = current->code;
  out.message = current->message.c_str();
  out.api = current->api.c_str();
  out.code_name = current->code_name.c_str();
}

}  // namespace anystream::core
