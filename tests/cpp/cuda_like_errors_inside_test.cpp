// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA and HIP: every function of the driver fails in turn. It is told by name, nothing is left
// half done or leaked, and what may not throw does not; the rig sees to the leaks.
#include <set>

#include "cuda_like_rig.hpp"
#include "deferred.hpp"
#include "release_error.hpp"

namespace {

using namespace cuda_like_rig;

constexpr int a_code = 719;

// One of each thing that the backend does. Whatever fails, the next is tried, too.
template <class Side>
class everything {
 public:
  everything() {
    with.make_current(context_0);
    now().initialized = true;
    now().holds_synchronize = false;
  }

  // Yields the functions by which an error was told.
  std::set<std::string> run() {
    attempt([&] { engine.devices(); });
    attempt([&] { order_streams(); });
    attempt([&] { order(*with.bare(Side::legacy, 1), *with.bare(per_thread, 1)); });
    attempt([&] { wait_on_host(); });
    attempt([&] { within_a_capture(); });
    attempt([&] { engine.memory_kind({Side::kind, 0}, this, nullptr); });
    for (const bool on_a_stream : {false, true}) {
      for (const DLDeviceType kind : {Side::kind, Side::host_kind, managed()}) {
        attempt([&] { live_and_die(kind, on_a_stream); });
      }
    }
    attempt([&] { with_bare_numbers(); });
    attempt([&] { empty_event_pool(); });
    return std::move(told);
  }

  bench<Side> with;

 private:
  static DLDeviceType managed() { return Side::has_contexts ? kDLCUDAManaged : kDLROCM; }

  void attempt(const std::function<void()>& action) {
    const number before = recording::current_here();
    try {
      action();
    } catch (const driver_error& error) {
      told.insert(error.api());
      CHECK_EQUAL(error.code(), a_code);
      CHECK_EQUAL(error.code_name(), "A_NAME");
      CHECK_EQUAL(error.what(), error.api() + " failed with A_NAME (719): a text.");
    }
    CHECK_EQUAL(recording::current_here(), before);
  }

  void order_streams() {
    const auto producer = with.kept(recording::make_stream(context_1), 1);
    const auto consumer = with.kept(recording::make_stream());
    order(*producer, *consumer);
    order(*producer, *consumer);
    CHECK(engine.same(producer->handle, with.kept(number_of(*producer), 1)->handle));
  }
  static number number_of(const stream& of) {
    return reinterpret_cast<number>(of.engine()->native(of.handle));
  }

  void wait_on_host() {
    const auto stream = with.kept(recording::make_stream());
    const auto end = record_event(*stream);
    engine.complete(end->handle);
    engine.synchronize_event(end->handle);
    engine.idle(stream->handle);
    engine.synchronize(stream->handle);
    engine.copy(stream->handle, {this}, {this}, 8);
  }

  void within_a_capture() {
    const number handle = recording::make_stream();
    recording::begin_capture(handle, a_capture);
    const auto stream = with.kept(handle);
    const auto end = record_event(*stream);
    engine.complete(end->handle);
    const auto bare = with.bare(recording::make_stream());
    order(*stream, *bare);
    wait_event(*stream, *record_end(*bare, *stream));
  }

  // What cannot be freed because that fails is freed when it does not.
  void live_and_die(DLDeviceType kind, bool on_a_stream) {
    const auto stream = with.kept(recording::make_stream());
    const stream_handle on = on_a_stream ? stream->handle : nullptr;
    void* const memory = engine.allocate({kind, 0}, 64, on);
    engine.deallocate({kind, 0}, memory, on);
    if (now().memory.empty()) return;
    const auto failing = std::exchange(now().failing, {});
    engine.deallocate({kind, 0}, memory, on);
    now().failing = failing;
  }

  void with_bare_numbers() {
    const auto bare = with.bare(recording::make_stream());
    const event_ref end = record_end(*bare, *bare);
    engine.synchronize_event(end->handle);
    auto* const context_record = std::exchange(record_of_all(), nullptr);
    const event_ref waited = record_end(*bare, *bare);
    engine.synchronize_event(waited->handle);
    record_of_all() = context_record;
  }
  auto& record_of_all() {
    static void* none = nullptr;
    if constexpr (Side::has_contexts)
      return with.driver().context_record;
    else
      return none;
  }

  const backend& engine = with.engine();
  std::set<std::string> told;
};

int reported = 0;  // of what could not be released

// Called where nothing can be thrown.
const std::set<std::string> quiet = {"cuMemFree_v2",      "cuMemFreeHost",  "cuMemFreeAsync",
                                     "cuEventDestroy_v2", "hipFree",        "hipHostFree",
                                     "hipFreeAsync",      "hipEventDestroy"};

template <class Side>
void a_failure_is_told_by_name_and_leaks_nothing() {
  for (const auto& row : recording::symbols<typename Side::driver>()) {
    const std::string symbol = row.symbol;
    if (symbol.find("Error") != std::string::npos) continue;
    reported = 0;
    everything<Side> all;
    now().failing[symbol] = a_code;
    const auto told = all.run();
    CHECK(asks(symbol));
    if (!quiet.contains(symbol)) {
      CHECK_EQUAL(std::string(told.contains(symbol) ? symbol : "nothing"), symbol);
      CHECK_EQUAL(told.size(), 1u);
    }
    if (symbol.find("Free") != std::string::npos) CHECK(reported > 0);
    now().failing.clear();
    if (symbol.find("EventDestroy") != std::string::npos) now().events.clear();
  }
}

// Nothing fails: every function of the list is called by what is tried, so each failure is seen.
template <class Side>
void everything_is_tried() {
  everything<Side> all;
  CHECK(all.run().empty());
  for (const auto& row : recording::symbols<typename Side::driver>()) {
    const std::string symbol = row.symbol;
    if (symbol.find("Error") != std::string::npos) continue;
    CHECK_EQUAL(asks(symbol) ? symbol : "nothing", symbol);
  }
}

// An error without a text has its number.
template <class Side>
void an_error_without_a_name_has_a_number() {
  const bench<Side> with;
  const auto stream = with.kept(recording::make_stream());
  const std::string symbol = Side::has_contexts ? "cuStreamQuery" : "hipStreamQuery";
  now().failing[symbol] = recording::invalid_value;
  CHECK_EQUAL(CHECK_THROWS(driver_error, is_idle(*stream)), symbol + " failed with error (1).");
}

}  // namespace

int main() {
  use_release_thread(false);
  on_release_error([](void*, const char*) { ++reported; }, nullptr);
  ON_BOTH(everything_is_tried);
  ON_BOTH(a_failure_is_told_by_name_and_leaks_nothing);
  ON_BOTH(an_error_without_a_name_has_a_number);
  return check::result();
}
