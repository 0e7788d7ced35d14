// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies: in row-major order wherever the host takes part, with the strides of the source on a
// device; the values are those of the source when its work is done.
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <anystream/array.hpp>
#include <anystream/release.hpp>
#include <anystream/testing.hpp>

#include "check.hpp"

namespace {

using anystream::array;
using anystream::device;
using anystream::dtype;
using anystream::exchange_error;
using anystream::flag_is_copied;
using numbers = std::vector<std::int64_t>;

constexpr device host;
constexpr dtype f32(kDLFloat, 32);

struct block {
  block() { std::iota(values.begin(), values.end(), 1.0F); }

  // An array whose element (0, …, 0) is values[first].
  array view(numbers shape, numbers strides, std::size_t first, std::uint64_t flags = 0) {
    const DLTensor tensor = {
        values.data(),        {kDLCPU, 0},  static_cast<std::int32_t>(shape.size()),
        f32.dlpack(),         shape.data(), strides.data(),
        first * sizeof(float)};
    return array::wrap(tensor, flags, {});
  }

  std::array<float, 60> values{};
};

float element(const array& a, const numbers& index) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * a.strides()[axis];
  const auto* first = static_cast<const char*>(a.data()) + a.byte_offset();
  return reinterpret_cast<const float*>(first)[offset];
}

bool same_elements(const array& a, const array& b) {
  numbers index(a.shape().size(), 0);
  for (std::int64_t left = a.size(); left > 0; --left) {
    if (element(a, index) != element(b, index)) return false;
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < a.shape()[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

struct layout {
  numbers shape, strides;
  std::size_t first;
};

const layout layouts[] = {{{}, {}, 7},
                          {{12}, {1}, 0},
                          {{12}, {-1}, 20},
                          {{3, 4}, {4, 1}, 3},
                          {{3, 4}, {1, 3}, 0},
                          {{3, 4}, {-4, 1}, 30},
                          {{3, 4}, {5, -1}, 13},
                          {{4, 3}, {0, 2}, 1},
                          {{2, 3, 2}, {20, -6, 0}, 25},
                          {{1, 5}, {1000000, 2}, 2},
                          {{1, 1}, {-3, 0}, 59}};

bool is_row_major(const array& a) { return anystream::is_row_major(a.shape(), a.strides()); }

void a_copy_on_the_host_is_row_major() {
  block source;
  for (const auto& [shape, strides, first] : layouts) {
    const array a = source.view(shape, strides, first, anystream::flag_read_only);
    const array b = a.copy_to(host);
    CHECK(same_elements(a, b));
    CHECK(is_row_major(b) && b.byte_offset() == 0);
    CHECK_EQUAL(b.flags(), anystream::flag_is_copied);
    CHECK(b.data() != a.data() && b.device() == host);
    for (float& value : source.values) value = -value;
    CHECK(!same_elements(a, b));
  }
}

void a_copy_to_a_device_and_back_is_row_major() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream();
  block source;
  for (const auto& [shape, strides, first] : layouts) {
    const array a = source.view(shape, strides, first);
    const array there = a.copy_to(place.device(), stream);
    CHECK(is_row_major(there) && there.byte_offset() == 0 && there.flags() == flag_is_copied);
    CHECK(same_elements(a, there.copy_to(host)));
  }
}

// The same elements as a view of all the memory of a device.
array view_there(const array& memory, const layout& lies, anystream::stream_view on) {
  numbers shape = lies.shape;
  numbers strides = lies.strides;
  DLTensor tensor = memory.tensor();
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.shape = shape.data();
  tensor.strides = strides.data();
  tensor.byte_offset = lies.first * sizeof(float);
  array view = array::wrap(tensor, 0, {}, "simulated");
  view.set_stream(on);
  return view;
}

void a_copy_on_a_device_keeps_strides_and_one_from_it_does_not() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream();
  block source;
  const array memory = source.view({60}, {1}, 0).copy_to(place.device(), stream);
  for (const layout& lies : layouts) {
    const array a = source.view(lies.shape, lies.strides, lies.first);
    const array there = view_there(memory, lies, stream);
    const array copy = there.copy_to(place.device());
    CHECK(numbers(copy.strides().begin(), copy.strides().end()) == lies.strides);
    CHECK(copy.flags() == flag_is_copied && copy.data() != there.data());
    for (const array& from : {there, copy}) {
      const array b = from.copy_to(host);
      CHECK(same_elements(a, b) && is_row_major(b));
    }
  }
}

void only_the_span_is_copied_on_a_device() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream();
  const array memory = place.empty(numbers{60}, f32, stream);
  const auto offset_of_copy = [&](std::int64_t stride) {
    return view_there(memory, {{3}, {stride}, 20}, stream).copy_to(place.device()).byte_offset();
  };
  CHECK_EQUAL(offset_of_copy(-2), 16u);
  CHECK_EQUAL(offset_of_copy(2), 0u);
}

