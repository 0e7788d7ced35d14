// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Hands an array from one stream to another, with no Python and no accelerator in the machine.
#include <anystream/anystream.hpp>
#include <anystream/testing.hpp>
#include <array>
#include <cstdio>

int main() {
  constexpr std::size_t count = 1024;
  constexpr std::array<std::int64_t, 1> shape = {count};
  const anystream::testing::simulated_device accelerator;
  const auto producer = accelerator.make_stream("producer");
  const auto consumer = accelerator.make_stream("consumer");
  const auto careless = accelerator.make_stream("careless");

  // A library computes x on its stream; until we say resume, the computation goes on.
  const anystream::array x = accelerator.empty(shape, {kDLFloat, 32}, producer);
  producer.hold();
  producer.fill(x.data(), 42.0F, count);

  // It travels as DLPack does. One reader waits for x's stream, on the device; another forgets to.
  const anystream::array y = anystream::import_dlpack(anystream::export_dlpack_versioned(x));
  const anystream::ordered how = consumer.stream().wait(x.stream());
  std::array<float, count> right{}, wrong{};
  consumer.copy(right.data(), y.data(), sizeof right);
  careless.copy(wrong.data(), y.data(), sizeof wrong);
  careless.stream().synchronize();
  std::printf("ordered by %s; the producer is still running: %s\n",
              how == anystream::ordered::event ? "an event, without blocking the host" : "?",
              x.stream().idle() ? "no" : "yes");

  producer.resume();
  consumer.stream().synchronize();
  std::printf("without waiting: %g\nwith anystream:  %g\n", wrong[0], right[0]);
  return right[0] == 42.0F && right[count - 1] == 42.0F && wrong[0] != 42.0F ? 0 : 1;
}
