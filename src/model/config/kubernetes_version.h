// SPDX-License-Identifier: Apache-2.0
// Which version of Kubernetes a text such as "v1.36.3", "stable-1" or "ci/latest" means
// (reference: config-api.md §6).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/version.h"

namespace config {

// Fetch returns the body of a GET within 10 s. Throws base::Error when that fails; a host without
// a route fails at once.
using Fetch = std::function<std::string(const std::string& url)>;

// ResolvedVersion is what a label such as "stable-1" or "ci/latest" stands for.
struct ResolvedVersion {
  std::string version;     // "v1.36.3"
  std::string ci_version;  // "ci/v1.37.0-alpha.0.12+0123456789abcd" when a CI build was asked for
};

// ResolveVersion reads a version, or fetches what a label stands for. When the label cannot be
// fetched it warns and falls back to a version that fits this program's own, `kubeadm`. A label
// that leads beyond `kubeadm`'s minor version is replaced by the newest of that minor version.
// Throws base::Error(kInvalid) for a text that is neither.
ResolvedVersion ResolveVersion(const std::string& text, const Fetch& fetch,
                               const base::Version& kubeadm);

// CheckControlPlaneVersion throws base::Error(kInvalid) when `version` is older than all releases
// that this program knows. A newer one passes: preflight warns of it.
void CheckControlPlaneVersion(const std::string& version);

}  // namespace config
