// SPDX-License-Identifier: Apache-2.0
// What a step of a rotation writes into the files of a node. Files that are further than a step are
// left as they are.
#pragma once

#include <optional>
#include <vector>

#include "ca_rotation/place.h"
#include "static_pods/restart.h"

namespace ca_rotation {

// TouchedFiles are all that the steps may write, but for the saved pairs.
std::vector<host::fs::path> TouchedFiles(const Place& place,
                                         const config::ClusterConfiguration& cluster);

// SetAnchors makes all files trust exactly these of the old and the new one, the signing one first.
// What is as it should be is not written; foreign CAs in kubeconfig files stay.
void SetAnchors(const Place& place, const std::vector<Anchor>& anchors);

// The steps of a control plane node. They write all but manifests: they return the controller
// manager's new Pod where it is to sign with another file. WriteReissue does not renew the
// kubelet's certificate.
std::optional<static_pods::Replacement> WriteTrust(const Place& place);
std::optional<static_pods::Replacement> WriteReissue(const Place& place,
                                                     const certs::RenewalContext& renewal);
std::optional<static_pods::Replacement> WriteDrop(const Place& place);

}  // namespace ca_rotation
