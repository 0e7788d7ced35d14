// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The backend of the simulated accelerator.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "backends.hpp"
#include "simulated.hpp"
#include "simulated_entries.hpp"
#include "simulated_machine.hpp"
#include "simulated_memory.hpp"
#include "simulated_stream.hpp"

namespace anystream::core {
namespace {

using simulated::machine;
using simulated::memory_map;

using shared_event = std::shared_ptr<simulated::event>;

std::shared_ptr<simulated::stream> at(stream_handle handle) {
  return machine::instance().at(handle);
}

const shared_event& event_at(event_handle event) { return *static_cast<shared_event*>(event); }

anystream_device_info describe(std::int32_t id) {
  anystream_device_info info{};
  info.device = {kDLExtDev, id};
  std::strncpy(info.platform, "simulated", sizeof info.platform - 1);
  std::strncpy(info.kind, "accelerator", sizeof info.kind - 1);
  std::snprintf(info.name, sizeof info.name, "simulated accelerator %d", static_cast<int>(id));
  return info;
}

class simulated_platform final : public backend {
 public:
  const char* name() const noexcept override { return "simulated"; }
  bool serves(device_type type) const noexcept override { return type == device_type::ext_dev; }
  void require() const override { machine::require_threads(); }

  std::vector<anystream_device_info> devices() const override {
    const std::vector<std::int32_t> ids = machine::instance().devices();
    std::vector<anystream_device_info> all;
    all.reserve(ids.size());
    for (const std::int32_t id : ids) all.push_back(describe(id));
    return all;
  }

  // The device is not compared: streams of all simulated devices can be ordered.
  stream_handle retain(DLDevice, stream_handle theirs, bool) const override {
    if (!machine::instance().retain(theirs)) at(theirs);  // throws, and says why
    return theirs;
  }
  void drop(stream_handle ours) const noexcept override { simulated::release_stream(ours); }
  DLDevice device_of(stream_handle stream) const override {
    return {kDLExtDev, at(stream)->traits().device};
  }
  bool in_order(stream_handle stream) const override { return simulated::in_order(*at(stream)); }
  bool same(stream_handle a, stream_handle b) const override {
    return a == b || simulated::same(machine::instance().look_up(a).get(),
                                     machine::instance().look_up(b).get());
  }
  bool idle(stream_handle stream) const override { return simulated::idle(*at(stream)); }
  bool surely_idle(stream_handle stream) const override { return idle(stream); }
  void synchronize(stream_handle stream) const override {
    const std::shared_ptr<simulated::stream> found = at(stream);
    found->check_wait();
    simulated::synchronize(*found);
  }
  bool barrier(stream_handle stream) const override {
    simulated::barrier(*at(stream));
    return true;
  }

  event_handle record(stream_handle stream) const override {
    return new shared_event{simulated::record(*at(stream))};
  }
  bool wait(stream_handle stream, event_handle event) const override {
    simulated::wait(*at(stream), event_at(event));
    return true;
  }
  bool orders_across(DLDevice a, DLDevice b) const noexcept override {
    const machine& all = machine::instance();
    return a.device_id == b.device_id ||
           !(all.is_exploring(a.device_id) || all.is_exploring(b.device_id));
  }
  bool complete(event_handle event) const override { return simulated::complete(*event_at(event)); }
  void synchronize_event(event_handle event) const override {
    if (event_at(event)->complete()) return;
    machine::require_threads();
    simulated::synchronize_event(*event_at(event));
  }
  void check_wait(event_handle event) const override { event_at(event)->check_wait(); }
  void destroy_event(event_handle event) const noexcept override {
    const std::unique_ptr<shared_event> last{static_cast<shared_event*>(event)};
    simulated::destroy(*last);
  }
  // The handle stays; the point in the work is another, and who waits for the first has that.
  // An exploring device shall see each one go.
  event_place place_of_stream(DLDevice device, stream_handle) const override {
    return place_of(device);
  }
  event_place place_of_event(DLDevice device, event_handle) const noexcept override {
    return place_of(device);
  }
  bool record_again(event_handle event, stream_handle stream) const override {
    *static_cast<shared_event*>(event) = simulated::record(*at(stream));
    return true;
  }

  int memory_kind(DLDevice, const void* memory, stream_handle) const override {
    return owns(memory) ? ANYSTREAM_MEMORY_DEVICE : ANYSTREAM_MEMORY_UNKNOWN;
  }
  void* allocate(DLDevice device, std::size_t bytes, stream_handle) const override {
    return simulated::allocate_memory(device.device_id, bytes);
  }
  // Not live any more: a test has freed it under its array's feet, which is what it wanted to see.
  void deallocate(DLDevice, void* memory, stream_handle stream) const noexcept override {
    if (!machine::forked()) simulated::deallocate(memory, stream);
  }
  bool frees_in_order(DLDevice device, stream_handle) const noexcept override {
    return machine::instance().is_exploring(
        device.device_id);  // what a fault does is another matter
  }
  void copy(stream_handle stream, location target, location source,
            std::size_t bytes) const override {
    simulated::copy(stream, target.address(), source.address(), bytes);
  }
  bool owns(const void* data) const noexcept override {
    return !machine::forked() && memory_map::instance().owns(data);
  }
  void check_export(const DLTensor&, stream_handle) const override {}

 private:
  static event_place place_of(DLDevice device) noexcept {
    const bool reuses = machine::instance().has_threads(device.device_id);
    return reuses ? static_cast<event_place>(device.device_id) + 1 : 0;
  }
};

}  // namespace

backend& simulated_backend() {
  static auto* const only = new simulated_platform;
  return *only;
}

}  // namespace anystream::core
