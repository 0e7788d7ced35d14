# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
#
# The options of the build, and the flags that follow from them.

if(DEFINED SKBUILD)
  set(python_build ON)
else()
  set(python_build OFF)
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT python_build)
  set(own_build ON)
else()
  set(own_build OFF)
endif()

option(ANYSTREAM_BUILD_PYTHON "Build the Python extension anystream._core" ${python_build})
option(ANYSTREAM_BUILD_TESTS "Build the C++ tests and examples" ${own_build})
option(ANYSTREAM_BUILD_FUZZERS "Build the libFuzzer targets, which takes clang" OFF)
option(ANYSTREAM_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
option(ANYSTREAM_INPLACE "Put the library and the extension into python/anystream" OFF)
option(ANYSTREAM_WERROR "Treat warnings as errors" OFF)
set(ANYSTREAM_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

# Flags of everything that we compile.
function(anystream_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 $<$<BOOL:${ANYSTREAM_WERROR}>:/WX>)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic $<$<BOOL:${ANYSTREAM_WERROR}>:-Werror>)
  if(ANYSTREAM_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${ANYSTREAM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${ANYSTREAM_SANITIZE})
  endif()
endfunction()

# Flags of the shared library. Deleters and worker threads may run to the very end of the process,
# so it is never unloaded. Nothing but the C table is exported, templates of the standard library
# included. What it needs must be there when it is linked.
function(anystream_link_options target)
  if(APPLE)
    target_link_options(${target} PRIVATE -Wl,-exported_symbol,_anystream_get_api)
  elseif(UNIX)
    set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE -Wl,-z,nodelete -Wl,--version-script=${exports})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
    if(NOT ANYSTREAM_SANITIZE) # their symbols come from the program
      target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
  endif()
  if(ANYSTREAM_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${ANYSTREAM_SANITIZE})
  endif()
endfunction()
