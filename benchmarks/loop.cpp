// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one operation of the C table many times: what instructions.py counts the instructions of.
//
// usage: loop OPERATION COUNT
#include <anystream/c_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

const anystream_api* api = nullptr;

void check(anystream_status status) {
  if (status == ANYSTREAM_OK) return;
  anystream_error error{};
  api->last_error(&error);
  std::fprintf(stderr, "loop: %s\n", error.message);
  std::exit(1);
}

// A producer's tensor that costs nothing to make or to free.
struct tensor {
  std::int64_t shape[2] = {2, 3};
  std::int64_t strides[2] = {3, 1};
  float data[6] = {};
  DLManagedTensorVersioned managed{};

  tensor() {
    managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed.deleter = [](DLManagedTensorVersioned*) {};
    managed.dl_tensor = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  }
};

tensor source;

void allocate() {
  void* volatile block = std::malloc(sizeof(DLManagedTensorVersioned));
  std::free(block);
}

void import() {
  anystream_array* array = nullptr;
  check(api->array_import_versioned(&source.managed, &array));
  if (api->array_tensor(array)->shape[1] != 3) std::exit(1);
  api->array_release(array);
}

void export_again() {
  static anystream_array* const array = [] {
    anystream_array* made = nullptr;
    check(api->array_import_versioned(&source.managed, &made));
    return made;
  }();
  DLManagedTensorVersioned* managed = nullptr;
  check(api->array_export_versioned(array, &managed));
  managed->deleter(managed);
}

void resolve() {
  anystream_argument argument{};
  argument.kind = ANYSTREAM_ARGUMENT_INTEGER;
  argument.integer = 0x7F00;
  argument.got = "int 32512";
  argument.where = "stream";
  anystream_resolution resolution{};
  check(api->stream_resolve({kDLCUDA, 0}, "", &argument, {nullptr, nullptr}, &resolution));
  api->stream_release(resolution.stream);
}

struct operation {
  std::string_view name;
  void (*run)();
};

constexpr operation operations[] = {
    {"allocate", allocate}, {"import", import}, {"export", export_again}, {"resolve", resolve}};

}  // namespace

int main(int argc, char** argv) {
  api = anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR);
  if (argc == 3 && api != nullptr) {
    const long count = std::strtol(argv[2], nullptr, 10);
    for (const operation& each : operations) {
      if (each.name != argv[1]) continue;
      for (long i = 0; i < count; ++i) each.run();
      return 0;
    }
  }
  std::fputs("usage: loop allocate|import|export|resolve COUNT\n", stderr);
  return 2;
}
