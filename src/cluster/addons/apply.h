// SPDX-License-Identifier: Apache-2.0
// Applying the objects of an addon whose program is part of this project.
#pragma once

#include <vector>

#include "json/fwd.h"
#include "kube/client.h"

namespace addons {

// Applies the manifests in their order. An existing object gets the members and labels of its
// manifest, and keeps its other metadata. Leases and ConfigMaps are the state of the program: an
// existing one is left unchanged. Throws base::Error(kOther) for a kind that no addon has. Also
// throws the errors of kube::Client.
void ApplyManifests(kube::Client& client, const std::vector<json::Value>& manifests);

}  // namespace addons
