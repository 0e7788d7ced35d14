// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The ABI does not move unseen: sizes and places of what crosses the border, and the handshake.
#include <anystream/api.hpp>
#include <anystream/layout.hpp>
#include <anystream/version.hpp>

#include <cstddef>
#include <cstring>

#include "check.hpp"

namespace {

// DLPack's own, on which all else rests.
static_assert(sizeof(DLDevice) == 8 && sizeof(DLDataType) == 4 && sizeof(DLTensor) == 48);
static_assert(offsetof(DLTensor, shape) == 24 && offsetof(DLTensor, byte_offset) == 40);
static_assert(sizeof(DLManagedTensor) == 64 && offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensorVersioned) == 80);
static_assert(offsetof(DLManagedTensorVersioned, flags) == 24);
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

static_assert(sizeof(anystream_error) == 40 && offsetof(anystream_error, message) == 16);
static_assert(sizeof(anystream_owner) == 16);
static_assert(sizeof(anystream_argument) == 80);
static_assert(offsetof(anystream_argument, handle) == 24);
static_assert(offsetof(anystream_argument, capsule_name) == 40);
static_assert(offsetof(anystream_argument, stream) == 56);
static_assert(sizeof(anystream_resolution) == 16);
static_assert(sizeof(anystream_driver_info) == 40);
static_assert(sizeof(anystream_device_info) == 216);

// A table grows at its end: an entry that moved is a new major version.
constexpr std::size_t place(std::size_t index) { return 24 + index * sizeof(void*); }
static_assert(offsetof(anystream_api, size) == 8 && offsetof(anystream_api, version) == 16);
static_assert(offsetof(anystream_api, last_error) == place(0));
static_assert(offsetof(anystream_api, driver_count) == place(1));
static_assert(offsetof(anystream_api, add_search_path) == place(3));
static_assert(offsetof(anystream_api, stream_resolve) == place(6));
static_assert(offsetof(anystream_api, stream_order) == place(19));
static_assert(offsetof(anystream_api, event_record) == place(23));
static_assert(offsetof(anystream_api, array_import) == place(29));
static_assert(offsetof(anystream_api, array_export_versioned) == place(44));
static_assert(offsetof(anystream_api, simulated) == place(45));
static_assert(offsetof(anystream_api, find_function) == place(46));
static_assert(offsetof(anystream_api, array_set_way_back) == place(47));
static_assert(offsetof(anystream_api, releases_pending) == place(53));
static_assert(offsetof(anystream_api, releases_use_thread) == place(60));
static_assert(offsetof(anystream_api, array_home) == place(61));
static_assert(offsetof(anystream_api, releases_wait_by) == place(62));
static_assert(offsetof(anystream_api, releases_foreign_threads) == place(63));
static_assert(offsetof(anystream_api, releases_ask_deleters) == place(64));
static_assert(offsetof(anystream_api, stream_check_order) == place(65));
static_assert(offsetof(anystream_api, device_leave) == place(68));
static_assert(offsetof(anystream_api, platform_register) == place(69));
static_assert(sizeof(anystream_api) == place(72));
static_assert(sizeof(anystream_simulated_api) == 24 * sizeof(void*));
static_assert(offsetof(anystream_simulated_api, copy_keeping) == 15 * sizeof(void*));
static_assert(offsetof(anystream_simulated_api, fault_effect) == 23 * sizeof(void*));
static_assert(sizeof(anystream_fault) == 1096 && offsetof(anystream_fault, message) == 72);
static_assert(sizeof(anystream_location) == 24);
static_assert(offsetof(anystream_platform, context) == 64);
static_assert(offsetof(anystream_platform, record) == 120);
static_assert(sizeof(anystream_platform) == 216);
static_assert(sizeof(anystream_platform_info) == 64);
static_assert(sizeof(anystream_simulated_step) == 16 && sizeof(anystream_simulated_finding) == 40);

static_assert(anystream::flag_read_only == DLPACK_FLAG_BITMASK_READ_ONLY);
static_assert(anystream::flag_is_copied == DLPACK_FLAG_BITMASK_IS_COPIED);
static_assert(anystream::flag_subbyte_padded == DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);

void the_handshake_serves_what_it_knows() {
  const anystream_api* table = anystream_get_api(ANYSTREAM_ABI_MAJOR, 0);
  CHECK(table != nullptr && table == anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR));
  CHECK(table->abi_major == ANYSTREAM_ABI_MAJOR && table->abi_minor == ANYSTREAM_ABI_MINOR);
  CHECK(table->size == sizeof(anystream_api));
  CHECK_EQUAL(std::strcmp(table->version, anystream::version), 0);
}

void the_handshake_refuses_the_rest() {
  CHECK(anystream_get_api(ANYSTREAM_ABI_MAJOR + 1, 0) == nullptr);
  CHECK(anystream_get_api(ANYSTREAM_ABI_MAJOR - 1, 0) == nullptr);
  CHECK(anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR + 1) == nullptr);
}

void copy_entry(const char* from, void*& to) {
  std::memcpy(static_cast<void*>(&to), from, sizeof to);
}

void no_entry_is_missing() {
  const anystream_api& table = anystream::api();
  for (std::size_t index = 0; place(index) < sizeof table; ++index) {
    void* entry = nullptr;
    copy_entry(reinterpret_cast<const char*>(&table) + place(index), entry);
    CHECK(entry != nullptr);
  }
  for (std::size_t index = 0; index < sizeof *table.simulated / sizeof(void*); ++index) {
    void* entry = nullptr;
    copy_entry(reinterpret_cast<const char*>(table.simulated) + index * sizeof entry, entry);
    CHECK(entry != nullptr);
  }
}

void a_table_from_elsewhere_must_serve_the_headers() {
  const anystream_api& own = anystream::api();
  anystream_api other = own;
  other.abi_major += 1;
  CHECK_THROWS(anystream::driver_unavailable, anystream::use_api(&other));
  other = own;
  other.size -= sizeof(void*);
  CHECK_THROWS(anystream::driver_unavailable, anystream::use_api(&other));
  CHECK_THROWS(anystream::driver_unavailable, anystream::use_api(nullptr));
  CHECK(&anystream::api() == &own);
  other = own;
  other.size += sizeof(void*);  // a later version, with more at its end
  anystream::use_api(&other);
  CHECK(&anystream::api() == &other);
  anystream::use_api(&own);
}

}  // namespace

int main() {
  the_handshake_serves_what_it_knows();
  the_handshake_refuses_the_rest();
  no_entry_is_missing();
  a_table_from_elsewhere_must_serve_the_headers();
  return check::result();
}
