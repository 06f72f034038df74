// SPDX-License-Identifier: Apache-2.0
// The readable versions of group kubeadm.k8s.io, as bits of json::Versions.
#pragma once

#include "json/fields.h"

namespace config {

// v1beta3 is deprecated: it is read, but never written. v1beta4 is read and written. v1 is
// experimental: it is read from a cluster, and from a file if the user allows it.
inline constexpr json::Versions kV1beta3 = 1;
inline constexpr json::Versions kV1beta4 = 2;
inline constexpr json::Versions kV1 = 4;
inline constexpr json::Versions kSinceV1beta4 = kV1beta4 | kV1;

}  // namespace config
