// SPDX-License-Identifier: Apache-2.0
// Errors and interruptions that tests expect.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"

namespace base {

// Returns the error that `body` throws; the test fails if it throws none.
template <typename Body>
Error Thrown(Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("none");
}

// Returns the message with which `body` is interrupted; the test fails if it is not.
template <typename Body>
std::string InterruptionOf(Body&& body) {
  try {
    std::forward<Body>(body)();
  } catch (const Interrupted& interrupted) {
    return interrupted.message();
  }
  ADD_FAILURE() << "not interrupted";
  return "";
}

// Returns the message of the error that `body` throws, "" if `body` throws none. The test fails if
// the error has another kind than the given one.
template <typename Body>
std::string MessageOf(Body&& body, std::optional<Error::Kind> kind = {}) {
  try {
    std::forward<Body>(body)();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind.value_or(error.kind())) << error.message();
    return error.message();
  }
  return "";
}

}  // namespace base
