// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The registry: the tables of device_types.def, joined with the backends of this version.
#include "registry.hpp"

#include <algorithm>
#include <array>

#include <anystream/error.hpp>
#include <anystream/version.hpp>

#include "backends/backends.hpp"
#include "driver/driver.hpp"
#include "platform_list.hpp"

namespace anystream::core {
namespace {

// What holds of a number that the table does not know: objects are the producer's business.
constexpr stream_rules opaque_rules = {"",
                                       none_rule::host_wait,
                                       integer_rule::refused_type,
                                       stream_family::unknown,
                                       find_device(device_type::ext_dev)->rules.takes,
                                       "",
                                       memory_kind::unknown,
                                       find_device(device_type::ext_dev)->rules.fix};
constexpr platform opaque_platform = {device_type{0}, "", &opaque_rules, nullptr, {}};

const backend* find_engine(std::string_view name, device_type type) {
  for (const auto make : all_backends) {
    const backend& engine = make();
    if (name == engine.name() && engine.serves(type)) return &engine;
  }
  return nullptr;
}

// Table entries are literals, so their data ends in a zero.
platform make_platform(device_type type, std::string_view name, const stream_rules& rules) {
  return {type, name.data(), &rules, find_engine(rules.backend, type), {}};
}

constexpr std::size_t builtin_count = std::size(device_table);
constexpr std::size_t platform_count = builtin_count + std::size(platform_table);

struct platforms {
  std::array<platform, platform_count> rows;
  std::array<const platform*, 32> builtin{};  // by DLPack number

  platforms()
      : platforms(std::make_index_sequence<builtin_count>(),
                  std::make_index_sequence<std::size(platform_table)>()) {}

  template <std::size_t... Device, std::size_t... Extra>
  platforms(std::index_sequence<Device...>, std::index_sequence<Extra...>)
      : rows{make_platform(device_table[Device].type, device_table[Device].rules.backend,
                           device_table[Device].rules)...,
             make_platform(platform_table[Extra].type, platform_table[Extra].name,
                           platform_table[Extra].rules)...} {
    for (std::size_t i = 0; i < builtin_count; ++i) {
      builtin.at(static_cast<std::size_t>(rows[i].type)) = &rows[i];
    }
  }

