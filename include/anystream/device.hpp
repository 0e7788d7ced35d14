// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Device types and devices: the table of device_types.def as C++, and the device strings.
//
// Numbers are DLPack's (dlpack.h, DLDeviceType). A number that the table does not know is carried
// as it came, and named by its number. Nothing here opens a driver.
#pragma once

#include <dlpack/dlpack.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <anystream/error.hpp>

namespace anystream {

enum class device_type : std::int32_t {
#define ANYSTREAM_DEVICE(id, value, ...) id = value,
#include <anystream/device_types.def>
};

// What a consumer that passes None is promised (the column on_none).
enum class none_rule { nothing, legacy_default, default_stream, host_wait };

// What a bare int other than -1 may be (the column integers).
enum class integer_rule { refused_value, refused_type, cuda, rocm, handle };

// Which family of stream classes is taken (the column objects).
enum class stream_family {
  none,
  cuda,
  hip,
  sycl,
  opencl,
  metal,
  simulated,
  unknown,
  registered  // of a platform that was registered at run time; no row of the table has it
};

// Who may read the memory; the values are ANYSTREAM_MEMORY_… of the C table.
enum class memory_kind : std::int32_t { unknown = 0, device = 1, host = 2, shared = 3 };

// What `stream` may be: the columns that a device type and a platform share.
struct stream_rules {
  std::string_view backend;  // "" where none is built in
  none_rule on_none;
  integer_rule integers;
  stream_family objects;
  std::string_view takes;     // the stream classes, in words
  std::string_view capsules;  // names, separated by '|'
  memory_kind memory;         // unknown: the platform must be asked
  std::string_view fix;       // how to name a stream, a sentence
};

// One row of the table.
struct device_info {
  device_type type;
  std::string_view id;      // the enumerator: "one_api"
  std::string_view dlpack;  // dlpack.h's spelling: "kDLOneAPI"
  std::string_view name;    // the word of the device strings: "oneapi"
  stream_rules rules;
};

// A platform that lives on a device type beside others, keyed by (device type, name).
struct platform_info {
  device_type type;
  std::string_view id;
  std::string_view name;
  stream_rules rules;
};

inline constexpr device_info device_table[] = {
#define ANYSTREAM_DEVICE(id, value, dlpack, name, backend, on_none, integers, objects, takes,     \
                         capsules, memory, fix)                                                   \
  {device_type::id,                                                                               \
   #id,                                                                                           \
   dlpack,                                                                                        \
   name,                                                                                          \
   {backend, none_rule::on_none, integer_rule::integers, stream_family::objects, takes, capsules, \
    memory_kind::memory, fix}},
#include <anystream/device_types.def>
};

inline constexpr platform_info platform_table[] = {
#define ANYSTREAM_PLATFORM(id, device, name, backend, on_none, integers, objects, takes, capsules, \
                           memory, fix)                                                            \
  {device_type::device,                                                                            \
   #id,                                                                                            \
   name,                                                                                           \
   {backend, none_rule::on_none, integer_rule::integers, stream_family::objects, takes, capsules,  \
    memory_kind::memory, fix}},
#include <anystream/device_types.def>
};

// The row of a DLPack number; NULL for one that was never assigned or is not known yet.
constexpr const device_info* find_device(std::int32_t value) noexcept {
  for (const device_info& row : device_table) {
    if (static_cast<std::int32_t>(row.type) == value) return &row;
  }
  return nullptr;
}

constexpr const device_info* find_device(device_type type) noexcept {
  return find_device(static_cast<std::int32_t>(type));
}

// The row of a word of the device strings, or of dlpack.h's spelling; NULL if there is none.
constexpr const device_info* find_device(std::string_view name) noexcept {
  for (const device_info& row : device_table) {
    if (row.name == name || row.dlpack == name) return &row;
  }
  return nullptr;
}

// The row of a named platform on a device type; NULL if there is none ("" names none).
constexpr const platform_info* find_platform(device_type type, std::string_view name) noexcept {
  for (const platform_info& row : platform_table) {
    if (row.type == type && row.name == name) return &row;
  }
  return nullptr;
}

// One device: a type and the number that its runtime gives it.
struct device {
  device_type type = device_type::cpu;
  std::int32_t id = 0;

  constexpr device() = default;
  constexpr device(device_type t, std::int32_t number) noexcept : type(t), id(number) {}
  constexpr explicit device(const DLDevice& raw) noexcept
      : type(static_cast<device_type>(raw.device_type)), id(raw.device_id) {}

  // "cuda:0", "cuda" (number 0), "cpu"; also "device_type_77:0", as to_string writes what the table
  // does not know. Throws value_error, which lists the words.
  static device parse(std::string_view text);

  constexpr DLDevice dlpack() const noexcept { return {static_cast<DLDeviceType>(type), id}; }
  constexpr bool operator==(const device&) const = default;
};

namespace detail {

inline constexpr std::string_view unknown_type_prefix = "device_type_";

inline bool parse_number(std::string_view text, std::int32_t& out) noexcept {
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stop == end && !text.empty() && out >= 0;
}

inline bool parse_device_type(std::string_view word, device_type& out) noexcept {
  if (const device_info* row = find_device(word)) {
    out = row->type;
    return true;
  }
  if (!word.starts_with(unknown_type_prefix)) return false;
  std::int32_t value = 0;
  if (!parse_number(word.substr(unknown_type_prefix.size()), value)) return false;
  out = static_cast<device_type>(value);
  return true;
}

inline std::string device_words() {
  std::string words;
  for (const device_info& row : device_table) {
    if (!words.empty()) words += ", ";
    words += row.name;
  }
  return words;
}

}  // namespace detail

// The word of the device strings: "oneapi"; "device_type_77" where the table has no row.
inline std::string to_string(device_type type) {
  if (const device_info* row = find_device(type)) return std::string(row->name);
  return std::string(detail::unknown_type_prefix) + std::to_string(static_cast<int>(type));
}

// "cuda:0". The host needs no number: "cpu" where it is 0.
inline std::string to_string(device where) {
  const device_info* row = find_device(where.type);
  if (row != nullptr && row->rules.backend == "host" && where.id == 0)
    return std::string(row->name);
  return to_string(where.type) + ":" + std::to_string(where.id);
}

inline device device::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  device out;
  const bool known = detail::parse_device_type(text.substr(0, colon), out.type);
  const bool numbered = colon == text.npos || detail::parse_number(text.substr(colon + 1), out.id);
  if (known && numbered) return out;
  throw value_error(
      "a device string is a word and a number, such as \"cuda:0\" or \"cpu\"; got \"" +
      std::string(text) + "\".\n  The words are " + detail::device_words() +
      "; the number is 0 to " + std::to_string(std::numeric_limits<std::int32_t>::max()) +
      ", 0 if left out.");
}

}  // namespace anystream
