// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The host: memory without streams. What happens there has happened when the call returns.
#include <anystream/error.hpp>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstdint>
#include <cstring>
#include <new>

#include "backends/backends.hpp"

namespace anystream::core {
namespace {

// dlpack.h asks for this much, and lets everyone off; it costs nothing here.
constexpr std::align_val_t alignment{256};

// Where much is written for the first time, what the system does for every 4 KiB of it would cost
// more than the writing. It may decline; nothing depends on it.
void ask_for_large_pages([[maybe_unused]] void* memory,
                         [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
  constexpr std::size_t worth_it = std::size_t{4} << 20;
  constexpr std::size_t largest_page = 65536;  // of those that are not large
  if (bytes < worth_it) return;
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(memory) % largest_page;
  ::madvise(static_cast<char*>(memory) + skipped, bytes - skipped, MADV_HUGEPAGE);
#endif
}

// The core never makes a stream here: the table says that the host takes none.
[[noreturn]] void refuse_stream() { throw internal_error("the host was asked for a stream"); }

class host final : public backend {
 public:
  const char* name() const noexcept override { return "host"; }
  bool serves(device_type type) const noexcept override { return type == device_type::cpu; }
  void require() const override {}
  std::vector<anystream_device_info> devices() const override {
    return {{{kDLCPU, 0}, "host", "cpu", "host"}};
  }

  stream_handle retain(DLDevice, stream_handle, bool) const override { refuse_stream(); }
  void drop(stream_handle) const noexcept override {}
  DLDevice device_of(stream_handle) const override { refuse_stream(); }
  bool in_order(stream_handle) const override { refuse_stream(); }
  bool same(stream_handle, stream_handle) const override { refuse_stream(); }
  bool idle(stream_handle) const override { refuse_stream(); }
  void synchronize(stream_handle) const override { refuse_stream(); }
  bool barrier(stream_handle) const override { refuse_stream(); }

  event_handle record(stream_handle) const override { refuse_stream(); }
  bool wait(stream_handle, event_handle) const override { refuse_stream(); }
  bool complete(event_handle) const override { refuse_stream(); }
  void synchronize_event(event_handle) const override { refuse_stream(); }
  void destroy_event(event_handle) const noexcept override {}

  int memory_kind(DLDevice, const void*, stream_handle) const override {
    return ANYSTREAM_MEMORY_HOST;
  }
  void* allocate(DLDevice, std::size_t bytes, stream_handle) const override {
    void* const memory = ::operator new(bytes, alignment);
    ask_for_large_pages(memory, bytes);
    return memory;
  }
  void deallocate(DLDevice, void* memory, stream_handle) const noexcept override {
    ::operator delete(memory, alignment);
  }
  // Nothing is pending.
  bool frees_in_order(DLDevice, stream_handle) const noexcept override { return true; }
  void copy(stream_handle, location target, location source, std::size_t bytes) const override {
    std::memcpy(target.address(), source.address(), bytes);
  }
  bool owns(const void*) const noexcept override { return false; }
  void check_export(const DLTensor&, stream_handle) const override {}
};

}  // namespace

backend& host_backend() {
  static host& made = *new host;
  return made;
}

}  // namespace anystream::core
