// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a device of either driver says of itself.
#pragma once

#include <array>
#include <string>

namespace doubles {

std::string device_name(int ordinal, const char* brand);
std::array<char, 16> device_uuid(int ordinal);
std::string pci_bus_id(int ordinal);
void write_text(const std::string& text, char* to, int size);  // cut off where it must be

}  // namespace doubles
