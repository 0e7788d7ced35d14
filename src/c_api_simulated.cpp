// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated accelerator's part of the C table: its functions behind the guard.
#include "c_api_simulated.hpp"

#include <utility>

#include "backends/simulated.hpp"
#include "error.hpp"
#include "owner.hpp"

namespace anystream::core {
namespace {

using status = anystream_status;

status device_create(std::uint64_t seed, std::uint32_t max_delay_us, std::int32_t* device_id) {
  return guard([&] { *device_id = simulated::create_device(seed, max_delay_us); });
}

status stream_create(std::int32_t device, const char* name, std::int32_t in_order, void** stream) {
  return guard([&] { *stream = simulated::create_stream(device, name, in_order != 0); });
}

status stream_hold(void* stream) {
  return guard([&] { simulated::hold_stream(stream); });
}

status stream_resume(void* stream) {
  return guard([&] { simulated::resume_stream(stream); });
}

status stream_pending(void* stream, std::uint64_t* operations) {
  return guard([&] { *operations = simulated::pending_operations(stream); });
}

status find_stream(std::int32_t device, const char* name, void** stream) {
  return guard([&] { *stream = simulated::find_stream(device, name); });
}

status allocate(std::int32_t device, std::size_t bytes, void** memory) {
  return guard([&] { *memory = simulated::allocate_memory(device, bytes); });
}

status deallocate(void* memory) {
  return guard([&] { simulated::deallocate_memory(memory); });
}

status fill(void* stream, void* memory, const void* pattern, std::size_t pattern_bytes,
            std::size_t count) {
  return guard([&] { simulated::fill(stream, memory, pattern, pattern_bytes, count); });
}

status copy(void* stream, void* target, const void* source, std::size_t bytes) {
  return guard([&] { simulated::copy(stream, target, source, bytes); });
}

status call(void* stream, void (*function)(void*), void* context, void (*dropped)(void*)) {
  return guard([&] { simulated::call(stream, function, context, dropped); });
}

status peek(const void* memory, void* target, std::size_t bytes) {
  return guard([&] { simulated::peek(memory, target, bytes); });
}

status copy_keeping(void* stream, void* target, const void* source, std::size_t bytes,
                    anystream_owner keep) {
  owner kept(keep);
  return guard([&] { simulated::copy(stream, target, source, bytes, std::move(kept)); });
}

}  // namespace

const anystream_simulated_api simulated_table = {
    .device_create = device_create,
    .stream_create = stream_create,
    .stream_retain = simulated::retain_stream,
    .stream_release = simulated::release_stream,
    .stream_name = simulated::stream_name,
    .stream_hold = stream_hold,
    .stream_resume = stream_resume,
    .stream_pending = stream_pending,
    .find_stream = find_stream,
    .allocate = allocate,
    .deallocate = deallocate,
    .fill = fill,
    .copy = copy,
    .call = call,
    .peek = peek,
    .copy_keeping = copy_keeping,
};

}  // namespace anystream::core
