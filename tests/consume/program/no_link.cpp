// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes the table from elsewhere, as an extension module does, and links nothing of anystream's.
#define ANYSTREAM_NO_LINK
#include <anystream/anystream.hpp>

#include <dlfcn.h>

#include <cstdio>

int main() {
  bool refused = false;
  try {
    anystream::api();
  } catch (const anystream::driver_unavailable&) {
    refused = true;  // nobody has given a table yet
  }
  void* library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 1;
  auto* const get =
      reinterpret_cast<decltype(&anystream_get_api)>(dlsym(library, "anystream_get_api"));
  anystream::use_api(get(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR));
  const auto a = anystream::array::empty({}, {}, {kDLInt, 8});
  dlclose(library);  // it is never unloaded: what it made stays good
  std::printf("%zu axes\n", a.shape().size());
  return refused && a.size() == 1 ? 0 : 1;
}
