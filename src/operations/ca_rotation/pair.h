// SPDX-License-Identifier: Apache-2.0
// The new authority of a rotation: created on one node, copied to the others of the control plane.
#pragma once

#include <string>

#include "ca_rotation/node.h"

namespace ca_rotation {

// Generates the new authority, unless one is prepared, and publishes it to the cluster. Throws
// base::Error: kInvalid if the file of the authority has several, kAlreadyExists if another node
// was faster.
void Begin(const Node& node, const Situation& situation);

// Downloads the new authority with a certificate key (hex). Throws base::Error: kNotFound if it is
// missing or has expired, kInvalid if it belongs to another rotation.
void FetchPair(const Node& node, const Record& record, const std::string& certificate_key);

// Stores the new authority in the cluster for two hours, encrypted with the key (hex) that it
// returns. Throws base::Error(kNotFound) if the pair is not on this node.
std::string UploadPair(const Node& node);

// Removes the directory of a rotation that this node has completed.
void RemoveSavedPairs(const Node& node);

}  // namespace ca_rotation
