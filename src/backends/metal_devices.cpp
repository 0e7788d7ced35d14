// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Metal backend's driver and devices.
#include <cstdio>
#include <string>

#include <anystream/device.hpp>

#include "backends/backends.hpp"
#include "backends/metal.hpp"
#include "driver/driver.hpp"
#include "driver/fork.hpp"
#include "driver/library.hpp"

namespace anystream::core {

// ---- the driver ---------------------------------------------------------------------------------

metal_backend_of_driver::metal_backend_of_driver(const metal_driver& driver)
    : runtime_(new metal_runtime(driver)), generation_(process_generation()) {}

// Of tests: the process's own lives as long as the process.
metal_backend_of_driver::~metal_backend_of_driver() {
  const std::unique_ptr<const metal_runtime> to(runtime_.load());
  const std::unique_ptr<queue_table> queues(table_.load());
  const std::unique_ptr<const std::vector<metal_object>> devices(devices_.load());
  if (!to || !devices) return;
  const metal_pool pool(*to);
  for (metal_object device : *devices) to->driver.release(device);
}

const metal_runtime& metal_backend_of_driver::open() const {
  const driver_state& state = require_driver(driver_id::metal);
  // Both live as long as the process, unless another thread was first.
  auto driver = std::make_unique<metal_driver>();
  bind_symbols(state.handle, metal_driver_symbols, driver.get());
  auto mine = std::make_unique<metal_runtime>(*driver);
  generation_.store(process_generation());
  const metal_runtime* current = nullptr;
  if (!runtime_.compare_exchange_strong(current, mine.get())) return *current;
  static_cast<void>(driver.release());  // NOLINT(bugprone-unused-return-value): it stays
  return *mine.release();
}

// Null in a forked child of the process that used it.
const metal_runtime* metal_backend_of_driver::known_runtime() const noexcept {
  const metal_runtime* known = runtime_.load();
  return known != nullptr && generation_.load() == process_generation() ? known : nullptr;
}

const metal_runtime& metal_backend_of_driver::runtime() const {
  if (const metal_runtime* known = known_runtime()) return *known;
  if (runtime_.load() == nullptr) return open();
  throw driver_unavailable(
      "Metal cannot be used in a forked child of a process that used it.\n  Start the process by "
      "spawn or forkserver instead, or fork before it is first used.");
}

const metal_runtime* metal_backend_of_driver::runtime_if_there() const noexcept {
  if (runtime_.load() != nullptr) return known_runtime();
  try {
    return open_driver(driver_id::metal).available() ? &open() : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

backend& metal_backend() {
  static auto* const only = new metal_backend_of_driver;
  return *only;
}

std::unique_ptr<backend> metal_backend_on(const metal_driver& driver) {
  return std::make_unique<metal_backend_of_driver>(driver);
}

// ---- devices ------------------------------------------------------------------------------------

// Kept for the process: the numbers are to stay what they are when a device is unplugged.
const std::vector<metal_object>& metal_backend_of_driver::device_list() const {
  if (const auto* known = devices_.load()) return *known;
  const metal_runtime& to = runtime();
  const metal_pool pool(to);
  const metal_owned listed =
      adopt(to, given(to.driver.all_devices(), "MTLCopyAllDevices", "there is no list of devices"));
  const metal_integer count = to.integer(listed.get(), to.list_count);
  auto mine = std::make_unique<std::vector<metal_object>>();
  mine->reserve(count);
  for (metal_integer i = 0; i < count; ++i) {
    mine->push_back(to.driver.retain(to.driver.send_for_element(listed.get(), to.list_element, i)));
  }
  const std::vector<metal_object>* current = nullptr;
  if (devices_.compare_exchange_strong(current, mine.get())) return *mine.release();
  for (metal_object device : *mine) to.driver.release(device);
  return *current;
}

std::vector<anystream_device_info> metal_backend_of_driver::devices() const {
  const metal_runtime& to = runtime();
  const metal_pool pool(to);
  std::vector<anystream_device_info> all;
  for (metal_object device : device_list()) {
    anystream_device_info& info = all.emplace_back();
    info.device = {kDLMetal, static_cast<std::int32_t>(all.size()) - 1};
    std::snprintf(info.platform, sizeof info.platform, "metal");
    std::snprintf(info.kind, sizeof info.kind, "gpu");
    const std::string name = text_of(to, to.get(device, to.device_name));
    std::snprintf(info.name, sizeof info.name, "%s", name.c_str());
  }
  return all;
}

// By identity, else by the number that the system has for it: a tool that watches Metal's calls may
// stand between.
int metal_backend_of_driver::number_of(metal_object device) const {
  const std::vector<metal_object>& all = device_list();
  const metal_runtime& to = runtime();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == device) return static_cast<int>(i);
  }
  const auto id_of = [&to](metal_object one) {
    return to.driver.send_for_number(one, to.device_registry_id);
  };
  const std::uint64_t wanted = device != nullptr ? id_of(device) : 0;
  for (std::size_t i = 0; device != nullptr && i < all.size(); ++i) {
    if (id_of(all[i]) == wanted) return static_cast<int>(i);
  }
  throw driver_error("MTLCopyAllDevices", 0, "",
                     "a queue is on a device that Metal does not list, so that it has no number.");
}

metal_object metal_backend_of_driver::device_at(DLDevice device, stream_handle stream) const {
  const metal_runtime& to = runtime();
  if (stream != nullptr) return to.get(static_cast<metal_object>(stream), to.device);
  const std::vector<metal_object>& all = device_list();
  const auto number = static_cast<std::size_t>(device.device_id);
  if (device.device_id >= 0 && number < all.size()) return all[number];
  throw value_error(
      "Metal has " + std::to_string(all.size()) +
      " device(s) here, numbered from 0; got metal:" + std::to_string(device.device_id) + ".");
}

}  // namespace anystream::core
