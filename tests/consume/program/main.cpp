// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Uses the C++ headers as they are installed: imports, exports, orders.
#include <dlfcn.h>
#include <anystream/anystream.hpp>
#include <array>
#include <cstdio>

int main() {
  std::array<float, 6> values = {1, 2, 3, 4, 5, 6};
  std::array<std::int64_t, 2> shape = {2, 3};
  const DLTensor tensor = {values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1},
                           shape.data(),  nullptr,     0};
  const anystream::array a = anystream::array::wrap(tensor, anystream::flag_read_only, {});
  const anystream::array b = anystream::import_dlpack(anystream::export_dlpack_versioned(a));
  const anystream::array c = b.copy_to(b.device());
  const auto stream = anystream::stream::from_handle({anystream::device_type::cuda, 0}, 0x1000);
  const bool right = b.read_only() && b.data() == values.data() && !c.read_only() &&
                     static_cast<const float*>(c.data())[5] == 6 &&
                     stream.wait(stream) == anystream::ordered::nothing;
  const bool without_python = dlsym(RTLD_DEFAULT, "Py_IsInitialized") == nullptr;
  std::printf("anystream %s: %s, %s\n", anystream::api().version, to_string(b.dtype()).c_str(),
              to_string(stream.device()).c_str());
  return right && without_python ? 0 : 1;
}
