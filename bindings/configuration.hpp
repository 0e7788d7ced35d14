// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What the Python package told the extension at import: how to make its values, its rows about
// stream classes, and where drivers may be.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <anystream/c_api.h>

namespace anystream::python {

// How the handle of a stream object of some library is read.
enum class handle_source {
  attribute,  // a property: an int, None, or an object with __int__; dotted names go deeper
  call,       // a method that returns such a value
  integer,    // int(object)
  protocol,   // __cuda_stream__
  capsule,    // a method that returns the platform's stream capsule
  object,     // none is read: the object itself is the handle
  function    // a function of the registrant's, called with the object
};

// What decides the family of a class whose objects are not all streams of one platform.
struct family_choice {
  std::vector<nanobind::object> path;  // interned names of the attribute, dots split
  // Its value and the family; a value of "" stands for any: that the attribute is there decides.
  std::vector<std::pair<std::string, std::string>> families;
};

// A row of the peers table about one stream class.
struct stream_class {
  std::string module;
  std::string qualname;
  std::string family;  // empty where the object chooses
  family_choice choice;
  handle_source source;
  std::vector<nanobind::object> path;  // interned names: of the attribute or method, dots split
  nanobind::object function;
  int null_means;
};

// New references; they throw nanobind::python_error if the package is not there yet.
nanobind::object make_device(DLDevice device, const char* platform);
nanobind::object make_dtype(DLDataType dtype);

// Borrowed; what from_dlpack calls. Null before _configure.
PyObject* import_array_function() noexcept;

// The class of plans: immutable, and nothing in one leads to an array. Null before _configure.
extern PyTypeObject* plan_type;

const std::vector<stream_class>& stream_classes() noexcept;
// Counts up when the rows change: what was remembered about types is void then.
unsigned stream_classes_generation() noexcept;

// Asks the package, once, whether other installed packages know of more; true where there are new
// rows since. For what nobody here knows. With the GIL; runs foreign code.
bool load_entry_points();

// The ints that libraries vouch for as addresses of living queues of theirs; any container of ints.
nanobind::object known_sycl_queues();

// Asks the package for the folders of drivers, once, and hands them to the core. Call it before any
// call that may open a driver. With the GIL.
void provide_search_paths();

void register_configuration(nanobind::module_& m);

}  // namespace anystream::python
