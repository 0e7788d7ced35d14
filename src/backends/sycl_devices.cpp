// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The SYCL backend's driver and devices, and what is made once for each.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "backends/backends.hpp"
#include "backends/sycl.hpp"
#include "backends/sycl_objects.hpp"
#include "driver/driver.hpp"
#include "driver/fork.hpp"
#include "driver/library.hpp"

namespace anystream::core {
namespace {

const char* kind_of(int device_type) {
  switch (device_type) {
    case sycl_gpu:
      return "gpu";
    case sycl_cpu:
      return "cpu";
    case sycl_accelerator:
      return "accelerator";
    default:
      return "other";
  }
}

template <std::size_t size>
void put(char (&target)[size], const char* text) {
  std::snprintf(target, size, "%s", text ? text : "");
}

// What went wrong on the device after a call had returned. On callers' queues it is for the handler
// that they gave; on ours it would be lost without one.
void report_error(int code) {
  std::fprintf(stderr, "anystream: SYCL reported error %d from work on anystream's own queue\n",
               code);
}

std::vector<std::string> loaded_libsycls() {
#if defined(_WIN32)
  std::vector<std::string> files;
  for (const char* name : {"sycl.", "sycl6", "sycl7", "sycl8", "sycl9", "sycl1"}) {
    for (auto& file : loaded_files(name)) files.push_back(std::move(file));
  }
  return files;
#else
  return loaded_files("libsycl.so");
#endif
}

// Keeps what another thread may have published first, and deletes ours then.
template <class Object>
Object* publish(std::atomic<Object*>& place, owned<Object> mine) {
  Object* current = nullptr;
  if (place.compare_exchange_strong(current, mine.get())) return mine.release();
  return current;
}

void describe(const sycl_driver& sycl, int number, sycl_root_device& root) {
  const owned<const char> name(sycl.DPCTLDevice_GetName(root.device), sycl.DPCTLCString_Delete);
  root.info.device = {.device_type = kDLOneAPI, .device_id = number};
  put(root.info.platform, "sycl");
  put(root.info.kind, kind_of(sycl.DPCTLDevice_GetDeviceType(root.device)));
  put(root.info.name, name.get());
}

std::unique_ptr<const sycl_device_list> enumerate(const sycl_driver& sycl) {
  const owned<sycl_device_vector_object> found(
      given(sycl.DPCTLDeviceMgr_GetDevices(sycl_every_device), "DPCTLDeviceMgr_GetDevices",
            "the SYCL devices could not be listed"),
      sycl.DPCTLDeviceVector_Delete);
  auto list = std::make_unique<sycl_device_list>(sycl, sycl.DPCTLDeviceVector_Size(found.get()));
  int number = 0;
  for (auto& root : list->all()) {
    const auto index = static_cast<std::size_t>(number);
    root.device = given(sycl.DPCTLDeviceVector_GetAt(found.get(), index), "DPCTLDeviceVector_GetAt",
                        "a SYCL device could not be read");
    describe(sycl, number++, root);
  }
  return list;
}

}  // namespace

void require_one_libsycl(std::span<const std::string> files) {
  std::set<std::string> distinct;
  for (const auto& file : files) {
    std::error_code ignored;  // A file that has gone since is told apart by its name.
    distinct.insert(std::filesystem::weakly_canonical(file, ignored).string());
  }
  if (distinct.size() < 2) return;
  std::string names;
  for (const auto& file : distinct) names += "\n  " + file;
  throw driver_unavailable(
      "two SYCL runtimes are loaded in this process, so a queue of one library means nothing to "
      "another:" +
      names +
      "\n  Install the libraries so that they share one: of one oneAPI release, in one "
      "environment.");
}

// ---- the driver ---------------------------------------------------------------------------------

namespace {

std::atomic<bool> forked{false};

sycl_runtime& process_runtime() {
  static auto* runtime = new sycl_runtime;
  return *runtime;
}

}  // namespace

// Of tests: the process's own lives as long as the process.
sycl_runtime::~sycl_runtime() {
  if (const auto* sycl = driver_.load()) parked_.let_go_of_all(sycl->DPCTLQueue_Delete);
  delete device_list_.load();
}

void sycl_runtime::forget_driver() noexcept {
  forked.store(true);
  process_runtime().driver_.store(nullptr);
}

const sycl_driver& sycl_runtime::open() const {
  if (forked.load()) {
    throw driver_unavailable(
        "SYCL cannot be used in a forked child of a process that used it.\n  Start the process "
        "by spawn or forkserver instead, or fork before SYCL is first used.");
  }
  const driver_state& state = require_driver(driver_id::sycl);
  refuse_second_libsycl();
  auto mine = std::make_unique<sycl_driver>();
  bind_symbols(state.handle, sycl_driver_symbols, mine.get());
  [[maybe_unused]] static const bool hooked = (call_after_fork(&forget_driver), true);
  const sycl_driver* current = nullptr;
  return *(driver_.compare_exchange_strong(current, mine.get()) ? mine.release() : current);
}

void sycl_runtime::refuse_second_libsycl() const {
  const std::uint64_t loads = load_count();
  if (loads != 0 && loads == checked_loads_.load()) return;
  require_one_libsycl(loaded_libsycls());
  checked_loads_.store(loads);
}

backend& sycl_backend() { return process_runtime(); }

// ---- devices ------------------------------------------------------------------------------------

const sycl_device_list& sycl_runtime::device_list() const {
  if (const auto* known = device_list_.load()) return *known;
  auto mine = enumerate(driver());
  const sycl_device_list* current = nullptr;
  return *(device_list_.compare_exchange_strong(current, mine.get()) ? mine.release() : current);
}

std::vector<anystream_device_info> sycl_runtime::devices() const {
  std::vector<anystream_device_info> out;
  for (const auto& root : device_list().all()) out.push_back(root.info);
  return out;
}

const sycl_root_device& sycl_runtime::root_device(DLDevice device) const {
  const auto known = device_list().all();
  if (known.empty()) {
    throw driver_unavailable(
        "SYCL has no device here.\n  Install the driver of one. On the CPU: pip install "
        "intel-opencl-rt, with OCL_ICD_FILENAMES set to its libintelocl.so before SYCL is first "
        "used.");
  }
  const auto number = static_cast<std::size_t>(device.device_id);
  if (device.device_id >= 0 && number < known.size()) return known[number];
  throw value_error(
      "SYCL has " + std::to_string(known.size()) +
      " device(s) here, numbered from 0; got oneapi:" + std::to_string(device.device_id) + ".");
}

sycl_context sycl_runtime::default_context(const sycl_root_device& root) const {
  if (sycl_context known = root.context.load()) return known;
  const auto& sycl = driver();
  return publish(root.context, {given(sycl.DPCTLDeviceMgr_GetCachedContext(root.device),
                                      "DPCTLDeviceMgr_GetCachedContext",
                                      "a device's default context could not be had"),
                                sycl.DPCTLContext_Delete});
}

sycl_queue sycl_runtime::default_queue(const sycl_root_device& root) const {
  if (sycl_queue known = root.queue.load()) return known;
  const auto& sycl = driver();
  return publish(root.queue, {given(sycl.DPCTLQueue_Create(default_context(root), root.device,
                                                           &report_error, sycl_queue_in_order),
                                    "DPCTLQueue_Create", "a queue could not be made"),
                              sycl.DPCTLQueue_Delete});
}

sycl_queue sycl_runtime::queue_of(DLDevice device, stream_handle stream) const {
  return stream ? static_cast<sycl_queue>(stream) : default_queue(root_device(device));
}

}  // namespace anystream::core
