// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Putting releases off, and the limits of that.
#include "deferred.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "deferred_list.hpp"

namespace anystream::core {
namespace {

using clock = std::chrono::steady_clock;

std::atomic<std::int64_t> most_releases{1024};
std::atomic<std::uint64_t> most_bytes{std::uint64_t{256} << 20};

// A clock does not count further.
constexpr std::chrono::duration<double> a_year = std::chrono::hours(24 * 365);

time_limit deadline_of(const wait_limit& longest) {
  if (!longest) return {};
  const auto left = std::chrono::duration_cast<clock::duration>(std::min(*longest, a_year));
  return clock::now() + left;
}

}  // namespace

void release_when_complete(deferred_releases one) noexcept {
  switch (ask(one.front())) {
    case progress::complete:
      return;  // it goes with the list
    case progress::failed:
      return keep_for_good(std::move(one));
    case progress::pending:
      return all_releases().add(std::move(one));
  }
}

void release_soon(deferred_releases one) noexcept { all_releases().add(std::move(one)); }

void keep_for_good(deferred_releases one) noexcept { all_releases().keep(std::move(one)); }

void run_pending_releases() noexcept { all_releases().run(); }

pending_releases count_pending_releases() noexcept { return all_releases().pending(); }

std::size_t count_kept_for_good() noexcept { return all_releases().kept(); }

void set_release_limit(const pending_releases& most) {
  if (most.number < 0) {
    throw value_error("a limit of pending releases is a number from 0 (none) on; got " +
                      std::to_string(most.number) + ".");
  }
  most_releases = most.number;
  most_bytes = most.bytes;
}

void wait_for_room() {
  release_list& all = all_releases();
  all.wait_until([&] {
    const pending_releases now = all.pending();
    const std::int64_t number = most_releases;
    const std::uint64_t bytes = most_bytes;
    return (number == 0 || now.number <= number) && (bytes == 0 || now.bytes <= bytes);
  });
}

bool flush_releases(wait_limit longest) { return all_releases().flush(deadline_of(longest)); }

void stop_releases(wait_limit longest) {
  const time_limit end = deadline_of(longest);
  release_list& all = all_releases();
  all.end_thread(end);
  all.flush(end);
  all.keep_the_rest();
  empty_event_pool();
}

void use_release_thread(bool use) noexcept { all_releases().want_thread(use); }

}  // namespace anystream::core
