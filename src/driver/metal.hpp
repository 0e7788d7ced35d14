// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of Metal.framework and of the Objective-C runtime that the Metal backend calls, and
// the messages that it sends.
//
// Objective-C is a C library underneath: a message is a call of objc_msgSend as if it were the
// method itself, so that it has one row for each signature that is used. The runtime's functions
// are found by Metal's own handle, since it is linked with libobjc.
// https://developer.apple.com/documentation/metal, …/documentation/objectivec/objective-c_runtime
#pragma once

#include <cstdint>

#include "driver/table.hpp"

namespace anystream::core {

using metal_object = struct metal_object_of_any_class*;   // id
using metal_selector = struct metal_selector_of_a_name*;  // SEL
using metal_integer = unsigned long;                      // NSUInteger
using metal_bool = signed char;                           // BOOL: only whether it is 0 is told

// What a command buffer says of itself, and how memory is stored and tracked.
constexpr metal_integer metal_status_error = 5;
constexpr metal_integer metal_storage_shared = 0;
constexpr metal_integer metal_storage_private = 2;
constexpr metal_integer metal_untracked = 1;
constexpr metal_integer metal_option_private = metal_storage_private << 4;

// clang-format off
#define ANYSTREAM_METAL_FUNCTIONS(X)                                                              \
  X(required, metal_object, all_devices, "MTLCopyAllDevices", ())                                 \
  X(required, metal_selector, selector, "sel_registerName", (const char*))                        \
  X(required, const char*, class_name, "object_getClassName", (metal_object))                     \
  X(required, metal_object, retain, "objc_retain", (metal_object))                                \
  X(required, void, release, "objc_release", (metal_object))                                      \
  X(required, void*, push_pool, "objc_autoreleasePoolPush", ())                                   \
  X(required, void, pop_pool, "objc_autoreleasePoolPop", (void*))                                 \
  X(required, void, send, "objc_msgSend", (metal_object, metal_selector))                         \
  X(required, metal_object, send_for_object, "objc_msgSend", (metal_object, metal_selector))      \
  X(required, metal_object, send_for_element, "objc_msgSend",                                     \
    (metal_object, metal_selector, metal_integer))                                                \
  X(required, metal_object, send_for_memory, "objc_msgSend",                                      \
    (metal_object, metal_selector, metal_integer, metal_integer))                                 \
  X(required, metal_integer, send_for_integer, "objc_msgSend", (metal_object, metal_selector))    \
  X(required, std::uint64_t, send_for_number, "objc_msgSend", (metal_object, metal_selector))     \
  X(required, metal_bool, send_for_bool, "objc_msgSend", (metal_object, metal_selector))          \
  X(required, metal_bool, send_responds, "objc_msgSend",                                          \
    (metal_object, metal_selector, metal_selector))                                               \
  X(required, void*, send_for_address, "objc_msgSend", (metal_object, metal_selector))            \
  X(required, void, send_event, "objc_msgSend",                                                   \
    (metal_object, metal_selector, metal_object, std::uint64_t))                                  \
  X(required, void, send_copy, "objc_msgSend",                                                    \
    (metal_object, metal_selector, metal_object, metal_integer, metal_object, metal_integer,      \
     metal_integer))
// clang-format on
ANYSTREAM_DRIVER_TABLE(metal_driver, ANYSTREAM_METAL_FUNCTIONS)
#undef ANYSTREAM_METAL_FUNCTIONS

// The messages, by the names that they have in here. A name that begins with new gives an object
// that is the caller's to release; what others give lives as long as the pool around them.
#define ANYSTREAM_METAL_MESSAGES(X)                                             \
  X(block_copy, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:") \
  X(block_encoder, "blitCommandEncoder")                                        \
  X(buffer_contents, "contents")                                                \
  X(buffer_length, "length")                                                    \
  X(buffer_storage, "storageMode")                                              \
  X(buffer_tracking, "hazardTrackingMode")                                      \
  X(commands, "commandBuffer")                                                  \
  X(commands_commit, "commit")                                                  \
  X(commands_error, "error")                                                    \
  X(commands_signal, "encodeSignalEvent:value:")                                \
  X(commands_status, "status")                                                  \
  X(commands_wait, "encodeWaitForEvent:value:")                                 \
  X(commands_wait_on_host, "waitUntilCompleted")                                \
  X(device, "device")                                                           \
  X(device_is_unified, "hasUnifiedMemory")                                      \
  X(device_name, "name")                                                        \
  X(device_new_buffer, "newBufferWithLength:options:")                          \
  X(device_new_event, "newSharedEvent")                                         \
  X(device_new_queue, "newCommandQueue")                                        \
  X(device_registry_id, "registryID")                                           \
  X(encoder_end, "endEncoding")                                                 \
  X(error_code, "code")                                                         \
  X(error_domain, "domain")                                                     \
  X(error_text, "localizedDescription")                                         \
  X(event_value, "signaledValue")                                               \
  X(list_count, "count")                                                        \
  X(list_element, "objectAtIndex:")                                             \
  X(responds, "respondsToSelector:")                                            \
  X(text_bytes, "UTF8String")

}  // namespace anystream::core
