// SPDX-License-Identifier: Apache-2.0
// Converts Kubernetes objects to the facts of a judgement.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "judgement/facts.h"

namespace evidence {

// Cluster API's group, whose Machines name their cluster.
inline constexpr std::string_view kClusterApiGroup = "cluster.x-k8s.io";

// Decodes a Machine of either API group. Field names are case-insensitive, as in upstream's
// decoder. Throws base::Error(kInvalid) for a field of a wrong type or a malformed time. Such a
// Machine makes the whole list unusable, because its meaning is unknown.
judgement::Machine DecodeMachine(const json::Value& object, std::string_view source);

// A request with its PEM.
struct DecodedCsr {
  judgement::Csr csr;
  std::string request_pem;
};
// Decodes a CertificateSigningRequest. Missing fields, fields of a wrong type, and a request that
// is not base64 become empty.
DecodedCsr DecodeCsr(const json::Value& object);

// Decodes a Node. Keeps only its first 256 addresses, because its kubelet may write any number.
judgement::Node DecodeNode(const json::Value& object);

// Returns the first InternalIP, as the node writes it; std::nullopt without one.
std::optional<std::string> InternalIpOf(const judgement::Node& node);

// Decodes the egress addresses of a HostSubnet (network.openshift.io/v1).
judgement::Egress DecodeHostSubnet(const json::Value& object);

// Parses an RFC 3339 time. Returns kNoTime for null or "". Throws base::Error(kInvalid) for any
// other value.
judgement::Time TimeOf(const json::Value& value);

}  // namespace evidence
