// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference counts that live in the object, as handles that cross the C border need them.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace anystream::core {

// The base of what is counted. A new object has one reference, its maker's.
class counted {
 public:
  counted() = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }

  // True for the last one: what other threads did before their release is then visible.
  bool drop() const noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 protected:
  ~counted() = default;

 private:
  mutable std::atomic<std::uint32_t> count_{1};
};

// One reference to a T, which may be none.
template <class T>
class reference {
 public:
  reference() = default;
  static reference take(T* object) noexcept { return reference(object); }
  static reference keep(T* object) noexcept {
    if (object != nullptr) object->retain();
    return reference(object);
  }

  reference(const reference& other) noexcept : reference(keep(other.object_)) {}
  reference(reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  reference& operator=(reference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~reference() { release(object_); }

  static void release(T* object) noexcept {
    if (object != nullptr && object->drop()) delete object;
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T* give() noexcept { return std::exchange(object_, nullptr); }

 private:
  explicit reference(T* object) noexcept : object_(object) {}

  T* object_ = nullptr;
};

}  // namespace anystream::core
