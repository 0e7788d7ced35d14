// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target over a corpus, without a fuzzer: usage: X_replay CORPUS.txt
//
// The corpus is text: hexadecimal digits, an input a paragraph; after # is said what it is.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

std::string without_comment(const std::string& line) { return line.substr(0, line.find('#')); }

std::vector<std::uint8_t> bytes_of(const std::string& digits) {
  std::vector<std::uint8_t> out;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(at, 2), nullptr, 16)));
  }
  return out;
}

std::vector<std::vector<std::uint8_t>> read(std::istream& corpus) {
  std::vector<std::vector<std::uint8_t>> inputs;
  std::string digits;
  for (std::string line; std::getline(corpus, line);) {
    for (const char c : without_comment(line)) {
      if (c != ' ') digits += c;
    }
    if (line.empty() && !digits.empty()) inputs.push_back(bytes_of(std::exchange(digits, {})));
  }
  if (!digits.empty()) inputs.push_back(bytes_of(digits));
  return inputs;
}

int replay(const char* path) {
  std::ifstream corpus(path);
  const auto inputs = read(corpus);
  for (const auto& input : inputs) {
    // On the heap, with nothing behind: AddressSanitizer sees who reads further.
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs of %s\n", inputs.size(), path);
  return inputs.empty() ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return count == 2 ? replay(arguments[1]) : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
