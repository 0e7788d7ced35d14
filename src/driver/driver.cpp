// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a driver's library is looked for, and what is remembered of that.
#include "driver/driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <anystream/error.hpp>

#include "driver/library.hpp"
#include "driver/specs.hpp"

namespace anystream::core {
namespace {

struct search_path {
  driver_id driver;
  std::string folder;
  bool operator==(const search_path&) const = default;
};

// The mutex guards the list only: nothing is opened under it.
struct search_paths {
  std::mutex mutex;
  std::vector<search_path> all;
  std::atomic<std::uint64_t> generation{0};
};

// Leaked, as every singleton here: a driver may be asked for during static destruction.
search_paths& known_paths() {
  static auto* paths = new search_paths;
  return *paths;
}

std::vector<std::string> folders_of(driver_id driver) {
  auto& paths = known_paths();
  const std::scoped_lock lock(paths.mutex);
  std::vector<std::string> folders;
  for (const auto& path : paths.all)
    if (path.driver == driver) folders.push_back(path.folder);
  return folders;
}

std::string named_file(const driver_spec& spec) {
  const char* file = std::getenv(spec.variable);
  return file ? file : "";
}

// What opening came to, and what that depended on.
struct outcome {
  driver_state state;
  std::string named;             // the value of the environment variable
  std::uint64_t generation = 0;  // of the search paths
  // What this one replaced. It is kept, as its strings were handed out for the life of the process.
  const outcome* replaced = nullptr;

  bool says_the_same(const outcome& other) const {
    return state.attempts == other.state.attempts && state.handle == other.state.handle &&
           named == other.named && generation == other.generation;
  }
};

// One round of looking for a driver's library.
class search {
 public:
  explicit search(const driver_spec& spec) : spec_(spec) {}

  std::unique_ptr<outcome> run() {
    auto result = std::make_unique<outcome>();
    result->generation = known_paths().generation.load();
    result->named = named_file(spec_);
    void* library = find(result->named);
    result->state = {.spec = &spec_,
                     .handle = library,
                     .library = library ? file_ : spec_.libraries.back(),
                     .attempts = attempts_};
    return result;
  }

 private:
  // A file that the user names is the one that is meant: if it will not do, no other is taken.
  void* find(const std::string& named) {
    if (!named.empty()) return open(named, std::string(spec_.variable) + "=" + named);
    note(spec_.variable, "not set");
    if (void* library = from_process()) return library;
    if (void* library = from_folders()) return library;
    return from_system();
  }

  void* from_process() {
    for (const char* name : spec_.libraries)
      if (void* library = accept(find_loaded_library(name), name, name)) return library;
    note(spec_.libraries.back(), "none that can be used is loaded in this process");
    return nullptr;
  }

  void* from_folders() {
    for (const auto& folder : folders_of(spec_.id)) {
      for (const char* name : spec_.libraries) {
        const std::string file = folder + path_separator + name;
        if (void* library = open(file, file)) return library;
      }
    }
    return nullptr;
  }

  void* from_system() {
    for (const char* name : spec_.libraries)
      if (void* library = open(name, name)) return library;
    return nullptr;
  }

  void* open(const std::string& file, const std::string& place) {
    std::string why;
    void* library = load_library(file, why);
    // The system's text often begins with the file, which the place has said.
    if (why.starts_with(file + ": ")) why.erase(0, file.size() + 2);
    if (!library) note(place, why);
    return accept(library, file, place);
  }

  // A library that lacks a required function is passed over.
  void* accept(void* library, const std::string& file, const std::string& place) {
    if (!library) return nullptr;
    file_ = library_file(library, file);
    const char* missing = bind_symbols(library, spec_.symbols, nullptr);
    if (!missing) return library;
    note(place, file_ + " has no function " + missing);
    return nullptr;
  }

  void note(const std::string& place, const std::string& said) {
    attempts_ += (attempts_.empty() ? "  " : "\n  ") + place + ": " + said;
  }

  const driver_spec& spec_;
  std::string file_;
  std::string attempts_;
};

// Whether anything that a failure depended on has changed since.
bool outdated(const outcome& failure) {
  const driver_spec& spec = *failure.state.spec;
  return failure.generation != known_paths().generation.load() ||
         failure.named != named_file(spec) ||
         std::ranges::any_of(spec.libraries, &find_loaded_library);
}

std::atomic<const outcome*> latched[std::size(driver_table)];

// Two threads may look at once: whoever finds it first has found it for both.
const outcome& publish(std::atomic<const outcome*>& slot, std::unique_ptr<outcome> mine) {
  const outcome* current = slot.load();
  do {
    const bool settled = current && (current->state.available() || current->says_the_same(*mine));
    if (settled) return *current;
    mine->replaced = current;
  } while (!slot.compare_exchange_weak(current, mine.get()));
  return *mine.release();
}

std::string known_drivers() {
  std::string names;
  for (const auto& spec : driver_table)
    names += (names.empty() ? "" : ", ") + std::string(spec.name);
  return names;
}

}  // namespace

std::span<const driver_spec> driver_specs() noexcept { return driver_table; }

const driver_spec* find_driver(std::string_view name) noexcept {
  const auto* found = std::ranges::find(driver_table, name, &driver_spec::name);
  return found == std::end(driver_table) ? nullptr : found;
}

const driver_state& open_driver(driver_id id) {
  const auto index = static_cast<std::size_t>(id);
  const outcome* known = latched[index].load();
  if (known && (known->state.available() || !outdated(*known))) return known->state;
  return publish(latched[index], search(driver_table[index]).run()).state;
}

const driver_state& require_driver(driver_id id) {
  const driver_state& state = open_driver(id);
  if (!state.available()) throw driver_unavailable(unavailable_message(state));
  return state;
}

// The file that the user named is all that was tried: no other advice than about it would help.
std::string unavailable_message(const driver_state& state) {
  const driver_spec& spec = *state.spec;
  const std::string named = std::string(spec.variable) + "=";
  if (state.attempts.starts_with("  " + named)) {
    return std::string(spec.platform) + " cannot be used: " + state.attempts.substr(2) +
           ".\n  Unset " + spec.variable + ", or have it name a usable " + spec.libraries.back() +
           ": no other file is tried while it is set.";
  }
  return std::string(spec.platform) + " cannot be used: no usable " + spec.libraries.back() +
         " was found.\n  To have it: " + spec.missing + ". Or name the file in " + spec.variable +
         ". Tried:\n" + state.attempts;
}

void add_search_path(std::string_view driver, std::string_view folder) {
  const driver_spec* spec = find_driver(driver);
  if (!spec) {
    throw value_error("a driver is one of " + known_drivers() + "; got \"" + std::string(driver) +
                      "\".");
  }
  search_path path{.driver = spec->id, .folder = std::string(folder)};
  auto& paths = known_paths();
  const std::scoped_lock lock(paths.mutex);
  if (std::ranges::find(paths.all, path) != paths.all.end()) return;
  paths.all.push_back(std::move(path));
  ++paths.generation;
}

}  // namespace anystream::core
