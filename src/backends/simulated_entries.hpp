// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The entry points of the simulated backend: as they are on any simulated device, and with the one
// fault that an exploring device was told to have. Nothing outside of them knows of faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace anystream::core::simulated {

class event;
class stream;
struct operation;

std::shared_ptr<event> record(stream& on);
void wait(stream& on, const std::shared_ptr<event>& earlier);
void barrier(stream& on);
bool complete(const event& recorded);
bool idle(const stream& on);
bool in_order(const stream& on);
bool same(const stream* a, const stream* b);  // of two handles
void synchronize(stream& on);
void synchronize_event(event& recorded);
void destroy(const std::shared_ptr<event>& recorded);
void submit_copy(stream& on, operation copy);
void* allocate(std::int32_t device, std::size_t bytes);
void deallocate(void* memory, void* stream) noexcept;  // no error where either is not live
void deallocate_at_once(void* memory);                 // value_error where it is not live

}  // namespace anystream::core::simulated
