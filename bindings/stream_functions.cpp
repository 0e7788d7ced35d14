// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the package asks of streams: resolving an argument, and ordering two Streams.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core.hpp"
#include "errors.hpp"
#include "owner.hpp"
#include "stream.hpp"
#include "stream_check.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace anystream::python {
namespace {

constexpr const char* resolve_stream_doc =
    "What a stream argument comes to on a device, by the rules of the device table.\n\n"
    "(\"default\", None) for None, (\"unordered\", None) for -1, (\"stream\", Stream), or "
    "(\"foreign\",\n"
    "the argument) on a device type on which nobody agreed what a stream is. where names the\n"
    "parameter in messages. TypeError for what is no stream there, ValueError for a wrong value,\n"
    "DriverUnavailable where a handle must be copied and its driver is not there; what the object\n"
    "raises while it is asked is left as it is.";
constexpr const char* check_consumer_doc =
    "ValueError, naming the way round, if the stream is out-of-order and refuses to be a "
    "consumer's.";
constexpr const char* relation_doc =
    "How two Streams stand to each other: \"same\" (one in-order queue: nothing to do),\n"
    "\"same_out_of_order\" (one queue: a barrier), \"different\" (two queues of one platform: "
    "record,\n"
    "wait) or \"unrelated\" (two platforms: only the host can wait).";
constexpr const char* check_order_doc =
    "OrderingError where to order the two would break a capture into a graph, or where the host "
    "would\nwait for one (consumer None). Nothing is done.";
constexpr const char* order_streams_doc =
    "Makes the consumer's later work wait for the producer's earlier work, and says what that "
    "took:\n"
    "\"nothing\", \"barrier\", \"event\", \"host_wait\" or \"idle\". Waits for streams of two "
    "platforms\n"
    "only, with the GIL dropped.";
constexpr const char* check_stream_doc =
    "TypeError or ValueError for what no device takes as a stream; where names the parameter.";
constexpr const char* order_doc =
    "What anystream.order does: (producer, consumer), each anything that Stream(…) takes.";
constexpr const char* synchronize_stream_doc =
    "Waits, with the GIL dropped, until the stream's earlier work has finished: \"host_wait\", or\n"
    "\"idle\" if nothing was pending.";

// The same Python object where the argument was a resolved Stream already.
nb::object stream_object(stream_ptr made, nb::handle given) {
  const py_stream* ours = as_stream(given.ptr());
  if (ours != nullptr && ours->get() == made.get()) return nb::borrow(given);
  return nb::cast(py_stream(std::move(made)));
}

nb::tuple resolve_stream(nb::handle given, int type, int id, const std::string& platform,
                         const std::string& where) {
  anystream_resolution out{};
  const DLDevice device{static_cast<DLDeviceType>(type), id};
  if (!resolve(device, platform.c_str(), given.ptr(), where.c_str(), out)) {
    throw nb::python_error();
  }
  switch (out.form) {
    case ANYSTREAM_FORM_DEFAULT:
      return nb::make_tuple("default", nb::none());
    case ANYSTREAM_FORM_UNORDERED:
      return nb::make_tuple("unordered", nb::none());
    case ANYSTREAM_FORM_FOREIGN:
      return nb::make_tuple("foreign", nb::borrow(given));
    default:
      return nb::make_tuple("stream", stream_object(stream_ptr(out.stream), given));
  }
}

void check_consumer(const py_stream& stream, const std::string& where) {
  check(core().stream_check_consumer(resolved(stream, where.c_str()), where.c_str()));
}

const char* relation(const py_stream& producer, const py_stream& consumer) {
  constexpr const char* words[] = {"same", "same_out_of_order", "different", "unrelated"};
  anystream_stream* from = resolved(producer, "relation(producer, …)");
  anystream_stream* to = resolved(consumer, "relation(…, consumer)");
  std::int32_t relation = 0;
  check(without_gil([&] { return core().stream_relation(from, to, &relation); }));
  return words[relation];
}

void check_order(const py_stream& producer, nb::handle consumer) {
  anystream_stream* from = resolved(producer, "check_order(producer, …)");
  const py_stream* waits = as_stream(consumer.ptr());
  anystream_stream* to = waits != nullptr ? resolved(*waits, "check_order(…, consumer)") : nullptr;
  check(without_gil([&] { return core().stream_check_order(from, to); }));
}

const char* ordered_word(std::int32_t how) {
  constexpr const char* words[] = {"nothing", "barrier", "event", "host_wait", "idle"};
  return words[how];
}

const char* order_streams(const py_stream& producer, const py_stream& consumer) {
  anystream_stream* from = resolved(producer, "order(producer=…)");
  anystream_stream* to = resolved(consumer, "order(consumer=…)");
  std::int32_t how = 0;
  check(without_gil([&] { return core().stream_order(from, to, &how); }));
  return ordered_word(how);
}

void order(nb::handle producer, nb::handle consumer) {
  constexpr order_names names = {"order(producer=…)", "order(consumer=…)"};
  const py_stream* ours = as_stream(consumer.ptr());
  const std::optional<py_stream> made =
      ours != nullptr
          ? std::nullopt
          : std::optional(make_stream(consumer, nb::none(), std::nullopt, names.consumer));
  const py_stream& to = made ? *made : *ours;
  wait_for(resolved(to, names.consumer), producer, names);
}

const char* synchronize_stream(const py_stream& stream) {
  anystream_stream* waited_for = resolved(stream, "synchronize_stream(…)");
  std::int32_t how = 0;
  check(without_gil([&] { return core().stream_synchronize(waited_for, &how); }));
  return ordered_word(how);
}

}  // namespace

void register_stream_functions(nb::module_& m) {
  m.def("resolve_stream", resolve_stream, nb::arg().none(), nb::arg(), nb::arg(), nb::kw_only(),
        "platform"_a = "", "where"_a = "stream", resolve_stream_doc);
  m.def("check_consumer", check_consumer, nb::arg(), "where"_a, check_consumer_doc);
  m.def("relation", relation, relation_doc);
  m.def("check_order", check_order, nb::arg(), nb::arg().none(), check_order_doc);
  m.def("order_streams", order_streams, order_streams_doc);
  m.def(
      "check_stream",
      [](nb::handle given, const std::string& where) { check_stream(given, where.c_str()); },
      nb::arg().none(), nb::arg(), check_stream_doc);
  m.def("order", order, nb::arg().none(), nb::arg().none(), order_doc);
  m.def("synchronize_stream", synchronize_stream, synchronize_stream_doc);
}

}  // namespace anystream::python
