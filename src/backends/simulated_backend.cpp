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
    const std::int32_t count = machine::instance().device_count();
    std::vector<anystream_device_info> all;
    all.reserve(static_cast<std::size_t>(count));
    for (std::int32_t id = 0; id < count; ++id) all.push_back(describe(id));
    return all;
  }

  // The device is not compared: streams of all simulated devices can be ordered.
  stream_handle retain(DLDevice, stream_handle theirs) const override {
    if (!machine::instance().retain(theirs)) at(theirs);  // throws, and says why
    return theirs;
  }
  void drop(stream_handle ours) const noexcept override { simulated::release_stream(ours); }
  DLDevice device_of(stream_handle stream) const override {
    return {kDLExtDev, at(stream)->traits().device};
  }
  bool in_order(stream_handle stream) const override { return at(stream)->traits().in_order; }
  bool same(stream_handle a, stream_handle b) const override { return a == b; }
  bool idle(stream_handle stream) const override { return at(stream)->pending() == 0; }
  void synchronize(stream_handle stream) const override { at(stream)->synchronize(); }
  bool barrier(stream_handle stream) const override {
    at(stream)->barrier();
    return true;
  }

  event_handle record(stream_handle stream) const override {
    return new shared_event{at(stream)->record()};
  }
  bool wait(stream_handle stream, event_handle event) const override {
    at(stream)->wait(event_at(event));
    return true;
  }
  bool complete(event_handle event) const override { return event_at(event)->complete(); }
  void synchronize_event(event_handle event) const override {
    if (complete(event)) return;
    machine::require_threads();
    event_at(event)->synchronize();
  }
  void destroy_event(event_handle event) const noexcept override {
    delete static_cast<shared_event*>(event);
  }

  int memory_kind(DLDevice, const void* memory, stream_handle) const override {
    return owns(memory) ? ANYSTREAM_MEMORY_DEVICE : ANYSTREAM_MEMORY_UNKNOWN;
  }
  void* allocate(DLDevice device, std::size_t bytes, stream_handle) const override {
    return simulated::allocate_memory(device.device_id, bytes);
  }
  // Not live any more: a test has freed it under its array's feet, which is what it wanted to see.
  void deallocate(DLDevice, void* memory, stream_handle) const noexcept override {
    if (!machine::forked()) memory_map::instance().deallocate(memory);
  }
  void copy(stream_handle stream, void* target, const void* source,
            std::size_t bytes) const override {
    simulated::copy(stream, target, source, bytes);
  }
  bool owns(const void* data) const noexcept override {
    return !machine::forked() && memory_map::instance().owns(data);
  }
  void check_export(const DLTensor&, stream_handle) const override {}
};

}  // namespace

backend& simulated_backend() {
  static auto* const only = new simulated_platform;
  return *only;
}

}  // namespace anystream::core
