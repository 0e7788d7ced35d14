// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A software Metal: its objects, counted as the Objective-C runtime counts them, and what is noted.
//
// Queues run their command buffers in worker threads, in the order of commits, and can be held.
// What a real one would crash on, leak or wait for without end is a misuse, which tests look for.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace metal_double {

struct object;

// What a command buffer does: a wait may have to be tried again.
struct step {
  std::string what;
  std::function<bool()> ready = [] { return true; };
  std::function<void()> run = [] {};
};

// An object of any class; of each class a few of the members matter.
struct object {
  std::string kind;  // "queue", "buffer" …
  std::string name;  // as it is in the record: "q1"
  int references = 1;
  object* owner = nullptr;       // of a queue, buffer or event its device; of commands their queue
  std::string text;              // of a string, and of an error its text
  std::uint64_t number = 0;      // of an event its value, of a device its registry's, of an error
  bool unified = true;           // of a device
  std::vector<object*> members;  // of a list, and what a command buffer keeps until it has ended

  std::vector<std::byte> bytes;  // of a buffer
  unsigned long storage = 0;
  unsigned long tracking = 2;

  std::vector<step> steps;  // of a command buffer
  unsigned long status = 0;
  bool open = false;  // an encoder has not ended
  bool fails = false;

  std::deque<object*> committed;  // of a queue
  bool held = false;
  bool fails_next = false;
  bool running = false;
  const step* at = nullptr;  // what it runs now
  std::thread worker;
};

struct machine {
  std::recursive_mutex lock;  // guards all of this, and all objects
  std::condition_variable_any changed;
  std::list<object> objects;  // none is freed before the end, so that late use is seen
  std::vector<object*> devices;
  std::vector<std::string> calls;  // what is done, in order; questions are not
  std::vector<std::string> done;   // by queues
  std::vector<std::string> misuses;
  std::map<std::string, int> failing;  // of a function or message: how many more calls succeed
  std::map<std::string, int> names;
  bool slow_signals = false;  // another thread gets in between a signal's encoding and its commit
  bool stopping = false;
};

// Leaked: queues' threads may run to the end of the process.
inline std::unique_ptr<machine>& slot() {
  static auto* const only = new std::unique_ptr<machine>;
  return *only;
}
inline machine& now() { return *slot(); }

using guard = std::unique_lock<std::recursive_mutex>;

inline void misuse(const std::string& text) { now().misuses.push_back(text); }
inline void note(const std::string& text) { now().calls.push_back(text); }

// Whether this call of a function is to fail.
inline bool fails(const std::string& name) {
  const auto found = now().failing.find(name);
  return found != now().failing.end() && found->second-- == 0;
}

inline object* make(const std::string& kind, const std::string& letter, object* owner = nullptr) {
  object& made = now().objects.emplace_back();
  made.kind = kind;
  made.name = letter + std::to_string(++now().names[letter]);
  made.owner = owner;
  return &made;
}

// ---- references ---------------------------------------------------------------------------------

inline bool is_alive(const object& one) { return one.references > 0; }

inline void retain(object* one) {
  if (!is_alive(*one)) misuse("retain of " + one->name + ", which is gone");
  ++one->references;
}

inline void release(object* one) {
  if (one->references-- <= 0) return misuse("release of " + one->name + ", which is gone");
  if (one->references > 0) return;
  if (one->open) misuse(one->name + " goes with an encoder that has not ended");
  for (object* each : one->members) release(each);
  one->members.clear();
}

using pool = std::vector<object*>;
inline std::vector<std::unique_ptr<pool>>& pools() {
  thread_local std::vector<std::unique_ptr<pool>> of_thread;
  return of_thread;
}

inline object* autorelease(object* one) {
  pools().empty() ? misuse(one->name + " leaks: there is no pool") : pools().back()->push_back(one);
  return one;
}

inline void* push_pool() { return pools().emplace_back(std::make_unique<pool>()).get(); }

