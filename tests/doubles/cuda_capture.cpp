// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's calls of capture and graphs.
#include "cuda_calls.hpp"
#include "graph.hpp"
#include "stream.hpp"

namespace doubles::cuda {

namespace {

void** as_nodes(CUgraphNode* nodes) { return reinterpret_cast<void**>(nodes); }

}  // namespace

status cuStreamIsCapturing(CUstream stream, int* capturing) {
  give(capturing, info_of(find_stream(stream), false).status);
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
  const capture_info info = info_of(find_stream(stream), graph != nullptr);
  give(capturing, info.status);
  if (info.status != 1) return ok;
  if (id != nullptr) *id = info.id;
  if (graph != nullptr) *graph = static_cast<CUgraph>(info.graph);
  if (nodes != nullptr) *nodes = reinterpret_cast<const CUgraphNode*>(info.nodes);
  if (count != nullptr) *count = info.count;
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
  update_dependencies(find_stream(stream), as_nodes(nodes), count, flags);
  return ok;
}

status cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* nodes, const void*,
                                            std::size_t count, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}

status cuThreadExchangeStreamCaptureMode(int* mode) {
  require(mode != nullptr, invalid_value);
  *mode = exchange_capture_mode(*mode);
  return ok;
}

status cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  require(executable != nullptr, invalid_value);
  *executable = static_cast<CUgraphExec>(instantiate(graph));
  return ok;
}

status cuGraphInstantiate_v2(CUgraphExec* executable, CUgraph graph, CUgraphNode* node, char*,
                             std::size_t) {
  if (node != nullptr) *node = nullptr;
  return cuGraphInstantiateWithFlags(executable, graph, 0);
}

status cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  launch(executable, stream_to_use(stream));
  return ok;
}

status cuGraphUpload(CUgraphExec executable, CUstream stream) {
  upload(executable, stream_to_use(stream));
  return ok;
}

status cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  require(count != nullptr, invalid_value);
  *count = list_nodes(graph, as_nodes(nodes), *count);
  return ok;
}

status cuGraphDestroy(CUgraph graph) {
  destroy_graph(graph);
  return ok;
}

status cuGraphExecDestroy(CUgraphExec executable) {
  destroy_executable(executable);
  return ok;
}

}  // namespace doubles::cuda
