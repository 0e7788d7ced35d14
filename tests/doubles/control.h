// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a test may do to a software driver: hold and release streams, read what was called, make
// calls fail, count what lives. libcuda.so.1 and libamdhip64.so.6 of this folder both export it;
// each library is a driver of its own.
//
//   setenv("ANYSTREAM_DOUBLE_DEVICES", "2", 1);   // read when a driver is first used
//   double_hold(stream);                          // what is enqueued from here on stays pending
//   … enqueue, hand over, read …
//   double_settle(1000);                          // all that can run has run: no timing
//   double_release(stream);
//
// An entry point is named without its suffix: "cuEventDestroy" is cuEventDestroy_v2 too, and
// "cuEventRecord" is cuEventRecord_ptsz; hip's "hipEventRecord" is hipEventRecord_spt.
//
// Functions that write text take a buffer and its size, and return the size that holds all of it
// with its final zero, like snprintf but for that zero; text is lines that end in "\n". Those that
// find or do something return 1, else 0. None of them is logged, counted, or fails by injection,
// and all may be called from any thread, host functions of a stream included (but for settle).
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Everything ---------------------------------------------------------------------------------

// Back to what a driver is when it has just been loaded: not initialised, every object gone, every
// gate open, nothing logged, nothing to fail. Pending work is dropped. No other thread may be
// inside the driver.
void double_reset(void);

// How many devices there are from the next reset on; 2 at first.
void double_set_devices(int count);

// ---- Gates --------------------------------------------------------------------------------------
// A stream is a handle as the driver gave it. NULL, 1 (legacy) and 2 (per thread) are those of the
// calling thread's current context. A stream that was destroyed with work pending is still found.

// From now on the stream starts no operation. The one that it is in goes on.
int double_hold(void* stream);

// Lets it go on.
int double_release(void* stream);

// Lets a held stream start this many more operations; it stays held.
int double_step(void* stream, int operations);

// Whether streams made from now on are held from the start (legacy and per-thread ones included).
void double_hold_new_streams(int on);

// Releases every stream; new ones are no longer held.
void double_release_all(void);

// When on: a call that blocks its thread until work is done (a synchronize, a copy to pageable
// memory) releases every stream once nothing else can run. So one thread can hold a stream and
// then call what waits for it; the log has the line "double: released by NAME".
void double_release_on_wait(int on);

// Whether a call that enqueues in a stream fails in a thread without a current context, even if the
// stream has one by its handle (CUDA; on at first). A null handle always takes a current context.
void double_require_context(int on);

// Waits until no stream can go on by itself: each is empty, held, or waits for one that is held.
// 0 if that takes longer (a host function that blocks, a delay).
int double_settle(int timeout_ms);

// How many operations of the stream are not done; their calls, a line each, the first one first.
// -1 if there is no such stream.
int double_pending(void* stream, char* text, size_t size);

// The next this many operations to be enqueued, on whatever stream, each take this much longer.
void double_delay(int milliseconds, int operations);

// ---- Calls --------------------------------------------------------------------------------------
// A line a call, in the order in which they began:
//   cuEventRecord(event=0x7f10c0, stream=0x1)
//   cuEventCreate(event=0x7f10c0, flags=2)                    what was given out, if it succeeded
//   cuStreamQuery(stream=0x7f2040) = CUDA_ERROR_NOT_READY     what is no success
// The 100000 newest lines are kept.

void double_log(int on);  // on at first
void double_log_clear(void);

// The lines that begin with one of the names in the list "cuEventRecord,cuStreamWaitEvent" (a name
// is whole: it ends at the bracket). NULL or "": all.
size_t double_log_read(const char* names, char* text, size_t size);

// How often an entry point was called since the last clear, failed calls included; NULL: all.
unsigned long long double_calls(const char* entry);
void double_calls_clear(void);

// The names of all entry points, a line each.
size_t double_entries(char* text, size_t size);

// ---- Errors -------------------------------------------------------------------------------------

// The entry point succeeds `after` times, then fails with this code `times` times (-1: for ever)
// without doing anything; a new order for the same entry point replaces the old. 0 if there is no
// such entry point.
int double_fail(const char* entry, int code, int after, int times);
void double_fail_clear(void);

// How many calls have been made to fail so since the last clear.
unsigned long long double_failed(void);

// ---- What lives ---------------------------------------------------------------------------------

// Of a kind: "streams", "events", "contexts", "allocations" (not yet freed by the client, of any
// memory), "bytes" of them, "pools", "graphs", "executables"; the default streams, contexts'
// default pools and primary contexts that nobody retains do not count. -1 for another word.
long long double_live(const char* kind);

// How many freed blocks were found to have been written after they were freed: each is looked at
// when it is given out again, and all of them here.
unsigned long long double_written_after_free(void);

#ifdef __cplusplus
}
#endif
