// SPDX-License-Identifier: Apache-2.0
// The changes of a rotation's step to the files of a node. Files in a later state than the step are
// not changed.
#pragma once

#include <optional>
#include <vector>

#include "ca_rotation/place.h"
#include "static_pods/restart.h"

namespace ca_rotation {

// Returns all files that the steps may write, except for the saved pairs.
std::vector<host::fs::path> TouchedFiles(const Place& place,
                                         const config::ClusterConfiguration& cluster);

// Makes all files trust exactly these of the old and the new one, the signing one first. Correct
// files are not written; other CAs in kubeconfig files stay.
void SetAnchors(const Place& place, const std::vector<Anchor>& anchors);

// The steps of a control plane node. They write all files except manifests: they return the
// controller manager's new Pod if it must sign with another file. WriteReissue does not renew the
// kubelet's certificate.
std::optional<static_pods::Replacement> WriteTrust(const Place& place);
std::optional<static_pods::Replacement> WriteReissue(const Place& place,
                                                     const certs::RenewalContext& renewal);
std::optional<static_pods::Replacement> WriteDrop(const Place& place);

}  // namespace ca_rotation
