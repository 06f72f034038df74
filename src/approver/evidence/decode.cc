// SPDX-License-Identifier: Apache-2.0
#include "evidence/decode.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/texts.h"
#include "judgement/names.h"
#include "net/ip_address.h"
#include "node_identities/identities.h"

namespace evidence {
namespace {

using base::Error;
using judgement::Address;
using judgement::Condition;
using judgement::Egress;
using judgement::kNoTime;
using judgement::Machine;
using judgement::Node;
using judgement::Time;

// The maximum number of addresses of a node. A real kubelet has only a few. Further addresses are
// dropped, so that they neither fill the memory nor attest a request.
constexpr std::size_t kMostNodeAddresses = 256;

// The prefix of Kubernetes' own user names. An issuer's user must not have this prefix.
constexpr std::string_view kSystemPrefix = "system:";

// Returns a field by its name, exact or else case-insensitive; null if it is missing.
const json::Value& Member(const json::Value& object, std::string_view name) {
  static const json::Value kNull;
  if (!object.is_object()) {
    return kNull;
  }
  if (const auto exact = object.find(std::string(name)); exact != object.end()) {
    return *exact;
  }
  for (const auto& [key, value] : object.items()) {
    if (key.size() == name.size() && base::ToLower(key) == base::ToLower(name)) {
      return value;
    }
  }
  return kNull;
}

[[noreturn]] void WrongType(const std::string& where, const json::Value& value) {
  throw Error(Error::Kind::kInvalid,
              fmt::format("a Machine cannot be read: {} is a {}", where, json::KindOf(value)));
}

const json::Value& ObjectAt(const json::Value& owner, std::string_view name) {
  const json::Value& value = Member(owner, name);
  if (!value.is_null() && !value.is_object()) {
    WrongType(std::string(name), value);
  }
  return value;
}

std::string TextAt(const json::Value& owner, std::string_view name) {
  const json::Value& value = Member(owner, name);
  if (value.is_null()) {
    return "";
  }
  if (!value.is_string()) {
    WrongType(std::string(name), value);
  }
  return value.get<std::string>();
}

std::vector<Address> AddressesAt(const json::Value& status) {
  const json::Value& list = Member(status, "addresses");
  std::vector<Address> addresses;
  if (list.is_null()) {
    return addresses;
  }
  if (!list.is_array()) {
    WrongType("status.addresses", list);
  }
  for (const json::Value& item : list) {
    if (!item.is_null() && !item.is_object()) {
      WrongType("an item of status.addresses", item);
    }
    addresses.push_back({.type = TextAt(item, "type"), .address = TextAt(item, "address")});
  }
  return addresses;
}

Time LenientTime(const json::Value& value) {
  try {
    return TimeOf(value);
  } catch (const Error&) {
    return kNoTime;
  }
}

std::vector<Condition> ConditionsOf(const json::Value& list) {
  std::vector<Condition> conditions;
  if (!list.is_array()) {
    return conditions;
  }
  for (const json::Value& item : list) {
    conditions.push_back({.type = json::TextAt(item, {"type"}),
                          .last_transition = LenientTime(json::At(item, {"lastTransitionTime"}))});
  }
  return conditions;
}

}  // namespace

Time TimeOf(const json::Value& value) {
  if (value.is_null() || value == "") {
    return kNoTime;
  }
  const auto time = value.is_string() ? json::ParseRfc3339(value.get<std::string>()) : std::nullopt;
  if (!time) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} is not a time in the form of RFC 3339", json::Compact(value)));
  }
  return *time;
}

Machine DecodeMachine(const json::Value& object, std::string_view source) {
  const json::Value& metadata = ObjectAt(object, "metadata");
  const json::Value& status = ObjectAt(object, "status");
  Machine machine{.api_group = std::string(source),
                  .name_space = TextAt(metadata, "namespace"),
                  .name = TextAt(metadata, "name"),
                  .created = TimeOf(Member(metadata, "creationTimestamp")),
                  .node_ref = {},
                  .addresses = AddressesAt(status),
                  .used_by = {},
                  .provider_id = {}};
  if (source == kClusterApiGroup) {
    machine.cluster = TextAt(ObjectAt(object, "spec"), "clusterName");
  }
  machine.deleting = TimeOf(Member(metadata, "deletionTimestamp")) != kNoTime;
  if (const json::Value& node = ObjectAt(status, "nodeRef"); !node.is_null()) {
    machine.node_ref = TextAt(node, "name");
  }
  return machine;
}

