// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated devices of this process, and the live handles of their streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simulated_faults.hpp"
#include "simulated_scheduler.hpp"
#include "simulated_stream.hpp"

namespace anystream::core::simulated {

class machine {
 public:
  static machine& instance();  // never destroyed

  std::int32_t create_device(std::uint64_t seed, std::uint32_t max_delay_us);
  std::int32_t create_exploring_device(std::uint64_t seed, fault which);
  std::vector<std::int32_t> devices() const;  // without closed ones

  std::shared_ptr<scheduler> explorer_of(std::int32_t device);  // null: it has threads
  // Neither is true of one that was closed.
  bool is_exploring(std::int32_t device) const noexcept;
  bool has_threads(std::int32_t device) const noexcept;
  std::shared_ptr<scheduler> explorer_at(std::int32_t device);  // value_error instead of null
  void close(std::int32_t device);                              // of an exploring device

  // Each gives one reference.
  void* create_stream(std::int32_t device, const std::string& name, bool in_order);
  void* find_stream(std::int32_t device, const std::string& name);

  bool retain(void* handle);  // false: not the handle of a live stream
  void release(void* handle);

  std::shared_ptr<stream> at(void* handle) const;       // value_error where there is none
  std::shared_ptr<stream> look_up(void* handle) const;  // null where there is none
  void check_device(std::int32_t device);               // value_error

  // Throws driver_unavailable in a forked child, where no thread of ours lives.
  static void require_threads();
  static bool forked() noexcept;

 private:
  struct device {
    std::uint64_t seed;
    std::uint32_t max_delay_us;
    std::uint64_t streams_made = 0;
    std::shared_ptr<scheduler> explorer = nullptr;
    bool closed = false;
  };
  struct live_stream {
    std::shared_ptr<stream> object;
    std::size_t references;
  };

  machine();

  // All with lock_ held.
  device& existing(std::int32_t id);
  const device* open_device(std::int32_t id) const noexcept;  // null: none is open
  live_stream* named(std::int32_t device, const std::string& name, void** handle);
  std::string names(std::int32_t device) const;
  std::string unused_name(std::int32_t device, std::uint64_t number);

  mutable std::mutex lock_;  // of the members below; nothing waits and nothing runs under it
  std::vector<device> devices_;
  std::map<void*, live_stream> streams_;
  std::deque<char> handles_;  // their addresses are the handles: unique, since it only grows
};

}  // namespace anystream::core::simulated
