// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the recording drivers, over the one state of cuda_like_recording.hpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda_like_recording.hpp"

namespace recording {

template <class Driver>
std::span<const core::driver_symbol> symbols() {
  if constexpr (std::is_same_v<Driver, core::cuda_driver>) return core::cuda_driver_symbols;
  if constexpr (std::is_same_v<Driver, core::hip_driver>) return core::hip_driver_symbols;
}

template <class Driver, auto Function>
std::string symbol_of() {
  static constexpr Driver probe{};
  const auto offset =
      reinterpret_cast<const char*>(&(probe.*Function)) - reinterpret_cast<const char*>(&probe);
  for (const core::driver_symbol& row : symbols<Driver>()) {
    if (std::cmp_equal(row.offset, offset)) return row.symbol;
  }
  return "";
}

// One call: noted, refused if it is to fail, else done.
template <class Driver, auto Function>
int enter(kind what, const std::string& arguments, const std::function<int()>& body) {
  const std::scoped_lock lock(only().mutex);
  const std::string symbol = symbol_of<Driver, Function>();
  now().calls.push_back({symbol + "(" + arguments + ")", what});
  const auto failing = now().failing.find(symbol);
  return failing != now().failing.end() ? failing->second : body();
}

// Waits where it is held, without keeping others out.
inline int synchronize_here() {
  return in_context([](number) {
    only().changed.wait(only().mutex, [] { return !now().holds_synchronize; });
    const int checked = unsafe(success);
    if (checked != success || now().synchronize_answers.empty()) return checked;
    const int next = now().synchronize_answers.front();
    now().synchronize_answers.erase(now().synchronize_answers.begin());
    return next;
  });
}

template <class Driver>
void add_stream_functions(Driver& fake) {
  fake.stream_query = [](auto on) {
    return enter<Driver, &Driver::stream_query>(kind::work, names(on), [&] {
      return on_stream(number_of(on), [](const stream& asked) { return ask(asked); });
    });
  };
  fake.stream_synchronize = [](auto on) {
    return enter<Driver, &Driver::stream_synchronize>(kind::work, names(on), [&] {
      return on_stream(number_of(on), [](stream& awaited) {
        awaited.busy = false;
        return ask(awaited);
      });
    });
  };
  fake.stream_wait = [](auto on, auto awaited, unsigned) {
    return enter<Driver, &Driver::stream_wait>(kind::work, names(on, awaited), [&] {
      return on_stream(number_of(on), [&](stream& waits) {
        return on_event(number_of(awaited), [&](const event& made) { return wait(waits, made); });
      });
    });
  };
}

// Each graph has two nodes.
template <class Driver>
void add_graph_functions(Driver& fake) {
  fake.graph_nodes = [](void* graph, void** nodes, std::size_t* count) {
    return enter<Driver, &Driver::graph_nodes>(kind::question, "", [&]() -> int {
      if (graph == nullptr) return misused("no graph", 1);
      if (nodes != nullptr) std::fill_n(nodes, *count, graph);
      *count = 2;
      return success;
    });
  };
}

template <class Driver>
int add_dependencies(number on, std::size_t count) {
  const std::string arguments = name(on) + ", " + std::to_string(count);
  return enter<Driver, &Driver::add_capture_dependencies>(kind::work, arguments, [&] {
    return on_stream(on, [&](const stream& waits) -> int {
      return waits.capture == captured ? success : misused("is not being captured", 401);
    });
  });
}

template <class Driver>
void add_capture_functions(Driver& fake) {
  fake.stream_is_capturing = [](auto on, int* status) {
    return enter<Driver, &Driver::stream_is_capturing>(kind::question, names(on), [&] {
      return on_stream(number_of(on), [&](const stream& asked) -> int {
        const bool implicit = number_of(on) == 0 && now().legacy_is_implicit;
        *status = asked.capture;
        return implicit ? capture_implicit : success;
      });
    });
  };
  fake.stream_capture = [](auto on, int* status, unsigned long long* id, void** graph, auto, auto) {
    return enter<Driver, &Driver::stream_capture>(kind::question, names(on), [&] {
      return on_stream(number_of(on), [&](const stream& asked) {
        *status = asked.capture;
        *id = asked.capture_id;
        if (graph != nullptr) *graph = reinterpret_cast<void*>(asked.capture_id);
        return success;
      });
    });
  };
  add_graph_functions(fake);
  fake.exchange_capture_mode = [](int* mode) {
    return enter<Driver, &Driver::exchange_capture_mode>(kind::question, std::to_string(*mode),
                                                         [&] {
                                                           std::swap(mode_here(), *mode);
                                                           return success;
                                                         });
  };
}

template <class Driver>
void add_event_functions(Driver& fake) {
  fake.event_create = [](auto made, unsigned flags) {
    return enter<Driver, &Driver::event_create>(kind::work, std::to_string(flags), [&] {
      return in_context([&](number here) {
        const number next = new_number(events);
        now().events[next] = {here, context_at(here)->id};
        *made = reinterpret_cast<std::remove_reference_t<decltype(*made)>>(next);
        return success;
      });
    });
  };
  fake.event_record = [](auto made, auto on) {
    return enter<Driver, &Driver::event_record>(kind::work, names(made, on), [&] {
      return on_stream(number_of(on), [&](stream& into) {
        return on_event(number_of(made), [&](event& what) { return record(what, into); });
      });
    });
  };
  fake.event_query = [](auto asked) {
    return enter<Driver, &Driver::event_query>(kind::work, names(asked), [&] {
      return on_event(number_of(asked), [](const event& made) { return ask(made); });
    });
  };
  fake.event_synchronize = [](auto awaited) {
    return enter<Driver, &Driver::event_synchronize>(kind::work, names(awaited), [&] {
      return on_event(number_of(awaited), [](event& made) {
        made.ready = true;
        return ask(made);
      });
    });
  };
  fake.event_destroy = [](auto last) {
    return enter<Driver, &Driver::event_destroy>(kind::work, names(last), [&] {
      const int gone = on_event(number_of(last), [](const event&) { return success; });
      now().events.erase(number_of(last));
      return gone;
    });
  };
}

template <class Driver>
void add_memory_functions(Driver& fake) {
  fake.allocate = [](void** memory, std::size_t bytes) {
    return enter<Driver, &Driver::allocate>(kind::work, std::to_string(bytes), [&] {
      return in_context([&](number) { return unsafe(allocate(memory, "free")); });
    });
  };
  fake.free = [](void* memory) {
    return enter<Driver, &Driver::free>(kind::work, names(memory), [&] {
      return in_context([&](number) { return unsafe(free(memory, "free")); });
    });
  };
  fake.free_host = [](void* memory) {
    return enter<Driver, &Driver::free_host>(kind::work, names(memory), [&] {
      return in_context([&](number) { return unsafe(free(memory, "host")); });
    });
  };
  fake.allocate_async = [](void** memory, std::size_t bytes, auto on) {
    return enter<Driver, &Driver::allocate_async>(
        kind::work, std::to_string(bytes) + ", " + names(on), [&] {
          return on_stream(number_of(on), [&](const stream&) -> int {
            return now().has_pools ? allocate(memory, "async") : not_supported;
          });
        });
  };
  fake.free_async = [](void* memory, auto on) {
    return enter<Driver, &Driver::free_async>(kind::work, names(memory, on), [&] {
      return on_stream(number_of(on), [&](const stream&) { return free(memory, "async"); });
    });
  };
}

template <class Driver>
void add_common_functions(Driver& fake) {
  fake.initialize = [](unsigned) {
    return enter<Driver, &Driver::initialize>(kind::question, "", [] {
      now().initialized = true;
      return success;
    });
  };
  fake.error_name = [](int code, const char** text) -> int {
    *text = "A_NAME";
    return code == invalid_value ? invalid_value : success;
  };
  fake.error_text = [](int code, const char** text) -> int {
    *text = "a text";
    return code == invalid_value ? invalid_value : success;
  };
  fake.device_count = [](int* count) {
    return enter<Driver, &Driver::device_count>(kind::question, "", [&] { return *count = 2, 0; });
  };
  fake.device_name = [](char* text, int size, int) {
    return enter<Driver, &Driver::device_name>(kind::question, "", [&] {
      std::strncpy(text, "a recording device", static_cast<std::size_t>(size));
      return success;
    });
  };
  fake.synchronize_current = [] {
    return enter<Driver, &Driver::synchronize_current>(kind::work, names(current_here()),
                                                       synchronize_here);
  };
  add_stream_functions(fake);
  add_capture_functions(fake);
  add_event_functions(fake);
  add_memory_functions(fake);
}

// ---- what each has of its own -------------------------------------------------------------------

inline void add_context_functions(core::cuda_driver& fake) {
  using driver = core::cuda_driver;
  fake.retain_primary_context = [](core::cuda_context* found, int device) {
    return enter<driver, &driver::retain_primary_context>(kind::work, std::to_string(device), [&] {
      *found = reinterpret_cast<core::cuda_context>(place_of_device(device));
      return success;
    });
  };
  fake.current_context = [](core::cuda_context* found) {
    return enter<driver, &driver::current_context>(kind::question, "", [&]() -> int {
      *found = reinterpret_cast<core::cuda_context>(current_here());
      return now().initialized ? success : not_initialized;
    });
  };
  fake.make_context_current = [](core::cuda_context wanted) {
    return enter<driver, &driver::make_context_current>(kind::work, names(wanted), [&] {
      const bool there = wanted == nullptr || context_at(number_of(wanted)) != nullptr;
      if (!there) return misused("it is destroyed", invalid_context);
      current_here() = number_of(wanted);
      return int{success};
    });
  };
  fake.device_of_current = [](int* device) {
    return enter<driver, &driver::device_of_current>(kind::question, "", [&] {
      return in_context([&](number here) { return *device = context_at(here)->device, 0; });
    });
  };
  fake.context_id = [](core::cuda_context asked, unsigned long long* id) {
    return enter<driver, &driver::context_id>(kind::question, names(asked), [&]() -> int {
      const context* const found = context_at(number_of(asked));
      if (found == nullptr) return context_is_destroyed;
      return *id = found->id, success;
    });
  };
  fake.context_record = [](core::cuda_context all, core::cuda_event_t made) {
    return enter<driver, &driver::context_record>(kind::work, names(all, made), [&] {
      return on_event(number_of(made), [&](event& what) {
        for (const auto& [handle, each] : now().streams) what.ready &= !each.busy;
        return success;
      });
    });
  };
}

inline void add_own_functions(core::cuda_driver& fake) {
  fake.add_capture_dependencies = [](auto on, void**, auto, std::size_t count, unsigned) {
    return add_dependencies<core::cuda_driver>(number_of(on), count);
  };
  using driver = core::cuda_driver;
  add_context_functions(fake);
  fake.stream_context = [](core::cuda_stream_t on, core::cuda_context* found) {
    return enter<driver, &driver::stream_context>(kind::question, names(on), [&] {
      return on_stream(number_of(on), [&](const stream& asked) {
        *found = reinterpret_cast<core::cuda_context>(where_of(asked));
        return success;
      });
    });
  };
  fake.stream_id = [](core::cuda_stream_t on, unsigned long long* id) {
    return enter<driver, &driver::stream_id>(kind::question, names(on), [&] {
      return on_stream(number_of(on), [&](const stream& asked) { return *id = asked.id, 0; });
    });
  };
  fake.pointer_attributes = [](unsigned, int*, void** into, const void* memory) {
    return enter<driver, &driver::pointer_attributes>(kind::question, "", [&] {
      const attributes& found = now().pointers[memory];
      *static_cast<int*>(into[0]) = found.type;
      *static_cast<int*>(into[1]) = found.managed;
      *static_cast<int*>(into[2]) = found.device;
      return success;
    });
  };
  fake.allocate_host = [](void** memory, std::size_t bytes) {
    return enter<driver, &driver::allocate_host>(kind::work, std::to_string(bytes), [&] {
      return in_context([&](number) { return unsafe(allocate(memory, "host")); });
    });
  };
  fake.allocate_managed = [](void** memory, std::size_t bytes, unsigned) {
    return enter<driver, &driver::allocate_managed>(kind::work, std::to_string(bytes), [&] {
      return in_context([&](number) { return unsafe(allocate(memory, "free")); });
    });
  };
  fake.copy_async = [](void* to, const void* from, std::size_t bytes, core::cuda_stream_t on) {
    return enter<driver, &driver::copy_async>(kind::work, names(to, from, bytes, on), [&] {
      return on_stream(number_of(on), [](const stream&) { return success; });
    });
  };
}

inline void add_own_functions(core::hip_driver& fake) {
  fake.add_capture_dependencies = [](auto on, void**, std::size_t count, unsigned) {
    return add_dependencies<core::hip_driver>(number_of(on), count);
  };
  using driver = core::hip_driver;
  fake.current_device = [](int* device) {
    return enter<driver, &driver::current_device>(kind::question, "", [&] {
      *device = static_cast<int>(current_here() - place_of_device(0));
      return success;
    });
  };
  fake.make_device_current = [](int device) {
    return enter<driver, &driver::make_device_current>(kind::work, names(place_of_device(device)),
                                                       [&] {
                                                         current_here() = place_of_device(device);
                                                         return success;
                                                       });
  };
  fake.stream_device = [](core::hip_stream_t on, int* device) {
    return enter<driver, &driver::stream_device>(kind::question, names(on), [&] {
      return on_stream(number_of(on), [&](const stream& asked) {
        return *device = context_at(where_of(asked))->device, 0;
      });
    });
  };
  fake.pointer_attributes = [](core::hip_pointer_attributes* into, const void* memory) {
    return enter<driver, &driver::pointer_attributes>(kind::question, "", [&]() -> int {
      const auto found = now().pointers.find(memory);
      if (found == now().pointers.end()) return invalid_value;
      const attributes& told = found->second;
      *into = {.type = told.managed != 0 ? core::hip_memory_managed : told.type,
               .device = told.device,
               .device_pointer = nullptr,
               .host_pointer = nullptr,
               .is_managed = told.managed,
               .flags = 0};
      return success;
    });
  };
  fake.allocate_host = [](void** memory, std::size_t bytes, unsigned) {
    return enter<driver, &driver::allocate_host>(kind::work, std::to_string(bytes), [&] {
      return in_context([&](number) { return unsafe(allocate(memory, "host")); });
    });
  };
  fake.copy_async = [](void* to, const void* from, std::size_t bytes, int, core::hip_stream_t on) {
    return enter<driver, &driver::copy_async>(kind::work, names(to, from, bytes, on), [&] {
      return on_stream(number_of(on), [](const stream&) { return success; });
    });
  };
}

// Forgets what was recorded, and gives a driver that works, with two devices and the context of
// each. Of CUDA no context is current in any thread; of HIP the first device is.
template <class Driver>
Driver begin() {
  now() = {};
  constexpr bool has_contexts = std::is_same_v<Driver, core::cuda_driver>;
  now().initialized = !has_contexts;
  now().first_current = has_contexts ? 0 : place_of_device(0);
  make_context(0);
  make_context(1);
  now().streams[0] = now().streams[2] = {};
  Driver fake;
  add_common_functions(fake);
  add_own_functions(fake);
  return fake;
}

}  // namespace recording
