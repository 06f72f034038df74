// SPDX-License-Identifier: Apache-2.0
// Kubernetes objects as the facts of a judgement.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "judgement/facts.h"

namespace evidence {

// kClusterApiGroup is Cluster API's, whose Machines name the cluster that they are of.
inline constexpr std::string_view kClusterApiGroup = "cluster.x-k8s.io";

// DecodeMachine reads a Machine of either API group. Field names count without regard to case, as
// upstream's decoder has it. Throws base::Error(kInvalid) for a field of a wrong type or a bad
// time: one such Machine makes the whole list unreadable, since nobody knows what it vouches for.
judgement::Machine DecodeMachine(const json::Value& object, std::string_view source);

// DecodedCsr is a request with the PEM text that is in it.
struct DecodedCsr {
  judgement::Csr csr;
  std::string request_pem;
};
// DecodeCsr reads a CertificateSigningRequest; what is missing or of a wrong type is empty, and a
// request that is not base64 is an empty text.
DecodedCsr DecodeCsr(const json::Value& object);

// DecodeNode reads a Node: at most its first 256 addresses, which its kubelet writes.
judgement::Node DecodeNode(const json::Value& object);

// InternalIpOf is the first InternalIP, as the node writes it; nothing when it has none.
std::optional<std::string> InternalIpOf(const judgement::Node& node);

// DecodeHostSubnet reads the egress addresses of a HostSubnet (network.openshift.io/v1).
judgement::Egress DecodeHostSubnet(const json::Value& object);

// TimeOf reads an RFC 3339 time; kNoTime for null or "". Throws base::Error(kInvalid).
judgement::Time TimeOf(const json::Value& value);

}  // namespace evidence
