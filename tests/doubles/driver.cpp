// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The one driver of a process, its devices, and what each thread is to it.
#include "driver.hpp"

#include <pthread.h>

#include <cstdlib>

#include "capture.hpp"
#include "context.hpp"
#include "pool.hpp"
#include "stream.hpp"

namespace doubles {

namespace {

std::atomic<bool> forked{false};

int devices_asked_for() {
  const char* text = std::getenv("ANYSTREAM_DOUBLE_DEVICES");
  return text == nullptr ? 2 : std::atoi(text);
}

driver* make_driver() {
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
  auto* made = new driver;
  made->wanted_devices = devices_asked_for();
  return made;
}

device make_device(int ordinal) {
  auto primary = std::make_shared<context>();
  primary->device = ordinal;
  primary->primary = true;
  primary->handle = the_driver().contexts.add(primary);
  device made;
  made.primary = primary->handle;
  return made;
}

std::uint64_t next_thread() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

driver& the_driver() {
  static driver* const made = make_driver();
  return *made;
}

bool is_forked() { return forked; }

thread_state& this_thread() {
  thread_local thread_state state;
  if (state.id == 0) state.id = next_thread();
  return state;
}

void initialise() {
  driver& all = the_driver();
  if (all.initialised) return;
  require(all.wanted_devices > 0, no_device);
  for (int i = 0; i < all.wanted_devices; ++i) all.devices.push_back(make_device(i));
  all.background = make_stream(nullptr, stream_kind::background, 0, 0);
  all.initialised = true;
}

}  // namespace doubles
