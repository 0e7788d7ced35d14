// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Python class Event: a point in a stream's work.
#pragma once

#include <memory>
#include <utility>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

#include "core.hpp"

namespace anystream::python {

struct event_releaser {
  void operator()(anystream_event* event) const noexcept { core().event_release(event); }
};

class py_event {
 public:
  // platform: of the stream that it was recorded on; it lives for the process.
  py_event(anystream_event* anystream_give event, const char* platform) noexcept
      : event_{event}, platform_{platform} {}

  anystream_event* get() const noexcept { return event_.get(); }
  const char* platform() const noexcept { return platform_; }

 private:
  std::unique_ptr<anystream_event, event_releaser> event_;
  const char* platform_;
};

void register_events(const nanobind::module_& m);

}  // namespace anystream::python
