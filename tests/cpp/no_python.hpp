// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a Python interpreter is in the process: anystream's library needs none.
#pragma once

#include <dlfcn.h>

inline bool no_python_is_loaded() { return dlsym(RTLD_DEFAULT, "Py_IsInitialized") == nullptr; }
