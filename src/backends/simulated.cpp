// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated accelerator's own part of the C table, with exceptions in place of statuses.
#include "simulated.hpp"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <anystream/error.hpp>

#include "simulated_entries.hpp"
#include "simulated_faults.hpp"
#include "simulated_machine.hpp"
#include "simulated_memory.hpp"
#include "simulated_stream.hpp"

namespace anystream::core::simulated {
namespace {

std::shared_ptr<stream> at(stream_handle handle) { return machine::instance().at(handle); }

memory_map& memory() {
  machine::require_threads();  // its locks too may have been held by a thread that is not here
  return memory_map::instance();
}

// A host function and what it was promised: one call of `dropped`, whatever happens.
class host_call {
 public:
  host_call(void (*function)(void*), void* context, void (*dropped)(void*)) noexcept
      : function_{function}, context_{context}, dropped_{dropped} {}
  host_call(host_call&& other) noexcept
      : function_{other.function_},
        context_{other.context_},
        dropped_{std::exchange(other.dropped_, nullptr)} {}
  host_call& operator=(host_call&&) = delete;
  ~host_call() {
    if (dropped_ != nullptr) dropped_(context_);
  }

  // Taken first: if the function leaves by unwinding its thread, nothing more is called on it.
  void run() {
    auto* const dropped = std::exchange(dropped_, nullptr);
    function_(context_);
    if (dropped != nullptr) dropped(context_);
  }

 private:
  void (*function_)(void*);
  void* context_;
  void (*dropped_)(void*);
};

void check_fill(const void* memory, std::size_t pattern_bytes, std::size_t count) {
  if (pattern_bytes == 0 || count > std::numeric_limits<std::size_t>::max() / pattern_bytes) {
    throw value_error(
        "simulated fill: a pattern of at least one byte, and a size that a size_t "
        "holds; got " +
        std::to_string(pattern_bytes) + " bytes, " + std::to_string(count) + " times.");
  }
  if (count == 0 || memory_map::instance().owns(memory)) return;
  throw value_error(
      "simulated fill: the target is not memory of a simulated device.\n"
      "  Allocate it with SimulatedDevice.empty().");
}

bool is_checked(const region& part) noexcept { return part.owner && part.owner->checked; }

// What another thread does to the memory would be in no schedule.
void check_home(const stream& on, const region& part) {
  if (!is_checked(part)) return;
  const scheduler* const explorer = on.explorer();
  if (explorer != nullptr && explorer->told() == part.owner->checked->told()) return;
  throw value_error(
      "memory of an exploring device is used on streams of that device only; got stream \"" +
      on.traits().name + "\" of another.\n  Make both on one ExploringDevice.");
}

std::string place_of(const region& part) {
  if (!is_checked(part)) return name_of(part.owner);
  const auto offset = part.data - part.owner->begin.get();
  const std::string name = name_of(part.owner);
  return offset == 0 ? name : name + " from byte " + std::to_string(offset);
}

// Empty where no one reads it.
std::string name_fill(const region& target, std::size_t bytes) {
  if (!is_checked(target)) return {};
  return "fill " + std::to_string(bytes) + " bytes of " + place_of(target);
}

std::string name_copy(const region& target, const region& source, std::size_t bytes) {
  if (!is_checked(target) && !is_checked(source)) return {};
  return "copy " + std::to_string(bytes) + " bytes of " + place_of(source) + " to " +
         place_of(target);
}

// Without a stream there is nothing to be in order with: then at once.
void copy_now(void* target, const void* source, std::size_t bytes) {
  memory_map& map = memory();
  map.copy(map.writable(target, bytes), map.readable(source, bytes), bytes);
}

}  // namespace

std::int32_t create_device(std::uint64_t seed, std::uint32_t max_delay_us) {
  return machine::instance().create_device(seed, max_delay_us);
}

std::int32_t create_explorer(std::uint64_t seed, const char* fault) {
  return machine::instance().create_exploring_device(seed,
                                                     find_fault(fault == nullptr ? "" : fault));
}

void finish_explorer(std::int32_t device) { machine::instance().explorer_at(device)->finish(); }

void close_explorer(std::int32_t device) {
  machine::instance().close(device);
  memory_map::instance().forget_freed(device);
}

const journal& journal_of(std::int32_t device) {
  return *machine::instance().explorer_at(device)->told();
}

stream_handle create_stream(std::int32_t device, const char* name, bool in_order) {
  return machine::instance().create_stream(device, name == nullptr ? "" : name, in_order);
}

stream_handle find_stream(std::int32_t device, const char* name) {
  return machine::instance().find_stream(device, name == nullptr ? "" : name);
}

void retain_stream(stream_handle stream) noexcept { machine::instance().retain(stream); }

void release_stream(stream_handle stream) noexcept { machine::instance().release(stream); }

const char* stream_name(stream_handle stream) noexcept {
  const auto found = machine::instance().look_up(stream);
  return found ? found->traits().name.c_str() : "";
}

void hold_stream(stream_handle stream) { at(stream)->hold(); }

void resume_stream(stream_handle stream) { at(stream)->resume(); }

std::uint64_t pending_operations(stream_handle stream) { return at(stream)->pending(); }

void* allocate_memory(std::int32_t device, std::size_t bytes) { return allocate(device, bytes); }

void deallocate_memory(void* memory) {
  if (!machine::forked()) deallocate_at_once(memory);
}

void fill(stream_handle stream, void* memory, const void* pattern, std::size_t pattern_bytes,
          std::size_t count) {
  const auto queue = at(stream);
  check_fill(memory, pattern_bytes, count);
  memory_map& map = memory_map::instance();
  auto target = map.writable(memory, pattern_bytes * count);
  check_home(*queue, target);
  const auto* const first = static_cast<const std::byte*>(pattern);
  std::vector<std::byte> value(first, first + pattern_bytes);
  std::string label = name_fill(target, pattern_bytes * count);
  queue->submit({.run = [&map, target = std::move(target), value = std::move(value),
                         count] { map.fill(target, value.data(), value.size(), count); },
                 .label = std::move(label)});
  queue->point();
}

void copy(stream_handle stream, void* target, const void* source, std::size_t bytes, owner keep) {
  if (stream == nullptr) return copy_now(target, source, bytes);
  const auto queue = at(stream);
  memory_map& map = memory_map::instance();
  auto to = map.writable(target, bytes);
  auto from = map.readable(source, bytes);
  check_home(*queue, to);
  check_home(*queue, from);
  auto kept = std::make_shared<owner>(std::move(keep));  // let go of with the operation
  std::string label = name_copy(to, from, bytes);
  submit_copy(*queue, {.run = [&map, to = std::move(to), from = std::move(from),
                               kept = std::move(kept), bytes] { map.copy(to, from, bytes); },
                       .label = std::move(label)});
}

void call(stream_handle stream, void (*function)(void*), void* context, void (*dropped)(void*)) {
  host_call owned{function, context, dropped};
  const auto queue = at(stream);
  auto shared = std::make_shared<host_call>(std::move(owned));
  queue->submit({.run = [shared = std::move(shared)] { shared->run(); }, .label = "call"});
  queue->point();
}

void peek(const void* memory_at, void* target, std::size_t bytes) {
  memory_map& map = memory();
  const region source = map.readable(memory_at, bytes);
  if (bytes > 0 && !source.owner) {
    throw value_error(
        "simulated peek: not memory of a simulated device, or freed so long ago that "
        "it has left the quarantine.");
  }
  map.peek(static_cast<std::byte*>(target), source, bytes);
}

}  // namespace anystream::core::simulated
