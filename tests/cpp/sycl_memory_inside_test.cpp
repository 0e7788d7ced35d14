// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices and memory of the real SYCL runtime: numbers and kinds, who may read what, what may be
// exported, copies; and that a second libsycl in the process is refused.
#include <anystream/error.hpp>

#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "backends/backends.hpp"
#include "check.hpp"
#include "driver/driver.hpp"
#include "driver/library.hpp"
#include "sycl_lab.hpp"

namespace {

using namespace anystream;
using namespace anystream::core;
using sycl_lab::context;
using sycl_lab::memory;
using sycl_lab::order;
using sycl_lab::queue;

constexpr DLDevice first_device{kDLOneAPI, 0};

const backend& sycl() { return sycl_backend(); }

DLTensor tensor_of(void* data, std::uint64_t offset = 0) {
  return {data, first_device, 0, {}, nullptr, nullptr, offset};
}

// Whoever comes first makes the device list and the default queue; the others find them.
void threads_may_come_first_at_once() {
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      void* memory = sycl().allocate(first_device, 64, nullptr);
      sycl().deallocate(first_device, memory, nullptr);
    });
  }
  for (auto& thread : threads) thread.join();
}

void devices_have_numbers_kinds_and_names() {
  const auto devices = sycl().devices();
  CHECK(!devices.empty());
  int number = 0;
  for (const auto& device : devices) {
    CHECK(device.device.device_type == kDLOneAPI && device.device.device_id == number++);
    CHECK(std::string(device.platform) == "sycl");
    CHECK(std::strlen(device.name) > 0);
    const std::string kind = device.kind;
    CHECK(kind == "cpu" || kind == "gpu" || kind == "accelerator" || kind == "other");
  }
  const queue any(order::in);
  CHECK(sycl().device_of(any.get()).device_id == 0);
}

void queues_tell_their_order() {
  const queue in(order::in), out_of(order::out_of);
  CHECK(sycl().in_order(in.get()) && !sycl().in_order(out_of.get()));
}

void memory_kinds_are_the_runtimes() {
  const queue here(order::in), elsewhere(order::in, context::of_its_own);
  const auto& lab = sycl_lab::sycl();
  const memory device(here, 1024, lab.DPCTLmalloc_device);
  const memory shared(here, 1024, lab.DPCTLmalloc_shared);
  const memory host(here, 1024, lab.DPCTLmalloc_host);
  const memory foreign(elsewhere, 1024, lab.DPCTLmalloc_shared);
  const auto kind = [](const void* data, const queue* on = nullptr) {
    return sycl().memory_kind(first_device, data, on ? on->get() : nullptr);
  };
  CHECK_EQUAL(kind(device.get()), ANYSTREAM_MEMORY_DEVICE);
  CHECK_EQUAL(kind(shared.get()), ANYSTREAM_MEMORY_SHARED);
  CHECK_EQUAL(kind(host.get()), ANYSTREAM_MEMORY_HOST);
  CHECK_EQUAL(kind(host.get() + 100), ANYSTREAM_MEMORY_HOST);
  CHECK_EQUAL(kind(device.get(), &elsewhere), ANYSTREAM_MEMORY_DEVICE);
  CHECK_EQUAL(kind(foreign.get()), ANYSTREAM_MEMORY_UNKNOWN);
  CHECK_EQUAL(kind(foreign.get(), &elsewhere), ANYSTREAM_MEMORY_SHARED);
  const int local = 0;
  CHECK_EQUAL(kind(&local), ANYSTREAM_MEMORY_UNKNOWN);
  CHECK_EQUAL(kind(nullptr), ANYSTREAM_MEMORY_UNKNOWN);
}

