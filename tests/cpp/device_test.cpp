// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The device table equals dlpack.h and what was assigned since; device strings go both ways.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include <anystream/device.hpp>

#include "check.hpp"

namespace {

using anystream::device;
using anystream::device_type;
using anystream::find_device;

static_assert(std::ranges::is_sorted(anystream::device_table, {}, &anystream::device_info::type));
static_assert(find_device(5) == nullptr);  // 5 and 6 were never assigned
static_assert(find_device(6) == nullptr);
static_assert(find_device(22) == nullptr);
static_assert(find_device(device_type::one_api)->dlpack == "kDLOneAPI");
static_assert(find_device("oneapi") == find_device("kDLOneAPI"));
static_assert(find_device("nothing") == nullptr);
static_assert(anystream::find_platform(device_type::ext_dev, "simulated") != nullptr);
static_assert(anystream::find_platform(device_type::cuda, "simulated") == nullptr);
static_assert(device(DLDevice{kDLCUDA, 3}) == device(device_type::cuda, 3));

// The enumerators of DLDeviceType, read from the header's text.
std::map<std::string, int> enumerators(const char* path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t start = text.find("kDLCPU = 1");
  const std::string body = text.substr(start, text.find('}', start) - start);
  const std::regex row("(kDL\\w+) = (\\d+)");
  std::map<std::string, int> found;
  for (std::sregex_iterator it(body.begin(), body.end(), row), end; it != end; ++it) {
    found[(*it)[1]] = std::stoi((*it)[2]);
  }
  return found;
}

void the_table_is_the_header_and_what_came_since() {
  std::map<std::string, int> wanted = enumerators(ANYSTREAM_DLPACK_HEADER);
  CHECK(wanted.size() >= 16);
  wanted.insert({{"kDLTPU", 19}, {"kDLTPUHost", 20}, {"kDLAscend", 21}});
  std::map<std::string, int> table;
  for (const auto& row : anystream::device_table) {
    table[std::string(row.dlpack)] = static_cast<int>(row.type);
  }
  CHECK(table == wanted);
}

void every_row_has_a_word_and_a_fix() {
  for (const auto& row : anystream::device_table) {
    CHECK(find_device(row.name) == &row);
    CHECK(find_device(row.dlpack) == &row);
    CHECK(row.rules.fix.ends_with('.'));
    CHECK(row.rules.takes.empty() == (row.type == device_type::cpu));
  }
}

void strings_go_both_ways() {
  for (const auto& row : anystream::device_table) {
    for (const std::int32_t id : {0, 1, 2147483647}) {
      const device where(row.type, id);
      CHECK(device::parse(to_string(where)) == where);
    }
    CHECK(device::parse(row.name) == device(row.type, 0));
  }
  CHECK_EQUAL(to_string(device(device_type::cuda, 1)), "cuda:1");
  CHECK_EQUAL(to_string(device()), "cpu");
  CHECK_EQUAL(to_string(device(device_type::cpu, 1)), "cpu:1");
  CHECK_EQUAL(to_string(device(device_type{77}, 2)), "device_type_77:2");
  CHECK(device::parse("device_type_77:2") == device(device_type{77}, 2));
  CHECK(device::parse("cpu:0") == device());
}

void other_strings_are_refused() {
  for (const char* text :
       {"", ":", ":0", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda: 1", "gpu", "CUDA:0",
        "cuda:0:0", "cuda:2147483648", "device_type_", "cuda:+1", "device_type_-1:0"}) {
    CHECK_THROWS(anystream::value_error, device::parse(text));
  }
  CHECK_MESSAGE(anystream::value_error,
                "a device string is a word and a number, such as \"cuda:0\" or \"cpu\"; got "
                "\"gpu:0\".\n  The words are cpu, cuda, cuda_host, opencl, vulkan, metal, vpi, "
                "rocm, rocm_host, ext_dev, cuda_managed, oneapi, webgpu, hexagon, maia, trn, tpu, "
                "tpu_host, ascend; the number is 0 to 2147483647, 0 if left out.",
                device::parse("gpu:0"));
}

}  // namespace

int main() {
  the_table_is_the_header_and_what_came_since();
  every_row_has_a_word_and_a_fix();
  strings_go_both_ways();
  other_strings_are_refused();
  return check::result();
}
