/* SPDX-FileCopyrightText: 2026 The anystream authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ABI of libanystream: one exported function that yields a versioned table of functions.
 *
 * Rules of the whole table
 *  - A function returns an anystream_status; 0 is success. On failure every output is untouched and
 *    `last_error` of the calling thread says what was got, what is accepted and how to fix it.
 *  - No function throws. Every function may be called from any thread. None of them knows Python:
 *    a caller that holds the GIL releases it around those marked "may wait".
 *  - A table only grows at its end. A table of the same major version and at least the minor
 *    version that a caller was built against serves it; `size` tells how far it reaches.
 *  - Handles of one call may be used by others concurrently, except that the last release must not
 *    run beside another use.
 */
#ifndef ANYSTREAM_C_API_H
#define ANYSTREAM_C_API_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#define ANYSTREAM_ABI_MAJOR 1
#define ANYSTREAM_ABI_MINOR 3

#if defined(_WIN32)
#if defined(ANYSTREAM_BUILDING)
#define ANYSTREAM_EXPORT __declspec(dllexport)
#else
#define ANYSTREAM_EXPORT __declspec(dllimport)
#endif
#else
#define ANYSTREAM_EXPORT __attribute__((visibility("default")))
#endif

/* Who owns what crosses the border; empty, read by people and by the checks.
 *   take: the callee owns it from the call on, also when the call fails
 *   keep: borrowed, for the call (or, where it says so, for the life of the object it came from)
 *   give: the caller owns it and must release it */
#define anystream_take
#define anystream_keep
#define anystream_give

