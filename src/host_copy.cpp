// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies within the host's memory. Elements that lie side by side are copied as one; the rest in
// tiles small enough for the first cache, so that a transposition reads whole cache lines too.
#include "host_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace anystream::core {
namespace {

// ---- threads ----------------------------------------------------------------------------------

constexpr std::int64_t bytes_a_thread = std::int64_t{4} << 20;  // less is done before it has begun
constexpr std::int64_t most_threads = 8;                        // memory has no more to give

std::int64_t threads_for(std::int64_t bytes) {
  const auto cores = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  return std::clamp<std::int64_t>(bytes / bytes_a_thread, 1, std::min(cores, most_threads));
}

struct joined_threads {
  std::vector<std::thread> all;
  ~joined_threads() {
    for (std::thread& one : all) one.join();
  }
};

// Calls share(first, last) for as many even shares of [0, count), one of them here.
template <class Share>
void in_shares(std::int64_t shares, std::int64_t count, const Share& share) {
  const auto run = [&share, shares, count](std::int64_t i) {
    share(count / shares * i + std::min(i, count % shares),
          count / shares * (i + 1) + std::min(i + 1, count % shares));
  };
  joined_threads helpers;
  helpers.all.reserve(static_cast<std::size_t>(shares - 1));
  for (std::int64_t i = 1; i < shares; ++i) {
    try {
      helpers.all.emplace_back(run, i);
    } catch (const std::system_error&) {
      run(i);  // no further thread is to be had, and none is needed
    }
  }
  run(0);
}

// ---- what is walked ---------------------------------------------------------------------------

// An axis of more than one element, or a loop over it: its steps are in bytes.
struct axis {
  std::int64_t extent;
  std::int64_t from;
  std::int64_t to;
};

// Innermost first. Axes that are walked as one in the source are one; in the target all are.
std::vector<axis> axes_of(const host_elements& source) {
  std::vector<axis> out;
  auto to = static_cast<std::int64_t>(source.size);
  for (std::size_t i = source.shape.size(); i-- > 0;) {
    if (source.shape[i] == 1) continue;
    const axis next = {source.shape[i], source.strides[i] * static_cast<std::int64_t>(source.size),
                       to};
    to *= next.extent;
    if (!out.empty() && out.back().from * out.back().extent == next.from) {
      out.back().extent *= next.extent;
    } else {
      out.push_back(next);
    }
  }
  return out;
}

// A piece of a plane of elements. Its columns lie side by side in the target.
struct tile {
  const std::byte* from;
  std::byte* to;
  axis row;
  axis column;
};

using tile_copy = void (*)(const tile& piece, std::size_t size) noexcept;

// `size` is a constant wherever the compiler can make a move of it.
inline void copy_elements(const tile& piece, std::size_t size) noexcept {
  for (std::int64_t i = 0; i < piece.row.extent; ++i) {
    const std::byte* from = piece.from + i * piece.row.from;
    std::byte* to = piece.to + i * piece.row.to;
    for (std::int64_t j = 0; j < piece.column.extent; ++j) {
      std::memcpy(to, from, size);
      from += piece.column.from;
      to += size;
    }
  }
}

template <std::size_t size>
void copy_elements_of(const tile& piece, std::size_t) noexcept {
  copy_elements(piece, size);
}

tile_copy tile_copy_of(std::size_t size) noexcept {
  switch (size) {
    case 1:
      return copy_elements_of<1>;
    case 2:
      return copy_elements_of<2>;
    case 4:
      return copy_elements_of<4>;
    case 8:
      return copy_elements_of<8>;
    case 16:
      return copy_elements_of<16>;
    default:
      return copy_elements;
  }
}

// ---- tiles ------------------------------------------------------------------------------------

// The axis whose elements lie closest in the source, if they lie closer than the columns' do.
std::size_t closest_axis(const std::vector<axis>& axes) noexcept {
  std::size_t found = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    if (axes[i].from != 0 && std::abs(axes[i].from) < std::abs(axes[found].from)) found = i;
  }
  return found;
}

constexpr std::int64_t cache_line = 64;
constexpr std::int64_t tile_bytes = 16384;
constexpr std::int64_t tile_columns = 32;  // of a transposition: each is a cache line of the source

struct tile_shape {
  std::int64_t rows;
  std::int64_t columns;
};