void arrays_without_elements_have_no_data() {
  block source;
  const array a = source.view({3, 0}, {-9, 1}, 5).copy_to(host);
  CHECK(a.data() == nullptr && a.byte_offset() == 0 && a.size() == 0);
  CHECK(array::empty(host, numbers{0, 4}, f32).data() == nullptr);
}

// Five elements of four bits each, the first of them at bytes[4].
array packed(std::array<unsigned char, 8>& bytes, std::int64_t stride, std::uint64_t flags = 0) {
  numbers shape = {5};
  numbers strides = {stride};
  const DLTensor tensor = {bytes.data(), {kDLCPU, 0},    1, {kDLFloat4_e2m1fn, 4, 1},
                           shape.data(), strides.data(), 4};
  return array::wrap(tensor, flags, {});
}

void packed_elements_are_copied_whole_or_not_at_all() {
  std::array<unsigned char, 8> bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  const array a = packed(bytes, 1).copy_to(host);
  CHECK(a.byte_offset() == 0 && a.nbytes() == 3);
  CHECK(std::memcmp(a.data(), &bytes[4], 3) == 0);
  CHECK_MESSAGE(
      exchange_error,
      "a copy of packed float4_e2m1fn elements, which share bytes, takes them in "
      "row-major order without gaps; got shape (5,) with strides (-1,).\n  Copy the array "
      "that this is a view of, or unpack it first.",
      packed(bytes, -1).copy_to(host));
  const array padded = packed(bytes, -1, anystream::flag_subbyte_padded).copy_to(host);
  CHECK_EQUAL(padded.flags(), anystream::flag_subbyte_padded | flag_is_copied);
  CHECK(std::memcmp(padded.data(), "\5\4\3\2\1", 5) == 0);
}

void a_copy_from_a_device_waits_for_its_work() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream("producer");
  const array a = place.empty(numbers{16}, f32, stream);
  stream.fill(a.data(), 2.5F, 16);
  const array b = a.copy_to(host);
  CHECK(b.device() == host && !b.stream() && b.flags() == anystream::flag_is_copied);
  CHECK(element(b, {0}) == 2.5F && element(b, {15}) == 2.5F);
}

void a_copy_to_a_device_is_complete() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream();
  block source;
  const array a = source.view({3, 4}, {-4, 1}, 30);
  const array there = a.copy_to(place.device(), stream);
  CHECK(there.device() == place.device() && there.stream().get() != nullptr);
  CHECK(stream.pending() == 0);
  source.values.fill(0.0F);
  const array back = there.copy_to(host);
  CHECK(element(back, {0, 0}) == 31.0F && element(back, {2, 3}) == 26.0F);
}

