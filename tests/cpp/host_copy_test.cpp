// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies within the host against a loop over every element: random layouts, all element sizes,
// memory that is not aligned, and copies large enough for several threads.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <anystream/array.hpp>

#include "check.hpp"

namespace {

using anystream::array;
using anystream::dtype;
using numbers = std::vector<std::int64_t>;

struct layout {
  numbers shape;
  numbers strides;
  std::uint16_t size = 4;  // bytes of an element
  std::size_t offset = 0;  // of the memory from an aligned address
};

// Bytes that differ from those around them, with an array among them.
class source {
 public:
  explicit source(layout lies) : lies_(std::move(lies)) {
    type_ = lies_.size == 3 ? dtype(kDLOpaqueHandle, 24) : dtype(kDLUInt, 8, lies_.size);
    const auto span = anystream::span_of(lies_.shape, lies_.strides, type_);
    bytes_.resize(lies_.offset + static_cast<std::size_t>(span.size()));
    std::uint32_t state = 1;
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>((state = state * 69069 + 5) >> 23);
    first_ = lies_.offset + static_cast<std::size_t>(-span.lowest);
  }

  array wrap() {
    const DLTensor tensor = {
        bytes_.data(),  {kDLCPU, 0},        static_cast<std::int32_t>(lies_.shape.size()),
        type_.dlpack(), lies_.shape.data(), lies_.strides.data(),
        first_};
    return array::wrap(tensor, 0, {});
  }

  // The elements in row-major order, one at a time.
  std::vector<std::byte> elements() const {
    const auto count = static_cast<std::size_t>(anystream::element_count(lies_.shape));
    std::vector<std::byte> out(count * lies_.size);
    numbers index(lies_.shape.size(), 0);
    for (std::size_t done = 0; done < count; ++done) {
      auto at = static_cast<std::int64_t>(first_);
      for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * lies_.strides[i] * lies_.size;
      std::memcpy(out.data() + done * lies_.size, bytes_.data() + at, lies_.size);
      step(index);
    }
    return out;
  }

 private:
  void step(numbers& index) const {
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < lies_.shape[i]) return;
      index[i] = 0;
    }
  }

  layout lies_;
  dtype type_;
  std::vector<std::byte> bytes_;
  std::size_t first_ = 0;
};

void check_copy(const layout& lies) {
  source from(lies);
  const array copy = from.wrap().copy_to({});
  const std::vector<std::byte> wanted = from.elements();
  CHECK_EQUAL(static_cast<std::size_t>(copy.nbytes()), wanted.size());
  CHECK(anystream::is_row_major(copy.shape(), copy.strides()));
  const auto* const data = static_cast<const std::byte*>(copy.data());
  const bool same = std::equal(wanted.begin(), wanted.end(), data);
  CHECK(same && copy.byte_offset() == 0);
  if (same) return;
  std::fprintf(stderr, "shape %s strides %s size %d\n", anystream::to_string(lies.shape).c_str(),
               anystream::to_string(lies.strides).c_str(), lies.size);
}

constexpr std::array<std::uint16_t, 12> sizes = {1, 2, 3, 4, 5, 8, 12, 16, 17, 32, 64, 100};

std::int64_t drawn(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// A permutation of the axes, with gaps, turned round, or repeated.
layout random_layout(std::mt19937& random) {
  layout out;
  out.size = sizes.at(random() % sizes.size());
  out.offset = random() % 3;
  const std::int64_t ndim = drawn(random, 0, 5);
  out.shape.resize(static_cast<std::size_t>(ndim));
  out.strides.resize(out.shape.size());
  for (std::int64_t& extent : out.shape) extent = drawn(random, random() % 40 == 0 ? 0 : 1, 6);
  if (ndim > 0 && random() % 3 == 0) out.shape[random() % out.shape.size()] = drawn(random, 20, 90);
  std::vector<std::size_t> order(out.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  std::int64_t stride = random() % 3 == 0 ? 2 : 1;
  for (const std::size_t axis : order) {
    const auto kind = random() % 8;
    out.strides[axis] = kind == 0 ? 0 : kind < 3 ? -stride : stride;
    stride = stride * std::max<std::int64_t>(1, out.shape[axis]) + (kind == 4 ? 3 : 0);
  }
  return out;
}

void random_layouts() {
  std::mt19937 random(20260401);  // NOLINT(bugprone-random-generator-seed): the same every time
  for (int trial = 0; trial < 3000; ++trial) check_copy(random_layout(random));
}

void every_size_in_every_order() {
  for (const std::uint16_t size : sizes) {
    for (const std::size_t offset : {0, 1}) {
      check_copy({{37, 41}, {1, 37}, size, offset});
      check_copy({{37, 41}, {-1, 40}, size, offset});
      check_copy({{37, 41}, {82, 2}, size, offset});
      check_copy({{37, 41}, {0, -1}, size, offset});
      check_copy({{37, 41}, {1, 0}, size, offset});
      check_copy({{5, 700, 3}, {2100, 1, 700}, size, offset});
      check_copy({{3, 700}, {1, 3}, size, offset});
    }
  }
}

void strides_that_mean_nothing() {
  check_copy({{1, 5, 1}, {1 << 30, 2, -7}});
  check_copy({{1, 1}, {-3, 0}});
  check_copy({{}, {}});
  check_copy({{0, 3}, {9, 1}});
}

void as_many_axes_as_there_may_be() {
  layout lies{numbers(64, 1), numbers(64, 0)};
  for (std::size_t i = 0; i < 14; ++i) {
    lies.shape[4 * i] = 2;
    lies.strides[4 * i] = std::int64_t{1} << i;
  }
  check_copy(lies);
}

// Above what one thread copies alone.
void large_copies() {
  check_copy({{1'100'000}, {1}, 8, 1});
  check_copy({{1'100'001}, {-2}, 8});
  check_copy({{1511, 1499}, {1, 1511}, 4});
  check_copy({{1011, 1099}, {-1100, 1}, 8});
  check_copy({{3, 240'001}, {1, 3}, 12});
  check_copy({{400'001, 3}, {1, 400'001}, 8, 1});
  check_copy({{2, 600'000}, {600'001, 1}, 8});
  check_copy({{81, 83, 87}, {1, 81, 6723}, 16});
  check_copy({{3, 200'000}, {200'000, 0}, 16});
}

void several_at_once() {
  std::array<std::thread, 4> threads;
  for (std::thread& one : threads) {
    one = std::thread([] { check_copy({{750, 751}, {1, 750}, 16}); });
  }
  for (std::thread& one : threads) one.join();
}

}  // namespace

int main() {
  random_layouts();
  every_size_in_every_order();
  strides_that_mean_nothing();
  as_many_axes_as_there_may_be();
  large_copies();
  several_at_once();
  return check::result();
}
