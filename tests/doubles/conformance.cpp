// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite of backends as a library, for a platform that another language registers:
// it is run on the table of the process, and the platform is a struct of callbacks.
#include <cstdio>

#include "backend_conformance.hpp"

extern "C" {

struct conformance_callbacks {
  const char* platform;  // as it was registered
  int device_type;
  int places;            // devices, numbered from 0
  int has_out_of_order;  // whether make_stream takes in_order 0
  // The handle of a new stream; it is kept until the suite is over.
  std::uintptr_t (*make_stream)(int in_order, int place);
  int (*make_slot)(int place);
  void (*write)(std::uintptr_t stream, int slot, int number);
  void (*copy)(std::uintptr_t stream, int to, int from);
  int (*peek)(int slot);
  std::uintptr_t (*data_of)(int slot);
  int (*place_of)(int slot);
  void (*hold)(std::uintptr_t stream);
  void (*let_go)(std::uintptr_t stream);
  void (*settle)();
  long (*alive)();
  void (*fail)(const char* callback);  // the next call of it; "": of none
};
}

namespace {

using conformance::slot;

class registered final : public conformance::under_test {
 public:
  registered(const anystream_api& table, const conformance_callbacks& calls)
      : table_(table), calls_(calls) {}

  const anystream_api& table() const override { return table_; }
  const char* name() const override { return calls_.platform; }
  const char* platform() const override { return calls_.platform; }
  int places() const override { return calls_.places; }
  bool has_out_of_order() const override { return calls_.has_out_of_order != 0; }

  anystream_stream* make_stream(bool in_order, int place) override {
    anystream_stream* made = nullptr;
    const DLDevice device = {static_cast<DLDeviceType>(calls_.device_type), place};
    const std::uintptr_t handle = calls_.make_stream(in_order ? 1 : 0, place);
    table_.stream_from_handle(device, calls_.platform, handle, {}, &made);
    return made;
  }
  slot make_slot(int place) override { return calls_.make_slot(place); }
  void write(anystream_stream* on, slot to, int number) override {
    calls_.write(raw(on), to, number);
  }
  void copy(anystream_stream* on, slot to, slot from) override { calls_.copy(raw(on), to, from); }
  int peek(slot of) override { return calls_.peek(of); }
  void* data_of(slot of) override { return reinterpret_cast<void*>(calls_.data_of(of)); }
  DLDevice device_of(slot of) override {
    return {static_cast<DLDeviceType>(calls_.device_type), calls_.place_of(of)};
  }
  void hold(anystream_stream* stream) override { calls_.hold(raw(stream)); }
  void let_go(anystream_stream* stream) override { calls_.let_go(raw(stream)); }
  void settle() override { calls_.settle(); }
  bool tells_idle() const override { return false; }
  long alive() override { return calls_.alive(); }
  std::vector<std::string> failing() const override {
    const std::string own = calls_.platform;
    return {own + ".record", own + ".wait"};
  }
  void fail(const std::string& call) override {
    calls_.fail(call.substr(call.rfind('.') + 1).c_str());
  }
  void fail_nothing() override { calls_.fail(""); }

 private:
  std::uintptr_t raw(anystream_stream* stream) const { return table_.stream_handle(stream); }

  const anystream_api& table_;
  const conformance_callbacks& calls_;
};

}  // namespace

// How many checks were made, or, if any failed, how many of them, negative.
extern "C" __attribute__((visibility("default"))) int conformance_run(
    const anystream_api* table, const conformance_callbacks* calls, int trials) {
  registered platform(*table, *calls);
  conformance::run(platform, trials);
  std::fflush(stdout);
  return check::failed != 0 ? -check::failed : check::made.load();
}
