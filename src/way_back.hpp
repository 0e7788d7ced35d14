// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What an array with a way back knows: home, its users, and how a use ends.
//
// Home is the stream on which the memory is written, reused or freed later; its users are the other
// streams that the memory is used on. Home's own in-order queue is never listed, so that one stream
// costs nothing. On any other an event is recorded when its use ends, and with the policy "ordered"
// home waits for it: one record, one wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "event.hpp"
#include "stream.hpp"

namespace anystream::core {

class way_back {
 public:
  using events = std::vector<std::shared_ptr<const event>>;

  using point = std::uint64_t;
  struct user {
    stream_ref stream;
    bool is_home;        // home's own queue, which is out-of-order
    point recorded = 0;  // last; 0: not at all, but lent to
    std::uint32_t loans = 0;
  };
  enum class use { recorded, lent };

  // number: which of the array's ways back it is, set_way_back counts them from 1.
  way_back(stream_ref home, std::int32_t policy, bool frees_in_order,
           std::uint32_t number) noexcept;

  stream* home() const noexcept { return home_.get(); }
  std::int32_t policy() const noexcept { return policy_; }
  bool orders() const noexcept { return policy_ != ANYSTREAM_RELEASE_NONE; }
  bool frees_in_order() const noexcept { return frees_in_order_; }
  // A forked child has no driver that could order what its parent used.
  bool is_of_parent() const noexcept;

  // Takes over what an earlier one knows, before this one is used.
  void follow(way_back& earlier);
  // The number of the first of those whose users this one knows.
  std::uint32_t first() const noexcept { return first_; }

  bool is_home(const stream& other) const;  // in-order or not

  // The stream that stands for this queue from now on; null if it is home's and in-order.
  stream_ref add(stream& used, use how);
  // The user goes with its last use. A use that was recorded after `ordered` was asked for stays,
  // so that two threads may order at once; each loan ends once.
  void forget_recorded(const user& ordered) noexcept;
  void forget_loan(const stream& listed) noexcept;
  std::vector<user> users() const;
  // Of a stream that add gave; an empty stream if it is not listed any more.
  user find(const stream& listed) const;
  // What add would list; an empty stream if it is home's and in-order.
  user as_user(const stream_ref& used) const;

  // These deal with the work so far of a user, or of home, as the policy says, and may throw: what
  // was done is ANYSTREAM_ORDERED_… . What no device sees to is added to `left`: to be complete
  // before the memory goes.
  std::int32_t end_use(const user& ended, events& left) const;
  std::int32_t end_home(events& left) const;

  // What is known at the array's end, when nobody else looks.
  std::vector<user> take_users() noexcept { return std::move(users_); }

  // What ends of uses have left so far: the last of each stream, however many there were.
  events left() const;
  // Taken before an event is recorded: what was left by then is covered by that event, if it is of
  // the same stream, in-order or not, since a record is the end of all of the stream's work so far.
  point now() const;
  void leave(const stream_ref& of, const events& more, point before);
  void forget(events complete);
  void forget_complete();

  // The end of a use could not be told: the memory is to stay for good.
  void lose() noexcept { lost_ = true; }
  bool lost() const noexcept { return lost_; }

 private:
  struct end_left {
    stream_ref of;
    std::shared_ptr<const event> end;
    point since;
  };

  user* at(const stream& listed) noexcept;
  stream_ref take_if_unused(user& listed) noexcept;
  std::vector<stream_ref> streams() const;  // of what is left, then of users

  const stream_ref home_;
  const std::int32_t policy_;
  const bool frees_in_order_;
  const std::uint32_t generation_;
  std::uint32_t first_;
  std::atomic<bool> lost_{false};

  mutable std::mutex mutex_;  // guards what follows; no backend is called under it
  std::vector<user> users_;
  std::vector<end_left> left_;
  point now_ = 0;  // one more with each use that is recorded, or has left an event
};

// Waits on the host, unless it is complete: ANYSTREAM_ORDERED_HOST_WAIT or _IDLE; _NOTHING where
// this thread is none that may wait.
std::int32_t wait_on_host(const event& awaited);

}  // namespace anystream::core
