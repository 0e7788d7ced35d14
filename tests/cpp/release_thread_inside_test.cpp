// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The thread of the releases starts whenever there is something for it to do, and whoever ends it
// does not wait for one that goes on.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "release_error.hpp"
#include "way_back_bench.hpp"

namespace {

using namespace std::chrono_literals;
using namespace way_back_bench;

bool soon(const std::function<bool()>& so) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!so() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  return so();
}

// A call has the list in hand when the thread is asked for, so there seems to be nothing to do.
void it_starts_for_what_a_call_has_put_back() {
  bench with;
  auto a = with.make(ANYSTREAM_RELEASE_DEFERRED, frees_in_order);
  record_stream(*a, *with.consumer);
  a = {};
  while_asked = [] {
    now().event_status = sycl_event_complete;
    use_release_thread(true);
  };
  run_pending_releases();
  CHECK(soon([] { return count_pending_releases().number == 0; }));
  CHECK_EQUAL(with.released, 1);
  use_release_thread(false);
}

std::atomic<bool> in_hand{false};
std::atomic<bool> may_end{false};

void end_when_told(void*) {
  in_hand = true;
  while (!may_end) std::this_thread::yield();
}

void who_ends_it_does_not_wait_for_one_that_is_wanted_again() {
  use_release_thread(true);
  deferred_releases one(1);
  one.front().memory = owner(&in_hand, end_when_told);
  release_soon(std::move(one));
  CHECK(soon([] { return in_hand.load(); }));
  std::atomic<bool> stopped = false;
  std::thread stops([&] {
    stop_releases({});
    stopped = true;
  });
  std::this_thread::sleep_for(50ms);
  use_release_thread(true);
  may_end = true;
  CHECK(soon([&] { return stopped.load(); }));
  if (!stopped) std::_Exit(check::result());
  stops.join();
  use_release_thread(false);
}

}  // namespace

int main() {
  use_release_thread(false);
  on_release_error(listen, nullptr);
  it_starts_for_what_a_call_has_put_back();
  who_ends_it_does_not_wait_for_one_that_is_wanted_again();
  return check::result();
}
