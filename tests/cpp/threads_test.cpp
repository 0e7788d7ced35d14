// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays, streams and errors on several threads at once; run under ThreadSanitizer as well.
#include <array>
#include <atomic>
#include <cstdint>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <anystream/anystream.hpp>

#include "check.hpp"
#include "producer.hpp"

namespace {

using anystream::array;

constexpr int rounds = 2000;
std::array<float, 12> memory{};

template <class Body>
void on_threads(int number, Body body) {
  std::latch start(number);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(number));
  for (int i = 0; i < number; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// First, before anything of the library has been used: what is made on first use is made here.
void the_first_use_may_be_by_all_at_once() {
  on_threads(8, [](int) {
    CHECK(array::empty({}, {}, {}).size() == 1);
    CHECK_THROWS(anystream::value_error, anystream::device::parse("nowhere"));
  });
}

void each_imports_and_releases() {
  std::atomic<int> deleted = 0;
  on_threads(2, [&](int) {
    for (int i = 0; i < rounds; ++i) {
      const producer::description what = {
          .shape = {3, 4}, .strides = {4, 1}, .data = memory.data()};
      const array a =
          anystream::import_dlpack(producer::make<DLManagedTensorVersioned>(what, deleted)->get());
      anystream::export_dlpack(a);
    }
  });
  CHECK_EQUAL(deleted.load(), 2 * rounds);
}

void one_array_is_shared_by_all() {
  std::atomic<int> deleted = 0;
  {
    const producer::description what = {.shape = {3, 4}, .strides = {4, 1}, .data = memory.data()};
    const array a = anystream::import_dlpack(producer::make<DLManagedTensor>(what, deleted)->get());
    on_threads(4, [&](int) {
      for (int i = 0; i < rounds; ++i) {
        const array b = a;
        const auto out = anystream::export_dlpack_versioned(b);
        if (out->dl_tensor.shape[1] != 4) CHECK(!"the shape");
      }
    });
    CHECK_EQUAL(deleted.load(), 0);
  }
  CHECK_EQUAL(deleted.load(), 1);
}

// One thread holds the last reference, another drops it: what the first wrote is seen.
void the_last_release_may_be_anywhere() {
  for (int i = 0; i < 200; ++i) {
    std::atomic<int> deleted = 0;
    const producer::description what = {.shape = {12}, .strides = {1}, .data = memory.data()};
    array a = anystream::import_dlpack(producer::make<DLManagedTensor>(what, deleted)->get());
    array b = a;
    std::thread first([a = std::move(a)] { memory[0] = 1.0F; });
    std::thread second([b = std::move(b)] {});
    first.join();
    second.join();
    CHECK_EQUAL(deleted.load(), 1);
  }
}

void streams_are_resolved_and_compared_at_once() {
  const auto cuda = anystream::stream::from_handle({anystream::device_type::cuda, 0}, 0x1000);
  on_threads(4, [&](int) {
    for (int i = 0; i < rounds; ++i) {
      const auto other = anystream::stream::from_handle({anystream::device_type::cuda, 0}, 0x1000);
      if (other.wait(cuda) != anystream::ordered::nothing) CHECK(!"the same stream");
    }
  });
}

void each_thread_has_its_own_last_error() {
  const anystream_api& core = anystream::api();
  on_threads(4, [&](int thread) {
    anystream_error none;
    core.last_error(&none);
    CHECK(none.status == ANYSTREAM_OK && std::string(none.message).empty());
    const std::string name = "platform" + std::to_string(thread);
    anystream_device_info info;
    for (int i = 0; i < 100; ++i) {
      CHECK(core.device_info({kDLCPU, 0}, name.c_str(), &info) == ANYSTREAM_VALUE_ERROR);
      anystream_error error;
      core.last_error(&error);
      CHECK(std::string(error.message).find('"' + name + '"') != std::string::npos);
    }
  });
}

}  // namespace

int main() {
  the_first_use_may_be_by_all_at_once();
  each_imports_and_releases();
  one_array_is_shared_by_all();
  the_last_release_may_be_anywhere();
  streams_are_resolved_and_compared_at_once();
  each_thread_has_its_own_last_error();
  return check::result();
}
