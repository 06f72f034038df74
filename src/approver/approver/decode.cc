#include "approver/decode.h"

#include <fmt/core.h>

#include "approver/machine_scope.h"
#include "approver/names.h"
#include "base/error.h"
#include "base/strings.h"
#include "data/rfc3339.h"

namespace approver {
namespace {

using base::Error;
using data::Json;

// A kubelet has a handful; what one writes beyond this fills no memory and vouches for nothing.
constexpr std::size_t kMostNodeAddresses = 256;

// Member is a field by its name, exactly written or else in other case; null when it is missing.
const Json& Member(const Json& object, std::string_view name) {
  static const Json kNull;
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

[[noreturn]] void WrongType(const std::string& where, const Json& value) {
  throw Error(Error::Kind::kInvalid,
              fmt::format("a Machine cannot be read: {} is a {}", where, data::KindOf(value)));
}

const Json& ObjectAt(const Json& owner, std::string_view name) {
  const Json& value = Member(owner, name);
  if (!value.is_null() && !value.is_object()) {
    WrongType(std::string(name), value);
  }
  return value;
}

std::string TextAt(const Json& owner, std::string_view name) {
  const Json& value = Member(owner, name);
  if (value.is_null()) {
    return "";
  }
  if (!value.is_string()) {
    WrongType(std::string(name), value);
  }
  return value.get<std::string>();
}

std::vector<Address> AddressesAt(const Json& status) {
  const Json& list = Member(status, "addresses");
  std::vector<Address> addresses;
  if (list.is_null()) {
    return addresses;
  }
  if (!list.is_array()) {
    WrongType("status.addresses", list);
  }
  for (const Json& item : list) {
    if (!item.is_null() && !item.is_object()) {
      WrongType("an item of status.addresses", item);
    }
    addresses.push_back({.type = TextAt(item, "type"), .address = TextAt(item, "address")});
  }
  return addresses;
}

std::vector<std::string> TextsOf(const Json& list) {
  std::vector<std::string> texts;
  if (list.is_array()) {
    for (const Json& item : list) {
      texts.push_back(item.is_string() ? item.get<std::string>() : "");
    }
  }
  return texts;
}

Seconds LenientTime(const Json& value) {
  try {
    return TimeOf(value);
  } catch (const Error&) {
    return kNoTime;
  }
}

std::vector<Condition> ConditionsOf(const Json& list) {
  std::vector<Condition> conditions;
  if (!list.is_array()) {
    return conditions;
  }
  for (const Json& item : list) {
    conditions.push_back({.type = data::TextAt(item, {"type"}),
                          .status = data::TextAt(item, {"status"}),
                          .reason = data::TextAt(item, {"reason"}),
                          .message = data::TextAt(item, {"message"}),
                          .last_transition = LenientTime(data::At(item, {"lastTransitionTime"}))});
  }
  return conditions;
}

}  // namespace

Seconds TimeOf(const Json& value) {
  if (value.is_null() || value == "") {
    return kNoTime;
  }
  const auto time = value.is_string() ? data::ParseRfc3339(value.get<std::string>()) : std::nullopt;
  if (!time) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} is no time in the form of RFC 3339", data::Compact(value)));
  }
  return time->time_since_epoch().count();
}

Machine DecodeMachine(const Json& object, std::string_view source) {
  const Json& metadata = ObjectAt(object, "metadata");
  const Json& status = ObjectAt(object, "status");
  Machine machine{.source = std::string(source),
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
  if (const Json& node = ObjectAt(status, "nodeRef"); !node.is_null()) {
    machine.node_ref = TextAt(node, "name");
  }
  return machine;
}

DecodedCsr DecodeCsr(const Json& object) {
  DecodedCsr decoded{
      .csr = {.name = data::TextAt(object, {"metadata", "name"}),
              .uid = data::TextAt(object, {"metadata", "uid"}),
              .resource_version = data::TextAt(object, {"metadata", "resourceVersion"}),
              .username = data::TextAt(object, {"spec", "username"}),
              .signer = data::TextAt(object, {"spec", "signerName"}),
              .groups = TextsOf(data::At(object, {"spec", "groups"})),
              .usages = TextsOf(data::At(object, {"spec", "usages"})),
              .created = LenientTime(data::At(object, {"metadata", "creationTimestamp"})),
              .conditions = ConditionsOf(data::At(object, {"status", "conditions"}))},
      .request_pem = {}};
  try {
    decoded.request_pem = base::Base64Decode(data::TextAt(object, {"spec", "request"}));
  } catch (const Error&) {
    decoded.request_pem.clear();
  }
  return decoded;
}

Node DecodeNode(const Json& object) {
  Node node{.name = data::TextAt(object, {"metadata", "name"}),
            .addresses = {},
            .resource_version = data::TextAt(object, {"metadata", "resourceVersion"})};
  if (const Json& list = data::At(object, {"status", "addresses"}); list.is_array()) {
    for (const Json& item : list) {
      if (node.addresses.size() == kMostNodeAddresses) {
        break;
      }
      node.addresses.push_back(
          {.type = data::TextAt(item, {"type"}), .address = data::TextAt(item, {"address"})});
    }
  }
  const Json& port = data::At(object, {"status", "daemonEndpoints", "kubeletEndpoint", "Port"});
  if (port.is_number_integer() && port > 0 && port < 65536) {
    node.kubelet_port = port.get<int>();
  }
  return node;
}

std::string InternalIpOf(const Node& node) {
  for (const Address& address : node.addresses) {
    if (address.type == "InternalIP") {
      return address.address;
    }
  }
  return "";
}

}  // namespace approver
