// SPDX-License-Identifier: Apache-2.0
// The readable versions of group kubeadm.k8s.io, as bits of json::Versions.
#pragma once

#include "json/fields.h"

namespace config {

// v1beta3 is deprecated: it is read, never written. v1beta4 is written. v1 is experimental: it is
// read if the user allows it, and from a cluster.
inline constexpr json::Versions kV1beta3 = 1;
inline constexpr json::Versions kV1beta4 = 2;
inline constexpr json::Versions kV1 = 4;
inline constexpr json::Versions kSinceV1beta4 = kV1beta4 | kV1;

}  // namespace config
