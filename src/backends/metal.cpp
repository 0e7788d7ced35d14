// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The Metal backend: queues and events, by the functions and messages of driver/metal.hpp.
#include "backends/metal.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include <anystream/device.hpp>

namespace anystream::core {
namespace {

// How long idle() polls the signal that it has put in before it calls the queue busy: an idle one
// has signalled within a few hundred microseconds.
constexpr std::chrono::microseconds idle_patience{500};

metal_object object(stream_handle handle) { return static_cast<metal_object>(handle); }
const metal_event& event_at(event_handle handle) { return *static_cast<metal_event*>(handle); }

[[noreturn]] void refuse_class(const char* name) {
  throw value_error(std::string("a Metal stream is an MTLCommandQueue; got an object of class ") +
                    name +
                    ", which has no commandBuffer.\n  Pass the queue that the work is "
                    "committed to; a queue of Metal 4 is of another kind.");
}

}  // namespace

// ---- messages -----------------------------------------------------------------------------------

metal_runtime::metal_runtime(const metal_driver& there)
    : driver(there)
#define ANYSTREAM_METAL_REGISTER(name, text) , name(there.selector(text))
          ANYSTREAM_METAL_MESSAGES(ANYSTREAM_METAL_REGISTER)
#undef ANYSTREAM_METAL_REGISTER
{
}

std::string text_of(const metal_runtime& runtime, metal_object text) {
  if (text == nullptr) return {};
  const void* bytes = runtime.driver.send_for_address(text, runtime.text_bytes);
  return bytes != nullptr ? static_cast<const char*>(bytes) : "";
}

// Blocks where as many command buffers as the queue was made for have not ended yet.
metal_object new_commands(const metal_runtime& runtime, metal_object queue) {
  return given(runtime.get(queue, runtime.commands), "commandBuffer",
               "a queue has no command buffer to give");
}

void check_commands(const metal_runtime& runtime, metal_object commands) {
  if (runtime.integer(commands, runtime.commands_status) != metal_status_error) return;
  metal_object error = runtime.get(commands, runtime.commands_error);
  std::int64_t code = 0;
  std::string domain;
  std::string text = "Metal does not say why";
  if (error != nullptr) {
    code = static_cast<std::int64_t>(runtime.integer(error, runtime.error_code));
    domain = text_of(runtime, runtime.get(error, runtime.error_domain));
    const std::string said = text_of(runtime, runtime.get(error, runtime.error_text));
    if (!said.empty()) text = said;
  }
  throw driver_error("commandBuffer", code, domain,
                     "a command buffer failed: " + text + " (" + domain + " " +
                         std::to_string(code) +
                         ").\n  What was to be computed may be wrong. MTL_DEBUG_LAYER=1 and "
                         "MTL_SHADER_VALIDATION=1 in the environment tell more.");
}

// ---- events -------------------------------------------------------------------------------------

metal_timeline::metal_timeline(const metal_runtime& runtime, metal_object queue)
    : runtime_(runtime),
      event_(adopt(runtime,
                   given(runtime.get(runtime.get(queue, runtime.device), runtime.device_new_event),
                         "newSharedEvent", "a device has no shared event to give"))) {}

std::uint64_t metal_timeline::commit(metal_object commands) {
  const std::scoped_lock lock(in_order_);
  const std::uint64_t value = ++last_;
  runtime_.driver.send_event(commands, runtime_.commands_signal, event_.get(), value);
  runtime_.send(commands, runtime_.commands_commit);
  return value;
}

bool metal_timeline::has_reached(std::uint64_t value) const {
  return runtime_.driver.send_for_number(event_.get(), runtime_.event_value) >= value;
}

// Another thread may have made one meanwhile: that one is taken, and ours released after the lock.
std::shared_ptr<metal_timeline> metal_backend_of_driver::timeline(metal_object queue) const {
  queue_table& all = table();
  {
    const std::scoped_lock lock(all.lock);
    const auto found = all.queues.find(queue);
    if (found != all.queues.end() && found->second.line) return found->second.line;
  }
  auto mine = std::make_shared<metal_timeline>(runtime(), queue);
  const std::scoped_lock lock(all.lock);
  const auto found = all.queues.find(queue);
  if (found == all.queues.end()) return mine;  // it has no stream any more: the event is its last
  if (!found->second.line) found->second.line = std::move(mine);
  return found->second.line;
}

metal_event metal_backend_of_driver::signal(metal_object queue) const {
  const metal_runtime& to = runtime();
  metal_event made{timeline(queue), {}, 0};
  made.commands = keep(to, new_commands(to, queue));
  made.value = made.line->commit(made.commands.get());
  return made;
}

event_handle metal_backend_of_driver::record(stream_handle stream) const {
  const metal_pool pool(runtime());
  auto made = std::make_unique<metal_event>();
  *made = signal(object(stream));
  return made.release();
}

// A wait for what has failed would never end.
bool metal_backend_of_driver::wait(stream_handle stream, event_handle event) const {
  const metal_runtime& to = runtime();
  const metal_pool pool(to);
  if (complete(event)) return true;
  const metal_event& awaited = event_at(event);
  metal_object commands = new_commands(to, object(stream));
  to.driver.send_event(commands, to.commands_wait, awaited.line->event(), awaited.value);
  to.send(commands, to.commands_commit);
  return true;
}

bool metal_backend_of_driver::complete(event_handle event) const {
  const metal_pool pool(runtime());
  const metal_event& asked = event_at(event);
  check_commands(runtime(), asked.commands.get());
  return asked.line->has_reached(asked.value);
}

void metal_backend_of_driver::synchronize_event(event_handle event) const {
  const metal_runtime& to = runtime();
  const metal_pool pool(to);
  to.send(event_at(event).commands.get(), to.commands_wait_on_host);
  if (!complete(event)) fail_in_metal("waitUntilCompleted", "it returned before the signal came");
}

void metal_backend_of_driver::destroy_event(event_handle event) const noexcept {
  auto* const last = static_cast<metal_event*>(event);
  const metal_runtime* to = known_runtime();
  if (last == nullptr || to == nullptr) return;
  const metal_pool pool(*to);
  delete last;
}

// ---- streams ------------------------------------------------------------------------------------

auto metal_backend_of_driver::table() const -> queue_table& {
  const std::uint32_t here = process_generation();
  queue_table* known = table_.load();
  while (known == nullptr || known->generation != here) {
    auto fresh = std::make_unique<queue_table>(here);
    if (table_.compare_exchange_strong(known, fresh.get())) return *fresh.release();
  }
  return *known;
}

void metal_backend_of_driver::note(metal_object queue, DLDevice told, bool held) const {
  queue_table& all = table();
  const std::scoped_lock lock(all.lock);
  known_queue& known = all.queues[queue];
  ++(held ? known.held : known.numbers);
  known.told = told;
}

// Whether a reference of ours goes with the stream. Which of the streams of one queue it is cannot
// be told, nor need it be: the references last as long as the streams.
bool metal_backend_of_driver::forget(metal_object queue) const noexcept {
  std::shared_ptr<metal_timeline> last;  // goes after the lock
  queue_table& all = table();
  const std::scoped_lock lock(all.lock);
  const auto found = all.queues.find(queue);
  if (found == all.queues.end()) return false;
  known_queue& known = found->second;
  const bool held = known.numbers == 0;
  --(held ? known.held : known.numbers);
  if (known.held == 0) last = std::move(known.line);
  if (known.held == 0 && known.numbers == 0) all.queues.erase(found);
  return held;
}

stream_handle metal_backend_of_driver::new_queue(DLDevice device) const {
  const metal_runtime& to = runtime();
  const metal_pool pool(to);
  metal_owned made = adopt(to, given(to.get(device_at(device, nullptr), to.device_new_queue),
                                     "newCommandQueue", "a device has no command queue to give"));
  note(made.get(), device, true);
  return made.release();
}

stream_handle metal_backend_of_driver::retain(DLDevice device, stream_handle theirs, bool) const {
  if (theirs == nullptr) return new_queue(device);
  const metal_runtime* to = runtime_if_there();
  if (to == nullptr) return note(object(theirs), device, false), theirs;
  const metal_pool pool(*to);
  if (to->driver.send_responds(object(theirs), to->responds, to->commands) == 0) {
    refuse_class(to->driver.class_name(object(theirs)));
  }
  metal_owned ours = keep(*to, object(theirs));
  note(object(theirs), device, true);
  return ours.release();
}

void metal_backend_of_driver::drop(stream_handle ours) const noexcept {
  const metal_runtime* to = known_runtime();
  if (to == nullptr) return static_cast<void>(forget(object(ours)));
  const metal_pool pool(*to);
  if (forget(object(ours))) to->driver.release(object(ours));
}

DLDevice metal_backend_of_driver::device_of(stream_handle stream) const {
  if (const metal_runtime* to = runtime_if_there()) {
    const metal_pool pool(*to);
    return {kDLMetal, number_of(to->get(object(stream), to->device))};
  }
  queue_table& all = table();
  const std::scoped_lock lock(all.lock);
  const auto found = all.queues.find(object(stream));
  return found != all.queues.end() ? found->second.told : DLDevice{kDLMetal, 0};
}

bool metal_backend_of_driver::idle(stream_handle stream) const {
  const metal_pool pool(runtime());
  metal_event end = signal(object(stream));
  const auto deadline = std::chrono::steady_clock::now() + idle_patience;
  while (!complete(&end)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// An empty command buffer may end before those that started earlier; one that signals does not.
void metal_backend_of_driver::synchronize(stream_handle stream) const {
  const metal_pool pool(runtime());
  metal_event end = signal(object(stream));
  synchronize_event(&end);
}

bool metal_backend_of_driver::barrier(stream_handle stream) const {
  const metal_pool pool(runtime());
  metal_event end = signal(object(stream));
  return wait(stream, &end);
}

}  // namespace anystream::core
