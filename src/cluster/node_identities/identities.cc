// SPDX-License-Identifier: Apache-2.0
#include "node_identities/identities.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "node_identities/keys.h"

namespace node_identities {
namespace {

using base::Error;

constexpr std::string_view kTokenPrefix = "token.";
constexpr std::string_view kWithdrawnPrefix = "withdrawn.";

[[noreturn]] void Malformed(const std::string& key, const std::string& what) {
  throw Error(Error::Kind::kInvalid, fmt::format("ConfigMap kube-system/{}, key {}: {}", kMapName,
                                                 base::Quoted(key), what));
}

// Parses an object. Throws base::Error(kInvalid) for a member that is not in `members`.
json::Value ObjectIn(const std::string& key, const json::Value& text,
                     std::initializer_list<std::string_view> members) {
  json::Value object;
  try {
    object = json::Parse(text.is_string() ? text.get<std::string>() : "");
  } catch (const Error& error) {
    Malformed(key, error.message());
  }
  if (!object.is_object()) {
    Malformed(key, "must be a JSON object");
  }
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(members, name) == members.end()) {
      Malformed(key, fmt::format("unknown field {}", base::Quoted(name)));
    }
  }
  return object;
}

std::chrono::sys_seconds TimeIn(const std::string& key, const json::Value& object,
                                std::string_view member) {
  const auto time = json::ParseRfc3339(json::TextAt(object, {member}));
  if (!time) {
    Malformed(key, fmt::format("{} must be a time such as 2026-01-31T23:59:59Z", member));
  }
  return *time;
}

std::vector<net::Cidr> CidrsIn(const std::string& key, const json::Value& list) {
  std::vector<net::Cidr> cidrs;
  if (!list.is_array()) {
    Malformed(key, "cidrs must be a list of networks");
  }
  for (const json::Value& item : list) {
    const auto cidr = net::Cidr::Parse(item.is_string() ? item.get<std::string>() : "");
    if (!cidr) {
      Malformed(key, "cidrs must be networks such as 10.0.0.0/24");
    }
    cidrs.push_back(*cidr);
  }
  return cidrs;
}

TokenBinding BindingIn(const std::string& key, const json::Value& text) {
  const json::Value object = ObjectIn(key, text, {"node", "once", "cidrs", "created"});
  TokenBinding binding{.token_id = key.substr(kTokenPrefix.size()),
                       .node = json::TextAt(object, {"node"}),
                       .cidrs = {},
                       .created = TimeIn(key, object, "created")};
  if (!base::IsDns1123Subdomain(binding.node)) {
    Malformed(key, "node must be the name of a node");
  }
  if (const auto once = object.find("once"); once != object.end()) {
    if (!once->is_boolean()) {
      Malformed(key, "once must be true or false");
    }
    binding.once = once->get<bool>();
  }
  if (const auto cidrs = object.find("cidrs"); cidrs != object.end()) {
    binding.cidrs = CidrsIn(key, *cidrs);
  }
  return binding;
}

Withdrawal WithdrawalIn(const std::string& key, const json::Value& text) {
  const json::Value object = ObjectIn(key, text, {"since"});
  Withdrawal withdrawal{.node = key.substr(kWithdrawnPrefix.size()),
                        .since = TimeIn(key, object, "since")};
  if (!base::IsDns1123Subdomain(withdrawal.node)) {
    Malformed(key, "the key must end in the name of a node");
  }
  return withdrawal;
}

}  // namespace

const TokenBinding* Identities::FindBinding(std::string_view token_id) const {
  const auto found = std::ranges::find(bindings, token_id, &TokenBinding::token_id);
  return found == bindings.end() ? nullptr : &*found;
}

const Withdrawal* Identities::FindWithdrawal(std::string_view node) const {
  const auto found = std::ranges::find(withdrawals, node, &Withdrawal::node);
  return found == withdrawals.end() ? nullptr : &*found;
}

Identities ReadIdentities(const json::Value& config_map) {
  Identities identities;
  const json::Value& data = json::At(config_map, {"data"});
  if (data.is_null()) {
    return identities;
  }
  if (!data.is_object()) {
    Malformed("data", "must be an object");
  }
  for (const auto& [key, value] : data.items()) {
    if (key == kTokensKey) {
      if (value != kBoundOnly && value != kAllTokens) {
        Malformed(key, fmt::format("must be {} or {}", kBoundOnly, kAllTokens));
      }
      identities.only_bound_tokens = value == kBoundOnly;
    } else if (key.starts_with(kTokenPrefix)) {
      identities.bindings.push_back(BindingIn(key, value));
    } else if (key.starts_with(kWithdrawnPrefix)) {
      identities.withdrawals.push_back(WithdrawalIn(key, value));
    } else {
      Malformed(key, "unknown key");
    }
  }
  return identities;
}

std::string KeyOf(const TokenBinding& binding) {
  return fmt::format("{}{}", kTokenPrefix, binding.token_id);
}

std::string KeyOf(const Withdrawal& withdrawal) {
  return fmt::format("{}{}", kWithdrawnPrefix, withdrawal.node);
}

std::string ValueOf(const TokenBinding& binding) {
  json::Ordered value = {{"node", binding.node}};
  if (binding.once) {
    value["once"] = true;
  }
  for (const net::Cidr& cidr : binding.cidrs) {
    value["cidrs"].push_back(cidr.Text());
  }
  value["created"] = json::FormatRfc3339(binding.created);
  return json::Compact(value);
}

std::string ValueOf(const Withdrawal& withdrawal) {
  return json::Compact(json::Ordered{{"since", json::FormatRfc3339(withdrawal.since)}});
}

std::string Description(const TokenBinding& binding) {
  std::string text = "bound to node " + binding.node;
  if (binding.once) {
    text += ", once";
  }
  std::vector<std::string> networks;
  for (const net::Cidr& cidr : binding.cidrs) {
    networks.push_back(cidr.Text());
  }
  return networks.empty() ? text : text + ", addresses in " + base::Join(networks, " or ");
}

}  // namespace node_identities
