// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of the C table that is about where work and memory are, and on whose platform.
#pragma once

#include <anystream/c_api.h>

#include "stream.hpp"

namespace anystream::core::border {

anystream_status stream_check_order(const stream* producer, const stream* consumer);
anystream_status memory_device(DLDevice claimed, const char* platform_name, const void* data,
                               DLDevice* out);
anystream_status device_enter(DLDevice device, const char* platform_name, std::uintptr_t* before);
void device_leave(DLDevice device, const char* platform_name, std::uintptr_t before);
anystream_status platform_register(const anystream_platform* platform, anystream_owner keep);
std::int32_t platform_count();
anystream_status platform_info(std::int32_t index, anystream_platform_info* out);

}  // namespace anystream::core::border
