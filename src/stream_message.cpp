// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages of refused stream arguments.
#include "stream_message.hpp"

#include <vector>

namespace anystream::core {
namespace {

std::string_view accepted_integers(integer_rule rule) {
  switch (rule) {
    case integer_rule::cuda:
      return "1 (legacy default), 2 (per-thread default), a handle > 2";
    case integer_rule::rocm:
      return "0 (default), a handle > 2";
    case integer_rule::refused_value:
    case integer_rule::refused_type:
      break;
  }
  return "";
}

// "A|B" -> a "A" or "B" capsule
std::string accepted_capsules(std::string_view names) {
  std::string text = "a \"";
  for (const char letter : names) text += letter == '|' ? "\" or \"" : std::string(1, letter);
  return text + "\" capsule";
}

std::string join_alternatives(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    if (i > 0) text += last ? (items.size() == 2 ? " or " : ", or ") : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace

std::string accepted_streams(const stream_rules& rules) {
  std::vector<std::string> items = {"None", "-1"};
  const std::string_view integers = accepted_integers(rules.integers);
  if (!integers.empty()) items.emplace_back(integers);
  if (!rules.takes.empty()) items.emplace_back(rules.takes);
  if (!rules.capsules.empty()) items.push_back(accepted_capsules(rules.capsules));
  return join_alternatives(items);
}

std::string refusal(const stream_question& question, std::string_view reason) {
  const auto& [where, device, argument] = question;
  std::string text = argument.where;
  text += ": " + describe_array(where, device) + " takes " + accepted_streams(*where.rules);
  text += "; got " + std::string(argument.got) + ".\n  ";
  text += reason;
  if (!reason.empty()) text += ' ';
  return text += where.rules->fix;
}

}  // namespace anystream::core
