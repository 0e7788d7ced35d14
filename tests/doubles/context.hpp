// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Contexts: primary ones and the client's own, and which one is current in a thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "driver.hpp"
#include "operation.hpp"

namespace doubles {

struct context {
  std::uint64_t id = 0;  // another one after a reset
  int device = 0;
  bool primary = false;
  bool alive = false;
  unsigned flags = 0;
  int users = 0;  // of a primary one
  void* handle = nullptr;
  stream_ptr legacy;
  std::map<std::uint64_t, stream_ptr> per_thread;  // by thread_state::id
  std::vector<completion_ptr> barriers;            // what every stream of it waits for
  std::set<const context*> peers;                  // whose memory it may reach
};

// Whether a thread without a context has its device's primary one, as in HIP; of the library.
extern const bool has_implicit_context;

device& device_at(int ordinal);
int device_count();

context_ptr current_context();               // fails if there is none or it is gone
void* current_handle();                      // null if there is none
context_ptr context_at(const void* handle);  // fails if it is not alive
context_ptr context_or_current(const void* handle);
void push_context(void* handle);
void* pop_context();
void set_context(void* handle);

void* create_context(unsigned flags, int ordinal);  // current from then on
void destroy_context(void* handle);
void* retain_primary(int ordinal);
void release_primary(int ordinal);
void reset_primary(int ordinal);
// HIP's: the primary context of a device, made when it is first needed.
void* primary_of(int ordinal);

// Cuts a context loose from its streams, which know it.
void forget_streams(context& home);
std::vector<stream_ptr> streams_of(const context& home);
void synchronize(const context_ptr& home);
bool is_legacy_idle(const stream& legacy);
void synchronize_legacy(const stream& legacy);  // and the blocking streams: they are in its order

}  // namespace doubles
