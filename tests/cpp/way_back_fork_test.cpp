// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// In a forked child what the parent's arrays kept stays for good, and nothing hangs: not even where
// the parent's thread was at work when it forked.
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "check.hpp"
#include "way_back_rig.hpp"

namespace {

using anystream::release;
using way_back_rig::freeing;
using way_back_rig::scene;

namespace releases = anystream::releases;

struct inherited {
  scene& with;
  std::optional<anystream::array>& array;
  anystream::managed_tensor& lent;
};

void try_in_child(const inherited& parents) {
  int told = 0;
  releases::on_error([](void* count, const char*) { ++*static_cast<int*>(count); }, &told);
  CHECK_EQUAL(releases::pending().number, 0);
  parents.lent.reset();
  parents.array.reset();
  releases::run();
  releases::wait_for_room();
  CHECK(releases::flush() && parents.with.memory.releases() == 0);
  CHECK_EQUAL(releases::pending().number, 0);
  const auto host = anystream::array::empty({}, way_back_rig::shape, way_back_rig::f32);
  CHECK(host.data() != nullptr);
  releases::stop(1);
  CHECK_EQUAL(told, 0);  // it is no error: the drivers were not asked
}

int status_of_child(const inherited& parents) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    try_in_child(parents);
    _exit(check::result());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

void a_child_keeps_what_it_has_inherited() {
  scene with(freeing::at_once);
  with.read_later();
  scene other(freeing::at_once);
  {
    const auto pending = other.make(release::ordered, false);
    pending.record_stream(other.consumer);
    other.read_later();
  }
  std::optional<anystream::array> a = with.make(release::ordered, false);
  a->record_stream(with.consumer);
  auto lent = anystream::lend_dlpack(*a, with.consumer);
  for (int trial = 0; trial < 20; ++trial) CHECK_EQUAL(status_of_child({with, a, lent}), 0);
  CHECK_EQUAL(releases::pending().number, 1);
  lent.reset();
  a.reset();
  CHECK(with.memory.releases() == 0 && releases::pending().number == 2);
  CHECK(with.read() == way_back_rig::written && other.read() == way_back_rig::written);
  CHECK(releases::flush());
  CHECK(with.memory.releases() == 1 && other.memory.releases() == 1);
}

}  // namespace

int main() {
  a_child_keeps_what_it_has_inherited();
  return check::result();
}
