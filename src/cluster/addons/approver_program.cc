// SPDX-License-Identifier: Apache-2.0
#include "addons/approver_program.h"

#include <fmt/core.h>

#include "base/error.h"

namespace addons {
namespace {

using base::Error;

constexpr std::string_view kProgram = "cluster-machine-approver";

std::optional<std::string> ProgramOf(const config::KubeletServingCerts& serving,
                                     const host::Host& host) {
  if (serving.program.empty()) {
    return host.processes.FindExecutable(kProgram);
  }
  return host.files.Exists(serving.program) ? std::optional(serving.program) : std::nullopt;
}

}  // namespace

ApproverProgram ChooseApprover(const config::KubeletServingCerts& serving, const host::Host& host) {
  if (!serving.image.empty()) {
    return {.image = serving.image, .allowed_cidrs = serving.allowed_cidrs};
  }
  std::optional<std::string> path = ProgramOf(serving, host);
  if (!path) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("serving certificates of kubelets need an approver, but {} is not "
                    "there: install {} on every control-plane node, or name its image in "
                    "kubeletServingCerts.image of an {}",
                    serving.program.empty() ? fmt::format("{} in PATH", kProgram) : serving.program,
                    kProgram, config::kExtensionKind));
  }
  return {.path = *std::move(path), .allowed_cidrs = serving.allowed_cidrs};
}

}  // namespace addons
