// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The exceptions of anystream. Each stands for one status of the C table, and for one Python class.
//
// Every message says what was got, what is accepted and how to fix it; its first line is complete
// on its own. They are thrown by the headers and inside the library, and never cross the C table.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace anystream {

// An argument of the wrong type. Python: TypeError.
class type_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// An argument of the right type with a wrong value. Python: ValueError.
class value_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The exchange is impossible, or would need a copy that was forbidden. Python: BufferError, which
// is the array API standard's choice.
class exchange_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The order cannot be proved on the device, and strict mode asks for that. Python: OrderingError.
class ordering_error : public exchange_error {
 public:
  using exchange_error::exchange_error;
};

// A function of a vendor's library failed. Python: anystream.DriverError.
class driver_error : public std::runtime_error {
 public:
  driver_error(std::string api, std::int64_t code, std::string code_name,
               const std::string& message)
      : std::runtime_error(message),
        api_(std::move(api)),
        code_(code),
        code_name_(std::move(code_name)) {}

  const std::string& api() const noexcept { return api_; }  // the vendor's function; may be empty
  std::int64_t code() const noexcept { return code_; }      // the vendor's code; 0 if there is none
  const std::string& code_name() const noexcept { return code_name_; }

 private:
  std::string api_;
  std::int64_t code_;
  std::string code_name_;
};

// A vendor's library is not there, or lacks what is needed; the message lists every place that was
// tried. Python: anystream.DriverUnavailable.
class driver_unavailable : public driver_error {
 public:
  explicit driver_unavailable(const std::string& message) : driver_error("", 0, "", message) {}
};

// A fault of anystream itself. Python: SystemError.
class internal_error : public std::logic_error {
 public:
  explicit internal_error(const std::string& what)
      : std::logic_error("internal error: " + what + ". Please report it.") {}
};

}  // namespace anystream
