// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A DLPack producer for tests: every field can be set, and its deleter calls are counted.
#pragma once

#include <dlpack/dlpack.h>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace producer {

// What is described. The deleter poisons it, as a consumer must not look at it any more.
struct description {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  bool null_strides = false;
  void* data = nullptr;
  DLDevice device = {kDLCPU, 0};
  DLDataType dtype = {kDLFloat, 32, 1};
  std::uint64_t byte_offset = 0;
  std::uint64_t flags = 0;
  DLPackVersion version = {1, 3};
  bool null_deleter = false;
};

// One managed tensor of either form, with the count of its deleter's calls.
template <class Managed>
class made {
 public:
  made(description what, std::atomic<int>& deleted) : what_(std::move(what)), deleted_(deleted) {
    DLTensor& tensor = managed_.dl_tensor;
    tensor.data = what_.data;
    tensor.device = what_.device;
    tensor.ndim = static_cast<std::int32_t>(what_.shape.size());
    tensor.dtype = what_.dtype;
    tensor.shape = what_.shape.data();
    tensor.strides = what_.null_strides ? nullptr : what_.strides.data();
    tensor.byte_offset = what_.byte_offset;
    managed_.manager_ctx = this;
    managed_.deleter = what_.null_deleter ? nullptr : destroy;
    set_version();
  }

  Managed* get() { return &managed_; }

 private:
  void set_version() {
    if constexpr (requires { managed_.flags; }) {
      managed_.version = what_.version;
      managed_.flags = what_.flags;
    }
  }

  static void destroy(Managed* self) {
    auto* const all = static_cast<made*>(self->manager_ctx);
    all->what_.shape.assign(all->what_.shape.size(), -999);
    all->what_.strides.assign(all->what_.strides.size(), -999);
    self->dl_tensor.ndim = -999;
    ++all->deleted_;
    delete all;
  }

  description what_;
  std::atomic<int>& deleted_;
  Managed managed_{};
};

// Given to whoever calls its deleter; with a NULL deleter the caller keeps and deletes it.
template <class Managed>
made<Managed>* make(const description& what, std::atomic<int>& deleted) {
  return new made<Managed>(what, deleted);
}

}  // namespace producer
