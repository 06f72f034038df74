// SPDX-License-Identifier: Apache-2.0
// The key pair of the new authority. One control-plane node creates it, and the others get a copy.
#pragma once

#include <string>

#include "ca_rotation/node.h"

namespace ca_rotation {

// Begins a rotation: publishes the certificate or public key of the new authority. Generates the
// new authority unless a prepared one exists. Throws base::Error(kInvalid) if the present
// authority's file contains several certificates or keys, or if the cluster cannot use the new key:
// ML-DSA keys need components of v1.38, and some of them a feature gate. Throws
// base::Error(kAlreadyExists) if another node has begun a rotation concurrently.
void Begin(const Node& node, const Situation& situation);

// Downloads and decrypts the new authority with a certificate key (hex). Throws
// base::Error(kNotFound) if the upload is missing or has expired, and base::Error(kInvalid) if it
// belongs to another rotation.
void FetchPair(const Node& node, const RotationRecord& record, const std::string& certificate_key);

// Uploads the new authority to the cluster for two hours, encrypted with a certificate key (hex).
// Returns this key; an empty `certificate_key` generates one. Throws base::Error(kNotFound) if the
// key pair is not on this node.
std::string UploadPair(const Node& node, const std::string& certificate_key);

// Removes the stored key pairs of a rotation that this node has completed.
void RemoveSavedPairs(const Node& node);

}  // namespace ca_rotation
