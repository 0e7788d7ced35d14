// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Registering a platform, and finding it again.
//
// The list is a chain of nodes that are never freed. One is appended by a compare-exchange on the
// last link, by whoever has looked at all that come before it: so nothing is locked, and no two of
// one key get in.
#include "platform_list.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <anystream/error.hpp>

#include "backends/registered.hpp"

namespace anystream::core {
namespace {

struct node {
  explicit node(const anystream_platform& given, std::string called);

  std::string name, family, takes, capsules, fix, callbacks;
  anystream_platform calls;
  stream_rules rules{};
  registered_platform engine;
  registered_row known{};
  std::atomic<node*> next{nullptr};
};

std::atomic<node*> first{nullptr};

// 0 on the hot path of every import: nothing else is looked at then.
const node* begin() noexcept { return first.load(std::memory_order_acquire); }
const node* after(const node* each) noexcept { return each->next.load(std::memory_order_acquire); }

template <class Predicate>
const node* find_if(Predicate&& predicate) noexcept {
  for (const node* each = begin(); each != nullptr; each = after(each)) {
    if (predicate(*each)) return each;
  }
  return nullptr;
}

const platform* row_of(const node* found) noexcept {
  return found != nullptr ? &found->known.row : nullptr;
}

std::string text_or(const char* given, std::string otherwise) {
  return given != nullptr && *given != '\0' ? std::string(given) : std::move(otherwise);
}

constexpr const char* usual_fix = "Pass the stream itself: stream=s.";

node::node(const anystream_platform& given, std::string called)
    : name(std::move(called)),
      family(text_or(given.family, name)),
      takes(text_or(given.takes, "a stream of " + name)),
      capsules(text_or(given.capsules, "")),
      fix(text_or(given.fix, usual_fix)),
      callbacks(callback_names(given)),
      calls(given),
      engine(given, name) {
  const bool integers = (given.flags & ANYSTREAM_PLATFORM_TAKES_INTEGERS) != 0;
  rules = {name,
           none_rule::host_wait,
           integers ? integer_rule::handle : integer_rule::refused_type,
           stream_family::registered,
           takes,
           capsules,
           static_cast<memory_kind>(given.memory),
           fix};
  known.row = {static_cast<device_type>(given.device_type), name.c_str(), &rules, &engine, family};
  known.is_own = given.owns == nullptr;
  known.info = {given.device_type, given.flags,         name.c_str(), family.c_str(),
                takes.c_str(),     capsules.c_str(),    fix.c_str(),  callbacks.c_str(),
                given.memory,      known.is_own ? 1 : 0};
}

// ---- what is refused ----------------------------------------------------------------------------

[[noreturn]] void refuse(const anystream_platform& given, const std::string& why,
                         const std::string& fix) {
  const char* name = given.name != nullptr ? given.name : "";
  throw value_error("register_platform(" + to_string(static_cast<device_type>(given.device_type)) +
                    ", \"" + name + "\"): " + why + ".\n  " + fix);
}

constexpr std::size_t longest_name = sizeof(anystream_device_info::platform) - 1;
constexpr std::string_view reserved_names[] = {"none", "unknown", "registered", "cuda_like",
                                               "host"};

void check_name(const anystream_platform& given) {
  const std::string_view name = given.name != nullptr ? given.name : "";
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  };
  if (name.empty() || name.size() > longest_name || !std::ranges::all_of(name, is_plain)) {
    refuse(given, "a platform's name is 1 to 31 letters of a to z, 0 to 9, \"_\", \".\" and \"-\"",
           "Take the word that your library is known by.");
  }
  bool taken = std::ranges::find(reserved_names, name) != std::end(reserved_names);
  for (const device_info& row : device_table) taken = taken || row.rules.backend == name;
  for (const platform_info& row : platform_table) taken = taken || row.name == name;
  if (taken) refuse(given, "that is the name of a built-in platform", "Take another name.");
}

void check_type(const anystream_platform& given) {
  if (given.device_type <= 0) {
    refuse(given, "a device type is a number of DLPack's, from 1",
           "A type that DLPack has not named yet is taken by its number.");
  }
  const device_info* row = find_device(given.device_type);
  if (row == nullptr || row->rules.backend.empty()) return;
  refuse(given,
         "the device type has a built-in platform, \"" + std::string(row->rules.backend) + "\"",
         "A stream class of yours is added to that one: anystream.register_stream_type.");
}

void check_pair(const anystream_platform& given, bool one, bool other, const char* names) {
  if (one == other) return;
  refuse(given, std::string(names) + " go together, and one of them is missing",
         "Give both, or neither.");
}

void check_rest(const anystream_platform& given) {
  check_pair(given, given.retain != nullptr, given.release != nullptr, "retain and release");
  check_pair(given, given.allocate != nullptr, given.deallocate != nullptr,
             "allocate and deallocate");
  constexpr std::uint32_t flags = ANYSTREAM_PLATFORM_TAKES_INTEGERS |
                                  ANYSTREAM_PLATFORM_SEPARATE_DEVICES |
                                  ANYSTREAM_PLATFORM_FREES_IN_ORDER;
  if ((given.flags & ~flags) != 0) refuse(given, "flags has bits that mean nothing", "Clear them.");
  if (given.memory < ANYSTREAM_MEMORY_UNKNOWN || given.memory > ANYSTREAM_MEMORY_SHARED) {
    refuse(given, "memory is one of ANYSTREAM_MEMORY_…, 0 to 3",
           "UNKNOWN lets memory_kind or host_address tell.");
  }
}

// As far as the caller's version goes; the rest is not given.
anystream_platform copy_of(const anystream_platform& given) {
  constexpr std::size_t first_version = sizeof(anystream_platform);
  if (given.size < first_version) {
    throw value_error("platform_register: size is sizeof(anystream_platform), at least " +
                      std::to_string(first_version) + "; got " + std::to_string(given.size) +
                      ".\n  Set it, and all that is not given to zero.");
  }
  anystream_platform copy{};
  std::memcpy(&copy, &given, std::min(given.size, sizeof copy));
  copy.size = sizeof copy;
  return copy;
}

// The same once more, whatever the addresses of its strings.
bool is_equal(const node& known, const node& given) {
  anystream_platform a = known.calls, b = given.calls;
  a.name = a.family = a.takes = a.capsules = a.fix = nullptr;
  b.name = b.family = b.takes = b.capsules = b.fix = nullptr;
  a.reserved = b.reserved = 0;
  return std::memcmp(&a, &b, sizeof a) == 0 && known.family == given.family &&
         known.takes == given.takes && known.capsules == given.capsules && known.fix == given.fix;
}

// True: it is there already.
bool check_beside(const node& known, const node& given) {
  if (known.calls.device_type != given.calls.device_type) return false;
  if (known.name == given.name) {
    if (is_equal(known, given)) return true;
    refuse(given.calls, "a platform of that name is registered on the device type already",
           "A platform is registered once, and stays; take another name.");
  }
  if (known.known.is_own && given.known.is_own) {
    refuse(given.calls, "the device type has a platform of its own already, \"" + known.name + "\"",
           "Give owns=…, which tells what memory is its.");
  }
  return false;
}

}  // namespace

