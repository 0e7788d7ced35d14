// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Ordering one stream after another, at the lowest cost that is right.
#pragma once

#include "stream.hpp"

namespace anystream::core {

// ANYSTREAM_RELATION_… . "Same" is the runtime's word, never an address.
std::int32_t relation_of(const stream& producer, const stream& consumer);

// The consumer's later work waits for the producer's earlier work. ANYSTREAM_ORDERED_… . The second
// is for streams that nobody named as a consumer's: it does not look at the policy.
std::int32_t order(const stream& producer, const stream& consumer);
std::int32_t order_unchecked(const stream& producer, const stream& consumer);

// Throws ordering_error where that would do harm, before anything is done: what a producer that
// orders by itself is to be spared. No driver is asked about one stream.
void check_order(const stream& producer, const stream& consumer);
void check_host_wait(const stream& producer);

bool is_idle(const stream& stream);

// Waits on the host, unless nothing is pending: ANYSTREAM_ORDERED_HOST_WAIT or _IDLE.
std::int32_t synchronize(const stream& stream);

}  // namespace anystream::core