#ifdef __cplusplus
extern "C" {
#endif

/* Memory, its layout and its stream; one stream of one platform; a point in a stream's work. The
 * first two are reference counted. */
typedef struct anystream_array anystream_array;
typedef struct anystream_stream anystream_stream;
typedef struct anystream_event anystream_event;

typedef int32_t anystream_status;
enum {
  ANYSTREAM_OK = 0,
  ANYSTREAM_TYPE_ERROR = 1,         /* an argument of the wrong type: Python's TypeError */
  ANYSTREAM_VALUE_ERROR = 2,        /* of the right type, with a wrong value: ValueError */
  ANYSTREAM_EXCHANGE_ERROR = 3,     /* impossible, or needs a forbidden copy: BufferError */
  ANYSTREAM_ORDERING_ERROR = 4,     /* order cannot be proved on the device (strict mode) */
  ANYSTREAM_DRIVER_ERROR = 5,       /* a vendor's function failed; api, code, code_name tell */
  ANYSTREAM_DRIVER_UNAVAILABLE = 6, /* a vendor's library is not there; the places tried */
  ANYSTREAM_OUT_OF_MEMORY = 7,
  ANYSTREAM_INTERNAL_ERROR = 8 /* a fault of anystream itself: please report it */
};

/* The last failure of the calling thread. Strings live until its next failing call. */
typedef struct anystream_error {
  anystream_status status;
  int32_t reserved;
  int64_t code;          /* the vendor's code, 0 if none */
  const char* message;   /* never NULL */
  const char* api;       /* the vendor's function ("" if none) */
  const char* code_name; /* its name for the code ("" if none) */
} anystream_error;

/* Something that must stay alive: release(context) is called once, from any thread, without the
 * GIL. release may be NULL: then nothing is kept. */
typedef struct anystream_owner {
  void* context;
  void (*release)(void* context);
} anystream_owner;

/* ---- what `stream` was given ----------------------------------------------------------------- */

enum {
  ANYSTREAM_ARGUMENT_NONE = 0,     /* None */
  ANYSTREAM_ARGUMENT_BOOL = 1,     /* always refused: True is not stream 1 */
  ANYSTREAM_ARGUMENT_INTEGER = 2,  /* integer; overflow != 0 if it did not fit */
  ANYSTREAM_ARGUMENT_CAPSULE = 3,  /* capsule_name (NULL: unnamed), handle */
  ANYSTREAM_ARGUMENT_STREAM = 4,   /* stream: one of ours */
  ANYSTREAM_ARGUMENT_PROTOCOL = 5, /* __cuda_stream__: version, handle; names no vendor */
  ANYSTREAM_ARGUMENT_OBJECT = 6,   /* of a known stream class: family, handle, null_means */
  ANYSTREAM_ARGUMENT_UNKNOWN = 7,  /* any other object */
  ANYSTREAM_ARGUMENT_NUMBER = 8    /* a float, a str, bytes …: never a stream, on any device type */
};

typedef struct anystream_argument {
  int32_t kind;         /* ANYSTREAM_ARGUMENT_… */
  int32_t overflow;     /* INTEGER: -1 below, 1 above what a pointer holds, else 0 */
  int64_t integer;      /* INTEGER */
  int64_t version;      /* PROTOCOL: the first item; must be 0 */
  uintptr_t handle;     /* CAPSULE, PROTOCOL, OBJECT: the platform's handle (SYCL: sycl::queue*) */
  uintptr_t null_means; /* PROTOCOL, OBJECT on CUDA: what handle 0 stands for, 1 or 2 */
  const char* capsule_name; /* CAPSULE */
  const char* family;       /* OBJECT: "cuda", "hip", "cuda_like" (either), "sycl", "opencl", … */
  const anystream_stream* stream; /* STREAM, borrowed */
  const char* got;                /* how a message names it: "int 7", "a torch.cuda.Stream" */
  const char* where;              /* the parameter that it was given to: "__dlpack__(stream=…)" */
} anystream_argument;

/* What an argument came to. */
enum {
  ANYSTREAM_FORM_DEFAULT = 0,   /* None: the device type's on_none rule holds */
  ANYSTREAM_FORM_UNORDERED = 1, /* -1: no ordering is wanted */
  ANYSTREAM_FORM_STREAM = 2,    /* stream is set */
  ANYSTREAM_FORM_FOREIGN = 3    /* nobody here knows it; it is the producer's business */
};

typedef struct anystream_resolution {
  int32_t form;
  int32_t reserved;
  anystream_stream* stream; /* give; NULL unless FORM_STREAM */
} anystream_resolution;

enum { ANYSTREAM_OUT_OF_ORDER_REFUSE = 0, ANYSTREAM_OUT_OF_ORDER_BARRIER = 1 };

/* How two streams stand to each other; it decides what ordering costs. */
enum {
  ANYSTREAM_RELATION_SAME = 0,              /* one in-order queue: nothing to do */
  ANYSTREAM_RELATION_SAME_OUT_OF_ORDER = 1, /* one out-of-order queue: a barrier */
  ANYSTREAM_RELATION_DIFFERENT = 2,         /* two queues of one platform: record, wait */
  ANYSTREAM_RELATION_UNRELATED = 3          /* two platforms: only the host can wait */
};

/* What an ordering call did. */
enum {
  ANYSTREAM_ORDERED_NOTHING = 0,
  ANYSTREAM_ORDERED_BARRIER = 1,
  ANYSTREAM_ORDERED_EVENT = 2,
  ANYSTREAM_ORDERED_HOST_WAIT = 3,
  ANYSTREAM_ORDERED_IDLE = 4 /* a host wait was due, but nothing was pending */
};

/* What happens to an array's memory when its last reference goes while streams still use it. Home
 * is the stream on which the memory is written, reused or freed later: the producer's. */
enum {
  ANYSTREAM_RELEASE_ORDERED = 0,  /* home waits on the device for the users' streams */
  ANYSTREAM_RELEASE_DEFERRED = 1, /* home does not wait; the memory is kept until they are done */
  ANYSTREAM_RELEASE_HOST = 2,     /* whoever lets go waits on the host until they are done */
  ANYSTREAM_RELEASE_NONE = 3      /* nothing is done: the memory goes back at once */
};

/* ---- devices, drivers, memory ---------------------------------------------------------------- */

enum {
  ANYSTREAM_MEMORY_UNKNOWN = 0,
  ANYSTREAM_MEMORY_DEVICE = 1, /* the host must not read it */
  ANYSTREAM_MEMORY_HOST = 2,   /* host memory that the device can read (USM host, pinned) */
  ANYSTREAM_MEMORY_SHARED = 3  /* migrates; the host may read it after the right wait */
};

/* Whether this version orders on a platform, and whether it takes the driver's library to do so. */
enum {
  ANYSTREAM_BACKEND_NONE = 0,
  ANYSTREAM_BACKEND_ON_DRIVER = 1,
  ANYSTREAM_BACKEND_WITHOUT = 2 /* the library only lists the devices */
};

typedef struct anystream_driver_info {
  const char* name;      /* "sycl" */
  const char* library;   /* the file that was opened, or the name that was looked for */
  int32_t available;     /* opened, and its required functions found */
  int32_t has_backend;   /* this version can order on it: ANYSTREAM_BACKEND_… */
  const char* reason;    /* if not available: every place tried and what it said, a line each */
  const char* otherwise; /* what a hand-off there does without it */
} anystream_driver_info; /* strings live for the process */

typedef struct anystream_device_info {
  DLDevice device;
  char platform[32]; /* "host", "sycl", "simulated" … */
  char kind[16];     /* "cpu", "gpu", "accelerator", "other" */
  char name[160];    /* the vendor's name of it */
} anystream_device_info;

/* ---- the simulated accelerator --------------------------------------------------------------- */

/* A software accelerator for tests: streams are worker threads that can be held and released, and
 * given a seeded delay; new memory reads 0xA5, freed memory 0xDD, until an operation wrote it.
 * Device type kDLExtDev, platform "simulated". Handles of its streams are what the capsule
 * "anystream_simulated_stream" holds; they are reference counted. */
typedef struct anystream_simulated_step {
  const char* stream; /* its name; "the host" for what no stream does */
  const char* operation;
} anystream_simulated_step; /* strings live until the device is closed */

typedef struct anystream_simulated_finding {
  const char* what; /* "read bytes that no operation has written" … */
  anystream_simulated_step at;
  const char* memory; /* which bytes of what; of a wait: what was awaited */
  uint64_t step;      /* the number of the operation in the schedule */
} anystream_simulated_finding;

typedef struct anystream_simulated_api {
  /* A new device; its id counts up from 0. A stream's operations are each preceded by a delay of up
   * to max_delay_us microseconds drawn from seed (0: none). */
  anystream_status (*device_create)(uint64_t seed, uint32_t max_delay_us, int32_t* device_id);
  /* name may be NULL or empty: "stream N". in_order == 0: operations may overtake each other except
   * across a barrier. */
  anystream_status (*stream_create)(int32_t device_id, const char* name, int32_t in_order,
                                    void** anystream_give stream);
  void (*stream_retain)(void* stream);
  void (*stream_release)(void* stream);            /* never waits; pending operations still run */
  const char* (*stream_name)(void* stream);        /* keep, for the stream's life */
  anystream_status (*stream_hold)(void* stream);   /* nothing further is started on it … */
  anystream_status (*stream_resume)(void* stream); /* … until this */
  anystream_status (*stream_pending)(void* stream, uint64_t* operations); /* queued or running */
  /* The same by name, for tests that do not have the object: VALUE_ERROR lists the known names. */
  anystream_status (*find_stream)(int32_t device_id, const char* name,
                                  void** anystream_give stream);
  anystream_status (*allocate)(int32_t device_id, size_t bytes, void** memory);
  /* At once, whatever is pending: like a bad producer. */
  anystream_status (*deallocate)(void* memory);
  anystream_status (*fill)(void* stream, void* memory, const void* pattern, size_t pattern_bytes,
                           size_t count);
  anystream_status (*copy)(void* stream, void* target, const void* source, size_t bytes);
  /* function(context) runs on the stream's thread; dropped(context) once after it, also if it never
   * ran or if this fails. */
  anystream_status (*call)(void* stream, void (*function)(void*), void* context,
                           void (*dropped)(void*));
  /* Reads what memory holds now, in order with nothing. Freed memory too, for a while. */
  anystream_status (*peek)(const void* memory, void* target, size_t bytes);
  /* copy, with what its host memory belongs to: owner is kept until the copy has run. */
  anystream_status (*copy_keeping)(void* stream, void* target, const void* source, size_t bytes,
                                   anystream_owner anystream_take owner);
  /* A device for trying schedules. No thread is started: the operations of its streams run in the
   * thread that made it, at that thread's calls (what queues, asks or waits), in an order drawn
   * from seed: one program and one seed give one order. Reads and writes of its memory are checked.
   * A wait that cannot end is a DRIVER_ERROR "DEADLOCK". Its streams and memory are used with each
   * other only. Memory that is given back by an array with a stream is freed on that stream. fault:
   * NULL or empty for none, else a name; VALUE_ERROR lists them. */
  anystream_status (*explorer_create)(uint64_t seed, const char* fault, int32_t* device_id);
  /* Lifts holds and runs all that is left. Of the device's thread. */
  anystream_status (*explorer_finish)(int32_t device_id);
  /* Forgets the device: what is still queued on it is dropped. Of the device's thread. */
  anystream_status (*explorer_close)(int32_t device_id);
  anystream_status (*explorer_count)(int32_t device_id, uint64_t* steps, uint64_t* findings);
  /* What ran, in that order. VALUE_ERROR past the end, as below. */
  anystream_status (*explorer_step)(int32_t device_id, uint64_t index,
                                    anystream_simulated_step* out);
  anystream_status (*explorer_finding)(int32_t device_id, uint64_t index,
                                       anystream_simulated_finding* out);
  /* The faults that an exploring device can have, and what each does; NULL past the last. */
  const char* (*fault_name)(int32_t index);
  const char* (*fault_effect)(int32_t index);
} anystream_simulated_api;

/* ---- platforms of others --------------------------------------------------------------------- */

/* Where a callback says what went wrong; what it returns decides. Empty when it is called. */
typedef struct anystream_fault {
  int64_t code;       /* the vendor's code, 0 if none */
  char code_name[64]; /* its name for the code, "" if none */
  char message[1024]; /* UTF-8; cut where it is longer */
} anystream_fault;

/* Where bytes begin. Where `data` is a handle nothing is added to it. */
typedef struct anystream_location {
  void* data;
  uint64_t offset; /* in bytes */
  int32_t of_host; /* nonzero: data is an address of the host's own memory */
  int32_t reserved;
} anystream_location;

enum {
  ANYSTREAM_PLATFORM_TAKES_INTEGERS = 1,   /* an int > 0 as `stream` is a handle */
  ANYSTREAM_PLATFORM_SEPARATE_DEVICES = 2, /* streams of one device cannot wait for another's */
  ANYSTREAM_PLATFORM_FREES_IN_ORDER = 4    /* deallocate is ordered after its stream's work */
};

/* A platform that this library does not have: what it is called, and what it can do. Strings are
 * copied. Callbacks are called from any thread, also that of the releases, with no lock held, and
 * must not throw; a status other than OK is raised to whoever called, as an error of that kind that
 * names the platform (DRIVER_ERROR for what the driver says). In a forked child none is called.
 * Each but those marked "needed" may be NULL: what it is needed for then fails, by a
 * DRIVER_UNAVAILABLE that names it. `stream` is the handle as it came in, or as retain made it. */
typedef struct anystream_platform {
  size_t size;         /* sizeof(anystream_platform): needed, as are the next two */
  int32_t device_type; /* DLPack's number, assigned yet or not; none that has a built-in platform */
  uint32_t flags;      /* ANYSTREAM_PLATFORM_… */
  const char* name;    /* 1 to 31 of a-z, 0-9, "_", "." and "-": no name of a built-in platform's */
  const char* family;  /* what anystream_argument calls its stream classes; NULL: the name */
  const char* takes;   /* those, in words, for messages: "a mylib.Queue"; NULL: made of the name */
  const char* capsules; /* names that a stream capsule may have, separated by '|'; NULL: none */
  const char* fix;      /* how to name a stream, a sentence for messages; NULL: the usual one */
  int32_t memory;       /* ANYSTREAM_MEMORY_… of all its memory; UNKNOWN: memory_kind tells */
  int32_t reserved;
  void* context; /* the first argument of every callback */

  /* -- streams -- */
  /* Takes part in a caller's stream: *kept is the handle from then on. NULL: the caller's own is
   * used, and what keeps it alive is kept. VALUE_ERROR where it can tell that it is no stream. */
  anystream_status (*retain)(void* context, DLDevice device, void* stream, void** kept,
                             anystream_fault* fault);
  void (*release)(void* context, void* stream); /* needed with retain */
  /* The number of its device; asked before retain, of the handle as it came in. NULL: it is that of
   * the array that it is named for. */
  anystream_status (*device_of)(void* context, void* stream, int32_t* id, anystream_fault* fault);
  /* Asked once a stream. NULL: they all are. */
  anystream_status (*in_order)(void* context, void* stream, int32_t* in_order,
                               anystream_fault* fault);
  /* Whether two handles are one queue. NULL: if they are equal, and of one device. */
  anystream_status (*same)(void* context, void* a, void* b, int32_t* same, anystream_fault* fault);
  /* Later work of the consumer waits on the device for earlier work of the producer, in one step.
   * NULL: by record and wait. */
  anystream_status (*order)(void* context, void* producer, void* consumer, anystream_fault* fault);

  /* -- events -- */
  /* A point after the stream's work so far; it may outlive the stream. May be recorded and waited
   * for on one stream: a barrier, where that is out-of-order. */
  anystream_status (*record)(void* context, void* stream, void** event, anystream_fault* fault);
  /* Later work of the stream waits for it on the device; the host does not. */
  anystream_status (*wait)(void* context, void* stream, void* event, anystream_fault* fault);
  anystream_status (*complete)(void* context, void* event, int32_t* complete,
                               anystream_fault* fault); /* never waits */
  /* Waits. NULL: complete is asked time and again. */
  anystream_status (*synchronize)(void* context, void* event, anystream_fault* fault);
  void (*destroy)(void* context, void* event); /* NULL: there is nothing to destroy */

  /* -- memory -- */
  /* Enqueues; either side may be host memory, which lives until the stream got there. */
  anystream_status (*copy)(void* context, void* stream, const anystream_location* target,
                           const anystream_location* source, size_t bytes, anystream_fault* fault);
  /* stream may be NULL, here and below. OUT_OF_MEMORY where there is none. */
  anystream_status (*allocate)(void* context, DLDevice device, size_t bytes, void* stream,
                               void** memory, anystream_fault* fault);
  void (*deallocate)(void* context, DLDevice device, void* memory, void* stream);
  anystream_status (*memory_kind)(void* context, DLDevice device, void* data, void* stream,
                                  int32_t* kind, anystream_fault* fault);
  /* Where the host sees memory that it may read; *address NULL: it may not. The caller has waited.
   * NULL: of memory of kind HOST or SHARED, `data` is that. */
  anystream_status (*host_address)(void* context, void* data, void** address,
                                   anystream_fault* fault);
  /* Nonzero: the memory is this platform's. With it the platform lives on its device type beside
   * others, and what it does not own is not its; NULL: it is the device type's own, and what is
   * nobody else's is its. A device type has at most one of its own. */
  int32_t (*owns)(void* context, const void* data);

  /* Lists its devices; with capacity 0, counts. device.device_type and platform are filled in. */
  anystream_status (*devices)(void* context, anystream_device_info* out, int32_t capacity,
                              int32_t* count, anystream_fault* fault);
} anystream_platform;

/* What is known of one that was registered. Strings live for the process. */
typedef struct anystream_platform_info {
  int32_t device_type;
  uint32_t flags;
  const char* name;
  const char* family;
  const char* takes;
  const char* capsules;
  const char* fix;
  const char* callbacks; /* the names of those that are there: "in_order record wait" */
  int32_t memory;
  int32_t is_own; /* nonzero: the device type's own */
} anystream_platform_info;

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct anystream_api {
  uint32_t abi_major;
  uint32_t abi_minor;
  size_t size;         /* sizeof(anystream_api) of the library */
  const char* version; /* "0.1.0" */

  void (*last_error)(anystream_error* out);

  /* -- registry -- */
  int32_t (*driver_count)(void);
  /* Tries to open the driver; remembers the outcome. */
  anystream_status (*driver_info)(int32_t index, anystream_driver_info* out);
  /* A folder in which a driver's library is looked for, after the files that the process has loaded
   * and before the loader's own path. VALUE_ERROR lists the known drivers. */
  anystream_status (*add_search_path)(const char* driver, const char* folder);
  /* Devices of all drivers that could be opened; pass capacity 0 to count. */
  anystream_status (*devices)(anystream_device_info* out, int32_t capacity, int32_t* count);
  /* platform: "" means the built-in one of the device type. */
  anystream_status (*device_info)(DLDevice device, const char* platform,
                                  anystream_device_info* out);

  /* -- streams -- */
  /* Checks an argument against the rules of the device and resolves it. platform as above. The
   * owner is kept by a FORM_STREAM result as long as anything needs the handle, else released at
   * once. Opens a driver only where a handle must be copied (SYCL). */
  anystream_status (*stream_resolve)(DLDevice device, const char* platform,
                                     const anystream_argument* argument,
                                     anystream_owner anystream_take owner,
                                     anystream_resolution* out);
  /* A handle that the caller vouches for: the one opt-in to raw handles. Copied where the platform
   * copies (sycl::queue), retained where it counts. */
  anystream_status (*stream_from_handle)(DLDevice device, const char* platform, uintptr_t handle,
                                         anystream_owner anystream_take owner,
                                         anystream_stream** anystream_give out);
  /* Finds the device of a self-describing handle (SYCL, simulated) and wraps it. */
  anystream_status (*stream_of_platform)(const char* platform, uintptr_t handle,
                                         anystream_owner anystream_take owner,
                                         anystream_stream** anystream_give out);
  void (*stream_retain)(anystream_stream* stream);
  void (*stream_release)(anystream_stream* stream);
  DLDevice (*stream_device)(const anystream_stream* stream);
  const char* (*stream_platform)(const anystream_stream* stream); /* keep, for the process */
  uintptr_t (*stream_handle)(const anystream_stream* stream); /* our copy, where it was copied */
  anystream_status (*stream_in_order)(const anystream_stream* stream, int32_t* in_order);
  /* Whether an out-of-order queue may be used as a consumer's: ANYSTREAM_OUT_OF_ORDER_… . A new
   * handle of the same queue, with the policy. */
  anystream_status (*stream_with_policy)(const anystream_stream* stream, int32_t out_of_order,
                                         anystream_stream** anystream_give out);
  int32_t (*stream_policy)(const anystream_stream* stream);
  /* VALUE_ERROR if it is out-of-order and its policy is REFUSE; where as in anystream_argument. */
  anystream_status (*stream_check_consumer)(const anystream_stream* stream, const char* where);
  anystream_status (*stream_relation)(const anystream_stream* producer,
                                      const anystream_stream* consumer, int32_t* relation);
  /* May wait: for UNRELATED streams, and for an out-of-order consumer whose device cannot be made
   * to hold back its later work now. VALUE_ERROR as stream_check_consumer. `how` is one of
   * ANYSTREAM_ORDERED_… */
  anystream_status (*stream_order)(const anystream_stream* producer,
                                   const anystream_stream* consumer, int32_t* how);
  anystream_status (*stream_idle)(const anystream_stream* stream, int32_t* idle); /* never waits */
  /* May wait: until all earlier work has finished; asks first. how: HOST_WAIT or IDLE. */
  anystream_status (*stream_synchronize)(const anystream_stream* stream, int32_t* how);
  /* A new heap copy of the handle for a capsule of the platform (SYCL: a sycl::queue*), and what
   * frees it. */
  anystream_status (*stream_share)(const anystream_stream* stream, void** anystream_give handle,
                                   void (**release)(void* handle));

  /* -- events -- */
  anystream_status (*event_record)(const anystream_stream* stream,
                                   anystream_event** anystream_give out);
  /* May wait: for an event of another platform, and for an out-of-order stream as in stream_order.
   * VALUE_ERROR as stream_check_consumer. */
  anystream_status (*event_wait)(const anystream_stream* stream, const anystream_event* event);
  /* Never waits. */
  anystream_status (*event_query)(const anystream_event* event, int32_t* complete);
  /* May wait. */
  anystream_status (*event_synchronize)(const anystream_event* event);
  DLDevice (*event_device)(const anystream_event* event);
  void (*event_release)(anystream_event* event);

  /* -- arrays -- */
  /* The managed tensor is owned from the call on: its deleter runs exactly once, here if the import
   * is refused, else when the last reference goes. Shape and strides are copied; NULL strides
   * become row-major ones. EXCHANGE_ERROR: a major version other than 1, ndim < 0 or > 64, a
   * negative extent, a NULL shape with ndim > 0, a size that overflows, NULL data with elements, a
   * type of no bits or no lanes, a 6- or 4-bit type of another width. */
  anystream_status (*array_import)(DLManagedTensor* anystream_take managed,
                                   anystream_array** anystream_give out);
  anystream_status (*array_import_versioned)(DLManagedTensorVersioned* anystream_take managed,
                                             anystream_array** anystream_give out);
  /* Memory of the caller's: described by tensor (copied; strides may be NULL), kept alive by owner.
   * flags: DLPACK_FLAG_… . platform "": the one that owns the data, as in an import. Refuses what
   * an import refuses. */
  anystream_status (*array_wrap)(const DLTensor* tensor, uint64_t flags, const char* platform,
                                 anystream_owner anystream_take owner,
                                 anystream_array** anystream_give out);
  /* New row-major memory; stream may be NULL (the platform's default). */
  anystream_status (*array_empty)(DLDevice device, const char* platform, int32_t ndim,
                                  const int64_t* shape, DLDataType dtype,
                                  const anystream_stream* stream,
                                  anystream_array** anystream_give out);
  /* A copy on `target`, on its own memory, flagged IS_COPIED and never READ_ONLY. It runs on
   * `stream`, else on the array's own, after what is pending there. Within the host, and between
   * the host and a device: in row-major order without gaps; may wait, and is complete on return; a
   * large one has threads of its own meanwhile. Within a device: queued; the array lives as long as
   * the copy; strides are kept, since the bytes from the lowest to the highest element are copied,
   * so repeated (stride 0) elements stay repeated. EXCHANGE_ERROR: two devices of two platforms, no
   * stream to run on, or, where the host takes part, packed elements that share bytes in any other
   * than row-major order. */
  anystream_status (*array_copy)(const anystream_array* array, DLDevice target,
                                 const anystream_stream* stream,
                                 anystream_array** anystream_give out);
  /* The same memory as a kDLCPU array where the host may read it (USM shared and host); the caller
   * has waited. EXCHANGE_ERROR otherwise. */
  anystream_status (*array_host_view)(const anystream_array* array,
                                      anystream_array** anystream_give out);
  anystream_status (*array_memory_kind)(const anystream_array* array, int32_t* kind);
  void (*array_retain)(anystream_array* array);
  void (*array_release)(anystream_array* array);
  const DLTensor* (*array_tensor)(const anystream_array* array); /* keep, for the array's life */
  uint64_t (*array_flags)(const anystream_array* array);
  /* keep, for the process; "" opaque */
  const char* (*array_platform)(const anystream_array* array);
  anystream_stream* (*array_stream)(const anystream_array* array); /* keep; NULL if none is known */
  /* The stream that the array's work is on; NULL clears it. Where the array has a way back, it is
   * recorded (array_record_stream). TYPE_ERROR: of another platform than the array's. Not
   * concurrent with other uses. */
  anystream_status (*array_set_stream)(anystream_array* array, anystream_stream* stream);
  /* A further reference to the same memory, in DLPack's form. EXCHANGE_ERROR where the platform
   * cannot promise what the device type means (SYCL memory outside its platform's default context),
   * and for the unversioned form of a read-only or padded array. The flags are the array's without
   * IS_COPIED, since the array still uses the memory: a caller that gives up its own reference, as
   * the only one, sets that flag in what it was given. */
  anystream_status (*array_export)(anystream_array* array, DLManagedTensor** anystream_give out);
  anystream_status (*array_export_versioned)(anystream_array* array,
                                             DLManagedTensorVersioned** anystream_give out);

  const anystream_simulated_api* simulated;

  /* -- libraries of others -- */
  /* A function, by its symbol, of a library that the process has loaded from `file`, or of one that
   * it was linked with; NULL where there is none. Loads nothing; the library stays loaded. */
  void* (*find_function)(const char* file, const char* symbol); /* keep, for the process */

  /* -- the way back -- */
  /* What happens when the last reference of the array goes: policy is one of ANYSTREAM_RELEASE_… .
   * frees_in_order: the owner's release is ordered on home's stream by itself, or only gives up a
   * reference, so that it may be called while work is pending there; 0 for one that frees at once,
   * or that blocks until home is idle: it is then called when home's work so far is complete.
   * Arrays of the library's own memory (array_empty, array_copy) that have a stream have a way back
   * to it from the start. Home is kept. A second call replaces the first: what used the memory
   * still counts, the earlier home included. home NULL: no way back, the memory goes back at once.
   * A loan (array_export_lent) that lasts meanwhile is ordered at its end, by the way back that
   * there is then.
   * TYPE_ERROR: home is of another platform than the array's. VALUE_ERROR: no such policy.
   * DRIVER_UNAVAILABLE: this version cannot order on the platform; policy NONE is taken there. Not
   * concurrent with other uses of the array. */
  anystream_status (*array_set_way_back)(anystream_array* array, anystream_stream* home,
                                         int32_t policy, int32_t frees_in_order);
  /* The array's memory is used on this stream too, until the last reference goes or
   * array_order_back. Costs nothing for home itself. The stream may be out-of-order, whatever its
   * policy, and is kept. TYPE_ERROR: of another platform than the array's. VALUE_ERROR: the array
   * has no way back. Any thread. */
  anystream_status (*array_record_stream)(anystream_array* array, anystream_stream* stream);
  /* Now, and not only when the last reference goes: home's later work waits for the work so far on
   * the streams that use the array, which are then forgotten; those that it is lent to stay users.
   * Afterwards the producer may write on home. May wait: with the policy HOST, and where no device
   * can see to it. With the policy DEFERRED home does not wait: the memory is kept until that work
   * is done. With NONE, and without a way back, nothing. `how`: the costliest thing that was done,
   * ANYSTREAM_ORDERED_… . DRIVER_ERROR: streams that were not ordered are users still. */
  anystream_status (*array_order_back)(anystream_array* array, int32_t* how);
  int32_t (*array_release_policy)(const anystream_array* array); /* -1: it has no way back */
  /* As array_export, for a consumer that uses the array on `stream`: the deleter of the tensor does
   * with that stream's work of then what the policy says, and never throws. Any number of times;
   * the array's own last release waits for all that is left. NULL, home itself, an array without a
   * way back and policy NONE: a plain export. TYPE_ERROR: the stream is of another platform. */
  anystream_status (*array_export_lent)(anystream_array* array, anystream_stream* stream,
                                        DLManagedTensorVersioned** anystream_give out);
  anystream_status (*array_export_lent_legacy)(anystream_array* array, anystream_stream* stream,
                                               DLManagedTensor** anystream_give out);

  /* Releases that wait for the device: one list in the process. Each is done when its events are
   * complete: by one thread, started on demand, and at calls of the library (those below,
   * array_empty, array_copy, stream_synchronize); its owner's release is called from there, with no
   * lock held, and never from within another array's release. Where the device does not answer any
   * more the memory is kept for good, and the error is told once. A forked child keeps what the
   * parent had put off for good. */
  void (*releases_pending)(int64_t* number, uint64_t* bytes); /* either may be NULL */
  /* What releases_wait_for_room keeps to; 0 is no limit. At first 1024, and 256 MiB. VALUE_ERROR:
   * a negative number. */
  anystream_status (*releases_set_limit)(int64_t number, uint64_t bytes);
  /* May wait: for the oldest, until no more is pending than the limit. For who is about to take
   * more memory; never to be called in a deleter. */
  anystream_status (*releases_wait_for_room)(void);
  void (*releases_run)(void); /* does what is due; never waits for a device */
  /* May wait: until none is pending, at most for so many seconds (< 0: no limit). all: whether
   * none is. */
  anystream_status (*releases_flush)(double seconds, int32_t* all);
  /* May wait, as a flush: then the thread has ended, and what was still pending is kept for good.
   * Later releases are done at calls only, until releases_use_thread(1). For the end of a process,
   * or of an interpreter. */
  anystream_status (*releases_stop)(double seconds);
  /* handler(context, message) is told of what failed in a release, from any thread, without a lock;
   * it must not throw. NULL: it goes to stderr, as it does at first. */
  void (*releases_on_error)(void (*handler)(void* context, const char* message), void* context);
  /* 0: no thread, so that releases are done at calls only, for who must know when. At first 1. */
  void (*releases_use_thread)(int32_t use);
  /* keep; NULL without a way back */
  anystream_stream* (*array_home)(const anystream_array* array);
  /* A release by the policy HOST may wait in whatever thread lets an array go: then waiter(body,
   * context) is called, and calls body(context), once, with nothing held that others may need, such
   * as the GIL; or it returns 0 without, in a thread that must not wait, such as a worker of the
   * runtime's, and the release is put off. NULL: body is called as it is, as at first. */
  void (*releases_wait_by)(int32_t (*waiter)(void (*body)(void* context), void* context));
  /* is_foreign() tells, nonzero, that the calling thread may be a worker of a runtime's, which must
   * not submit work: what such a thread lets go is given back by the thread of the releases. NULL:
   * none is, as at first. */
  void (*releases_foreign_threads)(int32_t (*is_foreign)(void));
  /* is_in_deleter() tells, nonzero, that the calling thread runs a deleter that does not belong to
   * this library's arrays: nothing that was put off is done in there, nor waited for, as it is in
   * the owner's release of an array. Asked only while something is pending. NULL: nobody knows of
   * any, as at first. */
  void (*releases_ask_deleters)(int32_t (*is_in_deleter)(void));

  /* -- where work and memory are -- */
  /* Whether stream_order would do harm: to a capture into a graph, on CUDA and ROCm. Does nothing
   * else, so that a producer that orders by itself can be spared. consumer NULL: the host, which
   * would wait. ORDERING_ERROR says what is captured, and the way round. */
  anystream_status (*stream_check_order)(const anystream_stream* producer,
                                         const anystream_stream* consumer);
  /* The device that memory is on, and by its type what memory it is, as the driver says of the
   * pointer: for interfaces that name less than DLPack does. What the driver does not know, and
   * what has none here, stays where it is claimed to be. platform as in stream_resolve. */
  anystream_status (*memory_device)(DLDevice claimed, const char* platform, const void* data,
                                    DLDevice* out);
  /* Makes the device the calling thread's current one, for libraries that work on that only; a
   * context of it that is current already is left so. before: what device_leave is to be told,
   * ANYSTREAM_UNCHANGED where nothing was done. */
  anystream_status (*device_enter)(DLDevice device, const char* platform, uintptr_t* before);
  void (*device_leave)(DLDevice device, const char* platform, uintptr_t before);

  /* -- platforms of others -- */
  /* For the life of the process; owner is kept that long. The same platform a second time (each
   * field equal) is no error, and changes nothing: its owner is released. VALUE_ERROR: a device
   * type with a built-in platform, or one that has a platform of its own where this would be one;
   * the name of another platform of the type, or of a built-in one; a callback without the one that
   * it is needed with; a size that no version had. Arrays that were imported before do not become
   * the platform's. Any thread. */
  anystream_status (*platform_register)(const anystream_platform* platform,
                                        anystream_owner anystream_take owner);
  int32_t (*platform_count)(void); /* of those that were registered */
  /* In the order of their registration. VALUE_ERROR past the end. */
  anystream_status (*platform_info)(int32_t index, anystream_platform_info* out);
} anystream_api;

#define ANYSTREAM_UNCHANGED UINTPTR_MAX

/* The table; NULL if this library cannot serve a caller built against that version. Any thread. */
ANYSTREAM_EXPORT const anystream_api* anystream_get_api(uint32_t abi_major, uint32_t abi_minor);

#ifdef __cplusplus
}
#endif

#endif /* ANYSTREAM_C_API_H */
