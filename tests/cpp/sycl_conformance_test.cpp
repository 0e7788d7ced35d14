// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The SYCL backend under the conformance suite, on the real runtime: two contexts of a device. Its
// queues cannot be held, since who waits for one then holds up the runtime; so they have long work.
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <anystream/anystream.hpp>

#include "backend_conformance.hpp"
#include "no_python.hpp"
#include "sycl_lab.hpp"

namespace {

using conformance::slot;
using sycl_lab::sycl;

// A context with what lives in it.
struct place {
  sycl_lab::queue queue;
  sycl_lab::slow_writer writer{queue};
  sycl_lab::memory scratch{queue, sycl_lab::slow_writer::width};
  std::uint64_t turns = writer.turns_of(queue, scratch.get(), std::chrono::milliseconds(100));
  std::deque<sycl_lab::memory> memory;

  explicit place(sycl_lab::context which) : queue(sycl_lab::order::in, which) {}
};

class sycl_platform final : public conformance::under_test {
 public:
  const anystream_api& table() const override { return anystream::api(); }
  const char* name() const override { return "sycl on the real runtime"; }
  int places() const override { return 2; }
  bool has_out_of_order() const override { return true; }

  anystream_stream* make_stream(bool in_order, int where) override {
    const auto how = in_order ? sycl_lab::order::in : sycl_lab::order::out_of;
    queues_.emplace_back(how, places_[where]->queue);
    anystream_stream* made = nullptr;
    anystream::check(table().stream_of_platform(
        "sycl", reinterpret_cast<std::uintptr_t>(queues_.back().get()), {}, &made));
    homes_[made] = {where, &queues_.back()};
    return made;
  }

  slot make_slot(int where) override {
    auto& memory = places_[where]->memory;
    memory.emplace_back(places_[where]->queue, 1);
    memory.back().set(0);
    slots_.push_back(&memory.back());
    return static_cast<slot>(slots_.size()) - 1;
  }
  void write(anystream_stream* on, slot to, int number) override {
    numbers_.push_back(number);  // read when the copy runs
    copy_bytes(on, slots_[at(to)]->get(), &numbers_.back());
  }
  void copy(anystream_stream* on, slot to, slot from) override {
    copy_bytes(on, slots_[at(to)]->get(), slots_[at(from)]->get());
  }
  int peek(slot of) override { return *static_cast<volatile int*>(slots_[at(of)]->get()); }
  void* data_of(slot of) override { return slots_[at(of)]->get(); }
  DLDevice device_of(slot) override { return {kDLOneAPI, 0}; }

  // It has begun when this returns: a thread that waits for anything may run it otherwise.
  bool holds() const override { return false; }
  void hold(anystream_stream* stream) override {
    constexpr int running = 2;
    const home& of = homes_.at(stream);
    const place& where = *places_[of.place];
    const sycl_lab::command begun =
        where.writer.start(*of.queue, where.scratch.get(), 1, where.turns);
    while (sycl().DPCTLEvent_GetCommandExecutionStatus(begun.get()) < running) {
      std::this_thread::yield();
    }
  }
  void let_go(anystream_stream*) override {}
  void settle() override {}

 private:
  static std::size_t at(slot of) { return static_cast<std::size_t>(of); }
  sycl_lab::handle raw(anystream_stream* stream) const {
    return reinterpret_cast<sycl_lab::handle>(table().stream_handle(stream));
  }
  void copy_bytes(anystream_stream* on, void* to, const void* from) const {
    sycl().DPCTLEvent_Delete(sycl().DPCTLQueue_Memcpy(raw(on), to, from, sizeof(int)));
  }

  std::unique_ptr<place> places_[2] = {std::make_unique<place>(sycl_lab::context::of_platform),
                                       std::make_unique<place>(sycl_lab::context::of_its_own)};
  std::deque<sycl_lab::queue> queues_;
  struct home {
    int place;
    const sycl_lab::queue* queue;
  };
  std::map<const anystream_stream*, home> homes_;
  std::vector<sycl_lab::memory*> slots_;
  std::deque<int> numbers_;
};

}  // namespace

int main() {
  sycl_platform platform;
  conformance::run(platform, 5);
  return check::result();
}
