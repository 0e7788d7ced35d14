// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Which stream a Python Stream is: its rules, handle, equality, hash and repr.
#include "stream_identity.hpp"

#include <string_view>
#include <tuple>

#include "device.hpp"
#include "errors.hpp"
#include "owner.hpp"
#include "registered_rules.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

bool same_source(const stream_source& a, const stream_source& b) {
  const auto numbers = [](const stream_source& s) {
    return std::tuple(s.kind, s.integer, s.handle, s.null_means);
  };
  const auto words = [](const char* text) { return std::string_view(text ? text : ""); };
  return numbers(a) == numbers(b) && words(a.family) == words(b.family) &&
         words(a.capsule_name) == words(b.capsule_name);
}

bool same_queue(const anystream_stream* a, const anystream_stream* b) {
  std::int32_t relation = ANYSTREAM_RELATION_DIFFERENT;
  const anystream_status status =
      without_gil([&] { return core().stream_relation(a, b, &relation); });
  // Where no driver can be asked, a handle is the queue.
  if (status == ANYSTREAM_DRIVER_UNAVAILABLE) {
    return core().stream_handle(a) == core().stream_handle(b);
  }
  check(status);
  return relation == ANYSTREAM_RELATION_SAME || relation == ANYSTREAM_RELATION_SAME_OUT_OF_ORDER;
}

bool equal(const py_stream& a, const py_stream& b) {
  if (a.get() == nullptr || b.get() == nullptr) {
    return a.get() == b.get() && same_source(a.source(), b.source());
  }
  return a.get() == b.get() || same_queue(a.get(), b.get());
}

std::string order_text(const py_stream& self) {
  std::int32_t in_order = 0;
  if (core().stream_in_order(self.get(), &in_order) != ANYSTREAM_OK) return "";
  if (in_order != 0) return ", in-order";
  return std::string(", out-of-order (") + policy_word(self) + ")";
}

std::string hex(std::uintptr_t number) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (; number != 0; number /= 16) text.insert(text.begin(), digits[number % 16]);
  return "0x" + (text.empty() ? "0" : text);
}

}  // namespace

stream_rules rules_of(const anystream_stream* stream) {
  const auto type = static_cast<device_type>(core().stream_device(stream).device_type);
  // A stream has a platform, whose rules are known.
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access)
  return find_rules(type, core().stream_platform(stream))->rules;
}

// CUDA and ROCm: their streams are numbers, and __cuda_stream__ speaks of them.
bool is_a_number(const anystream_stream* stream) {
  const integer_rule rule = rules_of(stream).integers;
  return rule == integer_rule::cuda || rule == integer_rule::rocm;
}

const char* platform_of(const py_stream& self) {
  return self.get() != nullptr ? core().stream_platform(self.get()) : "";
}

std::uintptr_t handle_of(const py_stream& self) {
  if (self.get() != nullptr) return core().stream_handle(self.get());
  const stream_source& source = self.source();
  return source.kind == ANYSTREAM_ARGUMENT_INTEGER ? static_cast<std::uintptr_t>(source.integer)
                                                   : source.handle;
}

const char* policy_word(const py_stream& self) {
  return self.policy() == ANYSTREAM_OUT_OF_ORDER_BARRIER ? "barrier" : "refuse";
}

nb::object equals(const py_stream& self, nb::handle other) {
  const py_stream* stream = as_stream(other.ptr());
  if (stream == nullptr) return nb::borrow(Py_NotImplemented);
  return nb::cast(equal(self, *stream));
}

// Copies of one queue have handles of their own, so that only the device tells them apart from
// others; where streams are numbers the number does.
Py_hash_t hash_of(const py_stream& self) {
  const anystream_stream* stream = self.get();
  if (stream == nullptr) return nb::hash(nb::make_tuple("unresolved", handle_of(self)));
  const int device = core().stream_device(stream).device_id;
  const std::uintptr_t number = is_a_number(stream) ? core().stream_handle(stream) : 0;
  return nb::hash(nb::make_tuple(core().stream_platform(stream), device, number));
}

std::string repr(const py_stream& self) {
  if (self.get() == nullptr) {
    return std::string("<anystream.Stream of ") + self.source().got() +
           ", unresolved: its device is not known>";
  }
  const std::uintptr_t handle = handle_of(self);
  return "<anystream.Stream on " + device_text(core().stream_device(self.get())) + ", " +
         platform_of(self) + " handle " + (handle > 2 ? hex(handle) : std::to_string(handle)) +
         order_text(self) + ">";
}

}  // namespace anystream::python
