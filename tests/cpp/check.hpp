// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of the C++ tests: a failed one is printed and counted, and the program goes on.
//
//   int main() { the_first_thing(); …; return check::result(); }
#pragma once

#include <atomic>
#include <cstdio>
#include <exception>
#include <ostream>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>

namespace check {

inline std::atomic<int> made{0};
inline std::atomic<int> failed{0};

inline void fail(std::string_view what, const std::source_location& where) {
  ++failed;
  std::fprintf(stderr, "%s:%u: %.*s\n", where.file_name(), static_cast<unsigned>(where.line()),
               static_cast<int>(what.size()), what.data());
}

inline void that(bool holds, const char* text,
                 const std::source_location& where = std::source_location::current()) {
  ++made;
  if (!holds) fail(std::string("not so: ") + text, where);
}

template <class Got, class Wanted>
void equal(const Got& got, const Wanted& wanted, const char* text,
           const std::source_location& where = std::source_location::current()) {
  ++made;
  if (got == wanted) return;
  std::ostringstream line;
  line << text << "\n     got: " << got << "\n  wanted: " << wanted;
  fail(line.str(), where);
}

// Runs the statement, which must throw exactly this kind; yields the message.
template <class Exception, class Statement>
std::string message_of(Statement&& statement, const char* text = "the statement",
                       const std::source_location& where = std::source_location::current()) {
  ++made;
  try {
    statement();
    fail(std::string("did not throw: ") + text, where);
  } catch (const Exception& error) {
    return error.what();
  } catch (const std::exception& error) {
    fail(std::string("threw something else: ") + text + ": " + error.what(), where);
  }
  return {};
}

// What a program exits with: 1 if a check failed, or if none was made.
inline int result() {
  std::printf("%d checks, %d failed\n", made.load(), failed.load());
  return failed != 0 || made == 0 ? 1 : 0;
}

// Says why nothing can be tried here; the exit code that ctest takes for a skip.
inline int skip(std::string_view why) {
  std::printf("skipped: %.*s\n", static_cast<int>(why.size()), why.data());
  return 77;
}

}  // namespace check

#define CHECK(...) check::that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)
#define CHECK_EQUAL(got, wanted) check::equal((got), (wanted), #got)
#define CHECK_THROWS(exception, ...) \
  check::message_of<exception>([&] { static_cast<void>(__VA_ARGS__); }, #__VA_ARGS__)
#define CHECK_MESSAGE(exception, wanted, ...) \
  check::equal(CHECK_THROWS(exception, __VA_ARGS__), std::string_view(wanted), #__VA_ARGS__)
