// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA and HIP under the conformance suite, on the software drivers: written once for both.
//
// A Side says how its driver is called: names, and functions that throw nothing and return 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <anystream/anystream.hpp>

#include "../doubles/control.h"
#include "backend_conformance.hpp"

namespace conformance {

constexpr int driver_code = 719;  // launch failed, of both

inline void must(int code) { CHECK_EQUAL(code, 0); }

template <class Side>
class cuda_like final : public under_test {
 public:
  cuda_like() {
    for (int place = 0; place < 2; ++place) Side::open(place);
  }

  const anystream_api& table() const override { return anystream::api(); }
  const char* name() const override { return Side::name; }
  int places() const override { return 2; }

  anystream_stream* make_stream(bool, int place) override {
    Side::make_current(place);
    void* const raw = Side::make_stream();
    const anystream_owner owner = {raw, [](void* stream) { Side::destroy_stream(stream); }};
    anystream_stream* made = nullptr;
    anystream::check(table().stream_from_handle(
        {Side::type, place}, "", reinterpret_cast<std::uintptr_t>(raw), owner, &made));
    return made;
  }

  slot make_slot(int place) override {
    Side::make_current(place);
    slots_.push_back({Side::allocate(sizeof(int)), place});
    *static_cast<int*>(slots_.back().memory) = 0;  // the double's memory is the host's
    return static_cast<slot>(slots_.size()) - 1;
  }
  void write(anystream_stream* on, slot to, int number) override {
    Side::make_current(table().stream_device(on).device_id);
    must(Side::copy(at(to).memory, pinned(number), raw(on)));
  }
  void copy(anystream_stream* on, slot to, slot from) override {
    Side::make_current(table().stream_device(on).device_id);
    must(Side::copy(at(to).memory, at(from).memory, raw(on)));
  }
  int peek(slot of) override { return *static_cast<volatile int*>(at(of).memory); }
  void* data_of(slot of) override { return at(of).memory; }
  DLDevice device_of(slot of) override { return {Side::type, at(of).place}; }

  void hold(anystream_stream* stream) override { CHECK_EQUAL(double_hold(raw(stream)), 1); }
  void let_go(anystream_stream* stream) override { CHECK_EQUAL(double_release(raw(stream)), 1); }
  void settle() override { CHECK_EQUAL(double_settle(5000), 1); }

  long alive() override { return static_cast<long>(double_live("events")); }
  std::vector<std::string> failing() const override { return Side::calls(); }
  void fail(const std::string& call) override {
    CHECK_EQUAL(double_fail(call.c_str(), driver_code, 0, 1), 1);
  }
  void fail_nothing() override { double_fail_clear(); }

 private:
  struct piece {
    void* memory;
    int place;
  };

  const piece& at(slot of) const { return slots_[static_cast<std::size_t>(of)]; }
  void* raw(anystream_stream* stream) const {
    return reinterpret_cast<void*>(table().stream_handle(stream));
  }
  // Copies from pageable memory would wait.
  void* pinned(int number) {
    auto* const made = static_cast<int*>(Side::allocate_host(sizeof(int)));
    *made = number;
    return made;
  }

  std::vector<piece> slots_;
};

}  // namespace conformance
