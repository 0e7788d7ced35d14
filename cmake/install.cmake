# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
#
# What is installed: component `cpp`, the C++ package; component `python`, what a wheel holds.

include(CMakePackageConfigHelpers)

# The library, its headers and a CMake package that finds them from where it lies.
function(anystream_install_package component library_folder include_folder package_folder)
  set(rest ${ARGN})
  install(TARGETS anystream EXPORT anystream_${component}
          LIBRARY DESTINATION ${library_folder} COMPONENT ${component} ${rest}
          ARCHIVE DESTINATION ${library_folder} COMPONENT ${component} ${rest}
          RUNTIME DESTINATION ${library_folder} COMPONENT ${component} ${rest}
          INCLUDES DESTINATION ${include_folder})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/anystream ${anystream_dlpack_include}/dlpack
          DESTINATION ${include_folder} COMPONENT ${component} ${rest})
  install(EXPORT anystream_${component} NAMESPACE anystream:: FILE anystreamTargets.cmake
          DESTINATION ${package_folder} COMPONENT ${component} ${rest})
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/anystreamConfig.cmake
                ${PROJECT_BINARY_DIR}/anystreamConfigVersion.cmake
          DESTINATION ${package_folder} COMPONENT ${component} ${rest})
endfunction()

write_basic_package_version_file(${PROJECT_BINARY_DIR}/anystreamConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)

if(ANYSTREAM_INSTALL AND NOT DEFINED SKBUILD)
  anystream_install_package(cpp ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR}
                            ${CMAKE_INSTALL_LIBDIR}/cmake/anystream)
endif()
if(ANYSTREAM_BUILD_PYTHON AND DEFINED SKBUILD)
  anystream_install_package(python anystream anystream/include anystream/cmake)
  install(TARGETS _core LIBRARY DESTINATION anystream COMPONENT python)
endif()
