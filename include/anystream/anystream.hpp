// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// All of anystream, for examples and small programs; other code includes what it uses.
#pragma once

#include <anystream/api.hpp>
#include <anystream/array.hpp>
#include <anystream/device.hpp>
#include <anystream/dtype.hpp>
#include <anystream/error.hpp>
#include <anystream/event.hpp>
#include <anystream/exchange.hpp>
#include <anystream/layout.hpp>
#include <anystream/release.hpp>
#include <anystream/stream.hpp>
#include <anystream/tensor_check.hpp>
#include <anystream/version.hpp>
