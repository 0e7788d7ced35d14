// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Finding drivers: where they are looked for and in which order, what is remembered, what is said.
#include "driver/driver.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <anystream/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "driver/library.hpp"
#include "driver/sycl.hpp"

namespace {

using namespace anystream;
using namespace anystream::core;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder of its own, gone at the end.
class folder {
 public:
  folder() : path_(std::filesystem::temp_directory_path() / "anystream_driver_test") {
    std::filesystem::create_directories(path_);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }

  std::string path() const { return path_.string(); }

  // A library of that name; what is in it does not matter to these tests.
  std::string put_library(const std::string& name) const {
    return put(library_file(find_loaded_library("libm.so.6"), ""), name);
  }
  // A library of that name with the functions that Metal's must have.
  std::string put_metal(const std::string& name) const {
    return put(ANYSTREAM_SOFTWARE_METAL, name);
  }

 private:
  std::string put(const std::string& library, const std::string& name) const {
    const std::string file = path() + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::filesystem::remove(file);  // it may be loaded: then the file in use stays as it is
    std::filesystem::copy_file(library, file);
    return file;
  }

  std::filesystem::path path_;
};

void drivers_are_listed_in_the_order_of_their_ids() {
  std::size_t index = 0;
  for (const auto& spec : driver_specs()) {
    CHECK_EQUAL(static_cast<std::size_t>(spec.id), index++);
    CHECK(find_driver(spec.name) == &spec);
    CHECK(!spec.libraries.empty() && *spec.missing && *spec.otherwise);
  }
  CHECK_EQUAL(index, std::size_t{5});
  CHECK(find_driver("vulkan") == nullptr);
}

void a_function_is_found_in_what_is_loaded_only(const folder& here) {
  const std::string file = library_file(find_loaded_library("libm.so.6"), "");
  CHECK(find_loaded_symbol(file.c_str(), "cos") != nullptr);
  CHECK(find_loaded_symbol(file.c_str(), "no_such_function") == nullptr);
  CHECK(find_loaded_symbol(file.c_str(), "malloc") != nullptr);  // of what it is linked with
  const std::string copy = here.put_library("libnotloaded.so.1");
  CHECK(find_loaded_symbol(copy.c_str(), "cos") == nullptr);
  CHECK(find_loaded_library(copy.c_str()) == nullptr);  // still not
}

void an_unknown_driver_is_told_the_known() {
  CHECK_MESSAGE(value_error, "a driver is one of sycl, cuda, hip, opencl, metal; got \"sicl\".",
                add_search_path("sicl", "/"));
}

// Metal's library is on no machine that this test runs on, so that every step of the search shows.
void a_failure_is_remembered_until_something_changes(const folder& here) {
  unsetenv("ANYSTREAM_METAL_LIBRARY");
  const driver_state& first = open_driver(driver_id::metal);
  CHECK(!first.available());
  CHECK(first.attempts.starts_with("  ANYSTREAM_METAL_LIBRARY: not set\n  /System/"));
  CHECK(&open_driver(driver_id::metal) == &first);

  add_search_path("metal", here.path());
  const driver_state& second = open_driver(driver_id::metal);
  CHECK(!second.available() && has(second.attempts, "  " + here.path() + "/"));
  add_search_path("metal", here.path());
  CHECK(&open_driver(driver_id::metal) == &second);

  setenv("ANYSTREAM_METAL_LIBRARY", "/nowhere/metal.so", 1);
  const driver_state& third = open_driver(driver_id::metal);
  CHECK(!third.available());
  CHECK(third.attempts.starts_with("  ANYSTREAM_METAL_LIBRARY=/nowhere/metal.so: "));
  CHECK(!has(third.attempts, "\n"));  // what the user named is all that is tried
  CHECK(!first.attempts.empty());     // and what was handed out lives on
}

void a_success_is_remembered_whatever_changes(const folder& here) {
  unsetenv("ANYSTREAM_METAL_LIBRARY");
  here.put_library("System/Library/Frameworks/Metal.framework/Metal");
  add_search_path("metal", here.path() + "//");  // news, so that it is looked for again
  CHECK(has(open_driver(driver_id::metal).attempts, " has no function MTLCopyAllDevices"));
  here.put_metal("System/Library/Frameworks/Metal.framework/Metal");
  add_search_path("metal", here.path() + "/.");  // news, so that it is looked for again
  const driver_state& found = open_driver(driver_id::metal);
  CHECK(found.available());
  CHECK(has(found.library, "anystream_driver_test"));
  setenv("ANYSTREAM_METAL_LIBRARY", "/nowhere/metal.so", 1);
  CHECK(&open_driver(driver_id::metal) == &found);
  CHECK(&require_driver(driver_id::metal) == &found);
}

void a_named_file_comes_first(const folder& here) {
  const std::string file = here.put_library("some_opencl.so");
  setenv("ANYSTREAM_OPENCL_LIBRARY", file.c_str(), 1);
  const driver_state& state = open_driver(driver_id::opencl);
  CHECK(!state.available());  // no other is tried where the one that is meant will not do
  CHECK_EQUAL(state.attempts, "  ANYSTREAM_OPENCL_LIBRARY=" + file + ": " + file +
                                  " has no function clGetPlatformIDs");
}

void the_message_names_the_file_that_was_configured() {
  setenv("ANYSTREAM_HIP_LIBRARY", "/nowhere/hip.so", 1);
  CHECK_MESSAGE(
      driver_unavailable,
      "HIP cannot be used: ANYSTREAM_HIP_LIBRARY=/nowhere/hip.so: cannot open shared object file: "
      "No such file or directory.\n  Unset ANYSTREAM_HIP_LIBRARY, or have it name a usable "
      "libamdhip64.so: no other file is tried while it is set.",
      require_driver(driver_id::hip));
}

void the_message_has_every_attempt() {
  unsetenv("ANYSTREAM_HIP_LIBRARY");
  if (open_driver(driver_id::hip).available()) return;
  const std::string text = CHECK_THROWS(driver_unavailable, require_driver(driver_id::hip));
  CHECK(text.starts_with(
      "HIP cannot be used: no usable libamdhip64.so was found.\n  To have it: install ROCm's HIP "
      "runtime. Or name the file in ANYSTREAM_HIP_LIBRARY. Tried:\n  ANYSTREAM_HIP_LIBRARY: not "
      "set\n  libamdhip64.so: none that can be used is loaded in this process\n  "
      "libamdhip64.so.7: cannot open shared object file: No such file or directory\n"));
}

void a_library_without_a_required_function_is_named_with_it(const folder& here) {
  const std::string file = here.put_library("libDPCTLSyclInterface.so");
  setenv("ANYSTREAM_DPCTL_LIBRARY", file.c_str(), 1);
  const driver_state& state = open_driver(driver_id::sycl);
  CHECK(!state.available());
  CHECK_EQUAL(state.attempts, "  ANYSTREAM_DPCTL_LIBRARY=" + file + ": " + file +
                                  " has no function DPCTLQueue_Copy");
}

// A process of its own for what can be done only once in one.
template <class Action>
void in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) {
    action();
    _exit(check::result());
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQUAL(status, 0);
}

