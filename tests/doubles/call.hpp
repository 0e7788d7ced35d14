// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The one way into the driver: every exported function goes through enter(), which logs the call,
// counts it, makes it fail if a test ordered that, and turns what is thrown into a code.
#pragma once

#include <array>
#include <concepts>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "call_log.hpp"
#include "driver.hpp"
#include "status.hpp"

#define DOUBLE_EXPORT __attribute__((visibility("default")))

namespace doubles {

std::string hex(unsigned long long value);

template <class T>
concept out_parameter = std::is_pointer_v<T> && !std::is_const_v<std::remove_pointer_t<T>> &&
                        (std::is_pointer_v<std::remove_pointer_t<T>> ||
                         (std::is_arithmetic_v<std::remove_pointer_t<T>> &&
                          !std::same_as<std::remove_pointer_t<T>, char>));

// A value as the log has it; what is given out is known once the call has succeeded.
template <class T>
std::string shown(T value, [[maybe_unused]] bool given) {
  if constexpr (std::same_as<T, const char*>) {
    return value == nullptr ? "0x0" : value;
  } else if constexpr (out_parameter<T>) {
    if (value == nullptr) return "0x0";
    return given ? shown(*value, given) : "?";
  } else if constexpr (std::is_pointer_v<T>) {
    return hex(reinterpret_cast<unsigned long long>(value));
  } else if constexpr (std::same_as<T, unsigned long long>) {
    return hex(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    return "{}";
  }
}

// "cuEventRecord(event=0x10, stream=0x0)" of "(event, stream)" and the values.
std::string call_text(std::string_view name, std::string_view names, const std::string* values,
                      std::size_t count);

template <class... Arguments>
std::string text_of(const entry& self, std::string_view names, [[maybe_unused]] bool given,
                    const Arguments&... arguments) {
  const std::array<std::string, sizeof...(arguments)> values{shown(arguments, given)...};
  return call_text(self.name, names, values.data(), values.size());
}

// What the thread is to the driver while it is inside.
class call_frame {
 public:
  call_frame(const entry& self, bool per_thread, std::unique_lock<std::mutex>& lock);
  ~call_frame();
  call_frame(const call_frame&) = delete;
  call_frame& operator=(const call_frame&) = delete;
};

// Where a driver must have been initialised first; HIP does it by itself.
enum class readiness { any, initialised, made_ready };
int make_ready(readiness need);
// What a driver does with the code in the end: HIP keeps it as the thread's last error.
int finish(int code);

template <class Body>
int outcome(const Body& body) {
  try {
    return body();
  } catch (const failure& failed) {
    return failed.code;
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  } catch (...) {
    return unknown;
  }
}

template <class Body, class... Arguments>
int enter(entry& self, readiness need, bool per_thread, std::string_view names, const Body& body,
          const Arguments&... arguments) {
  if (is_forked()) return not_initialized;  // the lock may be held by a thread that is not here
  if (this_thread().is_worker) return not_permitted;
  std::unique_lock lock(the_driver().mutex);
  const call_frame frame(self, per_thread, lock);
  ++self.calls;
  const bool logged = the_log().on;
  std::string& call = this_thread().call;
  call = logged ? text_of(self, names, false, arguments...) : self.name;
  const std::uint64_t line = note(call);
  int code = ordered_failure(self);
  if (code == ok) code = outcome([&] { return make_ready(need); });
  if (code == ok) code = outcome(body);
  if (logged && code == ok) rewrite(line, text_of(self, names, true, arguments...));
  if (logged && code != ok) rewrite(line, call + " = " + status_name(code));
  return finish(code);
}

}  // namespace doubles
