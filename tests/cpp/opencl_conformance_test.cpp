// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The OpenCL backend under the conformance suite, on PoCL and on Intel's driver: two contexts of a
// device, and queues that are held by a user event.
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <thread>

#include <anystream/anystream.hpp>

#include "backend_conformance.hpp"
#include "no_python.hpp"
#include "opencl_lab.hpp"

namespace {

using conformance::slot;
using opencl_lab::call;
using opencl_lab::handle;

constexpr handle* no_event = nullptr;
constexpr const handle* no_events = nullptr;

// One piece of the host's memory, with a buffer over it in each of two contexts.
class piece {
 public:
  piece(const opencl_lab::context& first, const opencl_lab::context& second)
      : buffers_{made_in(first), made_in(second)} {}
  piece(const piece&) = delete;
  piece& operator=(const piece&) = delete;
  ~piece() {
    for (handle each : buffers_) call<int>(each, 18, each);
  }

  handle in(int place) const { return buffers_[place]; }
  int now() const { return *static_cast<const volatile int*>(numbers_); }

 private:
  handle made_in(const opencl_lab::context& context) {
    constexpr std::uint64_t read_write_and_use_host_pointer = 1 | 8;
    int code = 0;
    const handle made =
        call<handle>(context.get(), 14, context.get(), read_write_and_use_host_pointer,
                     sizeof numbers_, static_cast<void*>(numbers_), &code);
    opencl_lab::check(code, "clCreateBuffer");
    return made;
  }

  alignas(4096) int numbers_[1024]{};
  handle buffers_[2];
};

class opencl final : public conformance::under_test {
 public:
  opencl(const char* name, handle device)
      : name_(name), contexts_{opencl_lab::context(device), opencl_lab::context(device)} {}

  const anystream_api& table() const override { return anystream::api(); }
  const char* name() const override { return name_; }
  int places() const override { return 2; }
  bool has_out_of_order() const override { return true; }
  bool tells_idle() const override { return false; }

  anystream_stream* make_stream(bool in_order, int place) override {
    queues_.emplace_back(contexts_[place], in_order);
    anystream_stream* made = nullptr;
    anystream::check(table().stream_of_platform(
        "opencl", reinterpret_cast<std::uintptr_t>(queues_.back().get()), {}, &made));
    homes_[queues_.back().get()] = {place, &queues_.back()};
    return made;
  }

  slot make_slot(int) override {
    slots_.push_back(std::make_unique<piece>(contexts_[0], contexts_[1]));
    return static_cast<slot>(slots_.size()) - 1;
  }
  void write(anystream_stream* on, slot to, int number) override {
    numbers_.push_back(number);  // read when the command runs
    const handle queue = raw(on);
    opencl_lab::check(
        call<int>(queue, 49, queue, at(to).in(place_of(on)), std::uint32_t{0}, std::size_t{0},
                  sizeof number, static_cast<const void*>(&numbers_.back()), std::uint32_t{0},
                  no_events, no_event),
        "clEnqueueWriteBuffer");
    flush(queue);
  }
  void copy(anystream_stream* on, slot to, slot from) override {
    const handle queue = raw(on);
    const int place = place_of(on);
    opencl_lab::check(
        call<int>(queue, 50, queue, at(from).in(place), at(to).in(place), std::size_t{0},
                  std::size_t{0}, sizeof(int), std::uint32_t{0}, no_events, no_event),
        "clEnqueueCopyBuffer");
    flush(queue);
  }
  int peek(slot of) override { return at(of).now(); }
  void* data_of(slot of) override { return at(of).in(0); }
  DLDevice device_of(slot) override {
    const auto any = make_stream(true, 0);
    const DLDevice device = table().stream_device(any);
    table().stream_release(any);
    return device;
  }

  void hold(anystream_stream* stream) override {
    const home& of = homes_.at(raw(stream));
    gates_[raw(stream)] = std::make_unique<opencl_lab::gate>(contexts_[of.place], *of.queue);
  }
  void let_go(anystream_stream* stream) override { gates_.erase(raw(stream)); }
  // The drivers cannot be asked. What could run has long run by then.
  void settle() override { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

 private:
  struct home {
    int place;
    const opencl_lab::queue* queue;
  };

  static void flush(handle queue) { opencl_lab::check(call<int>(queue, 46, queue), "clFlush"); }
  const piece& at(slot of) const { return *slots_[static_cast<std::size_t>(of)]; }
  handle raw(anystream_stream* stream) const {
    return reinterpret_cast<handle>(table().stream_handle(stream));
  }
  int place_of(anystream_stream* on) const { return homes_.at(raw(on)).place; }

  const char* name_;
  opencl_lab::context contexts_[2];
  std::deque<int> numbers_;
  std::deque<std::unique_ptr<piece>> slots_;
  std::deque<opencl_lab::queue> queues_;
  std::map<handle, home> homes_;
  std::map<handle, std::unique_ptr<opencl_lab::gate>> gates_;
};

}  // namespace

int main() {
  const std::pair<const char*, const char*> drivers[] = {
      {"opencl on PoCL", "ANYSTREAM_TEST_POCL"},
      {"opencl on Intel's driver", "ANYSTREAM_TEST_INTEL_OPENCL"}};
  int tried = 0;
  for (const auto& [name, variable] : drivers) {
    const handle device = opencl_lab::device_of(variable);
    if (device == nullptr) continue;
    ++tried;
    opencl platform(name, device);
    conformance::run(platform);
  }
  if (tried == 0) return check::skip("no driver of OpenCL was found by the Python of the build");
  return check::result();
}
