#version 450
// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// y[i] = x[i] + amount, after so many rounds of work: `rounds` makes it as slow as a test needs.
// add_spirv.hpp has its words: glslangValidator -V -x -o words add.comp
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Source { float x[]; };
layout(std430, binding = 1) writeonly buffer Target { float y[]; };
layout(push_constant) uniform Call {
  uint count;
  uint source_first;  // elements before the first, since a buffer's handle is never added to
  uint target_first;
  uint rounds;
  float amount;
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  uint odd = 2u * i + 1u;  // and stays so, which a compiler does not see
  for (uint round = 0u; round < rounds; ++round) odd = odd * (2u * round + 1664525u);
  y[target_first + i] = x[source_first + i] + amount * float(odd & 1u);
}
