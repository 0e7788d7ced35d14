// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Recording events and waiting for them.
#include "event.hpp"

namespace anystream::core {

std::unique_ptr<event> record_event(const stream& stream) {
  const backend& engine = require_backend(*stream.platform, stream.device);
  // The memory first: from here on the event cleans up.
  auto made = std::make_unique<event>(*stream.platform, stream.device, nullptr);
  made->handle = engine.record(stream.handle);
  return made;
}

std::int32_t wait_event(const stream& stream, const event& event) {
  const backend& engine = *event.platform->engine;
  const bool on_device =
      same_platform(*stream.platform, *event.platform) && engine.wait(stream.handle, event.handle);
  if (on_device) return ANYSTREAM_ORDERED_EVENT;
  if (engine.complete(event.handle)) return ANYSTREAM_ORDERED_IDLE;
  engine.synchronize_event(event.handle);
  return ANYSTREAM_ORDERED_HOST_WAIT;
}

}  // namespace anystream::core
