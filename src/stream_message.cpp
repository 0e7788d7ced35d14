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
    case integer_rule::handle:
      return "a handle > 0";
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

// What the argument is called: "stream" of "handoff(stream=…)", "" of "Stream.wait_stream(…)".
std::string_view keyword_of(std::string_view where) {
  const std::size_t open = where.find('(');
  const std::size_t equals = where.find('=');
  if (open == where.npos || equals == where.npos) return "";
  return where.substr(open + 1, equals - open - 1);
}

bool is_producers(std::string_view where) {
  const std::string_view keyword = keyword_of(where);
  return keyword == "producer_stream" || keyword == "producer" ||
         where.starts_with("Stream.wait_stream(");
}

void replace(std::string& text, std::string_view words, std::string_view by) {
  const std::size_t at = text.find(words);
  if (at != text.npos) text.replace(at, words.size(), by);
}

// The table's words about a producer's stream, which may be out-of-order: it is not made to wait.
std::string of_producer(std::string_view words, std::string_view keyword) {
  std::string text(words);
  replace(text, "an in-order ", "a ");
  replace(text, ", where q.is_in_order is True", "");
  replace(text, "The result is", "x is");
  replace(text, "stream out", std::string(keyword).append(" out"));
  if (keyword.empty()) {
    const std::size_t named = text.find(": stream=");
    if (named != text.npos) text.erase(named).push_back('.');
  }
  replace(text, " stream=", std::string(1, ' ').append(keyword).append("="));
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
  const auto worded = [&](std::string_view words) {
    const bool producers = is_producers(argument.where);
    return producers ? of_producer(words, keyword_of(argument.where)) : std::string(words);
  };
  std::string text = argument.where;
  text += ": " + describe_array(where, device) + " takes ";
  text += worded(accepted_streams(*where.rules)) + "; got " + argument.got + ".\n  ";
  text += reason;
  if (!reason.empty()) text += ' ';
  return text += worded(where.rules->fix);
}

}  // namespace anystream::core
