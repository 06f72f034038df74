// SPDX-License-Identifier: Apache-2.0
// Resolution of versions and labels such as "v1.36.3", "stable-1" or "ci/latest" (reference:
// config-api.md §6).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/version.h"

namespace config {

// Returns the body of a GET request, with a timeout of 10 s. Throws base::Error(kUnavailable) if
// the request fails, and immediately if the host has no route.
using Fetch = std::function<std::string(const std::string& url)>;

// The version of a label such as "stable-1" or "ci/latest".
struct ResolvedVersion {
  std::string version;     // "v1.36.3"
  std::string ci_version;  // "ci/v1.37.0-alpha.0.12+0123456789abcd" of a CI label
};

// Parses a version, or fetches the version of a label. `kubeadm` is the version of this program. If
// the label cannot be fetched, warns and uses a version that fits `kubeadm`. If the label resolves
// to a newer minor version than kubeadm's, uses the newest version of kubeadm's minor version.
// Throws base::Error(kInvalid) for any other string.
ResolvedVersion ResolveVersion(const std::string& text, const Fetch& fetch,
                               const base::Version& kubeadm);

// Throws base::Error(kInvalid) if `version` is older than all releases that this program knows.
// Accepts a newer version, because preflight warns of it.
void CheckControlPlaneVersion(const std::string& version);

}  // namespace config
