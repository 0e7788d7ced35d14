// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// CUDA's copies and fills.
#include "capture.hpp"
#include "context.hpp"
#include "cuda_calls.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace doubles::cuda {

namespace {

CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

stream_ptr default_stream() {
  stream_ptr found = stream_to_use(nullptr);
  refuse_capturing(*found);
  unsafe_call();
  return found;
}

bool is_device(CUdeviceptr pointer) {
  const block* known = block_of(pointer);
  return known != nullptr && known->kind == memory_kind::device;
}

copy_request flat(CUdeviceptr to, place to_place, CUdeviceptr from, place from_place,
                  std::size_t size) {
  return {.to = to, .from = from, .bytes = size, .to_place = to_place, .from_place = from_place};
}

// From device to device the host does not wait, whatever the call is named.
status copy_now(const copy_request& what) {
  const stream_ptr in = default_stream();
  copy(what, in, !(is_device(what.to) && is_device(what.from)));
  return ok;
}

status copy_in(const copy_request& what, CUstream stream) {
  copy(what, stream_to_use(stream), false);
  return ok;
}

void check_contexts(CUcontext to, CUcontext from) {
  context_at(to);
  context_at(from);
}

constexpr int type_host = 1;
constexpr int type_device = 2;
constexpr int type_unified = 4;

place place_of(int type) {
  require(type == type_host || type == type_device || type == type_unified, invalid_value);
  if (type == type_unified) return place::any;
  return type == type_host ? place::host : place::device;
}

copy_request rows_of(const CUDA_MEMCPY2D* copy) {
  require(copy != nullptr, invalid_value);
  const CUdeviceptr to =
      copy->dstMemoryType == type_host ? address(copy->dstHost) : copy->dstDevice;
  const CUdeviceptr from =
      copy->srcMemoryType == type_host ? address(copy->srcHost) : copy->srcDevice;
  return {.to = to + copy->dstY * copy->dstPitch + copy->dstXInBytes,
          .from = from + copy->srcY * copy->srcPitch + copy->srcXInBytes,
          .bytes = copy->WidthInBytes,
          .rows = copy->Height,
          .to_pitch = copy->dstPitch,
          .from_pitch = copy->srcPitch,
          .to_place = place_of(copy->dstMemoryType),
          .from_place = place_of(copy->srcMemoryType)};
}

fill_request row(CUdeviceptr to, std::uint32_t value, std::size_t width, std::size_t count) {
  return {.to = to, .value = value, .width = width, .count = count};
}

status fill_now(const fill_request& what) {
  fill(what, default_stream(), true);
  return ok;
}

status fill_in(const fill_request& what, CUstream stream) {
  fill(what, stream_to_use(stream), false);
  return ok;
}

}  // namespace

status cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t size) {
  return copy_now(flat(to, place::any, from, place::any, size));
}

status cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream stream) {
  return copy_in(flat(to, place::any, from, place::any, size), stream);
}

status cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                    std::size_t size) {
  check_contexts(to_context, from_context);
  return copy_now(flat(to, place::device, from, place::device, size));
}

status cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                         CUcontext from_context, std::size_t size, CUstream stream) {
  check_contexts(to_context, from_context);
  return copy_in(flat(to, place::device, from, place::device, size), stream);
}

status cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t size) {
  return copy_now(flat(to, place::device, address(from), place::host, size));
}

status cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t size) {
  return copy_now(flat(address(to), place::host, from, place::device, size));
}

status cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t size) {
  return copy_now(flat(to, place::device, from, place::device, size));
}

status cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t size, CUstream stream) {
  return copy_in(flat(to, place::device, address(from), place::host, size), stream);
}

status cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t size, CUstream stream) {
  return copy_in(flat(address(to), place::host, from, place::device, size), stream);
}

status cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t size, CUstream stream) {
  return copy_in(flat(to, place::device, from, place::device, size), stream);
}

status cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) { return copy_now(rows_of(copy)); }

status cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) { return copy_now(rows_of(copy)); }

status cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copy_in(rows_of(copy), stream);
}

status cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t count) {
  return fill_now(row(to, value, 1, count));
}

status cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t count) {
  return fill_now(row(to, value, 2, count));
}

status cuMemsetD32_v2(CUdeviceptr to, unsigned int value, std::size_t count) {
  return fill_now(row(to, value, 4, count));
}

status cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                       std::size_t height) {
  return fill_now({.to = to, .value = value, .count = width, .rows = height, .pitch = pitch});
}

status cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned int value, std::size_t width,
                        std::size_t height) {
  return fill_now(
      {.to = to, .value = value, .width = 4, .count = width, .rows = height, .pitch = pitch});
}

status cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return fill_in(row(to, value, 1, count), stream);
}

status cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
  return fill_in(row(to, value, 2, count), stream);
}

status cuMemsetD32Async(CUdeviceptr to, unsigned int value, std::size_t count, CUstream stream) {
  return fill_in(row(to, value, 4, count), stream);
}

status cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                         std::size_t height, CUstream stream) {
  return fill_in({.to = to, .value = value, .count = width, .rows = height, .pitch = pitch},
                 stream);
}

}  // namespace doubles::cuda
