// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes DLPack's structures: a managed tensor made of the input's bytes is imported through the
// public headers, asked for everything, exported both ways and let go.
//
// Whatever the bytes say: no crash, no access outside what the structure points at, a refusal by
// exchange_error or value_error, and one deleter call.
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include <anystream/anystream.hpp>

#include "reader.hpp"

namespace {

using anystream::byte_span;
using fuzz::must;
using fuzz::reader;

alignas(64) unsigned char memory[4096];

enum class form : std::uint8_t { legacy, versioned, wrapped };

// What a producer hands out. Shape and strides have no element more than it says, so that
// AddressSanitizer sees who reads further.
struct description {
  form kind = form::legacy;
  bool has_deleter = true;
  DLPackVersion version = {};
  std::uint64_t flags = 0;
  DLTensor tensor = {};
  std::unique_ptr<std::int64_t[]> shape;
  std::unique_ptr<std::int64_t[]> strides;
};

void* read_data(reader& in, unsigned choice) {
  switch (choice) {
    case 0:
      return memory;
    case 1:
      return nullptr;
    case 2:
      return memory + 1;
    default:
      return reinterpret_cast<void*>(static_cast<std::uintptr_t>(in.number()));
  }
}

std::unique_ptr<std::int64_t[]> read_extents(reader& in, std::int32_t ndim) {
  const std::size_t count = ndim >= 0 && ndim <= anystream::max_ndim ? ndim : 0;
  std::unique_ptr<std::int64_t[]> out(new std::int64_t[count]);
  for (std::size_t axis = 0; axis < count; ++axis) out[axis] = in.number();
  return out;
}

description read_description(reader& in) {
  description out;
  const unsigned choices = in.byte();
  out.kind = static_cast<form>(choices % 4 % 3);
  out.has_deleter = (choices & 4) == 0;
  out.version.major = static_cast<std::uint32_t>(in.number());
  out.version.minor = static_cast<std::uint32_t>(in.number());
  out.flags = static_cast<std::uint64_t>(in.number());
  DLTensor& tensor = out.tensor;
  tensor.device.device_type = std::bit_cast<DLDeviceType>(static_cast<std::int32_t>(in.number()));
  tensor.device.device_id = static_cast<std::int32_t>(in.number());
  tensor.dtype.code = in.byte();
  tensor.dtype.bits = in.byte();
  tensor.dtype.lanes = static_cast<std::uint16_t>(in.number());
  tensor.byte_offset = static_cast<std::uint64_t>(in.number());
  tensor.data = read_data(in, choices >> 5 & 3);
  tensor.ndim = static_cast<std::int32_t>(in.number());
  out.shape = read_extents(in, tensor.ndim);
  if ((choices & 8) == 0) tensor.shape = out.shape.get();
  out.strides = read_extents(in, tensor.ndim);
  if ((choices & 16) == 0) tensor.strides = out.strides.get();
  return out;
}

// ---- the producer -------------------------------------------------------------------------------

int deleted = 0;

// The deleter frees the structure with all that it points at.
template <class Managed>
struct given {
  description what;
  Managed managed;
};

template <class Managed>
void destroy(Managed* self) {
  ++deleted;
  delete static_cast<given<Managed>*>(self->manager_ctx);
}

template <class Managed>
given<Managed>* give(description what) {
  auto* const made = new given<Managed>{std::move(what), {}};
  made->managed.dl_tensor = made->what.tensor;
  made->managed.manager_ctx = made;
  made->managed.deleter = made->what.has_deleter ? destroy<Managed> : nullptr;
  if constexpr (requires { made->managed.flags; }) {
    made->managed.version = made->what.version;
    made->managed.flags = made->what.flags;
  }
  return made;
}

// ---- the consumer -------------------------------------------------------------------------------

// Whether the elements lie in memory that is really there, so that they may be read; and are not
// so many, by a stride of 0, that there is no room for a copy.
bool readable(const anystream::array& array, byte_span span) {
  if (array.nbytes() > std::int64_t{1} << 20) return false;
  if (array.tensor().device.device_type != kDLCPU || array.data() != memory) return false;
  const auto offset = static_cast<std::int64_t>(array.byte_offset());
  return offset + span.lowest >= 0 && offset + span.end <= std::int64_t{sizeof memory};
}

byte_span ask(const anystream::array& array) {
  const byte_span span =
      anystream::span_of(array.shape(), array.strides(), array.dtype(), array.flags());
  must(span.lowest <= 0 && span.end >= 0, "a span begins at or below its first element");
  must(array.size() >= 0 && array.nbytes() >= 0, "sizes are 0 or more");
  must((array.size() == 0) == (span.size() == 0), "only an empty array has no bytes");
  const std::string name = anystream::to_string(array.dtype());
  must(anystream::dtype::parse(name) == array.dtype(), "the name of a dtype tells the dtype");
  static_cast<void>(array.memory_kind());
  return span;
}

bool same(const DLTensor& a, const DLTensor& b) {
  return a.data == b.data && a.ndim == b.ndim && a.byte_offset == b.byte_offset &&
         std::memcmp(&a.device, &b.device, sizeof a.device) == 0 &&
         std::memcmp(&a.dtype, &b.dtype, sizeof a.dtype) == 0 &&
         std::equal(a.shape, a.shape + a.ndim, b.shape) &&
         std::equal(a.strides, a.strides + a.ndim, b.strides);
}

// The legacy form cannot say everything: then it must be refused.
void export_both(const anystream::array& array) {
  auto versioned = anystream::export_dlpack_versioned(array);
  must(same(versioned->dl_tensor, array.tensor()), "an export has the fields of its array");
  const anystream::array again = anystream::import_dlpack(std::move(versioned));
  must(same(again.tensor(), array.tensor()), "an export comes in again as it was");
  try {
    const auto legacy = anystream::export_dlpack(array);
    must(same(legacy->dl_tensor, array.tensor()), "so has a legacy one");
    must(!array.read_only(), "a legacy export of read-only memory");
  } catch (const anystream::exchange_error&) {
    must(array.flags() != 0, "only flags are a reason to refuse a legacy export");
  }
}

void copy(const anystream::array& array, byte_span span) {
  if (!readable(array, span)) return;
  try {
    const anystream::array made = array.copy_to(array.device());
    must(made.size() == array.size(), "a copy has the elements of its source");
  } catch (const anystream::exchange_error&) {
    must(array.dtype().element_bits() % 8 != 0, "only parts of bytes are not gathered");
  }
}

void use(const anystream::array& array) {
  try {
    const byte_span span = ask(array);
    export_both(array);
    copy(array, span);
  } catch (const anystream::driver_error&) {
    must(array.tensor().device.device_type != kDLCPU, "the host needs no driver");
  }
}

template <class Managed>
bool import_and_use(given<Managed>* made) {
  try {
    const anystream::array array = anystream::import_dlpack(&made->managed);
    must(deleted == 0, "the deleter waits for the last reference");
    use(array);
  } catch (const anystream::exchange_error&) {
    return false;
  }
  return true;
}

template <class Managed>
void run(description what) {
  const bool has_deleter = what.has_deleter;
  given<Managed>* const made = give<Managed>(std::move(what));
  import_and_use(made);
  must(deleted == (has_deleter ? 1 : 0), "one deleter call, or none where there is no deleter");
  if (!has_deleter) delete made;
}

void wrap_and_use(description what) {
  const anystream_owner owner = {&what, [](void*) { ++deleted; }};
  try {
    use(anystream::array::wrap(what.tensor, what.flags, owner));
  } catch (const anystream::exchange_error&) {
    must(deleted == 1, "what is refused is let go at once");
  }
  must(deleted == 1, "an owner is released once");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  reader in(bytes, size);
  description what = read_description(in);
  deleted = 0;
  switch (what.kind) {
    case form::legacy:
      run<DLManagedTensor>(std::move(what));
      break;
    case form::versioned:
      run<DLManagedTensorVersioned>(std::move(what));
      break;
    case form::wrapped:
      wrap_and_use(std::move(what));
      break;
  }
  return 0;
}
