// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs as their handles name them: what a capture has so far, what is launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture.hpp"

namespace doubles {

struct capture_info {
  int status = 0;
  std::uint64_t id = 0;
  void* graph = nullptr;
  void* const* nodes = nullptr;  // valid until this thread asks again
  std::size_t count = 0;
};
// With a handle of the graph if that is asked for.
capture_info info_of(const stream_ptr& asked, bool with_graph);
// Adds to what the next operation of a capturing stream comes after, or sets it.
void update_dependencies(const stream_ptr& asked, void* const* nodes, std::size_t count,
                         unsigned flags);

void* instantiate(const void* graph);
void launch(const void* executable, const stream_ptr& in);
void upload(const void* executable, const stream_ptr& in);
// Writes at most as many as there is room for; gives how many there are.
std::size_t list_nodes(const void* graph, void** nodes, std::size_t room);
void destroy_graph(const void* graph);
void destroy_executable(const void* executable);

int exchange_capture_mode(int mode);

}  // namespace doubles
