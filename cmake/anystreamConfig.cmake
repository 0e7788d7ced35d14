# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
#
# find_package(anystream): defines anystream::anystream. It needs no other package; dlpack.h lies
# beside our headers.
include("${CMAKE_CURRENT_LIST_DIR}/anystreamTargets.cmake")
