// SPDX-License-Identifier: Apache-2.0
// The meaning of a container runtime's answers, independent of the transport.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "cri/runtime.h"

namespace cri {

// Adds "unix://" to a bare path, for messages.
std::string WithScheme(const std::string& endpoint);

// Converts the error of http::Client for a runtime that did not answer. The result has the kind
// kUnavailable, kTimeout or kOther.
base::Error NoAnswer(std::string_view endpoint, const base::Error& error);

// Creates the error for a gRPC status (the codes of google.rpc.Code): kNotFound, kUnavailable,
// kTimeout, or kOther with the runtime's message.
base::Error CallError(std::string_view endpoint, int code, std::string_view message);

// A RuntimeCondition of the CRI.
struct Condition {
  std::string type;  // "RuntimeReady", "NetworkReady"
  bool status = false;
  std::string reason;
  std::string message;
};

// Adds one condition to the runtime's status.
void AddCondition(const Condition& condition, RuntimeStatus& status);

// Finds the image of Pod sandboxes in `config`, the JSON of the verbose status of containerd and
// CRI-O. Returns "" if it is missing.
std::string SandboxImageIn(std::string_view config);

}  // namespace cri
