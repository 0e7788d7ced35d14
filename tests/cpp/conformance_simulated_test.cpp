// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated accelerator, as a backend among others.
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include <anystream/anystream.hpp>

#include "backend_conformance.hpp"
#include "no_python.hpp"

namespace {

constexpr const char* platform_name = "simulated";

class simulated final : public conformance::under_test {
 public:
  simulated() {
    for (std::int32_t& device : devices_) check(own().device_create(0, 0, &device));
  }

  const anystream_api& table() const override { return anystream::api(); }
  const char* name() const override { return platform_name; }
  const char* platform() const override { return platform_name; }
  int places() const override { return 2; }
  bool has_out_of_order() const override { return true; }

  anystream_stream* make_stream(bool in_order, int place) override {
    void* raw = nullptr;
    check(own().stream_create(devices_[place], nullptr, in_order ? 1 : 0, &raw));
    anystream_stream* made = nullptr;
    check(table().stream_of_platform(platform_name, reinterpret_cast<std::uintptr_t>(raw), {},
                                     &made));
    own().stream_release(raw);
    return made;
  }

  conformance::slot make_slot(int place) override {
    void* memory = nullptr;
    check(own().allocate(devices_[place], sizeof(int), &memory));
    slots_.push_back({memory, place});
    const auto queue = make_stream(true, place);
    write(queue, static_cast<int>(slots_.size()) - 1, 0);
    std::int32_t how = 0;
    check(table().stream_synchronize(queue, &how));
    table().stream_release(queue);
    return static_cast<int>(slots_.size()) - 1;
  }
  void write(anystream_stream* on, conformance::slot to, int number) override {
    check(own().fill(raw(on), slots_[at(to)].memory, &number, sizeof number, 1));
  }
  void copy(anystream_stream* on, conformance::slot to, conformance::slot from) override {
    check(own().copy(raw(on), slots_[at(to)].memory, slots_[at(from)].memory, sizeof(int)));
  }
  int peek(conformance::slot of) override {
    int number = 0;
    check(own().peek(slots_[at(of)].memory, &number, sizeof number));
    return number;
  }
  void* data_of(conformance::slot of) override { return slots_[at(of)].memory; }
  DLDevice device_of(conformance::slot of) override {
    return {kDLExtDev, devices_[slots_[at(of)].place]};
  }

  void hold(anystream_stream* stream) override { check(own().stream_hold(raw(stream))); }
  void let_go(anystream_stream* stream) override { check(own().stream_resume(raw(stream))); }
  // Its threads cannot be asked; what they have is done in microseconds.
  void settle() override { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

 private:
  struct piece {
    void* memory;
    int place;
  };

  static const anystream_simulated_api& own() { return *anystream::api().simulated; }
  static void check(anystream_status status) { anystream::check(status); }
  static std::size_t at(conformance::slot of) { return static_cast<std::size_t>(of); }
  void* raw(anystream_stream* stream) const {
    return reinterpret_cast<void*>(table().stream_handle(stream));
  }

  std::int32_t devices_[2]{};
  std::vector<piece> slots_;
};

}  // namespace

int main() {
  simulated platform;
  conformance::run(platform);
  return check::result();
}