// Returns the values of an attribute of the user; std::nullopt without this attribute.
std::optional<std::vector<std::string>> ExtraOf(const json::Value& object, std::string_view key) {
  const json::Value& extra = json::At(object, {"spec", "extra"});
  const auto found = extra.is_object() ? extra.find(key) : extra.end();
  return found == extra.end() ? std::nullopt : std::optional(json::TextsIn(*found));
}

// Returns the single value of an attribute; "" for none and for several.
std::string OnlyValue(const std::optional<std::vector<std::string>>& values) {
  return values && values->size() == 1 ? values->front() : "";
}

// Reads the facts of an identity. Returns false if they are malformed.
bool ReadIdentityFacts(judgement::Csr& csr, const json::Value& object) {
  if (const auto created = ExtraOf(object, node_identities::kIdentityCreatedKey)) {
    const auto time = json::ParseRfc3339(OnlyValue(created));
    if (!time) {
      return false;
    }
    csr.identity_created = *time;
  }
  if (const auto key = ExtraOf(object, node_identities::kIdentityEndorsementKey)) {
    csr.identity_endorsement_key = OnlyValue(key);
    if (csr.identity_endorsement_key.empty()) {
      return false;
    }
  }
  const auto addresses = ExtraOf(object, node_identities::kIdentityAddressesKey);
  for (const std::string& text : addresses.value_or(std::vector<std::string>())) {
    const auto address = net::IpAddress::Parse(text);
    if (!address || csr.identity_addresses.size() == node_identities::kMostIdentityAddresses) {
      return false;
    }
    csr.identity_addresses.push_back(address->Text());
  }
  return true;
}

// Reads the user's identity (Csr::identity_node). A user of Kubernetes itself has none, whatever
// its attributes. An identity with a malformed attribute names no node.
void ReadIdentity(judgement::Csr& csr, const json::Value& object) {
  const auto nodes = ExtraOf(object, node_identities::kIdentityNodeKey);
  if (!nodes || csr.username.empty() || csr.username.starts_with(kSystemPrefix) ||
      !std::ranges::contains(csr.groups, node_identities::kBoundTokenGroup)) {
    return;
  }
  csr.identity_node = ReadIdentityFacts(csr, object) ? OnlyValue(nodes) : "";
}

DecodedCsr DecodeCsr(const json::Value& object) {
  DecodedCsr decoded{
      .csr = {.name = json::TextAt(object, {"metadata", "name"}),
              .uid = json::TextAt(object, {"metadata", "uid"}),
              .resource_version = json::TextAt(object, {"metadata", "resourceVersion"}),
              .username = json::TextAt(object, {"spec", "username"}),
              .signer = json::TextAt(object, {"spec", "signerName"}),
              .groups = json::TextsIn(json::At(object, {"spec", "groups"})),
              .usages = json::TextsIn(json::At(object, {"spec", "usages"})),
              .created = LenientTime(json::At(object, {"metadata", "creationTimestamp"})),
              .conditions = ConditionsOf(json::At(object, {"status", "conditions"}))},
      .request_pem = {}};
  ReadIdentity(decoded.csr, object);
  try {
    decoded.request_pem = base::Base64Decode(json::TextAt(object, {"spec", "request"}));
  } catch (const Error&) {
    decoded.request_pem.clear();
  }
  return decoded;
}

Node DecodeNode(const json::Value& object) {
  Node node{.name = json::TextAt(object, {"metadata", "name"}),
            .addresses = {},
            .resource_version = json::TextAt(object, {"metadata", "resourceVersion"}),
            .created = LenientTime(json::At(object, {"metadata", "creationTimestamp"}))};
  if (const json::Value& list = json::At(object, {"status", "addresses"}); list.is_array()) {
    for (const json::Value& item : list) {
      if (node.addresses.size() == kMostNodeAddresses) {
        break;
      }
      node.addresses.push_back(
          {.type = json::TextAt(item, {"type"}), .address = json::TextAt(item, {"address"})});
    }
  }
  const json::Value& port =
      json::At(object, {"status", "daemonEndpoints", "kubeletEndpoint", "Port"});
  if (port.is_number_integer() && port > 0 && port < 65536) {
    node.kubelet_port = port.get<std::uint16_t>();
  }
  return node;
}

Egress DecodeHostSubnet(const json::Value& object) {
  return {.ips = json::TextsIn(json::At(object, {"egressIPs"})),
          .cidrs = json::TextsIn(json::At(object, {"egressCIDRs"}))};
}

std::optional<std::string> InternalIpOf(const Node& node) {
  for (const Address& address : node.addresses) {
    if (address.type == "InternalIP") {
      return address.address;
    }
  }
  return {};
}

}  // namespace evidence
