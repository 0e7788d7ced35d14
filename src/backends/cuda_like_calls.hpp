// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Calling a driver of the CUDA kind: errors with their names, the right context made current, and
// questions that a capture of another thread is not to be broken by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "backends/cuda_like_objects.hpp"
#include "driver/table.hpp"

namespace anystream::core::cuda_like {

// What the drivers answer, where it is not an error of the call. The numbers are the same in both.
enum answer : int {
  success = 0,
  not_initialized = 3,
  no_device = 100,
  invalid_device = 101,
  invalid_context = 201,
  invalid_handle = 400,
  not_ready = 600,
  context_is_destroyed = 709,
  not_supported = 801,
  capture_unsupported = 900,
  capture_implicit = 906,
};
constexpr int relaxed_mode = 2;
constexpr unsigned without_timing = 2;

template <class Driver>
class calls {
 public:
  calls(const Driver& driver, std::span<const driver_symbol> symbols) noexcept
      : driver_(driver), symbols_(symbols) {}

  const Driver* operator->() const noexcept { return &driver_; }

  // Calls a function of the list and throws driver_error where it does not succeed.
  template <auto Function, class... Arguments>
  void call(Arguments... arguments) const {
    const int result = (driver_.*Function)(arguments...);
    if (result != success) fail<Function>(result);
  }

  // Calls one that may answer so, too. False: it did.
  template <auto Function, class... Arguments>
  bool call_unless(int expected, Arguments... arguments) const {
    const int result = (driver_.*Function)(arguments...);
    if (result != success && result != expected) fail<Function>(result);
    return result == success;
  }

  template <auto Function>
  [[noreturn]] void fail(int code) const {
    const std::string api = symbol_at(offset_of<Function>());
    const std::string name = text_of(driver_.error_name, code);
    const std::string text = text_of(driver_.error_text, code);
    throw driver_error(api, code, name,
                       api + " failed with " + (name.empty() ? "error" : name) + " (" +
                           std::to_string(code) + ")" + (text.empty() ? "." : ": " + text + "."));
  }

 private:
  template <auto Function>
  std::size_t offset_of() const noexcept {
    const auto* const member = reinterpret_cast<const std::byte*>(&(driver_.*Function));
    return static_cast<std::size_t>(member - reinterpret_cast<const std::byte*>(&driver_));
  }

  const char* symbol_at(std::size_t offset) const noexcept {
    for (const driver_symbol& row : symbols_) {
      if (row.offset == offset) return row.symbol;
    }
    return "";
  }

  static std::string text_of(int (*describe)(int, const char**), int code) {
    const char* text = nullptr;
    if (describe == nullptr || describe(code, &text) != success || text == nullptr) return "";
    return text;
  }

  const Driver& driver_;
  std::span<const driver_symbol> symbols_;
};

// Makes a place current in this thread for a scope. The caller's own is current again afterwards,
// none where there was none. No call is made where it is current already; or, unless it is to be
// exactly this one, where any is: a stream that is no default one says itself where it is.
template <class Traits>
class current_place {
 public:
  using driver = typename Traits::driver;

  current_place(const calls<driver>& driver, place wanted, bool exactly = true) : driver_(driver) {
    if (!exactly && Traits::threads_have_a_place) return;
    before_ = Traits::current(driver);
    if (before_ == wanted || (!exactly && before_ != 0)) return;
    Traits::make_current(driver, wanted);
    changed_ = true;
  }
  current_place(const current_place&) = delete;
  current_place& operator=(const current_place&) = delete;
  ~current_place() {
    if (changed_) Traits::restore_current(driver_, before_);
  }

 private:
  const calls<driver>& driver_;
  place before_ = 0;
  bool changed_ = false;
};

// A query is one of the calls by which a thread breaks a capture that another has begun in the
// default mode; in the relaxed one it does not.
template <class Driver>
class relaxed {
 public:
  explicit relaxed(const calls<Driver>& driver) : driver_(driver) {
    driver_.template call<&Driver::exchange_capture_mode>(&mode_);
  }
  relaxed(const relaxed&) = delete;
  relaxed& operator=(const relaxed&) = delete;
  ~relaxed() { driver_->exchange_capture_mode(&mode_); }

 private:
  const calls<Driver>& driver_;
  int mode_ = relaxed_mode;
};

[[noreturn]] inline void refuse_device(const char* title, int device) {
  throw value_error(std::string(title) + " has no device " + std::to_string(device) +
                    " here.\n  anystream.devices() lists those that there are.");
}

[[noreturn]] inline void refuse_handle(const char* title, const std::string& why) {
  throw value_error(std::string("what was given as a ") + title + " stream is none: " + why +
                    "\n  Pass the stream object of its library, or the handle of a stream that has "
                    "not been destroyed.");
}

[[noreturn]] inline void refuse_wait(const char* title) {
  throw ordering_error(std::string("the host cannot wait for a ") + title +
                       " stream that is being captured into a graph: nothing of it runs before "
                       "the graph is launched.\n  End the capture first, or order the work on the "
                       "device.");
}

}  // namespace anystream::core::cuda_like
