// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Metal: buffers, what the host sees of them, and copies, byte by byte.
#include <cstring>
#include <numeric>

#include "array.hpp"
#include "copy.hpp"
#include "metal_rig.hpp"

namespace {

using namespace metal_rig;
using metal_double::commit_work;
using metal_double::hold;
using metal_double::let_go;
using metal_double::settle;

constexpr unsigned long shared = 0, managed = 1, private_ = 2;

std::vector<std::byte> numbered(std::size_t count, int first = 1) {
  std::vector<std::byte> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return made;
}

void what_the_host_sees_depends_on_the_storage() {
  bench with;
  const auto kind = [&](unsigned long storage) {
    return with.engine().memory_kind({kDLMetal, 0}, with.buffer(8, storage), nullptr);
  };
  CHECK_EQUAL(kind(shared), ANYSTREAM_MEMORY_SHARED);
  CHECK_EQUAL(kind(managed), ANYSTREAM_MEMORY_DEVICE);
  CHECK_EQUAL(kind(private_), ANYSTREAM_MEMORY_DEVICE);
  CHECK_EQUAL(with.engine().memory_kind({kDLMetal, 0}, nullptr, nullptr), ANYSTREAM_MEMORY_UNKNOWN);
  object* const buffer = with.buffer(8);
  CHECK(with.engine().host_address(buffer) == buffer->bytes.data());
  CHECK_THROWS(driver_error, with.engine().host_address(with.buffer(8, private_)));
}

// The handle stays as it is; the view is of the memory behind it, offset and all.
void a_shared_buffer_is_the_hosts_array() {
  bench with;
  object* const buffer = with.buffer(16);
  buffer->bytes = numbered(16);
  std::int64_t shape[] = {3};
  const core::platform where{device_type::metal, "metal", &find_device(device_type::metal)->rules,
                             &with.engine()};
  const DLTensor tensor{buffer, {kDLMetal, 0}, 1, {kDLUInt, 8, 1}, shape, nullptr, 5};
  auto array = wrap_memory(tensor, 0, where, {});
  CHECK(array->tensor.data == buffer && array->tensor.byte_offset == 5);
  const auto view = view_on_host(*array);
  CHECK(view->tensor.device.device_type == kDLCPU);
  CHECK(static_cast<std::byte*>(view->tensor.data) + view->tensor.byte_offset ==
        buffer->bytes.data() + 5);
  buffer->storage = private_;
  CHECK_THROWS(exchange_error, view_on_host(*array));
}

void memory_is_shared_where_the_device_has_none_of_its_own() {
  bench with;
  const auto stream = with.stream(with.queue());
  for (const bool unified : {true, false}) {
    with.device(0)->unified = unified;
    auto* const made =
        static_cast<object*>(with.engine().allocate({kDLMetal, 0}, 5, stream->handle));
    CHECK_EQUAL(made->storage, unified ? shared : private_);
    CHECK_EQUAL(made->bytes.size(), 8u);
    CHECK_EQUAL(made->references, 1);
    with.engine().deallocate({kDLMetal, 0}, made, stream->handle);
    CHECK_EQUAL(made->references, 0);
  }
  now().failing = {{"newBufferWithLength:options:", 0}};
  CHECK_THROWS(driver_error, with.engine().allocate({kDLMetal, 1}, 4, nullptr));
}

void copies_between_buffers_are_enqueued() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  object *const from = with.buffer(16, private_), *const to = with.buffer(16, private_);
  from->bytes = numbered(16);
  hold(queue);
  check_lines(calls_of([&] { with.engine().copy(stream->handle, {to, 4}, {from, 8}, 8); }),
              {"b1 = q1 commandBuffer", "b1 copy m1+8 to m2+4, 8", "b1 commit"});
  CHECK(to->bytes == std::vector<std::byte>(16));
  let_go(queue);
  settle(queue);
  CHECK(std::memcmp(&to->bytes[4], &from->bytes[8], 8) == 0);
  check_lines(calls_of([&] { with.engine().copy(stream->handle, {to, 4}, {from, 8}, 0); }), {});
}

// Metal keeps nothing apart that uses untracked memory: two barriers do.
void copies_of_untracked_memory_are_between_barriers() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  object *const from = with.buffer(16), *const to = with.buffer(16);
  from->tracking = 1;
  hold(queue);
  check_lines(calls_of([&] { with.engine().copy(stream->handle, {to, 0}, {from, 0}, 16); }),
              {"e1 = d1 newSharedEvent", "b1 = q1 commandBuffer", "b1 signal e1 1", "b1 commit",
               "b2 = q1 commandBuffer", "b2 wait e1 1", "b2 commit", "b3 = q1 commandBuffer",
               "b3 copy m1+0 to m2+0, 16", "b3 commit", "b4 = q1 commandBuffer", "b4 signal e1 2",
               "b4 commit", "b5 = q1 commandBuffer", "b5 wait e1 2", "b5 commit"});
}

