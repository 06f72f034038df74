// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/listing.h"

#include <fmt/core.h>

#include "base/duration.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "print/text_table.h"

namespace join_secrets {
namespace {

std::string OrNone(const std::string& text) { return text.empty() ? "<none>" : text; }

// Programs that parse this table expect its columns at these widths.
std::vector<std::string> Row(const config::BootstrapToken& token, std::chrono::sys_seconds now) {
  const std::string ttl =
      token.expires ? base::ShortHumanDuration(*token.expires - now) : "<forever>";
  return {token.token,
          fmt::format("{:<9}", ttl),
          token.expires ? json::FormatRfc3339(*token.expires) : "<never>",
          fmt::format("{:<22}", OrNone(base::Join(token.usages, ","))),
          fmt::format("{:<56}", OrNone(token.description)),
          OrNone(base::Join(token.groups, ","))};
}

json::Ordered BindingObject(const node_identities::TokenBinding& binding) {
  json::Ordered object = {{"node", binding.node}, {"once", binding.once}};
  for (const net::Cidr& cidr : binding.cidrs) {
    object["cidrs"].push_back(cidr.Text());
  }
  return object;
}

}  // namespace

std::string TokenTable(const std::vector<config::BootstrapToken>& tokens,
                       std::chrono::sys_seconds now) {
  if (tokens.empty()) {
    return "";
  }
  std::vector<std::vector<std::string>> rows = {
      {"TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS"}};
  for (const config::BootstrapToken& token : tokens) {
    rows.push_back(Row(token, now));
  }
  return print::TextTable(rows);
}

json::Ordered TokenObject(const config::BootstrapToken& token,
                          const node_identities::TokenBinding* binding) {
  json::Ordered object = {{"kind", "BootstrapToken"},
                          {"apiVersion", "output.kubeadm.k8s.io/v1alpha3"},
                          {"token", token.token}};
  if (!token.description.empty()) {
    object["description"] = token.description;
  }
  if (token.expires) {
    object["expires"] = json::FormatRfc3339(*token.expires);
  }
  if (!token.usages.empty()) {
    object["usages"] = token.usages;
  }
  if (!token.groups.empty()) {
    object["groups"] = token.groups;
  }
  if (binding != nullptr) {
    object["nodeBinding"] = BindingObject(*binding);
  }
  return object;
}

}  // namespace join_secrets
