// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The only file that opens libraries: on Windows, then on POSIX systems.
#include "driver/library.hpp"

#include <cstring>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// psapi.h needs windows.h before it.
#include <psapi.h>
#else
#include <dlfcn.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#else
#include <link.h>
#endif
#endif

namespace anystream::core {
namespace {

bool is_named(std::string_view path, std::string_view prefix) {
  return path.substr(path.find_last_of("/\\") + 1).starts_with(prefix);
}

void* find_symbol(void* library, const char* symbol) noexcept {
#if defined(_WIN32)
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), symbol));
#else
  return dlsym(library, symbol);
#endif
}

}  // namespace

void* find_loaded_symbol(const char* library, const char* symbol) noexcept {
  void* const found = find_loaded_library(library);
  return found != nullptr ? find_symbol(found, symbol) : nullptr;
}

const char* bind_symbols(void* library, std::span<const driver_symbol> symbols,
                         void* table) noexcept {
  for (const auto& [symbol, need, offset] : symbols) {
    const void* function = find_symbol(library, symbol);
    if (!function && need == presence::required) return symbol;
    if (table == nullptr) continue;
    std::memcpy(static_cast<char*>(table) + offset, static_cast<const void*>(&function),
                sizeof function);
  }
  return nullptr;
}

#if defined(_WIN32)

// Names are UTF-8.
std::wstring wide(const std::string& name) {
  const auto length = static_cast<int>(name.size());
  std::wstring out(name.size(), L'\0');
  out.resize(static_cast<std::size_t>(
      MultiByteToWideChar(CP_UTF8, 0, name.data(), length, out.data(), length)));
  return out;
}

// A bare name is taken from the system's folder only, which is where drivers are, and never from
// the current one; a path from where it says, with what it needs from beside it.
void* load_library(const std::string& name, std::string& why) {
  const bool bare = name.find_first_of("/\\") == std::string::npos;
  const DWORD where = bare ? LOAD_LIBRARY_SEARCH_SYSTEM32
                           : LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  void* library = LoadLibraryExW(wide(name).c_str(), nullptr, where);
  if (!library) why = "LoadLibraryExW failed with error " + std::to_string(GetLastError());
  return library;
}

void* find_loaded_library(const char* name) {
  HMODULE library = nullptr;
  GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN, name, &library);
  return library;
}

std::string library_file(void* library, const std::string& otherwise) {
  char path[MAX_PATH] = "";
  const DWORD length = GetModuleFileNameA(static_cast<HMODULE>(library), path, MAX_PATH);
  return length ? std::string(path, length) : otherwise;
}

std::uint64_t load_count() noexcept { return 0; }

std::vector<std::string> loaded_files(std::string_view prefix) {
  std::vector<HMODULE> modules(4096);
  const auto room = static_cast<DWORD>(modules.size() * sizeof(HMODULE));
  DWORD bytes = 0;
  if (!EnumProcessModules(GetCurrentProcess(), modules.data(), room, &bytes)) return {};
  if (bytes < room) modules.resize(bytes / sizeof(HMODULE));
  std::vector<std::string> files;
  for (HMODULE module : modules)
    if (auto file = library_file(module, ""); is_named(file, prefix)) files.push_back(file);
  return files;
}

#else

// Local: the names of one vendor's library must not answer for another's. All symbols now: a
// library that cannot work fails here, where it is said why, and not in the middle of a hand-off.
void* load_library(const std::string& name, std::string& why) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library) return library;
  const char* failure = dlerror();
  why = failure ? failure : "dlopen failed and said nothing";
  return nullptr;
}

void* find_loaded_library(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!library) dlerror();  // clears a text that only says that it is not loaded
  return library;
}

#if defined(__APPLE__)

std::string library_file(void*, const std::string& otherwise) { return otherwise; }

std::uint64_t load_count() noexcept { return _dyld_image_count(); }

std::vector<std::string> loaded_files(std::string_view prefix) {
  std::vector<std::string> files;
  for (std::uint32_t index = 0; index < _dyld_image_count(); ++index)
    if (const char* file = _dyld_get_image_name(index); file && is_named(file, prefix))
      files.emplace_back(file);
  return files;
}

#else

std::string library_file(void* library, const std::string& otherwise) {
  link_map* map = nullptr;
  const bool known =
      dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map->l_name[0] != '\0';
  return known ? map->l_name : otherwise;
}

std::uint64_t load_count() noexcept {
  std::uint64_t count = 0;
  const auto first = [](dl_phdr_info* info, std::size_t, void* out) {
    *static_cast<std::uint64_t*>(out) = info->dlpi_adds;
    return 1;  // Stops: every entry has the same count.
  };
  dl_iterate_phdr(first, &count);
  return count;
}

std::vector<std::string> loaded_files(std::string_view prefix) {
  struct search {
    std::string_view prefix;
    std::vector<std::string> files;
  } found{.prefix = prefix, .files = {}};
  const auto keep = [](dl_phdr_info* info, std::size_t, void* out) {
    auto& [wanted, files] = *static_cast<search*>(out);
    if (is_named(info->dlpi_name, wanted)) files.emplace_back(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(keep, &found);
  return std::move(found.files);
}

#endif
#endif

}  // namespace anystream::core
