// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Real OpenCL queues for tests: what a program that uses OpenCL would bring, with no loader at all.
//
// A driver's library is opened by itself, from the variables that the build sets where it found the
// packages, and asked for its platform as a loader would ask it.
#pragma once

#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace opencl_lab {

using handle = void*;

// A function of an object's own driver, by its number in the table that the ABI lays down.
template <class Result, class... Arguments>
Result call(const void* object, std::size_t number, Arguments... arguments) {
  void* const entry = (*static_cast<void* const* const*>(object))[number];
  return reinterpret_cast<Result (*)(Arguments...)>(entry)(arguments...);
}

inline void check(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: OpenCL said %d\n", what, code);
  std::abort();
}

// The first CPU of the driver that the variable names; null where it names none.
inline handle device_of(const char* variable) {
  const char* file = std::getenv(variable);
  void* library = file != nullptr ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return nullptr;
  const auto find =
      reinterpret_cast<void* (*)(const char*)>(dlsym(library, "clGetExtensionFunctionAddress"));
  const auto list = reinterpret_cast<int (*)(std::uint32_t, handle*, std::uint32_t*)>(
      find != nullptr ? find("clIcdGetPlatformIDsKHR") : nullptr);
  handle platform = nullptr, device = nullptr;
  if (list == nullptr || list(1, &platform, nullptr) != 0) return nullptr;
  check(call<int>(platform, 2, platform, std::uint64_t{0xFFFFFFFF}, std::uint32_t{1}, &device,
                  static_cast<std::uint32_t*>(nullptr)),
        "clGetDeviceIDs");
  return device;
}

class context {
 public:
  explicit context(handle device) : device_(device) {
    int code = 0;
    made_ = call<handle>(device, 4, static_cast<const std::intptr_t*>(nullptr), std::uint32_t{1},
                         static_cast<const handle*>(&device_), static_cast<void*>(nullptr),
                         static_cast<void*>(nullptr), &code);
    check(code, "clCreateContext");
  }
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() { call<int>(made_, 7, made_); }

  handle get() const { return made_; }
  handle device() const { return device_; }

 private:
  handle device_;
  handle made_;
};

class queue {
 public:
  explicit queue(const context& in, bool in_order = true) {
    int code = 0;
    made_ = call<handle>(in.device(), 9, in.get(), in.device(), std::uint64_t{in_order ? 0U : 1U},
                         &code);
    check(code, "clCreateCommandQueue");
  }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  ~queue() {
    finish();
    call<int>(made_, 11, made_);
  }

  handle get() const { return made_; }
  void flush() const { check(call<int>(made_, 46, made_), "clFlush"); }
  void finish() const { check(call<int>(made_, 47, made_), "clFinish"); }
  std::uint32_t references() const {
    std::uint32_t count = 0;
    call<int>(made_, 12, made_, std::uint32_t{0x1092}, sizeof count, static_cast<void*>(&count),
              static_cast<std::size_t*>(nullptr));
    return count;
  }

 private:
  handle made_;
};

class event {
 public:
  explicit event(handle made) : made_(made) {}
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { call<int>(made_, 44, made_); }

  handle get() const { return made_; }
  int state() const {
    std::int32_t state = 0;
    check(call<int>(made_, 42, made_, std::uint32_t{0x11D3}, sizeof state,
                    static_cast<void*>(&state), static_cast<std::size_t*>(nullptr)),
          "clGetEventInfo");
    return state;
  }
  // Within some seconds, for what must happen; for what must not, at once.
  bool completes(std::chrono::milliseconds within = std::chrono::seconds(10)) const {
    const auto end = std::chrono::steady_clock::now() + within;
    while (state() > 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return state() == 0;
  }

 private:
  handle made_;
};

// Holds back what is put on a queue from then on, until it is opened.
class gate {
 public:
  explicit gate(const context& in, const queue& on) {
    int code = 0;
    made_ = call<handle>(in.get(), 84, in.get(), &code);
    check(code, "clCreateUserEvent");
    check(call<int>(on.get(), 106, on.get(), std::uint32_t{1}, static_cast<const handle*>(&made_),
                    static_cast<handle*>(nullptr)),
          "clEnqueueBarrierWithWaitList");
    on.flush();
  }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() {
    open();
    call<int>(made_, 44, made_);
  }

  void open() {
    if (!shut_) return;
    shut_ = false;
    check(call<int>(made_, 85, made_, std::int32_t{0}), "clSetUserEventStatus");
  }

 private:
  handle made_ = nullptr;
  bool shut_ = true;
};

class buffer {
 public:
  buffer(const context& in, std::size_t bytes) {
    int code = 0;
    made_ = call<handle>(in.get(), 14, in.get(), std::uint64_t{1}, bytes,
                         static_cast<void*>(nullptr), &code);
    check(code, "clCreateBuffer");
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { call<int>(made_, 18, made_); }

  handle get() const { return made_; }

 private:
  handle made_;
};

// Neither waits for the other's end: `from` must live until it is read.
inline void write(const queue& on, const buffer& to, const std::vector<int>& from) {
  check(
      call<int>(on.get(), 49, on.get(), to.get(), std::uint32_t{0}, std::size_t{0},
                from.size() * sizeof(int), static_cast<const void*>(from.data()), std::uint32_t{0},
                static_cast<const handle*>(nullptr), static_cast<handle*>(nullptr)),
      "clEnqueueWriteBuffer");
  on.flush();
}

inline handle read(const queue& on, const buffer& from, std::vector<int>& to) {
  handle made = nullptr;
  check(call<int>(on.get(), 48, on.get(), from.get(), std::uint32_t{0}, std::size_t{0},
                  to.size() * sizeof(int), static_cast<void*>(to.data()), std::uint32_t{0},
                  static_cast<const handle*>(nullptr), &made),
        "clEnqueueReadBuffer");
  on.flush();
  return made;
}

inline handle mark(const queue& on) {
  handle made = nullptr;
  check(call<int>(on.get(), 105, on.get(), std::uint32_t{0}, static_cast<const handle*>(nullptr),
                  &made),
        "clEnqueueMarkerWithWaitList");
  on.flush();
  return made;
}

}  // namespace opencl_lab
