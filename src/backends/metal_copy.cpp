// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Metal backend's memory: buffers, and copies between them and the host.
//
// Metal copies between buffers in whole words of 4 bytes. The host reaches shared buffers by itself
// and others by way of a shared one.
#include <algorithm>
#include <cstring>
#include <string>

#include <anystream/error.hpp>

#include "backends/metal.hpp"

namespace anystream::core {
namespace {

constexpr std::size_t word = 4;

std::size_t whole_words(std::size_t bytes) { return (bytes + word - 1) / word * word; }
metal_object buffer(const location& side) { return static_cast<metal_object>(side.data); }

}  // namespace

// Bytes of a buffer that only the device reaches, and the words that hold them.
struct metal_backend_of_driver::range {
  metal_object buffer;
  std::size_t offset;
  std::size_t bytes;

  std::size_t first() const { return offset / word * word; }
  std::size_t size() const { return whole_words(offset + bytes) - first(); }
  std::size_t inside() const { return offset - first(); }
};

// ---- memory -------------------------------------------------------------------------------------

bool metal_backend_of_driver::is_shared(metal_object buffer) const {
  return runtime().integer(buffer, runtime().buffer_storage) == metal_storage_shared;
}

bool metal_backend_of_driver::is_untracked(const location& side) const {
  const metal_runtime& to = runtime();
  return !side.of_host && to.integer(buffer(side), to.buffer_tracking) == metal_untracked;
}

int metal_backend_of_driver::memory_kind(DLDevice, const void* memory, stream_handle) const {
  if (memory == nullptr) return ANYSTREAM_MEMORY_UNKNOWN;
  const metal_pool pool(runtime());
  const auto asked = static_cast<metal_object>(const_cast<void*>(memory));
  return is_shared(asked) ? ANYSTREAM_MEMORY_SHARED : ANYSTREAM_MEMORY_DEVICE;
}

const void* metal_backend_of_driver::host_address(const void* memory) const {
  const metal_runtime& to = runtime();
  const metal_pool pool(to);
  const auto asked = static_cast<metal_object>(const_cast<void*>(memory));
  const void* found = to.driver.send_for_address(asked, to.buffer_contents);
  if (found == nullptr) fail_in_metal("contents", "the host cannot see a buffer's memory");
  return found;
}

metal_owned metal_backend_of_driver::new_buffer(metal_object device, std::size_t bytes,
                                                metal_integer options) const {
  const metal_runtime& to = runtime();
  const std::size_t size = whole_words(std::max<std::size_t>(bytes, 1));
  metal_object made = to.driver.send_for_memory(device, to.device_new_buffer, size, options);
  if (made == nullptr) {
    fail_in_metal("newBufferWithLength:options:",
                  std::to_string(bytes) + " bytes of memory could not be had");
  }
  return adopt(to, made);
}

void* metal_backend_of_driver::allocate(DLDevice device, std::size_t bytes,
                                        stream_handle stream) const {
  const metal_runtime& to = runtime();
  const metal_pool pool(to);
  metal_object where = device_at(device, stream);
  const bool unified = to.driver.send_for_bool(where, to.device_is_unified) != 0;
  return new_buffer(where, bytes, unified ? metal_storage_shared : metal_option_private).release();
}

void metal_backend_of_driver::deallocate(DLDevice, void* memory, stream_handle) const noexcept {
  const metal_runtime* to = known_runtime();
  if (to == nullptr || memory == nullptr) return;
  const metal_pool pool(*to);
  to->driver.release(static_cast<metal_object>(memory));
}

// ---- copies -------------------------------------------------------------------------------------

// Committed, not waited for. The command buffer keeps both buffers until it has ended.
void metal_backend_of_driver::blit(metal_object queue, location target, location source,
                                   std::size_t bytes) const {
  const metal_runtime& to = runtime();
  const bool untracked = is_untracked(target) || is_untracked(source);
  if (untracked) barrier(queue);
  metal_object commands = new_commands(to, queue);
  metal_object encoder = given(to.get(commands, to.block_encoder), "blitCommandEncoder",
                               "a command buffer has no encoder to give");
  to.driver.send_copy(encoder, to.block_copy, buffer(source), source.offset, buffer(target),
                      target.offset, bytes);
  to.send(encoder, to.encoder_end);
  to.send(commands, to.commands_commit);
  if (untracked) barrier(queue);
}

// Waits. The bytes are at range::inside.
metal_owned metal_backend_of_driver::read_out(metal_object queue, const range& of) const {
  const std::size_t length = runtime().integer(of.buffer, runtime().buffer_length);
  if (of.first() + of.size() > length) {
    throw exchange_error(
        "Metal copies whole words of 4 bytes, and the last bytes of a private "
        "buffer of " +
        std::to_string(length) +
        " bytes are no word.\n  Make the buffer a multiple of 4 bytes long, or "
        "of shared memory.");
  }
  metal_owned between = new_buffer(runtime().get(queue, runtime().device), of.size(), 0);
  blit(queue, {between.get(), 0}, {of.buffer, of.first()}, of.size());
  synchronize(queue);
  return between;
}

// The other bytes of the first and the last word are put back as they were.
void metal_backend_of_driver::write_in(metal_object queue, const range& to,
                                       const void* bytes) const {
  const bool whole = to.size() == to.bytes;
  const metal_owned between = whole
                                  ? new_buffer(runtime().get(queue, runtime().device), to.size(), 0)
                                  : read_out(queue, to);
  auto* const there =
      static_cast<std::byte*>(const_cast<void*>(host_address(between.get()))) + to.inside();
  std::memcpy(there, bytes, to.bytes);
  blit(queue, {to.buffer, to.first()}, {between.get(), 0}, to.size());
}

void metal_backend_of_driver::copy_through_host(metal_object queue, location target,
                                                location source, std::size_t bytes) const {
  synchronize(queue);
  metal_owned between;
  const std::byte* from = nullptr;
  if (source.of_host) {
    from = source.address();
  } else if (is_shared(buffer(source))) {
    from = static_cast<const std::byte*>(host_address(source.data)) + source.offset;
  } else {
    const range of{buffer(source), source.offset, bytes};
    between = read_out(queue, of);
    from = static_cast<const std::byte*>(host_address(between.get())) + of.inside();
  }
  if (target.of_host) return static_cast<void>(std::memcpy(target.address(), from, bytes));
  if (!is_shared(buffer(target)))
    return write_in(queue, {buffer(target), target.offset, bytes}, from);
  auto* const to = static_cast<std::byte*>(const_cast<void*>(host_address(target.data)));
  std::memcpy(to + target.offset, from, bytes);
}

void metal_backend_of_driver::copy(stream_handle stream, location target, location source,
                                   std::size_t bytes) const {
  if (bytes == 0) return;
  const metal_pool pool(runtime());
  auto* const queue = static_cast<metal_object>(stream);
  const bool in_words = (source.offset | target.offset | bytes) % word == 0;
  if (!source.of_host && !target.of_host && in_words) return blit(queue, target, source, bytes);
  copy_through_host(queue, target, source, bytes);
}

}  // namespace anystream::core