// In a transposition a tile has the rows that a cache line of the source has. Where there are few
// rows it has more columns, where there are few columns more rows.
tile_shape shape_tiles(const axis& row, const axis& column, std::int64_t size, bool transposes) {
  const std::int64_t rows = transposes ? std::max<std::int64_t>(16, cache_line / size) : 1;
  const std::int64_t elements =
      transposes ? rows * tile_columns : std::max<std::int64_t>(1, tile_bytes / size);
  const std::int64_t columns = std::min(column.extent, elements / std::min(rows, row.extent));
  return {std::min(row.extent, elements / columns), columns};
}

std::int64_t tiles_along(std::int64_t extent, std::int64_t step) noexcept {
  return extent / step + (extent % step != 0 ? 1 : 0);
}

axis loop_over(const axis& along, std::int64_t step) noexcept {
  return {tiles_along(along.extent, step), along.from * step, along.to * step};
}

// How the elements are walked: `loops` are over tiles, innermost first, and begin with those over
// the columns and over the rows of a plane.
struct walk {
  axis row;
  axis column;
  tile_shape shape;
  std::vector<axis> loops;
  std::int64_t tiles;
};

walk plan_walk(std::vector<axis> axes, std::int64_t size) {
  const std::size_t closest = size < cache_line ? closest_axis(axes) : 0;
  if (axes.size() == 1) axes.push_back({1, 0, 0});
  const auto row = axes.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, closest));
  walk out = {*row, axes.front(), shape_tiles(*row, axes.front(), size, closest != 0), {}, 1};
  axes.erase(row);
  axes.front() = loop_over(out.column, out.shape.columns);
  axes.insert(axes.begin() + 1, loop_over(out.row, out.shape.rows));
  for (const axis& loop : axes) out.tiles *= loop.extent;
  out.loops = std::move(axes);
  return out;
}

// One place after the other in the loops of a walk.
class cursor {
 public:
  cursor(const walk& along, std::int64_t number) noexcept : walk_(along) {
    for (std::size_t i = 0; i < walk_.loops.size(); ++i) {
      const axis& loop = walk_.loops[i];
      index_[i] = number % loop.extent;
      number /= loop.extent;
      from_ += index_[i] * loop.from;
      to_ += index_[i] * loop.to;
    }
  }

  void advance() noexcept {
    for (std::size_t i = 0; i < walk_.loops.size(); ++i) {
      const axis& loop = walk_.loops[i];
      from_ += loop.from;
      to_ += loop.to;
      if (++index_[i] < loop.extent) return;
      index_[i] = 0;
      from_ -= loop.extent * loop.from;
      to_ -= loop.extent * loop.to;
    }
  }

  // Smaller at the ends of the plane.
  tile at(const std::byte* from, std::byte* to) const noexcept {
    tile piece = {from + from_, to + to_, walk_.row, walk_.column};
    piece.column.extent = left(walk_.column, walk_.shape.columns, index_[0]);
    piece.row.extent = left(walk_.row, walk_.shape.rows, index_[1]);
    return piece;
  }

 private:
  static std::int64_t left(const axis& along, std::int64_t step, std::int64_t index) noexcept {
    return std::min(step, along.extent - index * step);
  }

  const walk& walk_;
  std::array<std::int64_t, max_ndim + 1> index_{};
  std::int64_t from_ = 0;
  std::int64_t to_ = 0;
};

}  // namespace

void copy_row_major(std::byte* target, const host_elements& source) {
  if (is_empty(source.shape)) return;
  const std::int64_t bytes = element_count(source.shape) * static_cast<std::int64_t>(source.size);
  const std::int64_t threads = threads_for(bytes);
  std::vector<axis> axes = axes_of(source);
  auto size = static_cast<std::int64_t>(source.size);
  if (!axes.empty() && axes.front().from == size) {
    size *= axes.front().extent;
    axes.erase(axes.begin());
  }
  if (axes.empty()) {
    return in_shares(threads, size, [&](std::int64_t first, std::int64_t last) {
      std::memcpy(target + first, source.first + first, static_cast<std::size_t>(last - first));
    });
  }
  const walk planned = plan_walk(std::move(axes), size);
  const tile_copy copy = tile_copy_of(static_cast<std::size_t>(size));
  in_shares(std::min(threads, planned.tiles), planned.tiles,
            [&](std::int64_t first, std::int64_t last) {
              cursor place(planned, first);
              for (std::int64_t i = first; i < last; ++i, place.advance()) {
                copy(place.at(source.first, target), static_cast<std::size_t>(size));
              }
            });
}

}  // namespace anystream::core
