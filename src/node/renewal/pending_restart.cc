// SPDX-License-Identifier: Apache-2.0
#include "renewal/pending_restart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "certs/renewal.h"
#include "json/fields.h"
#include "workflow/state_file.h"

namespace renewal {
namespace {

constexpr std::int32_t kVersion = 1;

struct PendingRestart {
  std::int32_t version = 0;
  std::vector<std::string> certificates;
  static std::span<const json::Field> Fields();
};

std::span<const json::Field> PendingRestart::Fields() {
  static const json::Field fields[] = {
      json::Describe<&PendingRestart::version>("version"),
      json::Describe<&PendingRestart::certificates>("certificates"),
  };
  return fields;
}

std::vector<std::string> FromJson(const json::Value& json) {
  const auto pending = json::DecodeStrictly<PendingRestart>(json);
  if (pending.version != kVersion) {
    throw base::Error(fmt::format("its version is {}, and this program reads version {}",
                                  pending.version, kVersion));
  }
  for (const std::string& name : pending.certificates) {
    if (!std::ranges::contains(certs::Renewables(), name, &certs::Renewable::name)) {
      throw base::Error(fmt::format("\"{}\" is not a certificate that kubeadm renews", name));
    }
  }
  return pending.certificates;
}

}  // namespace

std::vector<std::string> LoadPendingRestart(const host::Files& files) {
  return workflow::LoadStateFile(
             files,
             workflow::StateFile{
                 .path = kPendingRestartFile,
                 .refusal = "{} is not a list of renewed certificates: {}; restart this node's "
                            "static Pods, and remove the file"},
             FromJson)
      .value_or(std::vector<std::string>());
}

void SavePendingRestart(host::Files& files, const std::vector<std::string>& certificates) {
  if (certificates.empty()) {
    files.Remove(host::fs::path(kPendingRestartFile));
    return;
  }
  workflow::SaveStateFile(
      files, kPendingRestartFile,
      json::Encode(PendingRestart{.version = kVersion, .certificates = certificates}));
}

}  // namespace renewal
