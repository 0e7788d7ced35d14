// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells callgrind where counting begins and ends: hot_paths.py calls these by ctypes.
#include <valgrind/callgrind.h>

extern "C" {

void callgrind_begin() {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

// Writes what was counted since, under a name.
void callgrind_end(const char* name) {
  CALLGRIND_DUMP_STATS_AT(name);
  CALLGRIND_STOP_INSTRUMENTATION;
}

}  // extern "C"