inline void pop_pool(void* which) {
  const guard lock(now().lock);
  if (pools().empty() || pools().back().get() != which) return misuse("not the innermost pool");
  const std::unique_ptr<pool> last = std::move(pools().back());
  pools().pop_back();
  for (object* each : *last) release(each);
}

// ---- queues -------------------------------------------------------------------------------------

// Under the lock, which is let go while a step waits.
inline void run_commands(object* commands, guard& lock) {
  object* queue = commands->owner;
  commands->fails = queue->fails_next;
  queue->fails_next = false;
  for (step& each : commands->steps) {
    if (commands->fails) break;
    queue->at = &each;
    now().changed.notify_all();
    now().changed.wait(lock, [&] { return now().stopping || each.ready(); });
    queue->at = nullptr;
    if (now().stopping) break;
    each.run();
    if (!each.what.empty()) now().done.push_back(each.what);
  }
  commands->status = commands->fails ? 5 : 4;
  for (object* each : commands->members) release(each);
  commands->members.clear();
  release(commands);
}

inline void work(object* queue) {
  guard lock(now().lock);
  const auto may_go = [queue] { return !queue->held && !queue->committed.empty(); };
  while (true) {
    now().changed.notify_all();
    now().changed.wait(lock, [&] { return now().stopping || may_go(); });
    if (now().stopping) return;
    object* commands = queue->committed.front();
    queue->committed.pop_front();
    queue->running = true;
    run_commands(commands, lock);
    queue->running = false;
  }
}

inline void commit(object* commands) {
  const guard lock(now().lock);
  if (commands->status >= 2) return misuse(commands->name + " is committed twice");
  if (commands->open) misuse(commands->name + " is committed with an encoder that has not ended");
  commands->status = 2;
  retain(commands);
  commands->owner->committed.push_back(commands);
  now().changed.notify_all();
}

inline void wait_until_completed(object* commands, guard& lock) {
  if (commands->status < 2) return misuse(commands->name + " is waited for and not committed");
  now().changed.wait(lock, [commands] { return commands->status >= 4; });
}

// ---- what tests make and see --------------------------------------------------------------------

inline object* make_device() {
  object* made = make("device", "d");
  made->number = 7000 + now().devices.size();
  made->text = "Software GPU " + std::to_string(now().devices.size());
  now().devices.push_back(made);
  return made;
}

inline object* make_queue(object* device) {
  object* made = make("queue", "q", device);
  made->worker = std::thread(work, made);
  return made;
}

inline object* make_buffer(object* device, std::size_t length, unsigned long storage = 0) {
  object* made = make("buffer", "m", device);
  made->bytes.resize(length);
  made->storage = storage;
  return made;
}

// A user's own work: encoded, and as a rule committed.
inline object* encode(object* queue, const std::string& what, std::function<void()> run = [] {}) {
  const guard lock(now().lock);
  object* made = make("commands", "b", queue);
  made->steps.push_back({what, [] { return true; }, std::move(run)});
  return made;
}
inline void commit_work(object* queue, const std::string& what, std::function<void()> run = [] {}) {
  const guard lock(now().lock);
  object* made = encode(queue, what, std::move(run));
  commit(made);
  release(made);
}

inline void hold(object* queue, bool held = true) {
  const guard lock(now().lock);
  queue->held = held;
  now().changed.notify_all();
}
inline void let_go(object* queue) { hold(queue, false); }

// Until the queue waits for another, or has run all that it has.
inline void settle(object* queue) {
  guard lock(now().lock);
  now().changed.wait(lock, [queue] {
    const bool stands = !queue->running && (queue->held || queue->committed.empty());
    return stands || (queue->at != nullptr && !queue->at->ready());
  });
}

inline void begin() { slot() = std::make_unique<machine>(); }

// Stops the queues. What is alive then was made by the test, or leaks.
inline void end() {
  {
    const guard lock(now().lock);
    now().stopping = true;
    now().changed.notify_all();
  }
  for (object& each : now().objects) {
    if (each.worker.joinable()) each.worker.join();
  }
}

}  // namespace metal_double