void register_platform(const anystream_platform& given, owner keep) {
  const anystream_platform copy = copy_of(given);
  check_name(copy);
  check_type(copy);
  check_rest(copy);
  auto made = std::make_unique<node>(copy, copy.name);
  made->calls.name = made->name.c_str();
  std::atomic<node*>* link = &first;
  while (true) {
    node* there = link->load(std::memory_order_acquire);
    if (there == nullptr && link->compare_exchange_strong(there, made.get())) break;
    if (check_beside(*there, *made)) return;
    link = &there->next;
  }
  static_cast<void>(made.release());  // NOLINT(bugprone-unused-return-value): the list has it
  keep.forget();
}

int registered_count() noexcept {
  int count = 0;
  find_if([&](const node&) { return ++count, false; });
  return count;
}

const registered_row& registered_at(int index) {
  int at = index;
  const node* found = find_if([&](const node&) { return at-- == 0; });
  if (found != nullptr && index >= 0) return found->known;
  throw value_error("platform_info: there are " + std::to_string(registered_count()) +
                    " registered platforms, counted from 0; got " + std::to_string(index) + ".");
}

const platform* find_own_platform(device_type type) noexcept {
  return row_of(
      find_if([=](const node& each) { return each.known.is_own && each.known.row.type == type; }));
}

const platform* find_registered(device_type type, std::string_view name) noexcept {
  return row_of(
      find_if([=](const node& each) { return each.known.row.type == type && each.name == name; }));
}

const platform* find_registered(std::string_view name) noexcept {
  return row_of(find_if([=](const node& each) { return each.name == name; }));
}

const platform* find_registered_owner(device_type type, const void* data) noexcept {
  return row_of(find_if(
      [=](const node& each) { return each.known.row.type == type && each.engine.owns(data); }));
}

}  // namespace anystream::core
