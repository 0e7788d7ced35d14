// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Metal backend under the conformance suite, on the software Metal.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <anystream/anystream.hpp>

#include "backend_conformance.hpp"
#include "no_python.hpp"

// The software Metal's functions for tests.
extern "C" {
void* metal_double_queue(int device);
void* metal_double_buffer(int device, std::size_t length, unsigned long storage);
void* metal_double_contents(void* buffer);
void* metal_double_encode_fill(void* queue, void* buffer, int value);
void* metal_double_encode_copy(void* queue, void* to, void* from);
void metal_double_commit(void* commands);
void metal_double_hold(void* queue, int held);
void metal_double_settle(void* queue);
long metal_double_alive();
void metal_double_fail(const char* name);
void metal_double_take(const char* which, char* text, std::size_t room);
}

namespace {

using conformance::slot;

class metal final : public conformance::under_test {
 public:
  const anystream_api& table() const override { return anystream::api(); }
  const char* name() const override { return "metal on the software Metal"; }
  int places() const override { return 2; }
  bool tells_idle() const override { return false; }

  anystream_stream* make_stream(bool, int place) override {
    void* const raw = metal_double_queue(place);
    anystream_stream* made = nullptr;
    anystream::check(table().stream_from_handle({kDLMetal, place}, "",
                                                reinterpret_cast<std::uintptr_t>(raw), {}, &made));
    queues_.push_back(raw);
    return made;
  }

  // All bytes of a buffer are one number, and the first of them is looked at.
  slot make_slot(int place) override {
    void* const made = metal_double_buffer(place, sizeof(int), 0);
    std::memset(metal_double_contents(made), 0, sizeof(int));
    slots_.push_back({made, place});
    return static_cast<slot>(slots_.size()) - 1;
  }
  void write(anystream_stream* on, slot to, int number) override {
    metal_double_commit(metal_double_encode_fill(raw(on), at(to).buffer, number));
  }
  void copy(anystream_stream* on, slot to, slot from) override {
    metal_double_commit(metal_double_encode_copy(raw(on), at(to).buffer, at(from).buffer));
  }
  int peek(slot of) override {
    return *static_cast<volatile signed char*>(metal_double_contents(at(of).buffer));
  }
  void* data_of(slot of) override { return at(of).buffer; }
  DLDevice device_of(slot of) override { return {kDLMetal, at(of).place}; }

  void hold(anystream_stream* stream) override { metal_double_hold(raw(stream), 1); }
  void let_go(anystream_stream* stream) override { metal_double_hold(raw(stream), 0); }
  // One that has run on may have set what another waits for: it had its turn by the second round.
  void settle() override {
    for (int round = 0; round < 2; ++round) {
      for (void* queue : queues_) metal_double_settle(queue);
    }
  }
  // A command buffer goes with the queue's run of it.
  long alive() override {
    settle();
    return metal_double_alive();
  }
  std::vector<std::string> failing() const override { return {"newSharedEvent", "commandBuffer"}; }
  void fail(const std::string& call) override { metal_double_fail(call.c_str()); }
  void fail_nothing() override { metal_double_fail(""); }

 private:
  struct piece {
    void* buffer;
    int place;
  };

  const piece& at(slot of) const { return slots_[static_cast<std::size_t>(of)]; }
  void* raw(anystream_stream* stream) const {
    return reinterpret_cast<void*>(table().stream_handle(stream));
  }

  std::vector<piece> slots_;
  std::vector<void*> queues_;
};

}  // namespace

int main() {
  setenv("ANYSTREAM_METAL_LIBRARY", ANYSTREAM_SOFTWARE_METAL, 1);
  metal platform;
  conformance::run(platform, 100);
  char misuses[4096] = "";
  metal_double_take("misuses", misuses, sizeof misuses);
  CHECK_EQUAL(std::string(misuses), std::string());
  return check::result();
}
