# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
#
# The extension anystream._core: a user of the library's table like any other, found beside it.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(nanobind CONFIG REQUIRED)

file(GLOB anystream_bindings CONFIGURE_DEPENDS bindings/*.cpp)
nanobind_add_module(_core NOMINSIZE LTO NB_SUPPRESS_WARNINGS ${anystream_bindings})
target_link_libraries(_core PRIVATE anystream::anystream)
target_include_directories(_core PRIVATE ${PROJECT_SOURCE_DIR}/bindings)
anystream_compile_options(_core)

set(origin "$ORIGIN")
if(APPLE)
  set(origin "@loader_path")
endif()
set_target_properties(_core PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${origin}")

# Like the library: what templates of nanobind and of the standard library leave stays inside.
if(UNIX AND NOT APPLE)
  set(entry ${PROJECT_SOURCE_DIR}/cmake/extension.map)
  target_link_options(_core PRIVATE -Wl,--version-script=${entry})
  set_property(TARGET _core APPEND PROPERTY LINK_DEPENDS ${entry})
endif()

# unwinding.cpp stands before C++'s function, also for nanobind's frames. Without LTO, which does
# not see that the linker will have it called. 32-bit Arm's function has other parameters.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^arm")
  target_link_options(_core PRIVATE -Wl,--wrap=__gxx_personality_v0)
  set_source_files_properties(bindings/unwinding.cpp PROPERTIES
    COMPILE_OPTIONS -fno-lto COMPILE_DEFINITIONS ANYSTREAM_WRAPS_PERSONALITY)
endif()

if(ANYSTREAM_INPLACE)
  set_target_properties(anystream _core PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_SOURCE_DIR}/python/anystream)
endif()
