// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Giving memory back to its owner, after the work of all streams that use it.
#include "release.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "order.hpp"
#include "release_error.hpp"
#include "way_back.hpp"

namespace anystream::core {
namespace {

using events = way_back::events;

bool orders(const array& array) noexcept { return array.back != nullptr && array.back->orders(); }

void check_policy(std::int32_t policy) {
  if (policy >= ANYSTREAM_RELEASE_ORDERED && policy <= ANYSTREAM_RELEASE_NONE) return;
  throw value_error(
      "a release is ANYSTREAM_RELEASE_ORDERED (0), _DEFERRED (1), _HOST (2) or _NONE (3); got " +
      std::to_string(policy) + ".");
}

// The costlier of two things that were done.
std::int32_t costlier(std::int32_t a, std::int32_t b) noexcept {
  const auto cost = [](std::int32_t how) { return how == ANYSTREAM_ORDERED_IDLE ? 1 : 2 * how; };
  return cost(a) < cost(b) ? b : a;
}

// Where nothing can be thrown. False: the end of the work is not known, so it was told that the
// memory stays for good. Where only home cannot be made to wait, what is left tells the end.
template <class End>
bool ends(End&& end, events& left, bool& told) noexcept {
  const std::size_t before = left.size();
  try {
    end(left);
    return true;
  } catch (const std::exception& error) {
    if (!told) report_failed_release("a stream's work could not be ordered", error);
    told = true;
    return left.size() > before;
  }
}

// Without memory to remember them by, the memory of the array stays for good.
void keep_left(way_back& back, const stream_ref& of, const events& left,
               way_back::point before) noexcept {
  if (left.empty()) return;
  try {
    back.forget_complete();
    back.leave(of, left, before);
  } catch (const std::bad_alloc&) {
    back.lose();
  }
}

std::uint64_t bytes_of(const array& array) {
  return static_cast<std::uint64_t>(array.span().size());
}

// Without memory for the entry nothing can be put off: then it stays for good.
void put_off(array& array, events left, bool safe, bool told) noexcept {
  try {
    deferred_releases one(1);
    deferred_release& entry = one.front();
    entry.bytes = bytes_of(array);
    entry.after = std::move(left);
    entry.told = told;
    entry.memory = std::move(array.memory);
    safe ? release_when_complete(std::move(one)) : keep_for_good(std::move(one));
  } catch (const std::exception&) {
    array.memory.forget();
  }
}

void go_back(array& array, way_back& back) noexcept {
  const release_in_progress here;
  events left;
  bool safe = !back.lost();
  bool told = back.lost();
  safe &= ends([&](events& to) { to = back.left(); }, left, told);
  for (const auto& each : back.take_users()) {
    safe &= ends([&](events& to) { back.end_use(each, to); }, left, told);
  }
  if (!back.frees_in_order()) {
    safe &= ends([&](events& to) { back.end_home(to); }, left, told);
  }
  if (safe && left.empty()) return array.memory.release();
  put_off(array, std::move(left), safe, told);
}

}  // namespace

void way_back_delete::operator()(way_back* gone) const noexcept { delete gone; }

void set_way_back(array& array, stream* home, std::int32_t policy, bool frees_in_order) {
  check_policy(policy);
  if (home == nullptr) return array.back.reset();
  check_stream(*array.platform, array.tensor.device, *home);
  decltype(array.back) made(
      new way_back(stream_ref::keep(home), policy, frees_in_order, array.ways + 1));
  if (made->orders()) {
    require_backend(*array.platform, array.tensor.device).know(home->handle);
    if (array.back != nullptr) made->follow(*array.back);
  }
  array.back = std::move(made);
  ++array.ways;
}

void set_own_way_back(array& array, bool frees_in_order) {
  if (!array.stream || array.engine() == nullptr || array.tensor.data == nullptr) return;
  const bool there = !array.engine()->may_be_gone(array.stream->handle);
  array.back.reset(
      new way_back(array.stream, ANYSTREAM_RELEASE_ORDERED, frees_in_order && there, array.ways));
}

void record_stream(array& array, stream& user) {
  check_stream(*array.platform, array.tensor.device, user);
  if (array.back == nullptr) {
    throw value_error("record_stream: nothing would wait for the stream, since " +
                      describe_array(*array.platform, array.tensor.device) +
                      " here has no way back.\n  Set one first, with the stream that its memory "
                      "goes back to: set_way_back.");
  }
  if (array.back->orders()) array.back->add(user, way_back::use::recorded);
}

void use_on(array& array, stream& user) {
  if (orders(array) && !array.back->is_home(user)) array.back->add(user, way_back::use::recorded);
}

namespace {

// What the array is used for on it from now on is to come back, too: it stays a user.
bool is_own_stream(const array& array, const stream& user) {
  return array.stream && relation_of(*array.stream, user) <= ANYSTREAM_RELATION_SAME_OUT_OF_ORDER;
}

// On one out-of-order queue nothing was listed, and what comes later may overtake.
std::int32_t hold_home_back(const array& array) {
  const stream& home = *array.back->home();
  const bool waits = array.back->policy() != ANYSTREAM_RELEASE_DEFERRED;
  if (home.in_order || !waits || !array.stream || !array.back->is_home(*array.stream)) {
    return ANYSTREAM_ORDERED_NOTHING;
  }
  return order_unchecked(home, home);
}

// Home does not wait: what it would have waited for is left.
std::int32_t leave_use(way_back& back, const way_back::user& each) {
  const way_back::point before = back.now();
  events left;
  const std::int32_t how = back.end_use(each, left);
  back.leave(each.stream, left, before);
  return how;
}

// Home waits, or the host does: for what is left of earlier ends, too.
std::int32_t wait_for_uses(way_back& back, const std::vector<way_back::user>& users) {
  std::int32_t how = ANYSTREAM_ORDERED_NOTHING;
  events left;
  for (const auto& each : users) how = costlier(how, back.end_use(each, left));
  events earlier = back.left();
  for (const auto& each : left) how = costlier(how, wait_on_host(*each));
  for (const auto& each : earlier) how = costlier(how, wait_on_host(*each));
  back.forget(std::move(earlier));
  return how;
}

}  // namespace

// Users stay users until all of them are ordered: after an error it can be tried again.
std::int32_t order_back(array& array) {
  std::int32_t how = ANYSTREAM_ORDERED_NOTHING;
  if (!orders(array)) return how;
  way_back& back = *array.back;
  const auto users = back.users();
  if (back.policy() == ANYSTREAM_RELEASE_DEFERRED) {
    back.forget_complete();
    for (const auto& each : users) how = costlier(how, leave_use(back, each));
  } else {
    how = wait_for_uses(back, users);
  }
  how = costlier(how, hold_home_back(array));
  for (const auto& each : users) {
    if (!is_own_stream(array, *each.stream)) back.forget_recorded(each);
  }
  return how;
}

loan begin_loan(array& array, stream* user) {
  if (user == nullptr) return {};
  check_stream(*array.platform, array.tensor.device, *user);
  if (array.engine() == nullptr) return {};  // nothing will order there
  loan begun{stream_ref::keep(user), false, array.ways};
  if (!orders(array)) return begun;
  stream_ref listed = array.back->add(*user, way_back::use::lent);
  begun.is_listed = static_cast<bool>(listed);
  if (listed) begun.user = std::move(listed);
  return begun;
}

namespace {

// An empty stream if home needs nothing to wait for it.
way_back::user user_of(const way_back& back, const loan& ended) {
  way_back::user listed{{}, false};
  if (ended.is_listed && ended.way_back >= back.first()) listed = back.find(*ended.user);
  return listed.stream ? listed : back.as_user(ended.user);
}

}  // namespace

void end_loan(array& array, const loan& ended) noexcept {
  if (!orders(array) || array.back->is_of_parent()) return;
  if (!ended.is_listed && ended.way_back == array.ways) return;  // it was home's all the time
  way_back& back = *array.back;
  const way_back::point before = back.now();
  events left;
  bool told = false;
  const auto end = [&](events& to) {
    const way_back::user user = user_of(back, ended);
    if (user.stream) back.end_use(user, to);
  };
  if (!ends(end, left, told)) back.lose();
  keep_left(back, ended.user, left, before);
  if (ended.is_listed && ended.way_back >= back.first()) back.forget_loan(*ended.user);
}

void release_by_way_back(array& array) noexcept {
  const auto back = std::move(array.back);
  if (back->is_of_parent()) return array.memory.forget();
  if (back->orders()) return go_back(array, *back);
  const deleter_in_progress here;
  array.memory.release();
}

}  // namespace anystream::core
