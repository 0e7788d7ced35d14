// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated accelerator's part of the C table: its functions behind the guard.
#include "c_api_simulated.hpp"

#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "backends/simulated.hpp"
#include "backends/simulated_faults.hpp"
#include "backends/simulated_journal.hpp"
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

status explorer_create(std::uint64_t seed, const char* fault, std::int32_t* device) {
  return guard([&] { *device = simulated::create_explorer(seed, fault); });
}

status explorer_finish(std::int32_t device) {
  return guard([&] { simulated::finish_explorer(device); });
}

status explorer_close(std::int32_t device) {
  return guard([&] { simulated::close_explorer(device); });
}

status explorer_count(std::int32_t device, std::uint64_t* steps, std::uint64_t* findings) {
  return guard([&] {
    const simulated::journal& told = simulated::journal_of(device);
    *findings = told.findings();
    *steps = told.steps();
  });
}

template <class Entry>
const Entry& entry_of(const Entry* found, std::uint64_t index) {
  if (found != nullptr) return *found;
  throw value_error("an exploring device: there is no entry " + std::to_string(index) +
                    "; explorer_count tells how many there are.");
}

anystream_simulated_step step_of(const simulated::step& ran) {
  return {ran.stream.c_str(), ran.operation.c_str()};
}

status explorer_step(std::int32_t device, std::uint64_t index, anystream_simulated_step* out) {
  return guard(
      [&] { *out = step_of(entry_of(simulated::journal_of(device).step_at(index), index)); });
}

status explorer_finding(std::int32_t device, std::uint64_t index,
                        anystream_simulated_finding* out) {
  return guard([&] {
    const auto& found = entry_of(simulated::journal_of(device).finding_at(index), index);
    *out = {found.what.c_str(), step_of(found.at), found.memory.c_str(), found.number};
  });
}

const char* fault_name(std::int32_t index) {
  const auto* const row = simulated::fault_at(index);
  return row != nullptr ? row->name : nullptr;
}

const char* fault_effect(std::int32_t index) {
  const auto* const row = simulated::fault_at(index);
  return row != nullptr ? row->effect : nullptr;
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
    .explorer_create = explorer_create,
    .explorer_finish = explorer_finish,
    .explorer_close = explorer_close,
    .explorer_count = explorer_count,
    .explorer_step = explorer_step,
    .explorer_finding = explorer_finding,
    .fault_name = fault_name,
    .fault_effect = fault_effect,
};

}  // namespace anystream::core
