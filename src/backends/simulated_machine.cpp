// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated devices of this process, and the live handles of their streams.
#include "simulated_machine.hpp"

#include <pthread.h>

#include <atomic>
#include <sstream>
#include <utility>

#include <anystream/error.hpp>

namespace anystream::core::simulated {
namespace {

std::atomic<bool> in_forked_child = false;

std::string address(const void* handle) {
  std::ostringstream text;
  text << handle;
  return text.str();
}

[[noreturn]] void refuse_name(const std::string& name, std::int32_t device) {
  throw value_error("simulated stream: device " + std::to_string(device) +
                    " already has a live stream named \"" + name +
                    "\".\n  Choose another name, leave it out, or find the stream by its name.");
}

}  // namespace

machine& machine::instance() {
  static auto* const only = new machine;
  return *only;
}

machine::machine() {
  pthread_atfork(nullptr, nullptr, [] { in_forked_child = true; });
}

bool machine::forked() noexcept { return in_forked_child; }

void machine::require_threads() {
  if (!forked()) return;
  throw driver_unavailable(
      "simulated: this process was forked after the simulated accelerator was first used, and its "
      "streams' threads live in the parent only.\n"
      "  Start the child by multiprocessing's \"spawn\", or use the accelerator after the fork.");
}

std::int32_t machine::create_device(std::uint64_t seed, std::uint32_t max_delay_us) {
  require_threads();
  const std::scoped_lock guard{lock_};
  devices_.push_back({.seed = seed, .max_delay_us = max_delay_us});
  return static_cast<std::int32_t>(devices_.size() - 1);
}

std::int32_t machine::create_exploring_device(std::uint64_t seed, fault which) {
  require_threads();
  auto explorer = std::make_shared<scheduler>(seed, which);
  const std::scoped_lock guard{lock_};
  devices_.push_back({.seed = seed, .max_delay_us = 0, .explorer = std::move(explorer)});
  return static_cast<std::int32_t>(devices_.size() - 1);
}

std::vector<std::int32_t> machine::devices() const {
  if (forked()) return {};
  const std::scoped_lock guard{lock_};
  std::vector<std::int32_t> all;
  for (std::size_t id = 0; id < devices_.size(); ++id) {
    if (!devices_[id].closed) all.push_back(static_cast<std::int32_t>(id));
  }
  return all;
}

std::shared_ptr<scheduler> machine::explorer_of(std::int32_t device) {
  require_threads();
  const std::scoped_lock guard{lock_};
  return existing(device).explorer;
}

const machine::device* machine::open_device(std::int32_t id) const noexcept {
  if (forked() || id < 0 || static_cast<std::size_t>(id) >= devices_.size()) return nullptr;
  const device& found = devices_[static_cast<std::size_t>(id)];
  return found.closed ? nullptr : &found;
}

bool machine::is_exploring(std::int32_t device) const noexcept {
  const std::scoped_lock guard{lock_};
  const machine::device* found = open_device(device);
  return found != nullptr && found->explorer != nullptr;
}

bool machine::has_threads(std::int32_t device) const noexcept {
  const std::scoped_lock guard{lock_};
  const machine::device* found = open_device(device);
  return found != nullptr && found->explorer == nullptr;
}

std::shared_ptr<scheduler> machine::explorer_at(std::int32_t device) {
  if (auto found = explorer_of(device)) return found;
  throw value_error("simulated device " + std::to_string(device) +
                    " is no exploring one.\n  Make one with anystream.testing.ExploringDevice().");
}

void machine::close(std::int32_t device) {
  const auto explorer = explorer_at(device);
  {
    const std::scoped_lock guard{lock_};
    machine::device& closed = existing(device);
    closed.explorer.reset();
    closed.closed = true;
  }
  explorer->close();  // after: no stream comes to it any more
}

machine::device& machine::existing(std::int32_t id) {
  if (id >= 0 && static_cast<std::size_t>(id) < devices_.size()) {
    device& found = devices_[static_cast<std::size_t>(id)];
    if (!found.closed) return found;
    throw value_error("simulated device " + std::to_string(id) +
                      " was closed.\n  Use an exploring device within its own schedule.");
  }
  throw value_error("simulated device: there are " + std::to_string(devices_.size()) +
                    ", numbered from 0; got " + std::to_string(id) +
                    ".\n  Make one with anystream.testing.SimulatedDevice().");
}

void machine::check_device(std::int32_t device) {
  require_threads();
  const std::scoped_lock guard{lock_};
  existing(device);
}

void* machine::create_stream(std::int32_t device, const std::string& name, bool in_order) {
  require_threads();
  const std::scoped_lock guard{lock_};
  machine::device& where = existing(device);
  if (!name.empty() && named(device, name, nullptr) != nullptr) refuse_name(name, device);
  const std::uint64_t number = where.streams_made;
  stream_traits traits{device,   number,     name.empty() ? unused_name(device, number) : name,
                       in_order, where.seed, where.max_delay_us};
  void* const handle = &handles_.emplace_back();
  streams_.emplace(handle, live_stream{stream::start(std::move(traits), where.explorer), 1});
  ++where.streams_made;
  return handle;
}

// A user may have taken the name of a number to come.
std::string machine::unused_name(std::int32_t device, std::uint64_t number) {
  std::string name = "stream " + std::to_string(number);
  while (named(device, name, nullptr) != nullptr) name += '\'';
  return name;
}

machine::live_stream* machine::named(std::int32_t device, const std::string& name, void** handle) {
  for (auto& [key, live] : streams_) {
    const stream_traits& traits = live.object->traits();
    if (traits.device != device || traits.name != name) continue;
    if (handle != nullptr) *handle = key;
    return &live;
  }
  return nullptr;
}

std::string machine::names(std::int32_t device) const {
  std::string all;
  for (const auto& [handle, live] : streams_) {
    const stream_traits& traits = live.object->traits();
    if (traits.device != device) continue;
    all += (all.empty() ? "\"" : ", \"") + traits.name + '"';
  }
  return all.empty() ? "none" : all;
}

void* machine::find_stream(std::int32_t device, const std::string& name) {
  require_threads();
  const std::scoped_lock guard{lock_};
  existing(device);
  void* handle = nullptr;
  if (live_stream* const found = named(device, name, &handle)) {
    ++found->references;
    return handle;
  }
  throw value_error("simulated stream: device " + std::to_string(device) +
                    " has no live stream named \"" + name + "\".\n  It has: " + names(device) +
                    ".");
}

bool machine::retain(void* handle) {
  if (forked()) return false;
  const std::scoped_lock guard{lock_};
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return false;
  ++found->second.references;
  return true;
}

void machine::release(void* handle) {
  if (forked()) return;
  std::shared_ptr<stream> last;
  {
    const std::scoped_lock guard{lock_};
    const auto found = streams_.find(handle);
    if (found == streams_.end() || --found->second.references > 0) return;
    last = std::move(found->second.object);
    streams_.erase(found);
  }
  last->retire();
}

std::shared_ptr<stream> machine::look_up(void* handle) const {
  if (forked()) return nullptr;
  const std::scoped_lock guard{lock_};
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.object;
}

std::shared_ptr<stream> machine::at(void* handle) const {
  require_threads();
  if (auto found = look_up(handle)) return found;
  throw value_error("simulated stream: " + address(handle) +
                    " is not the handle of a live stream; handles come from a SimulatedStream and "
                    "end with its last reference.\n"
                    "  Keep the SimulatedStream, or an anystream.Stream of it, for as long as its "
                    "handle is used.");
}

}  // namespace anystream::core::simulated