// The producer is held: the copy is queued behind it, and its source outlives its last reference
// until it has been made, but not longer.
void a_copy_on_a_device_is_ordered_and_keeps_its_source() {
  const anystream::testing::simulated_device place;
  const auto producer = place.make_stream("producer");
  const auto consumer = place.make_stream("consumer");
  const array memory = place.empty(numbers{16}, f32, producer);
  int released = 0;
  {
    auto a = array::wrap(memory.tensor(), 0,
                         {&released, [](void* count) { ++*static_cast<int*>(count); }});
    a.set_stream(producer);
    producer.hold();
    producer.fill(a.data(), 7.0F, 16);
    const array b = std::exchange(a, memory).copy_to(place.device(), consumer);
    CHECK(consumer.pending() > 0 && !b.stream().idle() && released == 0);
    producer.resume();
    CHECK(element(b.copy_to(host), {15}) == 7.0F);
    std::int32_t all = 0;
    anystream::check(anystream::api().releases_flush(30, &all));
    CHECK(all != 0 && released == 1);
  }
  CHECK_EQUAL(released, 1);
}

// Nobody has the copy any more, and it has not run: its source and its memory stay until it has.
void a_copy_that_is_dropped_early_keeps_what_it_needs() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream();
  int released = 0;
  const array memory = place.empty(numbers{16}, f32, stream);
  auto a = array::wrap(memory.tensor(), 0,
                       {&released, [](void* count) { ++*static_cast<int*>(count); }});
  a.set_stream(stream);
  stream.fill(a.data(), 7.0F, 16);
  stream.hold();
  array copy = std::exchange(a, memory).copy_to(place.device());
  const void* const data = copy.data();
  copy = memory;
  CHECK(stream.pending() > 0 && released == 0);
  stream.resume();
  stream.stream().record().synchronize();
  float now = 0;
  anystream::check(anystream::api().simulated->peek(data, &now, sizeof now));
  CHECK(now == 7.0F && released == 0);
  stream.stream().synchronize();  // lets go of what has run
  CHECK_EQUAL(released, 1);
}

void out_of_order_streams_get_a_barrier() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream("queue", false);
  const array a = place.empty(numbers{16}, f32, stream);
  for (int trial = 0; trial < 100; ++trial) {
    stream.hold();
    stream.fill(a.data(), static_cast<float>(trial), 16);
    const array b = a.copy_to(place.device());
    stream.resume();
    CHECK(element(b.copy_to(host), {15}) == static_cast<float>(trial));
  }
}

void what_cannot_be_copied_says_why() {
  const anystream::testing::simulated_device place;
  const auto stream = place.make_stream();
  array a = place.empty(numbers{3}, f32, stream);
  const std::string there = to_string(place.device());
  CHECK_MESSAGE(exchange_error,
                "a copy goes between the host and a device, or stays on one platform; got " +
                    there + " to cuda:0.\n  Copy it to the host first.",
                a.copy_to({anystream::device_type::cuda, 0}));
  const auto cuda = anystream::stream::from_handle({anystream::device_type::cuda, 0}, 0x1000);
  CHECK_MESSAGE(anystream::type_error,
                "a stream of cuda:0 cannot carry the work of a simulated kDLExtDev array.",
                a.copy_to(host, cuda));
  a.set_stream({});
  CHECK_MESSAGE(exchange_error,
                "a copy from " + there +
                    " to cpu needs a stream to run on; the array has none.\n  Name it: stream=s, "
                    "or producer_stream=s for a hand-off to the host.",
                a.copy_to(host));
  block source;
  CHECK_THROWS(anystream::driver_unavailable, source.view({3}, {1}, 0).copy_to(place.device()));
}

}  // namespace

int main() {
  anystream::releases::use_thread(false);  // what has gone is known at calls
  a_copy_on_the_host_is_row_major();
  a_copy_to_a_device_and_back_is_row_major();
  a_copy_on_a_device_keeps_strides_and_one_from_it_does_not();
  only_the_span_is_copied_on_a_device();
  arrays_without_elements_have_no_data();
  packed_elements_are_copied_whole_or_not_at_all();
  a_copy_from_a_device_waits_for_its_work();
  a_copy_to_a_device_is_complete();
  a_copy_on_a_device_is_ordered_and_keeps_its_source();
  a_copy_that_is_dropped_early_keeps_what_it_needs();
  out_of_order_streams_get_a_barrier();
  what_cannot_be_copied_says_why();
  return check::result();
}
