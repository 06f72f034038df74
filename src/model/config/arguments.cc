// SPDX-License-Identifier: Apache-2.0
#include "config/arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/problems.h"
#include "base/strings.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 31> kAllowedWithConfig{
    "config",
    "ignore-preflight-errors",
    "dry-run",
    "kubeconfig",
    "node-name",
    "kubeconfig-dir",
    "upload-certs",
    "kubelet-serving-certs",
    "node-bound-tokens",
    "fleet",
    "fleet-image",
    "fleet-kubeadm-image",
    "print-manifest",
    "keep",
    "allow-missing-template-keys",
    "output",
    "timeline",
    "lock-timeout",
    "show-managed-fields",
    "print-join-command",
    "rootfs",
    "v",
    "log-file",
    "yes",
    "path",
    "node-packages",
    "upgrade-kubelet-command",
    "replace-dead-member",
    "identity-document",
    "identity-endpoint",
    "tpm",
};

bool Allowed(const std::string& flag) {
  return flag.starts_with("skip-") ||
         std::ranges::find(kAllowedWithConfig, flag) != kAllowedWithConfig.end();
}

}  // namespace

std::vector<std::string> MixedArguments(std::span<const std::string> changed_flags) {
  std::vector<std::string> mixed;
  if (std::ranges::find(changed_flags, "config") == changed_flags.end()) {
    return mixed;
  }
  std::ranges::remove_copy_if(changed_flags, std::back_inserter(mixed), Allowed);
  std::ranges::sort(mixed);
  return mixed;
}

void RequireUnmixedArguments(std::span<const std::string> changed_flags) {
  const std::vector<std::string> mixed = MixedArguments(changed_flags);
  if (!mixed.empty()) {
    throw base::Error(
        base::Error::Kind::kUsage,
        fmt::format("can not mix '--config' with arguments [{}]", base::Join(mixed, " ")));
  }
}

std::set<std::string> IgnoredPreflightErrors(std::span<const std::string> flag,
                                             std::span<const std::string> configured) {
  std::set<std::string> ignored;
  for (const auto& names : {flag, configured}) {
    for (const std::string& name : names) {
      ignored.insert(base::ToLower(name));
    }
  }
  if (ignored.contains("all") && ignored.size() > 1) {
    const std::vector<std::string> shown(ignored.begin(), ignored.end());
    throw base::Error(
        base::Error::Kind::kUsage,
        "ignore-preflight-errors: " +
            base::InvalidValue(base::Quoted(base::Join(shown, ",")),
                               "\"all\" already includes every check, name no other"));
  }
  return ignored;
}

}  // namespace config
