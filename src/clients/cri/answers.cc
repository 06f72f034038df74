// SPDX-License-Identifier: Apache-2.0
#include "cri/answers.h"

#include <fmt/core.h>

#include "http/rpc/status.h"

namespace cri {
namespace {

using Kind = base::Error::Kind;
using rpc::Code;

}  // namespace

std::string WithScheme(const std::string& endpoint) {
  return endpoint.starts_with('/') ? "unix://" + endpoint : endpoint;
}

base::Error NoAnswer(std::string_view endpoint, const base::Error& error) {
  switch (error.kind()) {
    case Kind::kUnavailable:
      return CallError(endpoint, static_cast<int>(Code::kUnavailable), error.message());
    case Kind::kTimeout:
      return CallError(endpoint, static_cast<int>(Code::kDeadlineExceeded), "");
    default:
      return base::Error(fmt::format("the container runtime at {} cannot be queried: {}", endpoint,
                                     error.message()));
  }
}

base::Error CallError(std::string_view endpoint, int code, std::string_view message) {
  switch (static_cast<Code>(code)) {
    case Code::kUnavailable: {
      const std::string_view cause = rpc::LastCause(message);
      return {Kind::kUnavailable,
              fmt::format("cannot connect to the container runtime at {}: {}: {}", endpoint, cause,
                          cause == "permission denied" ? "run this as root" : "is it running?")};
    }
    case Code::kDeadlineExceeded:
      return {Kind::kTimeout,
              fmt::format("the container runtime at {} does not answer in time", endpoint)};
    case Code::kUnimplemented:
      return base::Error(
          fmt::format("the container runtime at {} does not offer version v1 of the CRI: {}",
                      endpoint, message));
    default:
      return {static_cast<Code>(code) == Code::kNotFound ? Kind::kNotFound : Kind::kOther,
              fmt::format("the container runtime at {} answers: {}", endpoint, message)};
  }
}

void AddCondition(const Condition& condition, RuntimeStatus& status) {
  if (condition.type == "RuntimeReady") {
    status.runtime_ready = condition.status;
    if (!condition.status) {
      status.runtime_message = condition.reason.empty()
                                   ? condition.message
                                   : condition.reason + ": " + condition.message;
    }
  } else if (condition.type == "NetworkReady") {
    status.network_ready = condition.status;
  }
}

std::string SandboxImageIn(std::string_view config) {
  constexpr std::string_view kKey = "\"sandboxImage\"";
  const auto key = config.find(kKey);
  if (key == std::string_view::npos) {
    return "";
  }
  const auto begin = config.find('"', key + kKey.size());
  const auto end = begin == std::string_view::npos ? begin : config.find('"', begin + 1);
  return end == std::string_view::npos ? ""
                                       : std::string(config.substr(begin + 1, end - begin - 1));
}

}  // namespace cri
