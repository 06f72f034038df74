// SPDX-License-Identifier: Apache-2.0
#include "withdrawal/facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/duration.h"
#include "base/error.h"
#include "base/strings.h"
#include "etcd/health.h"
#include "node_identities/cluster.h"
#include "objects/mirror_pod.h"
#include "static_pods/static_pod.h"
#include "stored_config/this_node.h"

namespace withdrawal {
namespace {

using base::Error;

constexpr std::chrono::hours kDefaultValidity{24 * 365};  // --cluster-signing-duration

void RequireOther(const std::string& node, const host::Host& host) {
  if (!base::IsDns1123Subdomain(node)) {
    throw Error(Error::Kind::kInvalid, fmt::format("{} is not a node's name", base::Quoted(node)));
  }
  if (stored_config::RoleOf(host.files) != stored_config::Role::kControlPlane) {
    throw Error(Error::Kind::kNotFound,
                "this is not a control-plane node: run 'kubeadm node withdraw' on one");
  }
  if (stored_config::NodeName(host.files, host.machine.Hostname()) == node) {
    throw Error(Error::Kind::kInvalid,
                "this is the node itself: run 'kubeadm node withdraw' on another control-plane "
                "node, or 'kubeadm reset' to remove a node that you have");
  }
}

std::vector<std::string> AddressesOf(const json::Value& node) {
  std::vector<std::string> addresses;
  for (const json::Value& address : json::At(node, {"status", "addresses"})) {
    addresses.push_back(json::TextAt(address, {"address"}));
  }
  return addresses;
}

std::optional<etcd_maintenance::RemovalPlan> MemberOf(const std::string& node, bool resumes,
                                                      const etcd_maintenance::Access& access) {
  const etcd::Health health = etcd::ClusterHealth(*access.client);
  if (!resumes && health.Named(node) == nullptr) {
    return std::nullopt;
  }
  return etcd_maintenance::PlanRemoval(health, node, access.local ? access.local->peer_url : "",
                                       true);
}

}  // namespace

std::chrono::seconds SigningValidity(const std::optional<json::Value>& pod) {
  const std::optional<std::string> text =
      pod ? static_pods::CommandArg(*pod, "cluster-signing-duration") : std::nullopt;
  return text ? std::chrono::duration_cast<std::chrono::seconds>(base::ParseDuration(*text))
              : std::chrono::seconds(kDefaultValidity);
}

WithdrawalFacts CollectFacts(const std::string& node, bool resumes,
                             const WithdrawalSources& sources) {
  RequireOther(node, sources.host);
  WithdrawalFacts facts{.node = node, .now = sources.host.clock.NowSeconds()};
  const auto object = sources.client.Find({kube::resources::kNode, "", node});
  facts.exists = object.has_value();
  facts.control_plane = object && objects::IsControlPlane(*object);
  facts.addresses = object ? AddressesOf(*object) : std::vector<std::string>();
  const node_identities::Identities identities = node_identities::FetchIdentities(sources.client);
  facts.withdrawn = identities.FindWithdrawal(node) != nullptr;
  facts.only_bound_tokens = identities.only_bound_tokens;
  std::ranges::copy_if(identities.bindings, std::back_inserter(facts.bindings),
                       [&](const auto& binding) { return binding.node == node; });
  if (sources.etcd != nullptr) {
    facts.member = MemberOf(node, resumes, *sources.etcd);
  }
  facts.validity = SigningValidity(
      static_pods::ReadManifest(sources.host.files, components::Component::kControllerManager));
  if (!facts.exists && !facts.withdrawn && facts.bindings.empty() && !facts.member) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("the cluster has no node {}: no Node, no member of etcd and no token "
                            "of that name",
                            base::Quoted(node)));
  }
  return facts;
}

}  // namespace withdrawal
