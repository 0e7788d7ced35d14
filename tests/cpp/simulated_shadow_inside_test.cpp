// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What an exploring device knows of its memory: to the byte, and by what was done, not by value.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <anystream/error.hpp>

#include "backends/simulated_faults.hpp"
#include "backends/simulated_journal.hpp"
#include "check.hpp"
#include "simulated_rig.hpp"

namespace {

using namespace anystream::core;
using simulated_rig::stream;

// An exploring device with one stream and a source and a target of 16 bytes.
struct bench {
  bench()
      : where{simulated::create_explorer(0, nullptr), simulated_rig::device::existing{}},
        queue{where, true, "queue"} {}
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;
  ~bench() { simulated::close_explorer(where.id); }

  void fill(void* memory, std::size_t offset, std::size_t bytes, std::byte value) const {
    simulated::fill(queue.handle(), static_cast<std::byte*>(memory) + offset, &value, 1, bytes);
  }
  void copy(std::size_t offset, std::size_t bytes) const {
    simulated::copy(queue.handle(), target, static_cast<std::byte*>(source) + offset, bytes);
  }
  void free(void* memory) const { simulated::deallocate_memory(memory); }
  void run() const { simulated::finish_explorer(where.id); }

  // Each finding in a line.
  std::vector<std::string> found() const {
    const simulated::journal& told = simulated::journal_of(where.id);
    std::vector<std::string> all;
    for (std::uint64_t index = 0; index < told.findings(); ++index) {
      const simulated::finding& one = *told.finding_at(index);
      all.push_back(one.at.stream + ": " + one.at.operation + ": " + one.what + ": " + one.memory);
    }
    return all;
  }

  const simulated_rig::device where;
  void* const source = simulated::allocate_memory(where.id, 16);
  void* const target = simulated::allocate_memory(where.id, 16);
  const stream queue;
};

void what_was_written_may_be_read() {
  const bench at;
  at.fill(at.source, 4, 8, std::byte{0xA5});  // what new memory reads
  at.copy(4, 8);
  at.run();
  CHECK(at.found().empty());
}

void the_bytes_that_nobody_wrote_are_told() {
  const bench at;
  at.fill(at.source, 0, 5, std::byte{1});
  at.fill(at.source, 9, 7, std::byte{1});
  at.copy(0, 16);
  at.run();
  CHECK((at.found() == std::vector<std::string>{
                           "queue: copy 16 bytes of memory 1 to memory 2: read bytes that no "
                           "operation has written: bytes 5 to 8 of memory 1 (16 bytes)"}));
}

// A read that is wrong is one finding, not one for each copy of the copy.
void what_a_wrong_read_brought_is_written() {
  const bench at;
  at.copy(0, 16);
  std::array<std::byte, 16> host{};
  simulated::copy(at.queue.handle(), host.data(), at.target, 16);
  at.run();
  CHECK_EQUAL(at.found().size(), 1U);
}

void freed_memory_is_neither_read_nor_written() {
  const bench at;
  at.fill(at.source, 0, 16, std::byte{1});
  at.run();
  at.queue.hold();
  at.copy(8, 4);
  at.fill(at.target, 0, 2, std::byte{1});
  at.free(at.source);
  at.free(at.target);
  at.run();
  const std::string copy = "queue: copy 4 bytes of memory 1 from byte 8 to memory 2: ";
  CHECK((at.found() ==
         std::vector<std::string>{
             copy + "read memory that was freed: bytes 8 to 11 of memory 1 (16 bytes)",
             copy + "wrote memory that was freed: bytes 0 to 3 of memory 2 (16 bytes)",
             "queue: fill 2 bytes of memory 2: wrote memory that was freed: bytes 0 to 1 of memory "
             "2 (16 bytes)"}));
}

void queueing_a_write_into_freed_memory_is_a_finding_too() {
  const bench at;
  at.free(at.source);
  CHECK_THROWS(anystream::value_error, at.fill(at.source, 0, 1, std::byte{1}));
  CHECK((at.found() == std::vector<std::string>{
                           "the host: : queued a write into memory that was freed: memory 1"}));
}

void looking_at_memory_is_no_access() {
  const bench at;
  std::byte now{};
  simulated::peek(at.source, &now, 1);
  CHECK(now == std::byte{0xA5});
  CHECK(at.found().empty());
}

void a_copy_of_the_host_is_one() {
  const bench at;
  std::byte now{};
  simulated::copy(nullptr, &now, at.source, 1);
  CHECK_EQUAL(at.found().size(), 1U);
}

void the_usual_device_looks_at_nothing() {
  const simulated_rig::device usual;
  const stream queue{usual};
  const simulated_rig::numbers source{usual};
  const simulated_rig::numbers target{usual};
  target.copy_from(queue, source);
  simulated_rig::platform().synchronize(queue.handle());
  CHECK_THROWS(anystream::value_error, simulated::journal_of(usual.id));
}

void faults_have_names_and_effects() {
  std::int32_t count = 0;
  for (; simulated::fault_at(count) != nullptr; ++count) {
    const auto found = simulated::find_fault(simulated::fault_at(count)->name);
    CHECK_EQUAL(static_cast<int>(found), count + 1);
    CHECK(*simulated::fault_at(count)->effect != '\0');
  }
  CHECK(count >= 14);
  CHECK(simulated::fault_at(-1) == nullptr);
  CHECK(simulated::find_fault("") == simulated::fault::none);
  const auto told = CHECK_THROWS(anystream::value_error, simulated::find_fault("no such"));
  CHECK(told.find("\"record left out\"") != std::string::npos);
  CHECK(told.find("got \"no such\"") != std::string::npos);
}

}  // namespace

int main() {
  what_was_written_may_be_read();
  the_bytes_that_nobody_wrote_are_told();
  what_a_wrong_read_brought_is_written();
  freed_memory_is_neither_read_nor_written();
  queueing_a_write_into_freed_memory_is_a_finding_too();
  looking_at_memory_is_no_access();
  a_copy_of_the_host_is_one();
  the_usual_device_looks_at_nothing();
  faults_have_names_and_effects();
  return check::result();
}