  std::span<const platform> beside() const noexcept {
    return std::span(rows).subspan(builtin_count);
  }
};

const platforms& all_platforms() {
  static const platforms& made = *new platforms;
  return made;
}

const platform& listed_platform(device_type type) noexcept {
  const auto& builtin = all_platforms().builtin;
  const auto index = static_cast<std::uint32_t>(type);
  const platform* found = index < builtin.size() ? builtin[index] : nullptr;
  return found != nullptr ? *found : opaque_platform;
}

const platform& builtin_platform(device_type type) noexcept {
  const platform& listed = listed_platform(type);
  if (!listed.is_opaque()) return listed;
  const platform* own = find_own_platform(type);
  return own != nullptr ? *own : listed;
}

[[noreturn]] void throw_unknown_platform(std::string_view name) {
  std::vector<std::string> names;
  for (const platform& row : all_platforms().rows) {
    const bool listed = std::ranges::find(names, row.name) != names.end();
    if (!row.is_opaque() && !listed) names.emplace_back(row.name);
  }
  for (int i = 0; i < registered_count(); ++i) names.emplace_back(registered_at(i).row.name);
  std::string text = "there is no platform \"" + std::string(name) + "\"; the platforms are";
  for (const std::string& known : names) text += " " + known + ",";
  text.back() = '.';
  throw value_error(text + "\n  An empty name means the device type's own.");
}

}  // namespace

const platform& find_platform_of(device_type type, std::string_view name) {
  const platform& builtin = builtin_platform(type);
  if (name.empty() || name == builtin.name) return builtin;
  for (const platform& row : all_platforms().beside()) {
    if (row.type == type && name == row.name) return row;
  }
  if (const platform* found = find_registered(type, name)) return *found;
  throw_unknown_platform(name);
}

const platform& find_platform_named(std::string_view name) {
  for (const platform& row : all_platforms().rows) {
    if (!row.is_opaque() && name == row.name) return row;
  }
  if (const platform* found = find_registered(name)) return *found;
  throw_unknown_platform(name);
}

const platform& owner_of(device_type type, const void* data) noexcept {
  for (const platform& row : all_platforms().beside()) {
    if (row.type == type && row.engine != nullptr && row.engine->owns(data)) return row;
  }
  const platform& listed = listed_platform(type);
  if (!listed.is_opaque()) return listed;  // where nothing is registered
  if (const platform* found = find_registered_owner(type, data)) return *found;
  return builtin_platform(type);
}

bool same_platform(const platform& a, const platform& b) noexcept {
  return std::string_view(a.name) == b.name && a.engine == b.engine &&
         (!a.is_opaque() || a.type == b.type);
}

const backend& require_backend(const platform& where, DLDevice device) {
  if (where.engine != nullptr) {
    where.engine->require();
    return *where.engine;
  }
  const driver_spec* spec = find_driver(where.rules->backend);
  if (spec == nullptr) {
    throw driver_unavailable("nothing here can order or copy on " + describe_array(where, device) +
                             ": anystream has no backend for its device type, and no platform was "
                             "registered for it.\n  Order it with the library that owns it, then "
                             "pass ordering=\"none\"; or copy it with a library that can, and hand "
                             "over that copy.");
  }
  const driver_state& state = require_driver(spec->id);
  throw driver_unavailable(std::string(spec->platform) + " is here (" + state.library +
                           "), but this version of anystream (" + ANYSTREAM_VERSION +
                           ") has no backend that orders on it.\n  " + spec->otherwise + ".");
}

std::string describe_array(const platform& where, DLDevice device) {
  const device_info* row = find_device(static_cast<device_type>(device.device_type));
  if (row == nullptr) {
    return "an array of device type " + std::to_string(static_cast<int>(device.device_type));
  }
  const bool beside = row->rules.backend != where.name;
  return "a " + (beside ? std::string(where.name) + " " : "") + std::string(row->dlpack) + " array";
}

std::vector<anystream_device_info> all_devices() {
  std::vector<anystream_device_info> out;
  for (const auto make : all_backends) {
    try {
      const auto found = make().devices();
      out.insert(out.end(), found.begin(), found.end());
    } catch (const driver_unavailable&) {
      continue;  // a listing shows what is there; driver_info tells why the rest is not
    }
  }
  for (int i = 0; i < registered_count(); ++i) {
    const auto found = registered_at(i).row.engine->devices();
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

namespace {

[[noreturn]] void throw_no_device(const platform& where, DLDevice device, std::size_t known) {
  const std::string text = "there is no device " + to_string(anystream::device(device)) + "; ";
  const driver_spec* spec = find_driver(where.name);
  if (known == 0 && spec != nullptr) {
    throw value_error(text + spec->platform + " is here, and finds none.\n  " + spec->deviceless +
                      ".");
  }
  if (known == 0 && where.rules->objects == stream_family::registered) {
    throw value_error(text + "platform \"" + where.name +
                      "\" lists none.\n  What register_platform was given as devices=… is what it "
                      "has.");
  }
  throw value_error(text + where.name + " has " + std::to_string(known) +
                    (known == 1 ? " device." : " devices, counted from 0."));
}

}  // namespace

anystream_device_info describe_device(DLDevice device, std::string_view platform_name) {
  const platform& where =
      find_platform_of(static_cast<device_type>(device.device_type), platform_name);
  const auto known = require_backend(where, device).devices();
  const auto found = std::ranges::find(known, device.device_id,
                                       [](const auto& row) { return row.device.device_id; });
  if (found != known.end()) return *found;
  throw_no_device(where, device, known.size());
}

int driver_count() noexcept { return static_cast<int>(driver_specs().size()); }

anystream_driver_info describe_driver(int index) {
  if (index < 0 || index >= driver_count()) {
    throw value_error("a driver's index is 0 to " + std::to_string(driver_count() - 1) + "; got " +
                      std::to_string(index) + ".");
  }
  const driver_spec& spec = driver_specs()[static_cast<std::size_t>(index)];
  const driver_state& state = open_driver(spec.id);
  int has_backend = ANYSTREAM_BACKEND_NONE;
  for (const auto make : all_backends) {
    if (make().name() != std::string_view(spec.name)) continue;
    has_backend = make().needs_driver() ? ANYSTREAM_BACKEND_ON_DRIVER : ANYSTREAM_BACKEND_WITHOUT;
  }
  return {spec.name,   state.library.c_str(),  state.available(),
          has_backend, state.attempts.c_str(), spec.otherwise};
}

}  // namespace anystream::core
