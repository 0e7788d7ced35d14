// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The extension module: devices, queues and memory, as anystream_vulkan/__init__.py has them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>

#include "buffer.hpp"
#include "errors.hpp"
#include "kernel.hpp"
#include "platform.hpp"
#include "queue.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace vulkan_example {
namespace {

const anystream_api& table_of_the_process() {
  const void* const table = PyCapsule_Import("anystream._C_API", 0);
  if (table == nullptr) throw nb::python_error();
  return *static_cast<const anystream_api*>(table);
}

void register_platform() {
  const anystream_api& table = table_of_the_process();
  if (table.abi_major != ANYSTREAM_ABI_MAJOR || table.abi_minor < ANYSTREAM_ABI_MINOR) {
    throw std::runtime_error("this anystream is older than the one that was built against");
  }
  const anystream_platform platform = describe_platform();
  if (table.platform_register(&platform, {nullptr, nullptr}) == ANYSTREAM_OK) return;
  anystream_error error{};
  table.last_error(&error);
  throw std::runtime_error(error.message);
}

std::shared_ptr<buffer> from_bytes(const std::shared_ptr<device>& on, const nb::bytes& bytes) {
  const std::shared_ptr<buffer> made = buffer::make(on, bytes.size());
  std::memcpy(made->host(), bytes.data(), bytes.size());
  return made;
}

std::uintptr_t number_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

std::shared_ptr<buffer> memory_of(std::uintptr_t handle) {
  std::shared_ptr<buffer> found = buffer::find(reinterpret_cast<const void*>(handle));
  if (found == nullptr) throw std::invalid_argument("there is no memory of this handle");
  return found;
}

// What is in it now: nothing is waited for.
nb::bytes peek(std::uintptr_t handle) {
  const std::shared_ptr<buffer> memory = memory_of(handle);
  return nb::bytes(reinterpret_cast<const char*>(memory->host()), memory->size());
}

elements elements_at(std::uintptr_t handle, std::uint64_t byte_offset) {
  return {memory_of(handle), static_cast<std::uint32_t>(byte_offset / sizeof(float))};
}

void add(queue& stream, std::uintptr_t target, std::uint64_t target_offset, std::uintptr_t source,
         std::uint64_t source_offset, std::uint32_t count, std::uint32_t rounds, float amount) {
  if (count == 0) return;
  stream.place()->kernel().run(stream, elements_at(target, target_offset),
                               elements_at(source, source_offset), count, rounds, amount);
}

void lock_shared(queue& stream) { stream.shared().lock.lock(); }
void unlock_shared(queue& stream) { stream.shared().lock.unlock(); }

}  // namespace
}  // namespace vulkan_example

NB_MODULE(_core, m) {
  using namespace vulkan_example;
  nb::exception<vulkan_error>(m, "VulkanError", PyExc_RuntimeError);
  const nb::call_guard<nb::gil_scoped_release> no_gil;
  nb::class_<device>(m, "Device")
      .def(nb::new_([](int physical, int family) { return device::open(physical, family); }),
           "physical"_a = 0, "family"_a = -1)
      .def_prop_ro("number", &device::number)
      .def_prop_ro("name", &device::name)
      .def_prop_ro("family", &device::family);
  nb::class_<queue>(m, "Queue")
      .def(nb::new_([](std::shared_ptr<device> on, int index) { return queue::make(on, index); }),
           "device"_a, "index"_a = 0)
      .def_prop_ro("device", [](queue& self) { return self.place(); })
      .def_prop_ro("handle", [](queue& self) { return number_of(&self); })
      .def_prop_ro("vk_queue", [](queue& self) { return number_of(self.shared().queue); })
      .def_prop_ro("held", &queue::is_held)
      .def("hold", &queue::hold, no_gil)
      .def("let_go", &queue::let_go, no_gil)
      .def(
          "idle", [](queue& self) { return self.end().reached(); }, no_gil)
      .def(
          "wait", [](queue& self) { self.end().wait(); }, no_gil)
      .def("_lock", lock_shared, no_gil)
      .def("_unlock", unlock_shared);
  nb::class_<buffer>(m, "Memory")
      .def(nb::new_(&from_bytes), "device"_a, "bytes"_a)
      .def_prop_ro("handle", [](buffer& self) { return number_of(&self); });
  m.def("peek", peek);
  m.def("add", add, no_gil);
  m.def("register_platform", register_platform);
  m.def("fail_next", fail_next);
}
