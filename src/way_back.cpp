// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The users of an array's memory, and the end of their work on it.
#include "way_back.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "driver/fork.hpp"
#include "host_wait.hpp"
#include "order.hpp"

namespace anystream::core {
namespace {

bool same_queue(const stream& a, const stream& b) {
  if (&a == &b) return true;
  const std::int32_t relation = relation_of(a, b);
  return relation == ANYSTREAM_RELATION_SAME || relation == ANYSTREAM_RELATION_SAME_OUT_OF_ORDER;
}

bool is_complete(const event& asked) noexcept {
  try {
    return asked.platform->engine->complete(asked.handle);
  } catch (const std::exception&) {
    return false;  // told when the memory is to go
  }
}

// Whether its device sees to it.
bool waits_for(const stream& home, const event& end) {
  return same_platform(*home.platform, *end.platform) && !home.engine()->may_be_gone(home.handle) &&
         home.engine()->wait(home.handle, end.handle);
}

bool waits_at_once(const stream& home, const stream& user) {
  return same_platform(*home.platform, *user.platform) &&
         home.engine()->order_at_once(user.handle, home.handle);
}

// Room first: an event that was recorded must not be lost.
const event& record_into(way_back::events& left, const stream& on, const stream& home) {
  left.reserve(left.size() + 1);
  return *left.emplace_back(record_end(on, home));
}

}  // namespace

std::int32_t wait_on_host(const event& awaited) {
  const backend& engine = *awaited.platform->engine;
  if (engine.complete(awaited.handle)) return ANYSTREAM_ORDERED_IDLE;
  const bool waited = wait_outside([&] { engine.synchronize_event(awaited.handle); });
  return waited ? ANYSTREAM_ORDERED_HOST_WAIT : ANYSTREAM_ORDERED_NOTHING;
}

way_back::way_back(stream_ref home, std::int32_t policy, bool frees_in_order,
                   std::uint32_t number) noexcept
    : home_(std::move(home)),
      policy_(policy),
      frees_in_order_(frees_in_order),
      generation_(process_generation()),
      first_(number) {}

bool way_back::is_of_parent() const noexcept { return generation_ != process_generation(); }

bool way_back::is_home(const stream& other) const { return same_queue(*home_, other); }

// ---- users --------------------------------------------------------------------------------------

std::vector<way_back::user> way_back::users() const {
  const std::scoped_lock lock(mutex_);
  return users_;
}

way_back::user* way_back::at(const stream& listed) noexcept {
  const auto is_it = [&](const user& each) { return each.stream.get() == &listed; };
  const auto found = std::ranges::find_if(users_, is_it);
  return found == users_.end() ? nullptr : &*found;
}

way_back::user way_back::find(const stream& listed) const {
  const std::scoped_lock lock(mutex_);
  const user* const found = const_cast<way_back*>(this)->at(listed);
  return found != nullptr ? *found : user{{}, false};
}

way_back::user way_back::as_user(const stream_ref& used) const {
  const std::int32_t to_home = relation_of(*used, *home_);
  if (to_home == ANYSTREAM_RELATION_SAME) return {{}, false};
  return {used, to_home == ANYSTREAM_RELATION_SAME_OUT_OF_ORDER};
}

std::vector<stream_ref> way_back::streams() const {
  std::vector<stream_ref> all;
  const std::scoped_lock lock(mutex_);
  all.reserve(left_.size() + users_.size());
  for (const end_left& each : left_) all.push_back(each.of);
  for (const user& each : users_) all.push_back(each.stream);
  return all;
}

// The runtime is asked with no lock held. A queue that two threads add at once may be listed twice:
// then it is waited for twice.
stream_ref way_back::add(stream& used, use how) {
  const user made = as_user(stream_ref::keep(&used));
  if (!made.stream) return {};
  used.engine()->know(used.handle);
  stream_ref stands = made.stream;
  for (const stream_ref& each : streams()) {
    if (same_queue(*each, used)) stands = each;
  }
  const std::scoped_lock lock(mutex_);
  user* found = at(*stands);
  if (found == nullptr) found = &users_.emplace_back(user{stands, made.is_home});
  how == use::recorded ? found->recorded = ++now_ : ++found->loans;
  return stands;
}

// The stream is to be dropped after the lock.
stream_ref way_back::take_if_unused(user& listed) noexcept {
  if (listed.recorded != 0 || listed.loans > 0) return {};
  stream_ref last = std::move(listed.stream);
  users_.erase(users_.begin() + (&listed - users_.data()));
  return last;
}

void way_back::forget_recorded(const user& ordered) noexcept {
  stream_ref last;
  const std::scoped_lock lock(mutex_);
  user* const found = at(*ordered.stream);
  if (found == nullptr || found->recorded > ordered.recorded) return;
  found->recorded = 0;
  last = take_if_unused(*found);
}

void way_back::forget_loan(const stream& listed) noexcept {
  stream_ref last;
  const std::scoped_lock lock(mutex_);
  user* const found = at(listed);
  if (found == nullptr || found->loans == 0) return;
  --found->loans;
  last = take_if_unused(*found);
}

void way_back::follow(way_back& earlier) {
  if (!earlier.orders()) return;
  now_ = earlier.now_;
  add(*earlier.home_, use::recorded);
  for (user& each : earlier.users_) {
    const user here = as_user(each.stream);
    if (!here.stream) continue;
    each.is_home = here.is_home;
    users_.push_back(each);
  }
  left_ = earlier.left_;
  lost_ = earlier.lost();
  first_ = earlier.first_;
}

// ---- the end of a use ---------------------------------------------------------------------------

std::int32_t way_back::end_use(const user& ended, events& left) const {
  const bool ordered = policy_ == ANYSTREAM_RELEASE_ORDERED;
  if (ordered && ended.is_home && home_->engine()->barrier(home_->handle)) {
    return ANYSTREAM_ORDERED_BARRIER;
  }
  if (ordered && waits_at_once(*home_, *ended.stream)) return ANYSTREAM_ORDERED_EVENT;
  const event& end = record_into(left, *ended.stream, *home_);
  std::int32_t how = ANYSTREAM_ORDERED_NOTHING;
  if (ordered && !ended.is_home && waits_for(*home_, end)) how = ANYSTREAM_ORDERED_EVENT;
  if (policy_ == ANYSTREAM_RELEASE_HOST) how = wait_on_host(end);
  if (how != ANYSTREAM_ORDERED_NOTHING) left.pop_back();
  return how;
}

// It covers what home was made to wait for.
std::int32_t way_back::end_home(events& left) const {
  if (!home_->engine()->records()) return ANYSTREAM_ORDERED_NOTHING;
  if (home_->engine()->surely_idle(home_->handle)) return ANYSTREAM_ORDERED_IDLE;
  const event& end = record_into(left, *home_, *home_);
  if (policy_ != ANYSTREAM_RELEASE_HOST) return ANYSTREAM_ORDERED_NOTHING;
  const std::int32_t how = wait_on_host(end);
  if (how != ANYSTREAM_ORDERED_NOTHING) left.pop_back();
  return how;
}

way_back::events way_back::left() const {
  events all;
  const std::scoped_lock lock(mutex_);
  all.reserve(left_.size());
  for (const end_left& each : left_) all.push_back(each.end);
  return all;
}

way_back::point way_back::now() const {
  const std::scoped_lock lock(mutex_);
  return now_;
}

// Those that are covered go after the lock, with the former list.
void way_back::leave(const stream_ref& of, const events& more, point before) {
  std::vector<end_left> stays;
  const std::scoped_lock lock(mutex_);
  stays.reserve(left_.size() + more.size());
  for (const end_left& each : left_) {
    if (each.of.get() != of.get() || each.since >= before) stays.push_back(each);
  }
  for (const auto& end : more) stays.push_back({of, end, now_++});
  left_.swap(stays);
}

// What is forgotten goes after the lock.
void way_back::forget(events complete) {
  std::ranges::sort(complete);
  std::vector<end_left> stays;
  const std::scoped_lock lock(mutex_);
  stays.reserve(left_.size());
  for (const end_left& each : left_) {
    if (!std::ranges::binary_search(complete, each.end)) stays.push_back(each);
  }
  left_.swap(stays);
}

void way_back::forget_complete() {
  events complete = left();
  std::erase_if(complete, [](const auto& each) { return !is_complete(*each); });
  if (!complete.empty()) forget(std::move(complete));
}

}  // namespace anystream::core
