// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Handles: which are alive, and what they stand for. An address that was given back is given out
// again first, as a driver's allocator does it: whoever keeps a stale handle meets another object.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace doubles {

template <class T>
class registry {
 public:
  void* add(std::shared_ptr<T> object) {
    void* handle = address();
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  // Null if the handle is not alive, whatever it is: it is never dereferenced.
  std::shared_ptr<T> find(const void* handle) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  std::shared_ptr<T> take(const void* handle) {
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    free_.push_back(const_cast<void*>(handle));
    objects_.erase(found);
    return object;
  }

  template <class Predicate>
  void erase_if(Predicate predicate) {
    for (auto it = objects_.begin(); it != objects_.end();) {
      if (!predicate(*it->second)) {
        ++it;
        continue;
      }
      free_.push_back(const_cast<void*>(it->first));
      it = objects_.erase(it);
    }
  }

  std::size_t size() const { return objects_.size(); }
  const std::map<const void*, std::shared_ptr<T>>& all() const { return objects_; }

 private:
  struct slot {
    alignas(64) std::byte bytes[64];
  };

  void* address() {
    if (free_.empty()) return slots_.emplace_back().bytes;
    void* handle = free_.back();
    free_.pop_back();
    return handle;
  }

  std::map<const void*, std::shared_ptr<T>> objects_;
  std::deque<slot> slots_;
  std::vector<void*> free_;
};

}  // namespace doubles
