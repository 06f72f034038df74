// SPDX-License-Identifier: Apache-2.0
// The new authority of a rotation: made on one node, brought to the others of the control plane.
#pragma once

#include <string>

#include "ca_rotation/node.h"

namespace ca_rotation {

// Begin draws the new authority, if none lies ready, and makes it known to the cluster. Throws
// base::Error: kInvalid when the file of the authority holds several, kAlreadyExists when another
// node was quicker.
void Begin(const Node& node, const Situation& situation);

// FetchPair downloads the new authority with a certificate key (hex). Throws base::Error: kNotFound
// when it is not there (any more), kInvalid when it is another rotation's.
void FetchPair(const Node& node, const Record& record, const std::string& certificate_key);

// UploadPair stores the new authority in the cluster for two hours, encrypted with the key (hex)
// that it returns. Throws base::Error(kNotFound) when the pair is not on this node.
std::string UploadPair(const Node& node);

// RemoveSavedPairs removes the directory of a rotation that this node has finished.
void RemoveSavedPairs(const Node& node);

}  // namespace ca_rotation
