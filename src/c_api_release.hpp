// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of the C table that is about the way back.
#pragma once

#include <anystream/c_api.h>

#include "array.hpp"

namespace anystream::core::border {

anystream_status set_way_back(array* array, stream* home, std::int32_t policy,
                              std::int32_t frees_in_order);
anystream_status record_stream(array* array, stream* stream);
anystream_status order_back(array* array, std::int32_t* how);
std::int32_t release_policy(const array* array);
stream* home_of(const array* array);
anystream_status export_lent(array* array, stream* stream, DLManagedTensorVersioned** out);
anystream_status export_lent_legacy(array* array, stream* stream, DLManagedTensor** out);

void releases_pending(std::int64_t* number, std::uint64_t* bytes);
anystream_status releases_set_limit(std::int64_t number, std::uint64_t bytes);
anystream_status releases_wait_for_room();
void releases_run();
anystream_status releases_flush(double seconds, std::int32_t* all);
anystream_status releases_stop(double seconds);
void releases_on_error(void (*handler)(void* context, const char* message), void* context);
void releases_use_thread(std::int32_t use);
void releases_foreign_threads(std::int32_t (*is_foreign)());
void releases_ask_deleters(std::int32_t (*is_in_deleter)());
void releases_wait_by(std::int32_t (*waiter)(void (*body)(void* context), void* context));

}  // namespace anystream::core::border
