// Kubernetes objects as the facts of a judgement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "approver/facts.h"
#include "json/value.h"

namespace approver {

// DecodeMachine reads a Machine of either API group. Field names count without regard to case, as
// upstream's decoder has it. Throws base::Error(kInvalid) for a field of a wrong type or a bad
// time: one such Machine makes the whole list unreadable, since nobody knows what it vouches for.
Machine DecodeMachine(const json::Value& object, std::string_view source);

// DecodedCsr is a request with the PEM text that is in it.
struct DecodedCsr {
  Csr csr;
  std::string request_pem;
};
// DecodeCsr reads a CertificateSigningRequest; what is missing or of a wrong type is empty, and a
// request that is no base64 is an empty text.
DecodedCsr DecodeCsr(const json::Value& object);

// Node is what the approver knows of a Node.
struct Node {
  std::string name;
  std::vector<Address> addresses;
  int kubelet_port = 0;  // 0: unknown
  std::string resource_version;
};
// DecodeNode reads a Node: at most its first 256 addresses, which its kubelet writes.
Node DecodeNode(const json::Value& object);

// InternalIpOf is the first InternalIP; "" when there is none.
std::string InternalIpOf(const Node& node);

// TimeOf reads an RFC 3339 time; kNoTime for null or "". Throws base::Error(kInvalid).
Seconds TimeOf(const json::Value& value);

}  // namespace approver
