// SPDX-License-Identifier: Apache-2.0
// Errors that tests expect.
#pragma once

#include <gtest/gtest.h>

#include "base/error.h"

namespace base {

// Thrown is the error that `body` throws; the test fails when it throws none.
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

}  // namespace base
