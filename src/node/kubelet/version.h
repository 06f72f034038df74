// SPDX-License-Identifier: Apache-2.0
// The version of a kubelet's program.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/version.h"
#include "host/host.h"

namespace kubelet {

// The version, or the reason why it is unknown.
using ProgramVersion = std::expected<base::Version, std::string>;

// Parses the output of `kubelet --version`, "Kubernetes v1.37.2".
ProgramVersion ParseVersion(std::string_view output);

// Runs `PROGRAM --version`. `program` is a path, or a name in PATH. A failure is the
// reason in the result.
ProgramVersion CollectVersion(host::Host& host, const host::fs::path& program = "kubelet");

}  // namespace kubelet
