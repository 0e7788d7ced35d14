// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Handing what was passed as `stream` to the core, to be checked and resolved.
#include "stream_argument.hpp"

#include <utility>

#include <anystream/device.hpp>

#include "configuration.hpp"
#include "core.hpp"
#include "dlpack_stream.hpp"
#include "errors.hpp"
#include "owner.hpp"
#include "registered_rules.hpp"
#include "stream.hpp"
#include "vouched_queues.hpp"

namespace anystream::python {
namespace {

wanted_stream family_of(DLDevice where, const char* platform) {
  const auto rules = find_rules(static_cast<device_type>(where.device_type), platform);
  if (!rules) return {stream_family::unknown, ""};
  return {rules->rules.objects, rules->family};
}

// An int that a library vouches for is its queue.
void take_vouched(stream_source& out, stream_family family) {
  if (out.kind != ANYSTREAM_ARGUMENT_INTEGER || family != stream_family::sycl) return;
  const bool may_be = out.overflow == 0 && out.integer > 0;
  if (!may_be || !is_vouched_queue(static_cast<std::uintptr_t>(out.integer))) return;
  out.kind = ANYSTREAM_ARGUMENT_OBJECT;
  out.family = "sycl";
  out.handle = static_cast<std::uintptr_t>(out.integer);
}

anystream_argument argument_of(const py_stream& ours, const char* where) noexcept {
  anystream_argument out{};
  out.kind = ANYSTREAM_ARGUMENT_STREAM;
  out.stream = ours.get();
  out.got = "an anystream.Stream";
  out.where = where;
  return out;
}

// A handle may have to be copied by its vendor's library, which may have to be opened first.
bool enters_a_driver(const anystream_argument& argument) noexcept {
  return argument.kind == ANYSTREAM_ARGUMENT_OBJECT || argument.kind == ANYSTREAM_ARGUMENT_CAPSULE;
}

anystream_resolution ask_core(DLDevice device, const char* platform,
                              const anystream_argument& argument, anystream_owner owner) {
  anystream_resolution out{};
  const auto ask = [&] { return core().stream_resolve(device, platform, &argument, owner, &out); };
  check(enters_a_driver(argument) ? without_gil(ask) : ask());
  return out;
}

// A stream of a device that its object told: taken there as one of ours would be.
anystream_resolution resolve_stream_of(DLDevice device, const char* platform,
                                       const stream_source& source, const char* where) {
  const anystream_resolution told = resolve_told(source, where);
  anystream_argument argument = source.argument(where);
  const bool of_this_type = source.told && source.told->device_type == device.device_type;
  if (told.form == ANYSTREAM_FORM_FOREIGN && of_this_type) return told;
  const stream_ptr kept(told.stream);
  argument.kind = kept ? ANYSTREAM_ARGUMENT_STREAM : ANYSTREAM_ARGUMENT_NUMBER;
  argument.stream = kept.get();
  return ask_core(device, platform, argument, {});
}

anystream_resolution with_policy(anystream_resolution resolved, int policy) {
  if (resolved.stream == nullptr || policy == ANYSTREAM_OUT_OF_ORDER_REFUSE) return resolved;
  anystream_stream* plain = resolved.stream;
  const anystream_status status = core().stream_with_policy(plain, policy, &resolved.stream);
  core().stream_release(plain);
  check(status);
  return resolved;
}

anystream_resolution resolve_ours(DLDevice device, const char* platform, const py_stream& ours,
                                  const char* where) {
  if (ours.get() != nullptr) return ask_core(device, platform, argument_of(ours, where), {});
  return with_policy(resolve_source(device, platform, ours.source(), where), ours.policy());
}

// Another package may know the class, or a platform of the device type.
stream_source read_for(DLDevice device, const char* platform, PyObject* stream) {
  stream_source read = read_source(stream, family_of(device, platform));
  const bool unknown = read.kind == ANYSTREAM_ARGUMENT_UNKNOWN;
  if (!unknown || !load_entry_points()) return read;
  return read_source(stream, family_of(device, platform));
}

}  // namespace

anystream_resolution resolve_source(DLDevice device, const char* platform, stream_source source,
                                    const char* where) {
  if (source.told) return resolve_stream_of(device, platform, source, where);
  take_vouched(source, family_of(device, platform).family);
  const anystream_argument argument = source.argument(where);
  if (enters_a_driver(argument)) provide_search_paths();
  return ask_core(device, platform, argument, keep_alive(source.owner.ptr()));
}

bool resolve(DLDevice device, const char* platform, PyObject* stream, const char* where,
             anystream_resolution& out) noexcept {
  return at_border(false, [&] {
    const py_stream* ours = as_stream(stream);
    out = ours != nullptr
              ? resolve_ours(device, platform, *ours, where)
              : resolve_source(device, platform, read_for(device, platform, stream), where);
    return true;
  });
}

}  // namespace anystream::python
