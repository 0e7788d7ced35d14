// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs: looked at while they are captured, made ready, launched.
#include "graph.hpp"

#include <algorithm>

#include "stream.hpp"

namespace doubles {

namespace {

constexpr unsigned set_dependencies = 1;

const graph& find_graph(const void* handle) {
  const std::shared_ptr<graph> found = the_driver().graphs.find(handle);
  require(found != nullptr, invalid_value);
  return *found;
}

std::shared_ptr<executable> find_executable(const void* handle) {
  std::shared_ptr<executable> found = the_driver().executables.find(handle);
  require(found != nullptr, invalid_value);
  return found;
}

void* graph_handle(capture& of) {
  if (of.handle == nullptr) of.handle = the_driver().graphs.add(of.made);
  return of.handle;
}

// A node is known by its address.
const std::vector<void*>& listed(const std::vector<node_ptr>& nodes) {
  thread_local std::vector<void*> list;
  list.clear();
  for (const node_ptr& each : nodes) list.push_back(each.get());
  return list;
}

node_ptr find_node(const graph& of, const void* handle) {
  const auto found =
      std::ranges::find_if(of.nodes, [&](const node_ptr& each) { return each.get() == handle; });
  require(found != of.nodes.end(), invalid_value);
  return *found;
}

}  // namespace

capture_info info_of(const stream_ptr& asked, bool with_graph) {
  require(!is_implicit(*asked), capture_implicit);
  capture_info info{.status = capture_status(*asked)};
  if (info.status != 1) return info;
  info.id = asked->capture->id;
  if (with_graph) info.graph = graph_handle(*asked->capture);
  info.nodes = listed(asked->tips).data();
  info.count = asked->tips.size();
  return info;
}

void update_dependencies(const stream_ptr& asked, void* const* nodes, std::size_t count,
                         unsigned flags) {
  require(asked->capture != nullptr, illegal_state);
  require(!asked->capture->invalidated, capture_invalidated);
  require(flags <= set_dependencies && (nodes != nullptr || count == 0), invalid_value);
  std::vector<node_ptr> tips;
  if (flags != set_dependencies) tips = asked->tips;
  for (std::size_t i = 0; i < count; ++i) {
    const node_ptr more = find_node(*asked->capture->made, nodes[i]);
    if (std::ranges::find(tips, more) == tips.end()) tips.push_back(more);
  }
  asked->tips = std::move(tips);
}

void* instantiate(const void* handle) {
  auto copied = std::make_shared<executable>(executable{find_graph(handle)});
  return the_driver().executables.add(std::move(copied));
}

void launch(const void* handle, const stream_ptr& in) {
  const std::shared_ptr<executable> what = find_executable(handle);
  if (!in->capture) check_implicit(*in);
  for (const node_ptr& step : what->what.nodes) {
    if (step->enqueue && !in->capture) {
      step->enqueue(in);
    } else {
      submit(in, step->body);
    }
  }
}

void upload(const void* handle, const stream_ptr& in) {
  find_executable(handle);
  submit(in, {});
}

std::size_t list_nodes(const void* handle, void** nodes, std::size_t room) {
  const graph& asked = find_graph(handle);
  const std::size_t number = std::min(room, asked.nodes.size());
  if (nodes != nullptr) std::copy_n(listed(asked.nodes).begin(), number, nodes);
  return asked.nodes.size();
}

void destroy_graph(const void* handle) {
  require(the_driver().graphs.take(handle) != nullptr, invalid_value);
}

void destroy_executable(const void* handle) {
  require(the_driver().executables.take(handle) != nullptr, invalid_value);
}

int exchange_capture_mode(int mode) {
  require(mode >= 0 && mode <= 2, invalid_value);
  const auto before = static_cast<int>(this_thread().mode);
  this_thread().mode = static_cast<capture_mode>(mode);
  return before;
}

}  // namespace doubles
