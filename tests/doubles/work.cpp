// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// How a stream's queue is worked off, and how threads wait for it.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "call_log.hpp"
#include "context.hpp"
#include "stream.hpp"

namespace doubles {

namespace {

const completion_ptr* first_pending(const operation& next) {
  const auto pending =
      std::ranges::find_if(next.after, [](const completion_ptr& done) { return !done->done; });
  return pending == next.after.end() ? nullptr : &*pending;
}

bool is_open(const stream& s) { return !s.held || s.allowed > 0; }

// Whoever finishes what the first operation waits for wakes this stream.
void ask_to_be_woken(stream& s) {
  if (s.queue.empty()) return;
  if (const completion_ptr* pending = first_pending(s.queue.front())) {
    (*pending)->waiters.push_back(s.weak_from_this());
  }
}

void run_first(stream& s, std::unique_lock<std::mutex>& lock) {
  operation& first = s.queue.front();  // stays there: a pending operation is one that is not done
  s.running = true;
  if (s.held) --s.allowed;
  lock.unlock();
  if (first.delay.count() != 0) std::this_thread::sleep_for(first.delay);
  if (first.body) first.body();
  lock.lock();
  s.running = false;
  const operation finished = std::move(s.queue.front());
  s.queue.pop_front();
  mark_done(*finished.done);
}

void work(const stream_ptr& self) {
  this_thread().is_worker = true;
  std::unique_lock lock(the_driver().mutex);
  while (!self->closed || !self->queue.empty()) {
    if (can_start(*self)) {
      run_first(*self, lock);
      continue;
    }
    ask_to_be_woken(*self);
    the_driver().changed.notify_all();
    self->wake.wait(lock);
  }
  std::erase(the_driver().working, self);
  the_driver().changed.notify_all();
}

// Signals are for the client's own threads.
void start_thread(const stream_ptr& s) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(work, s).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  s->has_thread = true;
}

std::chrono::milliseconds next_delay() {
  gates& gate = the_driver().gate;
  if (gate.delayed == 0) return std::chrono::milliseconds{0};
  --gate.delayed;
  return std::chrono::milliseconds{gate.delay_ms};
}

void add_pending(std::vector<completion_ptr>& to, const completion_ptr& what) {
  if (what && !what->done) to.push_back(what);
}

// The legacy stream and the blocking streams of its context order themselves, both ways; and what
// a context was told to wait for, all its streams wait for.
void add_implicit(const stream& s, std::vector<completion_ptr>& after) {
  if (s.kind == stream_kind::background) return;
  std::erase_if(s.home->barriers, [](const completion_ptr& what) { return what->done; });
  after.insert(after.end(), s.home->barriers.begin(), s.home->barriers.end());
  if (s.kind == stream_kind::legacy) {
    for (const stream_ptr& other : the_driver().working) {
      if (other->home == s.home && other->is_blocking()) add_pending(after, other->last);
    }
  } else if (s.is_blocking() && s.home->legacy) {
    add_pending(after, s.home->legacy->last);
  }
}

void release_held(const std::string& why) {
  for (const stream_ptr& s : the_driver().working) {
    s->held = false;
    s->wake.notify_one();
  }
  note("double: released by " + why);
}

}  // namespace

bool can_start(const stream& s) {
  if (s.running || s.queue.empty() || !is_open(s)) return false;
  return first_pending(s.queue.front()) == nullptr;
}

bool is_idle(const stream& s) { return s.queue.empty(); }

bool is_stuck() {
  return std::ranges::none_of(the_driver().working,
                              [](const stream_ptr& s) { return s->running || can_start(*s); });
}

void mark_done(completion& what) {
  what.done = true;
  what.when = clock::now();
  for (const std::weak_ptr<stream>& waiter : what.waiters) {
    if (const stream_ptr s = waiter.lock()) s->wake.notify_one();
  }
  what.waiters.clear();
  the_driver().changed.notify_all();
}

completion_ptr enqueue(const stream_ptr& to, std::function<void()> body,
                       std::vector<completion_ptr> after) {
  add_implicit(*to, after);
  operation next{.text = this_thread().call,
                 .body = std::move(body),
                 .after = std::move(after),
                 .done = std::make_shared<completion>(),
                 .delay = next_delay()};
  to->last = next.done;
  to->queue.push_back(std::move(next));
  if (!to->has_thread) start_thread(to);
  to->wake.notify_one();
  return to->last;
}

completion_ptr all_of(const std::vector<stream_ptr>& streams) {
  std::vector<completion_ptr> after;
  for (const stream_ptr& s : streams) add_pending(after, s->last);
  return enqueue(the_driver().background, {}, std::move(after));
}

void wait_for(completion_ptr what) {
  driver& all = the_driver();
  while (what && !what->done) {
    if (all.gate.release_on_wait && is_stuck()) release_held(this_thread().entry);
    all.changed.wait(*this_thread().lock);
  }
}

void abandon(const stream_ptr& dropped) {
  const auto keep = dropped->running ? 1 : 0;
  while (dropped->queue.size() > static_cast<std::size_t>(keep)) {
    const completion_ptr done = dropped->queue.back().done;
    dropped->queue.pop_back();
    mark_done(*done);
  }
  dropped->closed = true;
  dropped->wake.notify_one();
  std::unique_lock<std::mutex>& lock = *this_thread().lock;
  while (dropped->running) the_driver().changed.wait(lock);
  if (!dropped->has_thread) std::erase(the_driver().working, dropped);
}

}  // namespace doubles