void only_memory_of_the_default_context_is_exported() {
  const queue here(order::in), elsewhere(order::in, context::of_its_own);
  const memory inside(here, 1024), outside(elsewhere, 1024);
  sycl().check_export(tensor_of(inside.get()), elsewhere.get());
  sycl().check_export(tensor_of(inside.get() + 8, 16), here.get());
  sycl().check_export(tensor_of(nullptr), nullptr);
  CHECK_MESSAGE(exchange_error,
                "a kDLOneAPI array must lie in the default context of its platform, since DLPack "
                "names no context; this one, on oneapi:0, does not.\n  Make it on a queue of the "
                "default context, as dpctl.SyclQueue(device) is, or copy it to one first. dpctl's "
                "own interface, __sycl_usm_array_interface__, carries any context.",
                sycl().check_export(tensor_of(outside.get()), elsewhere.get()));
}

// Without a stream it is the device's default queue; with one, the stream's context.
void allocated_memory_is_of_the_right_context() {
  const queue elsewhere(order::in, context::of_its_own);
  void* ours = sycl().allocate(first_device, 64, nullptr);
  void* theirs = sycl().allocate(first_device, 64, elsewhere.get());
  void* empty = sycl().allocate(first_device, 0, nullptr);
  CHECK(ours && theirs && empty);
  CHECK(sycl().owns(ours) && !sycl().owns(theirs));
  sycl().check_export(tensor_of(ours), nullptr);
  CHECK_EQUAL(sycl().memory_kind(first_device, theirs, elsewhere.get()), ANYSTREAM_MEMORY_DEVICE);
  sycl().deallocate(first_device, ours, nullptr);
  sycl().deallocate(first_device, theirs, elsewhere.get());
  sycl().deallocate(first_device, empty, nullptr);
}

void copies_go_to_the_device_and_back() {
  const queue on(order::in);
  std::vector<int> numbers(1000), back(1000);
  for (int i = 0; i < 1000; ++i) numbers[static_cast<std::size_t>(i)] = i;
  void* device = sycl().allocate(first_device, 4000, on.get());
  sycl().copy(on.get(), {device}, {numbers.data()}, 4000);
  sycl().copy(on.get(), {back.data()}, {device}, 4000);
  sycl().copy(on.get(), {back.data()}, {}, 0);
  sycl().synchronize(on.get());
  CHECK(back == numbers);
  sycl().deallocate(first_device, device, on.get());
}

void more_memory_than_there_is_is_an_error() {
  const std::string message =
      CHECK_THROWS(driver_error, sycl().allocate(first_device, std::size_t{1} << 60, nullptr));
  CHECK(message.starts_with("DPCTLmalloc_device failed: 1152921504606846976 bytes of device"));
}

// Any library that has the name will do: who it is told by is the loader. Last, as it stays.
void a_second_libsycl_in_the_process_is_refused() {
  const queue theirs(order::in);
  const auto ours = sycl().retain(first_device, theirs.get(), true);
  const auto folder = std::filesystem::temp_directory_path() / "anystream_second_libsycl";
  std::filesystem::create_directories(folder);
  const auto second = (folder / "libsycl.so.99").string();
  const auto any = library_file(find_loaded_library("libm.so.6"), "");
  std::filesystem::copy_file(any, second, std::filesystem::copy_options::overwrite_existing);
  std::string why;
  CHECK(load_library(second, why) != nullptr);
  const std::string message =
      CHECK_THROWS(driver_unavailable, sycl().retain(first_device, theirs.get(), true));
  CHECK(message.find(second) != std::string::npos);
  CHECK(message.find(std::filesystem::canonical(loaded_files("libsycl.so")[0]).string()) !=
        std::string::npos);
  sycl().drop(ours);
  std::filesystem::remove_all(folder);
}

}  // namespace

int main() {
  sycl_lab::device();  // skips where there is none
  threads_may_come_first_at_once();
  devices_have_numbers_kinds_and_names();
  queues_tell_their_order();
  memory_kinds_are_the_runtimes();
  only_memory_of_the_default_context_is_exported();
  allocated_memory_is_of_the_right_context();
  copies_go_to_the_device_and_back();
  more_memory_than_there_is_is_an_error();
  a_second_libsycl_in_the_process_is_refused();
  return check::result();
}
