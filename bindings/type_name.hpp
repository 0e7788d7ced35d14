// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// What a Python type is called. Its metaclass may do anything when it is asked: then it has no
// name.
#pragma once

#include <Python.h>

#include <string>

namespace anystream::python {

// As Python has them, for comparing; "" where there is none.
std::string module_of(PyTypeObject* type);
std::string qualname_of(PyTypeObject* type);

// As its users know it, for messages: "torch.Tensor", "int"; "dpctl.SyclQueue" of the class that is
// written in dpctl._sycl_queue, since users never see a module whose name begins with "_".
std::string type_name(PyTypeObject* type);

// "a torch.Tensor", "an int"
std::string with_article(const std::string& name);

}  // namespace anystream::python