// Every storage, offsets and sizes that are no whole words, and what lies beside them.
void each_copy_moves_its_bytes_and_no_others() {
  bench with;
  const auto stream = with.stream(with.queue());
  for (const unsigned long source : {shared, managed, private_}) {
    for (const unsigned long target : {shared, managed, private_}) {
      for (const std::size_t first : {0, 1, 4, 7}) {
        for (const std::size_t there : {0, 2, 4, 5}) {
          for (const std::size_t size : {1, 3, 4, 8, 11}) {
            object *const from = with.buffer(24, source), *const to = with.buffer(24, target);
            from->bytes = numbered(24);
            to->bytes = numbered(24, 100);
            std::vector<std::byte> wanted = to->bytes;
            std::memcpy(&wanted[there], &from->bytes[first], size);
            with.engine().copy(stream->handle, {to, there}, {from, first}, size);
            with.engine().synchronize(stream->handle);
            CHECK(to->bytes == wanted);
          }
        }
      }
    }
  }
}

void the_host_gives_and_takes_bytes() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  for (const unsigned long storage : {shared, private_}) {
    for (const std::size_t offset : {0, 3, 8}) {
      object* const buffer = with.buffer(24, storage);
      auto given = numbered(7);
      std::vector<std::byte> taken(7);
      with.engine().copy(stream->handle, {buffer, offset}, {given.data(), 0, true}, 7);
      with.engine().copy(stream->handle, {taken.data(), 0, true}, {buffer, offset}, 7);
      CHECK(taken == given);
    }
  }
}

// Of earlier work of the queue the host gets what that has written.
void the_host_reads_after_what_is_pending() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  object* const buffer = with.buffer(8);
  hold(queue);
  commit_work(queue, "write", [buffer] { buffer->bytes = numbered(8); });
  std::thread other([&] { let_go(queue); });
  std::vector<std::byte> taken(8);
  with.engine().copy(stream->handle, {taken.data(), 0, true}, {buffer, 0}, 8);
  other.join();
  CHECK(taken == numbered(8));
}

void each_message_of_a_copy_may_fail() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  object *const from = with.buffer(16, private_), *const to = with.buffer(16, private_);
  std::vector<std::byte> host(16);
  const location inside{to, 1}, outside{host.data(), 0, true};
  const auto fails = [&](const char* message, int after, location target, location source) {
    now().failing = {{message, after}};
    CHECK_THROWS(driver_error, with.engine().copy(stream->handle, target, source, 8));
    now().failing.clear();
    settle(queue);
  };
  fails("commandBuffer", 0, {to}, {from});
  fails("blitCommandEncoder", 0, {to}, {from});
  for (const int after : {0, 1, 2}) fails("commandBuffer", after, outside, {from});
  fails("blitCommandEncoder", 0, outside, {from});
  fails("newBufferWithLength:options:", 0, outside, {from});
  fails("contents", 0, outside, {from});
  for (const int after : {0, 1}) fails("blitCommandEncoder", after, inside, outside);
  fails("contents", 0, inside, outside);
  fails("device", 0, outside, {from});
  with.engine().copy(stream->handle, {to}, outside, 8);
}

void the_end_of_a_private_buffer_that_is_no_word_is_out_of_reach() {
  bench with;
  const auto stream = with.stream(with.queue());
  object* const odd = with.buffer(7, private_);
  std::vector<std::byte> host(7);
  CHECK_MESSAGE(exchange_error,
                "Metal copies whole words of 4 bytes, and the last bytes of a private buffer of 7 "
                "bytes are no word.\n  Make the buffer a multiple of 4 bytes long, or of shared "
                "memory.",
                with.engine().copy(stream->handle, {host.data(), 0, true}, {odd, 0}, 7));
}

}  // namespace

int main() {
  what_the_host_sees_depends_on_the_storage();
  a_shared_buffer_is_the_hosts_array();
  memory_is_shared_where_the_device_has_none_of_its_own();
  copies_between_buffers_are_enqueued();
  copies_of_untracked_memory_are_between_barriers();
  each_copy_moves_its_bytes_and_no_others();
  the_host_gives_and_takes_bytes();
  the_host_reads_after_what_is_pending();
  each_message_of_a_copy_may_fail();
  the_end_of_a_private_buffer_that_is_no_word_is_out_of_reach();
  return check::result();
}
