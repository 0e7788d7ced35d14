# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds dlpack.h: DLPACK_INCLUDE_DIR, else find_package(dlpack), else the apache-tvm-ffi wheel.

set(DLPACK_INCLUDE_DIR "" CACHE PATH "The folder that holds dlpack/dlpack.h")

function(anystream_dlpack_of_package out)
  set(${out} "" PARENT_SCOPE)
  find_package(dlpack CONFIG QUIET)
  if(TARGET dlpack::dlpack)
    get_target_property(folders dlpack::dlpack INTERFACE_INCLUDE_DIRECTORIES)
    find_file(found dlpack/dlpack.h PATHS ${folders} NO_CACHE NO_DEFAULT_PATH)
    if(found)
      set(${out} "${found}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# find_spec tells where a package is without importing it.
function(anystream_dlpack_of_wheel out)
  set(${out} "" PARENT_SCOPE)
  find_package(Python COMPONENTS Interpreter QUIET)
  string(CONCAT script "from importlib.util import find_spec; "
                "print(*find_spec('tvm_ffi').submodule_search_locations)")
  if(Python_EXECUTABLE)
    execute_process(
      COMMAND ${Python_EXECUTABLE} -c "${script}"
      OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND EXISTS "${folder}/include/dlpack/dlpack.h")
      set(${out} "${folder}/include/dlpack/dlpack.h" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Sets `out` to a folder of the build tree that holds dlpack/dlpack.h and nothing else, so that no
# other header beside it is seen by accident.
function(anystream_find_dlpack out)
  if(DLPACK_INCLUDE_DIR)
    set(header "${DLPACK_INCLUDE_DIR}/dlpack/dlpack.h")
    if(NOT EXISTS "${header}")
      message(FATAL_ERROR
              "DLPACK_INCLUDE_DIR must hold dlpack/dlpack.h; got ${DLPACK_INCLUDE_DIR}")
    endif()
  else()
    anystream_dlpack_of_package(header)
    if(NOT header)
      anystream_dlpack_of_wheel(header)
    endif()
  endif()
  if(NOT header)
    message(FATAL_ERROR
      "dlpack.h was not found: not by DLPACK_INCLUDE_DIR (not set), not by find_package(dlpack), "
      "not in the apache-tvm-ffi wheel of the Python found (${Python_EXECUTABLE}).\n"
      "Set DLPACK_INCLUDE_DIR to a folder that holds dlpack/dlpack.h, or: "
      "pip install apache-tvm-ffi")
  endif()
  file(STRINGS "${header}" line REGEX "define DLPACK_MAJOR_VERSION ")
  if(NOT line MATCHES " 1$")
    message(FATAL_ERROR "anystream takes dlpack.h 1.x; got ${header}, which says: ${line}")
  endif()
  message(STATUS "dlpack.h: ${header}")
  set(folder "${PROJECT_BINARY_DIR}/dlpack_include")
  configure_file("${header}" "${folder}/dlpack/dlpack.h" COPYONLY)
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()
