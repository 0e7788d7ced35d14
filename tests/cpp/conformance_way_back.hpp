// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The way back under the conformance suite: releases that are put off, and home that waits.
#pragma once

#include "conformance_bench.hpp"

namespace conformance {

// Memory of a library that frees at once: what is in it then shows whether that was too early.
struct library_memory {
  bench& with;
  slot data;
  int given_back = 0;

  anystream_array* wrap() {
    std::int64_t shape = 1;
    const DLTensor tensor = {with.platform.data_of(data),
                             with.platform.device_of(data),
                             1,
                             {kDLInt, 32, 1},
                             &shape,
                             nullptr,
                             0};
    const anystream_owner owner = {
        this, [](void* self) { ++static_cast<library_memory*>(self)->given_back; }};
    anystream_array* made = nullptr;
    with.ok(with.table.array_wrap(&tensor, 0, with.platform.platform(), owner, &made));
    return made;
  }
};

// By the policy DEFERRED and by ORDERED of a library that frees at once.
inline void a_release_is_put_off_and_done(bench& with, std::int32_t policy) {
  race run(with);
  library_memory memory{with, run.data};
  anystream_array* const array = memory.wrap();
  with.ok(with.table.array_set_way_back(array, run.producer.get(), policy, 0));
  with.ok(with.table.array_record_stream(array, run.consumer.get()));
  with.platform.hold(run.consumer.get());
  run.read();
  with.table.array_release(array);
  with.platform.settle();
  with.table.releases_run();
  CHECK_EQUAL(memory.given_back, 0);
  std::int64_t pending = 0;
  with.table.releases_pending(&pending, nullptr);
  CHECK(pending >= 1);
  with.platform.let_go(run.consumer.get());
  std::int32_t all = 0;
  with.ok(with.table.releases_flush(-1, &all));
  CHECK_EQUAL(all, 1);
  CHECK_EQUAL(memory.given_back, 1);
}

// What the producer queues after it comes after the consumer's work.
inline void home_waits_for_its_users(bench& with) {
  race run(with);
  library_memory memory{with, run.data};
  with.platform.write(run.producer.get(), run.data, 42);
  with.finish(run.producer);
  anystream_array* const array = memory.wrap();
  with.ok(with.table.array_set_way_back(array, run.producer.get(), ANYSTREAM_RELEASE_ORDERED, 1));
  with.ok(with.table.array_record_stream(array, run.consumer.get()));
  with.platform.hold(run.consumer.get());
  run.read();
  with.table.array_release(array);
  CHECK_EQUAL(memory.given_back, 1);
  with.platform.write(run.producer.get(), run.data, -1);
  with.platform.settle();
  CHECK_EQUAL(with.platform.peek(run.data), 42);
  with.platform.let_go(run.consumer.get());
  with.finish(run.consumer);
  with.finish(run.producer);
  CHECK_EQUAL(with.platform.peek(run.seen), 42);
  CHECK_EQUAL(with.platform.peek(run.data), -1);
}

}  // namespace conformance
