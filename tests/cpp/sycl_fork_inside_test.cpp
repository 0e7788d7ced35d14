// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A forked child has no SYCL: it is told so, lets go of what it inherited, and nothing hangs.
#include <sys/wait.h>
#include <unistd.h>

#include <anystream/error.hpp>

#include "backends/backends.hpp"
#include "check.hpp"
#include "sycl_lab.hpp"

namespace {

using namespace anystream;
using namespace anystream::core;

constexpr DLDevice first_device{kDLOneAPI, 0};

struct inherited {
  stream_handle stream;
  event_handle event;
  void* memory;
};

void try_in_child(const backend& sycl, const inherited& parents) {
  const auto message = CHECK_THROWS(driver_unavailable, sycl.record(parents.stream));
  CHECK(message.starts_with("SYCL cannot be used in a forked child"));
  CHECK_THROWS(driver_unavailable, sycl.require());
  CHECK_THROWS(driver_unavailable, sycl.complete(parents.event));
  CHECK_THROWS(driver_unavailable, sycl.allocate(first_device, 8, nullptr));
  CHECK(!sycl.owns(parents.memory));
  sycl.destroy_event(parents.event);
  sycl.drop(parents.stream);
  sycl.deallocate(first_device, parents.memory, nullptr);
}

int status_of_child(const backend& sycl, const inherited& parents) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    try_in_child(sycl, parents);
    _exit(check::result());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main() {
  const sycl_lab::queue queue(sycl_lab::order::in);
  const backend& sycl = sycl_backend();
  const inherited ours{sycl.retain(first_device, queue.get(), true), sycl.record(queue.get()),
                       sycl.allocate(first_device, 8, nullptr)};
  CHECK_EQUAL(status_of_child(sycl, ours), 0);
  sycl.synchronize(ours.stream);
  CHECK(sycl.complete(ours.event));
  sycl.destroy_event(ours.event);
  sycl.drop(ours.stream);
  sycl.deallocate(first_device, ours.memory, nullptr);
  return check::result();
}
