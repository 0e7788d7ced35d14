// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of a refused stream argument: what is accepted is written from the rules that refuse.
#pragma once

#include <anystream/c_api.h>

#include <string>
#include <string_view>

#include "registry.hpp"

namespace anystream::core {

// What was asked: an argument, for an array of a device, on a platform.
struct stream_question {
  const platform& where;
  DLDevice device;
  const anystream_argument& argument;
};

// "None, -1, an in-order dpctl.SyclQueue or torch.xpu.Stream, or a "SyclQueueRef" capsule".
std::string accepted_streams(const stream_rules& rules);

// Two lines: where it was given, what is accepted, what was got; then `reason`, a sentence that may
// be empty, and the rule's own fix.
std::string refusal(const stream_question& question, std::string_view reason);

}  // namespace anystream::core
