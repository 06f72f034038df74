// SPDX-License-Identifier: Apache-2.0
// What a container runtime's answers mean, apart from the wire.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "cri/runtime.h"

namespace cri {

// WithScheme puts "unix://" before a bare path, as messages show it.
std::string WithScheme(const std::string& endpoint);

// NoAnswer says of a runtime what kept http::Client from getting its answer: kUnavailable,
// kTimeout, kCancelled, or kOther.
base::Error NoAnswer(std::string_view endpoint, const base::Error& error);

// CallError makes the error for a gRPC status (the codes of google.rpc.Code); kNotFound,
// kUnavailable, kTimeout, kCancelled, or kOther with the runtime's message.
base::Error CallError(std::string_view endpoint, int code, std::string_view message);

// Condition is a RuntimeCondition of the CRI.
struct Condition {
  std::string type;  // "RuntimeReady", "NetworkReady"
  bool status = false;
  std::string reason;
  std::string message;
};

// AddCondition enters one condition of the runtime's status.
void AddCondition(const Condition& condition, RuntimeStatus& status);

// SandboxImageIn finds the image of Pod sandboxes in the JSON text that containerd and CRI-O give
// as verbose status information; "" when it is not there.
std::string SandboxImageIn(std::string_view config);

}  // namespace cri
