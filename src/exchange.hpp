// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// DLPack's managed tensors, in and out.
#pragma once

#include "array.hpp"

namespace anystream::core {

// Own the managed tensor from the call on: its deleter runs once, here where this throws. Throws
// exchange_error for what cannot be taken, value_error for NULL.
array_ref import_managed(DLManagedTensor* managed);
array_ref import_managed(DLManagedTensorVersioned* managed);

// A further reference to the array. Throws exchange_error where the form or the device type cannot
// say what the array is. IS_COPIED is left out, since the array goes on using the memory.
DLManagedTensor* export_managed(array& array);
DLManagedTensorVersioned* export_versioned(array& array);

// The same for a consumer on that stream (null: any): when its tensor's deleter runs, the array's
// way back is gone for what the stream has to do by then. Throws type_error for a stream of another
// platform.
DLManagedTensor* lend_managed(array& array, stream* user);
DLManagedTensorVersioned* lend_versioned(array& array, stream* user);

}  // namespace anystream::core