void the_real_library_is_bound(const std::string& file) {
  const driver_state& state = open_driver(driver_id::sycl);
  CHECK(state.available());
  CHECK(std::filesystem::equivalent(state.library, file));
  sycl_driver bound;
  CHECK(bind_symbols(state.handle, sycl_driver_symbols, &bound) == nullptr);
  CHECK(bound.DPCTLQueue_Copy && bound.DPCTLUSM_GetPointerType);
}

void the_real_library_is_found_in_each_place() {
  const char* named = std::getenv("ANYSTREAM_DPCTL_LIBRARY");
  if (!named) return;
  const std::string file = named;
  in_child([&] { the_real_library_is_bound(file); });
  unsetenv("ANYSTREAM_DPCTL_LIBRARY");
  in_child([&] {
    CHECK(!open_driver(driver_id::sycl).available());
    add_search_path("sycl", std::filesystem::path(file).parent_path().string());
    the_real_library_is_bound(file);
  });
  in_child([&] {
    CHECK(!open_driver(driver_id::sycl).available());
    std::string why;
    CHECK(load_library(file, why) != nullptr);
    the_real_library_is_bound(file);
  });
  setenv("ANYSTREAM_DPCTL_LIBRARY", file.c_str(), 1);
}

void threads_that_look_at_once_find_the_same() {
  std::vector<const driver_state*> found(8);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (auto& place : found)
    threads.emplace_back([&place] { place = &open_driver(driver_id::cuda); });
  for (auto& thread : threads) thread.join();
  for (const auto* state : found)
    CHECK(state->available() == found[0]->available() && state->attempts == found[0]->attempts);
}

void loading_is_counted() {
  const folder here;
  const auto before = load_count();
  std::string why;
  CHECK(load_library(here.put_library("anystream_counted.so"), why) != nullptr);
  CHECK(load_count() > before);
  CHECK_EQUAL(loaded_files("anystream_counted").size(), std::size_t{1});
  CHECK(loaded_files("no such prefix").empty());
  CHECK(load_library("/nowhere/nothing.so", why) == nullptr && has(why, "/nowhere/nothing.so"));
}

}  // namespace

int main() {
  the_real_library_is_found_in_each_place();
  const folder here;
  drivers_are_listed_in_the_order_of_their_ids();
  a_function_is_found_in_what_is_loaded_only(here);
  an_unknown_driver_is_told_the_known();
  a_failure_is_remembered_until_something_changes(here);
  a_success_is_remembered_whatever_changes(here);
  a_named_file_comes_first(here);
  the_message_names_the_file_that_was_configured();
  the_message_has_every_attempt();
  a_library_without_a_required_function_is_named_with_it(here);
  threads_that_look_at_once_find_the_same();
  loading_is_counted();
  return check::result();
}
