// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// A forked child has no CUDA and no HIP: it is told so, and lets go of what it inherited.
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_like_rig.hpp"
#include "deferred.hpp"

namespace {

using namespace cuda_like_rig;

template <class Side>
void try_in_child(const bench<Side>& with, const stream& parents, event_ref end, void* memory) {
  const backend& engine = with.engine();
  const auto message = CHECK_THROWS(driver_unavailable, engine.record(parents.handle));
  CHECK(message == std::string(Side::title) +
                       " cannot be used in a forked child of a process that used it.\n  Start the "
                       "process by spawn or forkserver instead, or fork before it is first used.");
  now().calls.clear();
  CHECK_THROWS(driver_unavailable, engine.require());
  CHECK_THROWS(driver_unavailable, engine.complete(end->handle));
  CHECK_THROWS(driver_unavailable, engine.idle(parents.handle));
  CHECK_THROWS(driver_unavailable, engine.allocate(parents.device, 8, nullptr));
  CHECK(engine.same(parents.handle, parents.handle) && !engine.may_be_gone(parents.handle));
  CHECK(!engine.frees_in_order(parents.device, parents.handle));
  end.reset();
  engine.deallocate(parents.device, memory, parents.handle);
  engine.drop(engine.retain(parents.device, nullptr, false));
  empty_event_pool();
  CHECK(now().calls.empty());
}

template <class Side>
void a_child_has_no_driver() {
  const bench<Side> with;
  const auto stream = with.kept(recording::make_stream());
  event_ref end = record_event(*stream);
  record_event(*stream);  // and one is kept
  void* const memory = with.engine().allocate(stream->device, 8, stream->handle);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    try_in_child(with, *stream, std::move(end), memory);
    _exit(check::result());
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQUAL(status, 0);
  CHECK(with.engine().complete(end->handle));
  with.engine().deallocate(stream->device, memory, stream->handle);
}

}  // namespace

int main() {
  use_release_thread(false);
  ON_BOTH(a_child_has_no_driver);
  return check::result();
}
