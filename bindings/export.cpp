// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Exporting an array: everything that can be refused is refused before anything is ordered, and
// nothing leaves before it has been ordered.
#include "export.hpp"

#include <string>
#include <utility>

#include <anystream/device.hpp>
#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array_type.hpp"
#include "capsule.hpp"
#include "configuration.hpp"
#include "errors.hpp"
#include "export_host.hpp"
#include "managed.hpp"
#include "owner.hpp"
#include "way_back.hpp"

namespace anystream::python {
namespace {

// ---- order ------------------------------------------------------------------------------------

// Two names of one in-order queue are found out at once; anything else may take its time.
void order_after(anystream_stream* producer, anystream_stream* consumer) {
  std::int32_t relation = ANYSTREAM_RELATION_DIFFERENT;
  check(core().stream_relation(producer, consumer, &relation));
  if (relation == ANYSTREAM_RELATION_SAME) return;
  std::int32_t how = ANYSTREAM_ORDERED_NOTHING;
  check(without_gil([&] { return core().stream_order(producer, consumer, &how); }));
}

void wait_for(anystream_stream* producer) {
  std::int32_t how = ANYSTREAM_ORDERED_NOTHING;
  check(without_gil([&] { return core().stream_synchronize(producer, &how); }));
}

none_rule rule_for_none(DLDevice device, const char* platform) noexcept {
  const auto type = static_cast<device_type>(device.device_type);
  if (const platform_info* beside = find_platform(type, platform)) return beside->rules.on_none;
  const device_info* row = find_device(type);
  return row != nullptr ? row->rules.on_none : none_rule::host_wait;
}

// The stream that a consumer uses which said nothing of streams, by the table of device types; null
// where it is promised that nothing is pending.
core_stream stream_for_none(anystream_array* array) {
  constexpr std::uintptr_t cuda_legacy_default = 1;
  constexpr std::uintptr_t rocm_default = 0;
  const DLDevice device = core().array_tensor(array)->device;
  const char* platform = core().array_platform(array);
  const none_rule rule = rule_for_none(device, platform);
  const bool cuda = rule == none_rule::legacy_default;
  if (!cuda && rule != none_rule::default_stream) return {};
  anystream_stream* out = nullptr;
  const std::uintptr_t handle = cuda ? cuda_legacy_default : rocm_default;
  check(core().stream_from_handle(device, platform, handle, {}, &out));
  return core_stream(out);
}

void order_for_none(anystream_array* array) {
  const core_stream consumer = stream_for_none(array);
  if (consumer) return order_after(core().array_stream(array), consumer.get());
  const DLDevice device = core().array_tensor(array)->device;
  if (rule_for_none(device, core().array_platform(array)) == none_rule::nothing) return;
  wait_for(core().array_stream(array));
}

}  // namespace

void order_for(anystream_array* array, const consumer_stream& consumer) {
  anystream_stream* producer = core().array_stream(array);
  if (producer == nullptr) return;
  if (consumer.form == ANYSTREAM_FORM_DEFAULT) return order_for_none(array);
  if (consumer.form == ANYSTREAM_FORM_STREAM) order_after(producer, consumer.stream.get());
}

namespace {

// An object that only a library could know which shares a platform with the array's: none is here.
void refuse_foreign(anystream_array* array, const consumer_stream& consumer) {
  if (consumer.form != ANYSTREAM_FORM_FOREIGN) return;
  const std::string words =
      array_words(core().array_tensor(array)->device, core().array_platform(array));
  throw driver_unavailable("__dlpack__(stream=…): nobody here can order " + words + " before " +
                           got(consumer.given) +
                           ": anystream has no backend for its device type, and no platform was "
                           "registered for it.\n  Order it with the library that owns it, then "
                           "pass stream=-1.");
}

void check_in_order(const consumer_stream& consumer) {
  if (consumer.form != ANYSTREAM_FORM_STREAM) return;
  check(core().stream_check_consumer(consumer.stream.get(), "__dlpack__(stream=…)"));
}

// ---- export -----------------------------------------------------------------------------------

// `user`, which may be null: the stream that the consumer uses it on, and brings it back from.
template <class Managed>
managed_tensor<Managed> exported(anystream_array* array, std::uint64_t flags,
                                 anystream_stream* user) {
  Managed* managed = nullptr;
  if constexpr (is_versioned<Managed>) {
    check(core().array_export_lent(array, user, &managed));
    managed->flags |= flags;
  } else {
    check(core().array_export_lent_legacy(array, user, &managed));
  }
  return managed_tensor<Managed>(managed);
}

// What cannot be exported is refused before anything is put in order. It is lent to the stream
// afterwards: one that was refused has nothing to bring back, and must not be waited for.
template <class Managed, class Order>
PyObject* handed_out(anystream_array* array, std::uint64_t flags, anystream_stream* user,
                     Order&& order) {
  managed_tensor<Managed> managed = exported<Managed>(array, flags, nullptr);
  std::forward<Order>(order)();
  if (user != nullptr) managed = exported<Managed>(array, flags, user);
  return to_capsule(std::move(managed));
}

template <class Order>
PyObject* handed_out(anystream_array* array, bool versioned, std::uint64_t flags,
                     anystream_stream* user, Order&& order) {
  return versioned ? handed_out<DLManagedTensorVersioned>(array, flags, user, order)
                   : handed_out<DLManagedTensor>(array, flags, user, order);
}

core_array copied(anystream_array* array, DLDevice target, anystream_stream* stream) {
  anystream_array* out = nullptr;
  check(without_gil([&] { return core().array_copy(array, target, stream, &out); }));
  return core_array(out);
}

// The copy runs on the consumer's stream where there is one, else on the array's own.
PyObject* export_copy(anystream_array* array, const export_request& request,
                      const consumer_stream& consumer) {
  const core_array copy = copied(array, request.target, consumer.stream.get());
  return handed_out(copy.get(), request.versioned, flag_is_copied, consumer.stream.get(),
                    [&] { order_for(copy.get(), consumer); });
}

bool host_may_read(anystream_array* array) {
  std::int32_t kind = ANYSTREAM_MEMORY_UNKNOWN;
  check(core().array_memory_kind(array, &kind));
  return kind == ANYSTREAM_MEMORY_HOST || kind == ANYSTREAM_MEMORY_SHARED;
}

PyObject* export_host_view(anystream_array* array, bool versioned) {
  anystream_array* out = nullptr;
  check(without_gil([&] { return core().array_host_view(array, &out); }));
  const core_array view(out);
  return handed_out(view.get(), versioned, 0, nullptr, [&] {
    if (core().array_stream(array) != nullptr) wait_for(core().array_stream(array));
  });
}

[[noreturn]] void refuse_host_copy(anystream_array* array) {
  throw exchange_error(
      "__dlpack__(dl_device=(1, 0), copy=False): the host cannot read " +
      array_words(core().array_tensor(array)->device, core().array_platform(array)) +
      " where it is.\n  Leave copy out, or allocate the memory as host or shared "
      "memory.");
}

PyObject* export_to_host(anystream_array* array, const export_request& request,
                         const consumer_stream& consumer) {
  if (request.copy != copy_rule::always && host_may_read(array)) {
    return export_host_view(array, request.versioned);
  }
  if (request.copy == copy_rule::never) refuse_host_copy(array);
  return export_copy(array, request, consumer);
}

void refuse_padding(PyObject* array, const export_request& request) {
  const bool padded = (flags_of(as_array(array)) & flag_subbyte_padded) != 0;
  if (!padded || request.knows_padding) return;
  throw exchange_error(
      "a DLPack capsule of before 1.1 cannot say that an array is padded.\n  Ask for a newer one: "
      "max_version=(1, 1) or later; where a library asks, write anystream.handoff(a, to=…).");
}

// As it is, and from the host, where nothing can be pending: the streams that kDLCPU takes, None
// and -1, have nothing to say then.
bool is_plain(PyObject* array, const export_request& request) noexcept {
  const DLDevice device = tensor_of(as_array(array)).device;
  return device.device_type == kDLCPU && same_device(device, request.target) &&
         request.copy != copy_rule::always && can_be_exported(array, request.versioned);
}

PyObject* export_plain(PyObject* array, bool versioned) {
  return versioned ? to_capsule(host_tensor<DLManagedTensorVersioned>(array))
                   : to_capsule(host_tensor<DLManagedTensor>(array));
}

}  // namespace

std::string array_words(DLDevice device, const char* platform) {
  const auto type = static_cast<device_type>(device.device_type);
  const device_info* row = find_device(type);
  if (row == nullptr) return "an array of device type " + std::to_string(device.device_type);
  const bool beside = find_platform(type, platform) != nullptr;
  return "a " + (beside ? std::string(platform) + " " : "") + std::string(row->dlpack) + " array";
}

// In one piece with all that it calls, as the import by a struct is.
[[gnu::flatten]] PyObject* export_usual(PyObject* array) {
  const array_object& self = as_array(array);
  const bool usual =
      tensor_of(self).device.device_type == kDLCPU && (flags_of(self) & flag_subbyte_padded) == 0;
  return usual ? to_capsule(host_tensor<DLManagedTensorVersioned>(array)) : nullptr;
}

PyObject* export_array(PyObject* array, const export_request& request,
                       const consumer_stream& consumer) {
  refuse_padding(array, request);
  if (is_plain(array, request)) return export_plain(array, request.versioned);
  keep_by_core(as_array(array));
  const core_array shared = shared_array(array);
  const DLDevice device = core().array_tensor(shared.get())->device;
  if (device.device_type != kDLCPU) provide_search_paths();
  refuse_foreign(shared.get(), consumer);
  check_in_order(consumer);
  if (!same_device(device, request.target)) {
    return export_to_host(shared.get(), request, consumer);
  }
  if (request.copy == copy_rule::always) return export_copy(shared.get(), request, consumer);
  const bool unnamed = consumer.form == ANYSTREAM_FORM_DEFAULT;
  const core_stream usual = unnamed ? stream_for_none(shared.get()) : core_stream();
  anystream_stream* user = usual ? usual.get() : consumer.stream.get();
  return handed_out(shared.get(), request.versioned, 0, user,
                    [&] { order_for(shared.get(), consumer); });
}

}  // namespace anystream::python
