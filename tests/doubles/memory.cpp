// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks: given out, found, freed, given out again.
#include "memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "capture.hpp"
#include "context.hpp"
#include "driver.hpp"
#include "pool.hpp"
#include "stream.hpp"

namespace doubles {

namespace {

constexpr std::size_t alignment = 512;

memory_table& memory() { return the_driver().memory; }

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

bool is_untouched(const block& what) {
  const auto* bytes = static_cast<const unsigned char*>(pointer(what.base));
  return std::all_of(bytes, bytes + what.size, [](unsigned char b) { return b == freed_byte; });
}

// A block that was freed becomes new.
void renew(const freed_block& what) {
  if (!what.reported && !is_untouched(what.was)) ++memory().written_after_free;
  std::memset(pointer(what.was.base), new_byte, what.was.size);
}

bool fits(const freed_block& old, const wanted& what, int device) {
  const block& was = old.was;
  if (was.size != what.size || was.kind != what.kind || was.device != device) return false;
  if (was.from != what.from) return false;
  return old.freed->done || (what.in && old.stream == what.in->id);
}

std::uintptr_t take_fresh(const wanted& what) {
  require(what.size <= total_memory - live_bytes(nullptr), out_of_memory);
  const std::size_t rounded = (what.size + alignment - 1) / alignment * alignment;
  void* base = std::aligned_alloc(alignment, rounded);
  require(base != nullptr, out_of_memory);
  std::memset(base, new_byte, what.size);
  if (what.in) submit(what.in, {});
  return reinterpret_cast<std::uintptr_t>(base);
}

std::uintptr_t take(const wanted& what, int device) {
  auto& freed = memory().freed;
  const auto old = std::ranges::find_if(
      freed, [&](const auto& entry) { return fits(entry.second, what, device); });
  if (old == freed.end() || (what.in && what.in->capture)) return take_fresh(what);
  const freed_block again = old->second;
  freed.erase(old);
  if (what.in) {
    submit(what.in, [again] { renew(again); });
  } else {
    renew(again);
  }
  return again.was.base;
}

void add_live(const block& what) { memory().live.insert_or_assign(what.base, what); }

// Takes a block out of those that live, found by its first address.
block take_live(std::uintptr_t base, memory_kind kind, memory_kind or_kind) {
  const auto found = memory().live.find(base);
  require(found != memory().live.end(), invalid_value);
  require(found->second.kind == kind || found->second.kind == or_kind, invalid_value);
  block gone = found->second;
  memory().live.erase(found);
  return gone;
}

std::function<void()> spoil(const block& gone) {
  return [base = gone.base, size = gone.size] { std::memset(pointer(base), freed_byte, size); };
}

void keep(const block& gone, std::uint64_t stream, completion_ptr freed) {
  memory().freed.insert_or_assign(
      gone.base, freed_block{.was = gone, .stream = stream, .freed = std::move(freed)});
}

std::vector<completion_ptr> everything_pending() {
  std::vector<completion_ptr> pending;
  for (const stream_ptr& s : the_driver().working) {
    if (s->last && !s->last->done) pending.push_back(s->last);
  }
  return pending;
}

bool overlaps_live(std::uintptr_t base, std::size_t size) {
  return std::ranges::any_of(memory().live, [&](const auto& entry) {
    const block& b = entry.second;
    return base < b.base + b.size && b.base < base + size;
  });
}

}  // namespace

const block* block_of(std::uintptr_t address) {
  const auto& live = memory().live;
  auto after = live.upper_bound(address);
  if (after == live.begin()) return nullptr;
  const block& before = std::prev(after)->second;
  return address < before.base + before.size ? &before : nullptr;
}

void* allocate(const context_ptr& home, const wanted& what) {
  require(what.size != 0, invalid_value);
  if (what.in) check_implicit(*what.in);
  const int device = what.from ? what.from->device : home->device;
  const std::uintptr_t base = take(what, device);
  add_live({.base = base,
            .size = what.size,
            .kind = what.kind,
            .device = device,
            .home = home.get(),
            .context_handle = home->handle,
            .id = ++memory().last_id,
            .flags = what.flags,
            .from = what.from});
  return pointer(base);
}

// Real drivers wait for all work before they free; here the memory does, and the caller goes on.
void free_now(std::uintptr_t base, memory_kind kind, memory_kind or_kind) {
  const block gone = take_live(base, kind, or_kind);
  keep(gone, 0, enqueue(the_driver().background, spoil(gone), everything_pending()));
}

void free_in(std::uintptr_t base, const stream_ptr& in) {
  const auto found = memory().live.find(base);
  require(found != memory().live.end() && found->second.from, invalid_value);
  check_implicit(*in);
  const block gone = found->second;
  submit(in, spoil(gone));
  if (in->capture) return;  // the graph's, which may be launched again
  memory().live.erase(base);
  keep(gone, in->id, in->last);
}

void register_host(const context_ptr& home, void* base, std::size_t size, unsigned flags) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  require(base != nullptr && size != 0, invalid_value);
  require(!overlaps_live(address, size), host_memory_already_registered);
  check_range(address, size, place::host);
  add_live({.base = address,
            .size = size,
            .kind = memory_kind::registered,
            .device = home->device,
            .home = home.get(),
            .context_handle = home->handle,
            .id = ++memory().last_id,
            .flags = flags,
            .from = nullptr});
}

void unregister_host(void* base) {
  const auto found = memory().live.find(reinterpret_cast<std::uintptr_t>(base));
  const bool known = found != memory().live.end() && found->second.kind == memory_kind::registered;
  require(known, host_memory_not_registered);
  memory().live.erase(found);
}

// Nothing runs there any more.
void free_memory_of(const context& home) {
  auto done = std::make_shared<completion>();
  done->done = true;
  for (auto it = memory().live.begin(); it != memory().live.end();) {
    if (it->second.home != &home) {
      ++it;
      continue;
    }
    if (it->second.kind != memory_kind::registered) {
      spoil(it->second)();
      keep(it->second, 0, done);
    }
    it = memory().live.erase(it);
  }
}

void free_all_memory() {
  for (const auto& [base, b] : memory().live) {
    if (b.kind != memory_kind::registered) std::free(pointer(base));
  }
  for (const auto& [base, old] : memory().freed) std::free(pointer(base));
  memory().live.clear();
  memory().freed.clear();
  memory().written_after_free = 0;
}

std::size_t live_bytes(const pool* of) {
  std::size_t sum = 0;
  for (const auto& [base, b] : memory().live) {
    if (of == nullptr || b.from.get() == of) sum += b.size;
  }
  return sum;
}

std::size_t kept_bytes(const pool& of) {
  std::size_t sum = 0;
  for (const auto& [base, old] : memory().freed) {
    if (old.was.from.get() == &of) sum += old.was.size;
  }
  return sum;
}

unsigned long long written_after_free() {
  for (auto& [base, old] : memory().freed) {
    if (old.reported || !old.freed->done || is_untouched(old.was)) continue;
    old.reported = true;
    ++memory().written_after_free;
  }
  return memory().written_after_free;
}

}  // namespace doubles
