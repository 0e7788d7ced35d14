// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// In a forked child what the parent's arrays kept stays for good, and nothing hangs: not even where
// the parent's thread was at work when it forked.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
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

int status_of_child_that(const std::function<void()>& does) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    does();
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
  for (int trial = 0; trial < 20; ++trial) {
    CHECK_EQUAL(status_of_child_that([&] { try_in_child({with, a, lent}); }), 0);
  }
  CHECK_EQUAL(releases::pending().number, 1);
  lent.reset();
  a.reset();
  CHECK(with.memory.releases() == 0 && releases::pending().number == 2);
  CHECK(with.read() == way_back_rig::written && other.read() == way_back_rig::written);
  CHECK(releases::flush());
  CHECK(with.memory.releases() == 1 && other.memory.releases() == 1);
}

// Its owner would talk to a driver, also where nothing is to be ordered.
void a_child_frees_nothing_on_a_device_by_any_policy() {
  for (const auto policy : {release::ordered, release::deferred, release::host, release::none}) {
    scene with(freeing::at_once);
    std::optional<anystream::array> a = with.make(policy, false);
    CHECK_EQUAL(status_of_child_that([&] {
                  a.reset();
                  CHECK_EQUAL(with.memory.releases(), 0);
                }),
                0);
    a.reset();
    releases::flush();
    CHECK_EQUAL(with.memory.releases(), 1);
  }
}

void a_child_frees_what_is_on_the_host() {
  float value = 0;
  int released = 0;
  const DLTensor tensor = {&value, {kDLCPU, 0}, 0, way_back_rig::f32.dlpack(), nullptr, nullptr, 0};
  const auto count = [](void* counted) { ++*static_cast<int*>(counted); };
  std::optional<anystream::array> a = anystream::array::wrap(tensor, 0, {&released, count});
  CHECK_EQUAL(status_of_child_that([&] {
                a.reset();
                CHECK_EQUAL(released, 1);
              }),
              0);
  a.reset();
  CHECK_EQUAL(released, 1);
}

}  // namespace

int main() {
  a_child_keeps_what_it_has_inherited();
  a_child_frees_nothing_on_a_device_by_any_policy();
  a_child_frees_what_is_on_the_host();
  return check::result();
}
