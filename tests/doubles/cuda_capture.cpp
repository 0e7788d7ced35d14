// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
// CUDA's calls of capture and graphs.
#include "capture.hpp"

#include <algorithm>

#include "context.hpp"
#include "cuda_calls.hpp"
#include "stream.hpp"

namespace doubles::cuda {

namespace {

constexpr unsigned int set_dependencies = 1;

const graph& find_graph(CUgraph handle) {
  const std::shared_ptr<graph> found = the_driver().graphs.find(handle);
  require(found != nullptr, invalid_value);
  return *found;
}

std::shared_ptr<executable> find_executable(CUgraphExec handle) {
  std::shared_ptr<executable> found = the_driver().executables.find(handle);
  require(found != nullptr, invalid_value);
  return found;
}

CUgraph graph_handle(capture& of) {
  if (of.handle == nullptr) of.handle = the_driver().graphs.add(of.made);
  return static_cast<CUgraph>(of.handle);
}

// Nodes are known by their address; the list stays valid until the thread asks again.
const CUgraphNode* listed(const std::vector<node_ptr>& nodes) {
  thread_local std::vector<CUgraphNode> list;
  list.clear();
  for (const node_ptr& each : nodes) list.push_back(reinterpret_cast<CUgraphNode>(each.get()));
  return list.data();
}

node_ptr find_node(const graph& of, CUgraphNode handle) {
  const auto found = std::ranges::find_if(of.nodes, [&](const node_ptr& each) {
    return reinterpret_cast<CUgraphNode>(each.get()) == handle;
  });
  require(found != of.nodes.end(), invalid_value);
  return *found;
}

}  // namespace

status cuStreamIsCapturing(CUstream stream, int* capturing) {
  const stream_ptr asked = find_stream(stream);
  require(!is_implicit(*asked), capture_implicit);
  give(capturing, capture_status(*asked));
  return ok;
}

status cuStreamBeginCapture_v2(CUstream stream, int mode) {
  require(mode >= 0 && mode <= 2, invalid_value);
  begin_capture(stream_to_use(stream), static_cast<capture_mode>(mode));
  return ok;
}

status cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  require(graph != nullptr, invalid_value);
  *graph = nullptr;
  *graph = static_cast<CUgraph>(end_capture(find_stream(stream)));
  return ok;
}

status cuStreamGetCaptureInfo(CUstream stream, int* capturing, unsigned long long* id) {
  return cuStreamGetCaptureInfo_v2(stream, capturing, id, nullptr, nullptr, nullptr);
}

status cuStreamGetCaptureInfo_v2(CUstream stream, int* capturing, unsigned long long* id,
                                 CUgraph* graph, const CUgraphNode** nodes, std::size_t* count) {
  const stream_ptr asked = find_stream(stream);
  require(!is_implicit(*asked), capture_implicit);
  give(capturing, capture_status(*asked));
  if (*capturing != 1) return ok;
  if (id != nullptr) *id = asked->capture->id;
  if (graph != nullptr) *graph = graph_handle(*asked->capture);
  if (nodes != nullptr) *nodes = listed(asked->tips);
  if (count != nullptr) *count = asked->tips.size();
  return ok;
}

status cuStreamGetCaptureInfo_v3(CUstream stream, int* capturing, unsigned long long* id,
                                 CUgraph* graph, const CUgraphNode** nodes, const void** edges,
                                 std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return cuStreamGetCaptureInfo_v2(stream, capturing, id, graph, nodes, count);
}

status cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* nodes, std::size_t count,
                                         unsigned int flags) {
  const stream_ptr asked = find_stream(stream);
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
  return ok;
}

status cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* nodes, const void*,
                                            std::size_t count, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}

status cuThreadExchangeStreamCaptureMode(int* mode) {
  require(mode != nullptr && *mode >= 0 && *mode <= 2, invalid_value);
  const auto before = static_cast<int>(this_thread().mode);
  this_thread().mode = static_cast<capture_mode>(*mode);
  *mode = before;
  return ok;
}

status cuGraphInstantiateWithFlags(CUgraphExec* made, CUgraph graph, unsigned long long) {
  require(made != nullptr, invalid_value);
  auto copied = std::make_shared<executable>(executable{find_graph(graph)});
  *made = static_cast<CUgraphExec>(the_driver().executables.add(std::move(copied)));
  return ok;
}

status cuGraphInstantiate_v2(CUgraphExec* made, CUgraph graph, CUgraphNode* node, char*,
                             std::size_t) {
  if (node != nullptr) *node = nullptr;
  return cuGraphInstantiateWithFlags(made, graph, 0);
}

status cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  launch(*find_executable(executable), stream_to_use(stream));
  return ok;
}

status cuGraphUpload(CUgraphExec executable, CUstream stream) {
  find_executable(executable);
  submit(stream_to_use(stream), {});
  return ok;
}

status cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, std::size_t* count) {
  require(count != nullptr, invalid_value);
  const graph& asked = find_graph(handle);
  const std::size_t number = nodes == nullptr ? asked.nodes.size() : *count;
  if (nodes != nullptr)
    std::copy_n(listed(asked.nodes), std::min(number, asked.nodes.size()), nodes);
  *count = asked.nodes.size();
  return ok;
}

status cuGraphDestroy(CUgraph graph) {
  require(the_driver().graphs.take(graph) != nullptr, invalid_value);
  return ok;
}

status cuGraphExecDestroy(CUgraphExec executable) {
  require(the_driver().executables.take(executable) != nullptr, invalid_value);
  return ok;
}

}  // namespace doubles::cuda
