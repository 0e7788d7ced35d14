// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The C table: each entry is one call into the core, behind the guard that makes statuses of
// exceptions. Outputs are written last, so that a failure leaves them as they were.
#include <anystream/c_api.h>

#include <algorithm>

#include <anystream/error.hpp>
#include <anystream/version.hpp>

#include "array.hpp"
#include "c_api_place.hpp"
#include "c_api_release.hpp"
#include "c_api_simulated.hpp"
#include "copy.hpp"
#include "driver/driver.hpp"
#include "driver/library.hpp"
#include "error.hpp"
#include "event.hpp"
#include "exchange.hpp"
#include "order.hpp"
#include "stream_argument.hpp"

namespace anystream::core {
namespace {

using status = anystream_status;

// A name that the caller may leave out.
std::string_view name_of(const char* name) noexcept { return name != nullptr ? name : ""; }

const platform& platform_of(DLDevice device, const char* name) {
  return find_platform_of(static_cast<device_type>(device.device_type), name_of(name));
}

stream_handle handle_of(std::uintptr_t handle) noexcept {
  return reinterpret_cast<stream_handle>(handle);
}

// ---- registry

void last_error(anystream_error* out) { last_failure(*out); }

std::int32_t count_drivers() { return driver_count(); }

status driver_info(std::int32_t index, anystream_driver_info* out) {
  return guard([&] { *out = describe_driver(index); });
}

status add_folder(const char* driver, const char* folder) {
  return guard([&] { add_search_path(name_of(driver), name_of(folder)); });
}

void* find_function(const char* file, const char* symbol) {
  const bool named = file != nullptr && *file != '\0' && symbol != nullptr;
  return named ? find_loaded_symbol(file, symbol) : nullptr;
}

status devices(anystream_device_info* out, std::int32_t capacity, std::int32_t* count) {
  return guard([&] {
    const auto found = all_devices();
    const std::size_t room = capacity > 0 ? static_cast<std::size_t>(capacity) : 0;
    std::copy_n(found.begin(), std::min(found.size(), room), out);
    *count = static_cast<std::int32_t>(found.size());
  });
}

status device_info(DLDevice device, const char* platform_name, anystream_device_info* out) {
  return guard([&] { *out = describe_device(device, name_of(platform_name)); });
}

// ---- streams

status stream_resolve(DLDevice device, const char* platform_name,
                      const anystream_argument* argument, anystream_owner keep,
                      anystream_resolution* out) {
  owner held(keep);
  return guard([&] {
    resolution made = resolve_argument(device, name_of(platform_name), *argument, std::move(held));
    *out = {made.form, 0, made.stream.give()};
  });
}

status stream_from_handle(DLDevice device, const char* platform_name, std::uintptr_t handle,
                          anystream_owner keep, stream** out) {
  owner held(keep);
  return guard([&] {
    const platform& where = platform_of(device, platform_name);
    *out = make_stream(where, device, handle_of(handle), std::move(held)).give();
  });
}

status stream_of_platform(const char* platform_name, std::uintptr_t handle, anystream_owner keep,
                          stream** out) {
  owner held(keep);
  return guard([&] {
    const auto name = name_of(platform_name);
    *out = make_described_stream(name, handle_of(handle), std::move(held)).give();
  });
}

void stream_retain(stream* stream) { stream->retain(); }
void stream_release(stream* stream) { stream_ref::release(stream); }
DLDevice stream_device(const stream* stream) { return stream->device; }
const char* stream_platform(const stream* stream) { return stream->platform->name; }
std::uintptr_t stream_handle_of(const stream* stream) {
  const backend* engine = stream->engine();
  return reinterpret_cast<std::uintptr_t>(engine != nullptr ? engine->native(stream->handle)
                                                            : stream->handle);
}

status stream_in_order(const stream* stream, std::int32_t* in_order) {
  return guard([&] { *in_order = is_in_order(*stream) ? 1 : 0; });
}

status stream_with_policy(const stream* base, std::int32_t out_of_order, stream** out) {
  return guard([&] { *out = with_policy(*base, out_of_order).give(); });
}

std::int32_t stream_policy(const stream* stream) { return stream->out_of_order; }

status stream_check_consumer(const stream* stream, const char* where) {
  return guard([&] { check_consumer(*stream, name_of(where)); });
}

status stream_relation(const stream* producer, const stream* consumer, std::int32_t* relation) {
  return guard([&] { *relation = relation_of(*producer, *consumer); });
}

status stream_order(const stream* producer, const stream* consumer, std::int32_t* how) {
  return guard([&] { *how = order(*producer, *consumer); });
}

status stream_idle(const stream* stream, std::int32_t* idle) {
  return guard([&] { *idle = is_idle(*stream) ? 1 : 0; });
}

status stream_synchronize(const stream* stream, std::int32_t* how) {
  return guard([&] { *how = synchronize(*stream); });
}

status stream_share(const stream* stream, void** handle, void (**release)(void*)) {
  return guard([&] {
    const shared_handle made = share(*stream);
    *handle = made.handle;
    *release = made.release;
  });
}

// ---- events

status event_record(const stream* stream, event** out) {
  return guard([&] { *out = record_event(*stream).release(); });
}

status event_wait(const stream* stream, const event* event) {
  return guard([&] {
    check_consumer(*stream, "wait(event)");
    wait_event(*stream, *event);
  });
}

status event_query(const event* event, std::int32_t* complete) {
  return guard([&] { *complete = event->platform->engine->complete(event->handle) ? 1 : 0; });
}

status event_synchronize(const event* event) {
  return guard([&] { synchronize_event(*event); });
}

DLDevice event_device(const event* event) { return event->device; }
void event_release(event* event) { delete event; }

// ---- arrays

template <class Managed>
status import_any(Managed* managed, array** out) {
  return guard([&] { *out = import_managed(managed).give(); });
}

status array_import(DLManagedTensor* managed, array** out) { return import_any(managed, out); }
status array_import_versioned(DLManagedTensorVersioned* managed, array** out) {
  return import_any(managed, out);
}

status array_wrap(const DLTensor* tensor, std::uint64_t flags, const char* platform_name,
                  anystream_owner keep, array** out) {
  owner held(keep);
  return guard([&] {
    const bool named = platform_name != nullptr && *platform_name != '\0';
    const auto type = static_cast<device_type>(tensor->device.device_type);
    const platform& where =
        named ? platform_of(tensor->device, platform_name) : owner_of(type, tensor->data);
    *out = wrap_memory(*tensor, flags, where, std::move(held)).give();
  });
}

status array_empty(DLDevice device, const char* platform_name, std::int32_t ndim,
                   const std::int64_t* shape, DLDataType type, const stream* stream, array** out) {
  return guard([&] {
    const platform& where = platform_of(device, platform_name);
    *out = make_empty(device, where, ndim, shape, type, stream).give();
  });
}

status array_copy(const array* source, DLDevice target, const stream* stream, array** out) {
  return guard([&] { *out = copy_array(const_cast<array&>(*source), target, stream).give(); });
}

status array_host_view(const array* base, array** out) {
  return guard([&] { *out = view_on_host(const_cast<array&>(*base)).give(); });
}

status array_memory_kind(const array* array, std::int32_t* kind) {
  return guard([&] { *kind = memory_kind_of(*array); });
}

void array_retain(array* array) { array->retain(); }
void array_release(array* array) { array_ref::release(array); }
const DLTensor* array_tensor(const array* array) { return &array->tensor; }
std::uint64_t array_flags(const array* array) { return array->flags; }
const char* array_platform(const array* array) { return array->platform->name; }
stream* array_stream(const array* array) { return array->stream.get(); }

status array_set_stream(array* array, stream* stream) {
  return guard([&] { set_stream(*array, stream); });
}

status array_export(array* array, DLManagedTensor** out) {
  return guard([&] { *out = export_managed(*array); });
}

status array_export_versioned(array* array, DLManagedTensorVersioned** out) {
  return guard([&] { *out = export_versioned(*array); });
}

constexpr anystream_api table = {
    .abi_major = ANYSTREAM_ABI_MAJOR,
    .abi_minor = ANYSTREAM_ABI_MINOR,
    .size = sizeof(anystream_api),
    .version = ANYSTREAM_VERSION,
    .last_error = last_error,
    .driver_count = count_drivers,
    .driver_info = driver_info,
    .add_search_path = add_folder,
    .devices = devices,
    .device_info = device_info,
    .stream_resolve = stream_resolve,
    .stream_from_handle = stream_from_handle,
    .stream_of_platform = stream_of_platform,
    .stream_retain = stream_retain,
    .stream_release = stream_release,
    .stream_device = stream_device,
    .stream_platform = stream_platform,
    .stream_handle = stream_handle_of,
    .stream_in_order = stream_in_order,
    .stream_with_policy = stream_with_policy,
    .stream_policy = stream_policy,
    .stream_check_consumer = stream_check_consumer,
    .stream_relation = stream_relation,
    .stream_order = stream_order,
    .stream_idle = stream_idle,
    .stream_synchronize = stream_synchronize,
    .stream_share = stream_share,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_query = event_query,
    .event_synchronize = event_synchronize,
    .event_device = event_device,
    .event_release = event_release,
    .array_import = array_import,
    .array_import_versioned = array_import_versioned,
    .array_wrap = array_wrap,
    .array_empty = array_empty,
    .array_copy = array_copy,
    .array_host_view = array_host_view,
    .array_memory_kind = array_memory_kind,
    .array_retain = array_retain,
    .array_release = array_release,
    .array_tensor = array_tensor,
    .array_flags = array_flags,
    .array_platform = array_platform,
    .array_stream = array_stream,
    .array_set_stream = array_set_stream,
    .array_export = array_export,
    .array_export_versioned = array_export_versioned,
    .simulated = &simulated_table,
    .find_function = find_function,
    .array_set_way_back = border::set_way_back,
    .array_record_stream = border::record_stream,
    .array_order_back = border::order_back,
    .array_release_policy = border::release_policy,
    .array_export_lent = border::export_lent,
    .array_export_lent_legacy = border::export_lent_legacy,
    .releases_pending = border::releases_pending,
    .releases_set_limit = border::releases_set_limit,
    .releases_wait_for_room = border::releases_wait_for_room,
    .releases_run = border::releases_run,
    .releases_flush = border::releases_flush,
    .releases_stop = border::releases_stop,
    .releases_on_error = border::releases_on_error,
    .releases_use_thread = border::releases_use_thread,
    .array_home = border::home_of,
    .releases_wait_by = border::releases_wait_by,
    .releases_foreign_threads = border::releases_foreign_threads,
    .releases_ask_deleters = border::releases_ask_deleters,
    .stream_check_order = border::stream_check_order,
    .memory_device = border::memory_device,
    .device_enter = border::device_enter,
    .device_leave = border::device_leave,
    .platform_register = border::platform_register,
    .platform_count = border::platform_count,
    .platform_info = border::platform_info,
};

}  // namespace
}  // namespace anystream::core

const anystream_api* anystream_get_api(std::uint32_t abi_major, std::uint32_t abi_minor) {
  const bool served = abi_major == ANYSTREAM_ABI_MAJOR && abi_minor <= ANYSTREAM_ABI_MINOR;
  return served ? &anystream::core::table : nullptr;
}
