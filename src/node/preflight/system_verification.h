// SPDX-License-Identifier: Apache-2.0
// SystemVerification: whether this kernel can run containers (reference: preflight.md §7).
#pragma once

#include <optional>
#include <string>

#include "base/version.h"
#include "checks/finding.h"
#include "host/host.h"
#include "preflight/cgroups.h"

namespace preflight {

// The kernel's own facts.
struct SystemFacts {
  std::string kernel_name;                   // "Linux"
  std::string kernel_release;                // "6.1.0-40-amd64"
  std::optional<std::string> kernel_config;  // not set: found nowhere
  std::optional<Cgroups> cgroups;            // not set: none are mounted
  base::Version kubelet;                     // decides about version 1 of control groups
};

// Checks kernel, operating system and control groups, in that order. Evidence of its first error is
// all values that it checked, a line each ("CONFIG_NET_NS: enabled").
checks::Findings JudgeSystem(const SystemFacts& facts);

// Reads the machine.
SystemFacts GatherSystem(host::Host& host, const base::Version& kubelet);

}  // namespace preflight
