/* SPDX-FileCopyrightText: 2026 The anystream authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program in C: one array, two streams, and the order between them, through the table.
 */
#include <anystream/c_api.h>
#include <stdio.h>

static const anystream_api* core;

static int failed(anystream_status status) {
  anystream_error error;
  if (status == ANYSTREAM_OK) return 0;
  core->last_error(&error);
  fprintf(stderr, "%s\n", error.message);
  return 1;
}

/* A stream of the simulation, as a stream of anystream's. */
static anystream_stream* make_stream(int32_t device, void** raw) {
  const anystream_owner none = {NULL, NULL};
  anystream_stream* made = NULL;
  if (failed(core->simulated->stream_create(device, NULL, 1, raw))) return NULL;
  if (failed(core->stream_of_platform("simulated", (uintptr_t)*raw, none, &made))) return NULL;
  return made;
}

static int hand_off(anystream_stream* producer, void* producer_raw, anystream_stream* consumer,
                    void* consumer_raw, const DLTensor* x) {
  const anystream_simulated_api* simulated = core->simulated;
  const float value = 42.0f;
  float out[8] = {0};
  int32_t how = -1;
  if (failed(simulated->stream_hold(producer_raw)) ||
      failed(simulated->fill(producer_raw, x->data, &value, sizeof value, 8)) ||
      failed(core->stream_order(producer, consumer, &how)) ||
      failed(simulated->copy(consumer_raw, out, x->data, sizeof out)) ||
      failed(simulated->stream_resume(producer_raw)) ||
      failed(core->stream_synchronize(consumer, &how))) {
    return 1;
  }
  printf("read %g and %g\n", out[0], out[7]);
  return out[0] == value && out[7] == value ? 0 : 1;
}

int main(void) {
  const int64_t shape[1] = {8};
  const DLDataType float32 = {kDLFloat, 32, 1};
  DLDevice device = {kDLExtDev, 0};
  anystream_array* x = NULL;
  void* raw[2] = {NULL, NULL};
  int32_t unused = 0;
  int result = 1;
  core = anystream_get_api(ANYSTREAM_ABI_MAJOR, ANYSTREAM_ABI_MINOR);
  if (core == NULL) return 1;
  if (failed(core->simulated->device_create(0, 0, &device.device_id))) return 1;
  anystream_stream* producer = make_stream(device.device_id, &raw[0]);
  anystream_stream* consumer = make_stream(device.device_id, &raw[1]);
  if (producer == NULL || consumer == NULL) return 1;
  if (!failed(core->array_empty(device, "simulated", 1, shape, float32, producer, &x))) {
    result = hand_off(producer, raw[0], consumer, raw[1], core->array_tensor(x));
    core->array_release(x);
  }
  /* What cannot be is told in words. */
  if (core->stream_from_handle(device, "nowhere", 1, (anystream_owner){NULL, NULL}, &producer) !=
      ANYSTREAM_VALUE_ERROR) {
    result = 1;
  }
  if (core->stream_in_order(consumer, &unused) != ANYSTREAM_OK || unused != 1) result = 1;
  core->stream_release(producer);
  core->stream_release(consumer);
  core->simulated->stream_release(raw[0]);
  core->simulated->stream_release(raw[1]);
  return result;
}
