// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a device of either driver says of itself.
#include "device_facts.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "status.hpp"

namespace doubles {

std::string device_name(int ordinal, const char* brand) {
  return std::string(brand) + " " + std::to_string(ordinal) + " in software";
}

std::array<char, 16> device_uuid(int ordinal) {
  std::array<char, 16> uuid{'a', 'n', 'y', 's', 't', 'r', 'e', 'a', 'm'};
  uuid.back() = static_cast<char>(ordinal);
  return uuid;
}

std::string pci_bus_id(int ordinal) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0000:%02X:00.0", static_cast<unsigned>(ordinal + 1));
  return text.data();
}

void write_text(const std::string& text, char* to, int size) {
  require(to != nullptr && size > 0, invalid_value);
  const std::size_t length = std::min(text.size(), static_cast<std::size_t>(size) - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

}  // namespace doubles
