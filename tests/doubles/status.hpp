// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The codes that calls end with, and their names.
#pragma once

namespace doubles {

enum status : int {
#define DOUBLE_STATUS(value, name, cuda, hip, text) name = value,
#include "status.def"
#undef DOUBLE_STATUS
};

// Thrown to end a call with a code.
struct failure {
  status code;
};

[[noreturn]] inline void fail(status code) { throw failure{code}; }

inline void require(bool holds, status otherwise) {
  if (!holds) fail(otherwise);
}

struct status_words {
  int value;
  const char* cuda;
  const char* hip;
  const char* text;
};

// Null for a number that is no status.
const status_words* words_of(int value);

}  // namespace doubles
