// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Nothing for one in-order queue, a barrier for one out-of-order queue, record and wait for two, a
// host wait where no device can wait for the other.
#include "order.hpp"

#include "deferred.hpp"
#include "event.hpp"

namespace anystream::core {
namespace {

// Without a backend the handle tells, with the device's number: each device has its own default
// stream, and all have one handle.
bool same_queue(const stream& a, const stream& b) {
  if (a.engine() != nullptr) return a.engine()->same(a.handle, b.handle);
  return a.handle == b.handle && a.device.device_id == b.device.device_id;
}

// Where the device does not see to it, the host waits.
std::int32_t put_barrier(const stream& stream) {
  if (stream.engine()->barrier(stream.handle)) return ANYSTREAM_ORDERED_BARRIER;
  return synchronize(stream);
}

std::int32_t order_two(const stream& producer, const stream& consumer) {
  const backend& engine = require_backend(*consumer.platform, consumer.device);
  engine.check_order(producer.handle, consumer.handle);
  if (engine.order_at_once(producer.handle, consumer.handle)) return ANYSTREAM_ORDERED_EVENT;
  return wait_event(consumer, *record_event(producer));
}

}  // namespace

std::int32_t relation_of(const stream& producer, const stream& consumer) {
  if (!same_platform(*producer.platform, *consumer.platform)) return ANYSTREAM_RELATION_UNRELATED;
  if (!same_queue(producer, consumer)) return ANYSTREAM_RELATION_DIFFERENT;
  return is_in_order(consumer) ? ANYSTREAM_RELATION_SAME : ANYSTREAM_RELATION_SAME_OUT_OF_ORDER;
}

void check_order(const stream& producer, const stream& consumer) {
  const backend* engine = consumer.engine();
  if (engine == nullptr || relation_of(producer, consumer) != ANYSTREAM_RELATION_DIFFERENT) return;
  engine->check_order(producer.handle, consumer.handle);
}

void check_host_wait(const stream& producer) {
  if (producer.engine() != nullptr) producer.engine()->check_host_wait(producer.handle);
}

std::int32_t order(const stream& producer, const stream& consumer) {
  check_consumer(consumer, "order(consumer=…)");
  return order_unchecked(producer, consumer);
}

std::int32_t order_unchecked(const stream& producer, const stream& consumer) {
  switch (relation_of(producer, consumer)) {
    case ANYSTREAM_RELATION_SAME:
      return ANYSTREAM_ORDERED_NOTHING;
    case ANYSTREAM_RELATION_SAME_OUT_OF_ORDER:
      return put_barrier(consumer);
    case ANYSTREAM_RELATION_DIFFERENT:
      return order_two(producer, consumer);
    default:
      return synchronize(producer);
  }
}

bool is_idle(const stream& stream) {
  return require_backend(*stream.platform, stream.device).idle(stream.handle);
}

std::int32_t synchronize(const stream& stream) {
  const bool idle = is_idle(stream);
  if (!idle) stream.engine()->synchronize(stream.handle);
  run_finished_releases();
  return idle ? ANYSTREAM_ORDERED_IDLE : ANYSTREAM_ORDERED_HOST_WAIT;
}

}  // namespace anystream::core
