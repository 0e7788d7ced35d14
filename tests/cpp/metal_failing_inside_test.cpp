// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Metal: each message failing in turn, and what is no queue. Whatever fails, nothing stays retained
// (the bench looks at its end), and the next hand-off works.
#include "metal_rig.hpp"

namespace {

using namespace metal_rig;
using metal_double::commit_work;
using metal_double::hold;
using metal_double::let_go;
using metal_double::settle;

void fail_at(const std::string& name, int after = 0) {
  const metal_double::guard lock(now().lock);
  now().failing = {{name, after}};
}

void each_message_of_an_order_may_fail() {
  const struct {
    const char* message;
    int after;
    const char* told;
  } failures[] = {{"newSharedEvent", 0, "newSharedEvent"},
                  {"device", 0, "newSharedEvent"},
                  {"commandBuffer", 0, "commandBuffer"},   // of the signal
                  {"commandBuffer", 1, "commandBuffer"}};  // of the wait
  for (const auto& [message, after, told] : failures) {
    bench with;
    object *const first = with.queue(), *const second = with.queue();
    const auto producer = with.stream(first), consumer = with.stream(second);
    hold(first);
    fail_at(message, after);
    try {
      order(*producer, *consumer);
      check::that(false, "it throws");
    } catch (const driver_error& error) {
      CHECK_EQUAL(error.api(), told);
      CHECK_EQUAL(error.code_name(), "nil");
      CHECK(std::string(error.what()).starts_with(std::string(told) + " failed: "));
    }
    fail_at("nothing");
    CHECK(order(*producer, *consumer) == ANYSTREAM_ORDERED_EVENT);
    commit_work(first, "write");
    order(*producer, *consumer);
    commit_work(second, "read");
    let_go(first);
    settle(first);
    settle(second);
    check_lines(done(), {"write", "read"});
  }
}

void each_question_may_fail() {
  bench with;
  object* const queue = with.queue();
  fail_at("MTLCopyAllDevices");
  CHECK_THROWS(driver_error, with.engine().devices());
  fail_at("device");
  CHECK_THROWS(driver_error, with.stream(queue));
  fail_at("respondsToSelector:");
  CHECK_THROWS(value_error, with.stream(queue));
  fail_at("nothing");
  CHECK_EQUAL(queue->references, 1);
  const auto stream = with.stream(queue);
  for (const char* message : {"newSharedEvent", "commandBuffer"}) {
    fail_at(message);
    CHECK_THROWS(driver_error, is_idle(*stream));
    fail_at(message);
    CHECK_THROWS(driver_error, with.engine().synchronize(stream->handle));
    fail_at(message);
    CHECK_THROWS(driver_error, with.engine().barrier(stream->handle));
  }
}

// Metal's own code, domain and text.
void a_failed_command_buffer_is_told_of() {
  bench with;
  object *const first = with.queue(), *const second = with.queue();
  const auto producer = with.stream(first), consumer = with.stream(second);
  hold(first);
  {
    const metal_double::guard lock(now().lock);
    first->fails_next = true;
  }
  const auto end = record_event(*producer);
  let_go(first);
  settle(first);
  const auto check = [&](const std::function<void()>& use) {
    try {
      use();
      check::that(false, "it throws");
    } catch (const driver_error& error) {
      CHECK_EQUAL(error.code(), 9);
      CHECK_EQUAL(error.code_name(), "MTLCommandBufferErrorDomain");
      CHECK(std::string(error.what())
                .starts_with("a command buffer failed: the GPU has hung "
                             "(MTLCommandBufferErrorDomain 9).\n"));
    }
  };
  check([&] { with.engine().complete(end->handle); });
  check([&] { synchronize_event(*end); });
  // Nobody is made to wait for what will not come.
  check_lines(calls_of([&] { check([&] { wait_event(*consumer, *end); }); }), {});
}

void a_failed_command_buffer_without_words() {
  bench with;
  object* const first = with.queue();
  const auto producer = with.stream(first);
  hold(first);
  {
    const metal_double::guard lock(now().lock);
    first->fails_next = true;
  }
  const auto end = record_event(*producer);
  let_go(first);
  settle(first);
  fail_at("error");
  const std::string text = CHECK_THROWS(driver_error, with.engine().complete(end->handle));
  CHECK(text.starts_with("a command buffer failed: Metal does not say why"));
}

void what_is_no_queue_is_refused() {
  bench with;
  object* const buffer = with.buffer(16);
  CHECK_MESSAGE(value_error,
                "a Metal stream is an MTLCommandQueue; got an object of class buffer, which has "
                "no commandBuffer.\n  Pass the queue that the work is committed to; a queue of "
                "Metal 4 is of another kind.",
                with.stream(buffer));
  CHECK_EQUAL(buffer->references, 1);
}

void devices_are_numbered_as_they_are_listed() {
  bench with;
  const auto found = with.engine().devices();
  CHECK_EQUAL(found.size(), 2u);
  CHECK_EQUAL(std::string(found[1].name), "Software GPU 1");
  CHECK_EQUAL(std::string(found[1].kind), "gpu");
  CHECK_EQUAL(found[1].device.device_id, 1);
  CHECK_EQUAL(with.stream(with.queue(1))->device.device_id, 1);
  CHECK_THROWS(value_error, with.engine().allocate({kDLMetal, 2}, 4, nullptr));
}

// What a tool puts between has another address, and the registry's number of what it stands for.
void a_device_may_be_known_by_its_number_only() {
  bench with;
  object* const shown = with.mine(metal_double::make("device", "d"));
  shown->number = with.device(1)->number;
  object* const queue = with.mine(metal_double::make_queue(shown));
  CHECK_EQUAL(with.stream(queue)->device.device_id, 1);
  shown->number = 1;
  CHECK_THROWS(driver_error, with.stream(queue));
}

// Where nobody has one to copy on. It goes with its last stream.
void null_is_a_new_queue_of_the_device() {
  bench with;
  auto made = make_stream(with.platform(), {kDLMetal, 1}, nullptr, {});
  auto* const queue = static_cast<object*>(made->handle);
  CHECK_EQUAL(queue->kind, "queue");
  CHECK_EQUAL(queue->references, 1);
  CHECK_EQUAL(made->device.device_id, 1);
  made = {};
  CHECK_EQUAL(queue->references, 0);
  fail_at("newCommandQueue");
  CHECK_THROWS(driver_error, make_stream(with.platform(), {kDLMetal, 0}, nullptr, {}));
}

// A queue keeps its references through copies of its stream, and a capsule's.
void references_of_shared_streams() {
  bench with;
  object* const queue = with.queue();
  const auto stream = with.stream(queue);
  const stream_handle other = with.engine().retain(stream->device, stream->handle, true);
  CHECK(other == stream->handle);
  CHECK_EQUAL(queue->references, 3);
  with.engine().drop(other);
  CHECK_EQUAL(queue->references, 2);
}

}  // namespace

int main() {
  each_message_of_an_order_may_fail();
  each_question_may_fail();
  a_failed_command_buffer_is_told_of();
  a_failed_command_buffer_without_words();
  what_is_no_queue_is_refused();
  devices_are_numbered_as_they_are_listed();
  a_device_may_be_known_by_its_number_only();
  null_is_a_new_queue_of_the_device();
  references_of_shared_streams();
  return check::result();
}
