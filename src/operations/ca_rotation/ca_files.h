// SPDX-License-Identifier: Apache-2.0
// What a step of a rotation writes into the files of a node. Files that are further than a step are
// left as they are.
#pragma once

#include <set>
#include <vector>

#include "ca_rotation/place.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {

// TouchedFiles are all that the steps may write, but for the saved pairs.
std::vector<host::fs::path> TouchedFiles(const Place& place,
                                         const config::ClusterConfiguration& cluster);

// SetAnchors makes all files trust exactly these of the old and the new one, the signing one first.
// What is as it should be is not written; foreign CAs in kubeconfig files stay.
void SetAnchors(const Place& place, const std::vector<Anchor>& anchors);

// The steps of a control plane node. WriteTrust and WriteDrop return the components whose manifests
// they changed. WriteReissue does not renew the kubelet's certificate.
std::set<components::Component> WriteTrust(const Place& place);
void WriteReissue(const Place& place, const certs::RenewalContext& renewal);
std::set<components::Component> WriteDrop(const Place& place);

}  // namespace ca_rotation
