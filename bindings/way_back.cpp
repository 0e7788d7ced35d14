// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays that bring their memory home. One that has a way back is kept by the core, whoever kept it
// before: when its last reference goes, in Python or at a consumer, the core orders the streams.
#include "way_back.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <anystream/error.hpp>

#include "arguments.hpp"
#include "array_docs.hpp"
#include "configuration.hpp"
#include "device.hpp"
#include "errors.hpp"
#include "owner.hpp"
#include "stream.hpp"
#include "stream_argument.hpp"

namespace nb = nanobind;

namespace anystream::python {
namespace {

constexpr const char* policies[] = {"ordered", "deferred", "host", "none"};

void release_core_array(void* array) { core().array_release(static_cast<anystream_array*>(array)); }

core_array wrapped(const array_object& self, anystream_owner owner) {
  anystream_array* out = nullptr;
  check(core().array_wrap(&self.tensor, self.flags, self.platform, owner, &out));
  return core_array(out);
}

anystream_owner kept(anystream_array* array) noexcept {
  return {retained(array).release(), release_core_array};
}

anystream_stream* handle_of(nb::handle stream) {
  anystream_stream* handle = unwrap_stream(stream.ptr());
  if (handle == nullptr) throw nb::python_error();
  return handle;
}

bool has_way_back(const anystream_array* array) noexcept {
  return core().array_release_policy(array) >= 0;
}

// Where this version cannot order on the platform, there is no way back, as before.
bool give_way_back(anystream_array* array, anystream_stream* home, std::int32_t policy,
                   bool frees_in_order) {
  const anystream_status status =
      core().array_set_way_back(array, home, policy, frees_in_order ? 1 : 0);
  if (status == ANYSTREAM_DRIVER_UNAVAILABLE) return false;
  check(status);
  return true;
}

}  // namespace

struct further_homes {
  std::vector<stream_ptr> streams;
};

void further_homes_release::operator()(further_homes* homes) const noexcept { delete homes; }

namespace {

decltype(array_parts::further) further_of(const std::vector<anystream_stream*>& homes) {
  if (homes.size() < 2) return nullptr;
  decltype(array_parts::further) made(new further_homes);
  for (std::size_t i = 1; i < homes.size(); ++i) {
    anystream_stream* lenient = nullptr;  // nobody named it as a consumer's: any queue may wait
    check(core().stream_with_policy(homes[i], ANYSTREAM_OUT_OF_ORDER_BARRIER, &lenient));
    made->streams.emplace_back(lenient);
  }
  return made;
}

// ---- a view with a way back ---------------------------------------------------------------------

struct way_home {
  std::vector<anystream_stream*> homes;  // borrowed; not empty
  std::int32_t policy;
  bool frees_in_order;
};

// The array that further views are views of, kept by each; null where no core array keeps it.
anystream_array* root_of(const array_object& self) noexcept {
  if (self.keeps != keeper::core) return nullptr;
  return self.memory != nullptr ? self.memory : self.array;
}

core_array view_of(PyObject* array) {
  const array_object& self = as_array(array);
  if (anystream_array* root = root_of(self)) return wrapped(self, kept(root));
  return wrapped(self, keep_alive(self.owner != nullptr ? self.owner : array));
}

bool same_stream(const anystream_stream* a, const anystream_stream* b) {
  std::int32_t relation = ANYSTREAM_RELATION_DIFFERENT;
  check(core().stream_relation(a, b, &relation));
  return relation == ANYSTREAM_RELATION_SAME;
}

// The view brings the memory back to its own home only: where the first array has another one, it
// is told of the stream, for when it goes itself.
void tell_root(anystream_array* root, const way_home& way, anystream_stream* user) {
  if (root == nullptr || user == nullptr || !has_way_back(root)) return;
  if (core().array_release_policy(root) == ANYSTREAM_RELEASE_NONE) return;
  if (!same_stream(core().array_home(root), way.homes.front())) {
    check(core().array_record_stream(root, user));
  }
}

// Each home has an array of its own, around that of the next: all of them wait for the user.
core_array with_way_back(core_array array, const array_object& self, const way_home& way,
                         anystream_stream* user) {
  for (std::size_t i = way.homes.size(); i-- > 0;) {
    if (!give_way_back(array.get(), way.homes[i], way.policy, way.frees_in_order)) break;
    if (i == 0) break;  // whoever makes it a Python object puts it on its stream
    if (user != nullptr) check(core().array_set_stream(array.get(), user));
    array = wrapped(self, kept(array.get()));
  }
  return array;
}

way_home read_way_home(const way_arguments& given) {
  way_home way{
      {}, to_release_policy(given.policy, "_array_on_stream(release)"), given.frees_in_order != 0};
  for (const nb::handle home : nb::borrow(given.homes)) way.homes.push_back(handle_of(home));
  return way;
}

// An array that nobody else has seen yet need not be viewed to be on another stream.
bool is_its_own(const array_object& self, bool fresh) noexcept {
  return fresh && self.keeps == keeper::core && self.memory == nullptr;
}

// Then a view of it may be let go while work is pending; otherwise that is its owner's free.
bool goes_back_itself(const anystream_array* root) {
  if (root == nullptr || !has_way_back(root)) return false;
  return core().array_release_policy(root) != ANYSTREAM_RELEASE_NONE;
}

array_parts on_stream_with_way_back(PyObject* array, nb::handle stream, way_home way, bool fresh) {
  array_object& self = as_array(array);
  anystream_stream* user = stream.is_none() ? nullptr : handle_of(stream);
  array_parts parts;
  parts.further = further_of(way.homes);
  if (is_its_own(self, fresh)) {
    parts.array = with_way_back(retained(self.array), self, way, user);
    return parts;
  }
  keep_by_core(self);
  anystream_array* root = root_of(self);
  way.frees_in_order = way.frees_in_order && goes_back_itself(root);
  parts.array = with_way_back(view_of(array), self, way, user);
  parts.memory = root;
  tell_root(root, way, user);
  return parts;
}

}  // namespace

std::int32_t to_release_policy(PyObject* word, const char* where) {
  const bool text = PyUnicode_Check(word) != 0;
  for (std::int32_t policy = 0; policy < 4; ++policy) {
    if (text && PyUnicode_CompareWithASCIIString(word, policies[policy]) == 0) return policy;
  }
  const std::string message = std::string(where) +
                              " takes \"ordered\", \"deferred\", \"host\" or \"none\"; got " +
                              got(word) +
                              ".\n  \"ordered\" has the producer's stream wait for the consumer's "
                              "before memory goes back.";
  if (text) throw value_error(message);
  throw type_error(message);
}

array_parts on_stream(PyObject* array, PyObject* stream, const way_arguments& given) {
  if (given.homes == Py_None || PyTuple_GET_SIZE(given.homes) == 0) return same_memory(array);
  return on_stream_with_way_back(array, stream, read_way_home(given), given.fresh != 0);
}

namespace {

// What the core is to let go of: the owner, and the array whose numbers the Array shows, and may
// have lent to others.
struct kept_owner {
  PyObject* owner;
  core_array numbers;
};

void release_owner(void* context) {
  const std::unique_ptr<kept_owner> both(static_cast<kept_owner*>(context));
  with_python([&] { Py_DECREF(both->owner); });
}

anystream_owner owner_and_numbers(const array_object& self) {
  auto both = std::make_unique<kept_owner>();
  both->owner = Py_NewRef(self.owner);
  if (self.array != nullptr) both->numbers = retained(self.array);
  return {both.release(), release_owner};
}

}  // namespace

void keep_by_core(array_object& self) {
  if (self.keeps != keeper::object || is_host(self)) return;
  anystream_stream* home = self.stream != nullptr  ? handle_of(self.stream)
                           : self.array != nullptr ? core().array_stream(self.array)
                                                   : nullptr;
  if (home == nullptr) return;
  core_array made = wrapped(self, owner_and_numbers(self));
  check(core().array_set_stream(made.get(), home));
  if (!give_way_back(made.get(), home, ANYSTREAM_RELEASE_ORDERED, false)) return;
  const core_array former(std::exchange(self.array, made.release()));
  const nb::object owner = nb::steal(std::exchange(self.owner, nullptr));
  self.keeps = keeper::core;
}

void bring_home(anystream_array* array, nb::handle stream) {
  give_way_back(array, handle_of(stream), ANYSTREAM_RELEASE_ORDERED, false);
}

void use_on(PyObject* array, anystream_stream* user) {
  anystream_array* const kept_by_core = core_of(array);
  if (has_way_back(kept_by_core)) check(core().array_record_stream(kept_by_core, user));
}

// ---- methods of Array ---------------------------------------------------------------------------

namespace {

// The first home waits for the users by now, the others for it.
void order_further_homes(const array_object& array) {
  if (array.keeps != keeper::core || array.held == nullptr) return;
  anystream_stream* const first = core().array_home(array.array);
  const bool waits = core().array_release_policy(array.array) != ANYSTREAM_RELEASE_DEFERRED;
  if (first == nullptr || !waits) return;
  for (const stream_ptr& each : static_cast<further_homes*>(array.held)->streams) {
    std::int32_t how = ANYSTREAM_ORDERED_NOTHING;
    check(without_gil([&] { return core().stream_order(first, each.get(), &how); }));
  }
}

[[noreturn]] void refuse_host(PyObject* given) {
  throw value_error(
      "record_stream(stream): a kDLCPU array is in host memory, which is not used on streams; "
      "got " +
      got(given) + ".\n  Leave the call out: nothing is pending there.");
}

[[noreturn]] void refuse_no_stream(const array_object& array, PyObject* given) {
  throw value_error("record_stream(stream) takes a stream of the array's device, " +
                    device_text(array.tensor.device) + "; got " + got(given) +
                    ".\n  Pass the one that the array is used on.");
}

void check_way_back(const array_object& array) {
  if (has_way_back(array.array)) return;
  throw value_error("record_stream(stream): it is not known where this array on " +
                    device_text(array.tensor.device) +
                    " goes back to: no stream of its producer is known, or anystream orders none "
                    "there.\n  Name it where the array is imported: producer_stream=.");
}

}  // namespace

PyObject* array_release(PyObject* self, PyObject*) {
  return at_border<PyObject*>(nullptr, [self] {
    array_object& array = as_array(self);
    if (!is_host(array)) {
      keep_by_core(array);
      anystream_array* const kept_by_core = core_of(self);
      std::int32_t how = ANYSTREAM_ORDERED_NOTHING;
      check(without_gil([&] { return core().array_order_back(kept_by_core, &how); }));
      order_further_homes(array);
    }
    return Py_NewRef(Py_None);
  });
}

PyObject* array_record_stream(PyObject* self, PyObject* stream) {
  constexpr const char* where = "record_stream(stream)";
  return at_border<PyObject*>(nullptr, [=] {
    array_object& array = as_array(self);
    if (is_host(array)) refuse_host(stream);
    anystream_resolution resolved{};
    if (!resolve(array.tensor.device, array.platform, stream, where, resolved)) {
      throw nb::python_error();
    }
    const stream_ptr user(resolved.stream);
    if (user == nullptr) refuse_no_stream(array, stream);
    keep_by_core(array);
    core_of(self);
    check_way_back(array);
    check(core().array_record_stream(core_of(self), user.get()));
    return Py_NewRef(Py_None);
  });
}

}  // namespace anystream::python
