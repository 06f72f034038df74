// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/operation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "certs/renewal.h"
#include "components/strays.h"
#include "config/paths.h"
#include "etcd/client.h"
#include "etcd_membership/local_etcd.h"
#include "etcd_membership/own_member.h"
#include "kube/objects.h"
#include "kube/wait.h"
#include "kubeconfigs/connect.h"
#include "kubeconfigs/load.h"
#include "net/host_port.h"
#include "static_pods/restart.h"
#include "static_pods/serving.h"
#include "static_pods/static_pod.h"

namespace readdress {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;
using engine::StepContext;
using engine::Where;
using std::chrono::milliseconds;

constexpr milliseconds kAnswerLimit{60'000};  // for an API server that does not answer

Move Reversed(const Move& move) { return {.from = move.to, .to = move.from}; }

certs::RenewalContext RenewalBy(const NodeFacts& node, const Move& move, const MoveDeps& deps) {
  return {
      .files = deps.host.files,
      .cluster = node.config.cluster,
      .kubeconfig_dir = fs::path(config::kKubernetesDir),
      .start = deps.start,
      .new_key =
          [&node] { return pki::PrivateKey::Generate(certs::AlgorithmFor(node.config.cluster)); },
      .names = [move](const pki::SubjectAltNames& names) { return Replaced(names, move); }};
}

// The steps of one move. Functions of the engine hold a pointer to this object.
class Steps {
 public:
  Steps(NodeFacts node, MovePlan plan, Move move, MoveDeps deps)
      : node_(std::move(node)), plan_(std::move(plan)), move_(move), deps_(std::move(deps)) {}

  void ReissueCertificates(StepContext& context) const {
    const certs::RenewalContext renewal = RenewalBy(node_, move_, deps_);
    for (const std::string_view name : plan_.certificates) {
      context.ReissueCertificate(certs::FindRenewable(name), renewal);
    }
  }

  void RewriteFiles(StepContext& context) const {
    for (const FileChange& change : plan_.files) {
      context.WriteFile(change.path, change.text, 0600);
      context.Say(fmt::format("{} names {}", change.path.string(), move_.to.Text()));
    }
  }

  void ReplaceControlPlane(StepContext& context) const;
  void RestoreControlPlane(StepContext& context) const;

  // Updates this node's peer URL in etcd's list of members. The manifest contains the URL, either
  // the new one or the restored one.
  void TellPeers(StepContext& context) const;

  void ChangeObjects(StepContext& context) const { RewriteObjects(context, move_); }
  void RestoreObjects(StepContext& context) const { RewriteObjects(context, Reversed(move_)); }
  void WaitForCluster(StepContext& context) const { WaitUntilKnown(context, move_); }
  void WaitForRestored(StepContext& context) const { WaitUntilKnown(context, Reversed(move_)); }

 private:
  void RewriteObjects(StepContext& context, const Move& move) const;
  void WaitUntilKnown(StepContext& context, const Move& move) const;
  // Returns whether the kubelet chooses its address itself, and may choose this one.
  bool KubeletMayKeep(const net::IpAddress& address) const;
  static_pods::RestartContext RestartBy(StepContext& context, cri::Runtime& runtime,
                                        const Move& move) const;

  const NodeFacts node_;
  const MovePlan plan_;
  const Move move_;
  const MoveDeps deps_;
};

config::ApiEndpoint EndpointAfter(const NodeFacts& node, const Move& move) {
  return {.advertise_address = AddressesToAsk(node, move).back().Text(),
          .bind_port = node.config.init.local_api_endpoint.bind_port};
}

static_pods::RestartContext Steps::RestartBy(StepContext& context, cri::Runtime& runtime,
                                             const Move& move) const {
  static_pods::RestartContext restart = context.RestartBy(
      runtime,
      static_pods::ServingProbes(deps_.host, node_.config.cluster, EndpointAfter(node_, move)));
  restart.limit = deps_.limit;
  return restart;
}

// Returns the running Pods of the control plane, in the order in which they start.
std::vector<static_pods::RunningPod> FindPods(const host::Files& files, cri::Runtime& runtime,
                                              const std::function<bool(Component)>& selected) {
  std::vector<static_pods::RunningPod> pods;
  for (const Component component : components::kComponents) {
    if (files.Exists(components::ManifestPath(component)) && selected(component)) {
      pods.push_back(static_pods::FindRunning(component, runtime));
    }
  }
  return pods;
}

void Stop(const std::vector<static_pods::RunningPod>& pods,
          const static_pods::RestartContext& restart) {
  for (const static_pods::RunningPod& pod : pods | std::views::reverse) {
    static_pods::StopContainers(pod, restart);
  }
}

// Stops and starts all components together, because each needs the others. The kubelet is
// restarted: a running kubelet notices stopped Pods only at its next resync, and not at all while
// it cannot reach the API server. A restarted kubelet starts the present manifests. The API server
// stops before etcd, so that it can still remove its old address from the Service kubernetes.
void Steps::ReplaceControlPlane(StepContext& context) const {
  const std::unique_ptr<cri::Runtime> runtime = deps_.connect_runtime();
  const static_pods::RestartContext restart = RestartBy(context, *runtime, move_);
  const auto is_replaced = [&](Component component) {
    return context.HasBackup(components::ManifestPath(component)) ||
           std::ranges::contains(plan_.pods, component, &ManifestChange::component);
  };
  const auto replaced = FindPods(deps_.host.files, *runtime, is_replaced);
  const auto others = FindPods(deps_.host.files, *runtime, std::not_fn(is_replaced));
  for (const ManifestChange& change : plan_.pods) {
    const fs::path manifest = components::ManifestPath(change.component);
    context.BackupFile(manifest);
    static_pods::WriteManifest(deps_.host.files, change.component, change.pod);
    context.RecordWritten(manifest);
  }
  context.Say("Stopping the control plane of this node");
  Stop(others, restart);
  Stop(replaced, restart);
  context.RestartKubelet();
  context.Say("Waiting for the control plane of this node");
  static_pods::WaitForSuccessors(replaced, static_pods::Successor::kPod, restart);
  static_pods::WaitForSuccessors(others, static_pods::Successor::kContainer, restart);
}

// The engine has restored the manifests before this call. The kubelet may have replaced some Pods
// already. Therefore a component counts as restored when it serves at the previous address.
void Steps::RestoreControlPlane(StepContext& context) const {
  const std::unique_ptr<cri::Runtime> runtime = deps_.connect_runtime();
  const static_pods::RestartContext restart = RestartBy(context, *runtime, Reversed(move_));
  const auto pods = FindPods(deps_.host.files, *runtime, [](Component) { return true; });
  context.Say("Stopping the control plane of this node");
  Stop(pods, restart);
  const auto since = deps_.host.clock.Now();
  context.RestartKubelet();
  context.Say("Waiting for the control plane of this node");
  std::vector<static_pods::ComponentProbe> probes;
  for (const static_pods::RunningPod& pod : pods) {
    probes.push_back({.name = std::string(components::Name(pod.component)),
                      .url = {},
                      .probe = static_pods::UntilAnswered(restart.probe_of(pod.component))});
  }
  static_pods::WaitForProbes(probes, since, restart);
}

void Steps::TellPeers(StepContext& context) const {
  const std::optional<etcd_membership::LocalEtcd> local =
      etcd_membership::FindEtcd(deps_.host.files).local;
  if (!local) {
    return;
  }
  etcd::Connection connection =
      etcd_membership::ReadClientPair(deps_.host.files, local->certificates_dir);
  connection.endpoints = {local->client_url};
  connection.stop = context.Stop();
  const std::unique_ptr<etcd::Client> client = etcd::Connect(std::move(connection));
  const std::uint64_t id = client->Status(local->client_url).member_id;
  for (const etcd::Member& member : client->Members()) {
    if (member.id == id && !std::ranges::contains(member.peer_urls, local->peer_url)) {
      client->UpdatePeerUrl(id, local->peer_url);
      context.Say(fmt::format("etcd's members reach this one at {}", local->peer_url));
    }
  }
}

// Replaces this node's kube-proxy Pod without the rollout, because the rollout may wait for nodes
// that have not changed yet. This node needs a kube-proxy that knows the new address.
void ReplaceOwnKubeProxy(kube::Client& client, const std::string& node) {
  for (const json::Value& pod : client.List(kube::resources::kPod, kube::kSystemNamespace,
                                            {.labels = "k8s-app=kube-proxy"})) {
    if (json::TextAt(pod, {"spec", "nodeName"}) == node &&
        kube::IsOwnedBy(pod, kube::resources::kDaemonSet.kind, "kube-proxy")) {
      client.Delete(
          {kube::resources::kPod, kube::kSystemNamespace, json::TextAt(pod, {"metadata", "name"})});
    }
  }
}

void Steps::RewriteObjects(StepContext& context, const Move& move) const {
  kube::Client client = ClientFor(node_, AddressesToAsk(node_, move).back(), deps_);
  client.Retry("", [&] {
    const MovePlan plan = MakePlan({.files = {},
                                    .objects = SearchObjects(client),
                                    .certificates_dir = {},
                                    .node = node_.config.init.node_registration.name},
                                   move);
    bool proxies = false;
    for (const json::Value& object : plan.objects) {
      client.Update(kube::resources::kConfigMap, object);
      const std::string name = json::TextAt(object, {"metadata", "name"});
      context.Say(fmt::format("ConfigMap {} names {}", name, move.to.Text()));
      proxies = proxies || name == "kube-proxy";
    }
    if (proxies) {
      context.RollKubeProxy(client, deps_.host.clock.NowSeconds());
      ReplaceOwnKubeProxy(client, node_.config.init.node_registration.name);
    }
  });
}

// Returns the object that still has the old address: the Node, or on a control-plane node the
// EndpointSlice of Service kubernetes. Returns std::nullopt when both are up to date. `node_moves`
// is false if the Node keeps the old address.
std::optional<kube::NotYet> StillNamed(kube::Client& client, const NodeFacts& node,
                                       const Move& move, bool node_moves) {
  const json::Value object =
      client.Get({kube::resources::kNode, "", node.config.init.node_registration.name});
  if (node_moves && !Places(json::At(object, {"status", "addresses"}), move.from).empty()) {
    return kube::NotYet{"the Node still has the old address"};
  }
  if (!node.control_plane) {
    return std::nullopt;
  }
  const json::Value slice = client.Get({kube::resources::kEndpointSlice, "default", "kubernetes"});
  if (!Places(json::At(slice, {"endpoints"}), move.from).empty()) {
    return kube::NotYet{"the Service kubernetes still points to the old address"};
  }
  return std::nullopt;
}

bool Steps::KubeletMayKeep(const net::IpAddress& address) const {
  return node_.node_ips.empty() && HasAddress(deps_.host, address);
}

void Steps::WaitUntilKnown(StepContext& context, const Move& move) const {
  context.Say(fmt::format("Waiting for the cluster to know the address {}", move.to.Text()));
  const bool node_moves = !KubeletMayKeep(move.from);
  if (!node_moves) {
    context.Say(fmt::format(
        "The Node may keep the address {} until this machine has lost it: the kubelet has no "
        "--node-ip, and reports the first address of the machine",
        move.from.Text()));
  }
  kube::Client client = ClientFor(node_, AddressesToAsk(node_, move).back(), deps_);
  kube::WaitUntil(static_pods::UntilAnswered([&](const std::stop_token&) {
                    return StillNamed(client, node_, move, node_moves);
                  }),
                  {.clock = deps_.host.clock,
                   .most = milliseconds(500),
                   .limit = deps_.limit,
                   .stop = context.Stop(),
                   .culprit = {}});
}

bool IsOfThisNode(const NodeFacts& node, const net::IpAddress& address) {
  return node.address == address || std::ranges::contains(node.node_ips, address);
}

std::string ListOf(std::span<const std::string_view> names) {
  return base::Join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

}  // namespace

std::vector<net::IpAddress> AddressesToAsk(const NodeFacts& node, const Move& move) {
  if (node.address && *node.address != move.from && *node.address != move.to) {
    return {*node.address};
  }
  return {move.from, move.to};
}

kube::Client ClientFor(const NodeFacts& node, const net::IpAddress& address, const MoveDeps& deps) {
  const fs::path directory(config::kKubernetesDir);
  const kube::RetryPolicy retry{.limit = kAnswerLimit, .grace = milliseconds(0)};
  if (!node.control_plane) {
    return {kubeconfigs::ConnectBy(deps.host, directory / config::kKubeletConf), deps.host.clock,
            retry, deps.stop};
  }
  const std::string server =
      fmt::format("https://{}",
                  net::JoinHostPort(address.Text(), node.config.init.local_api_endpoint.bind_port));
  return {kubeconfigs::ConnectBy(deps.host, directory / config::kAdminConf,
                                 {.server_override = server}),
          deps.host.clock, retry, deps.stop};
}

CollectedObjects CollectObjects(const NodeFacts& node, const Move& move, const MoveDeps& deps) {
  CollectedObjects collected;
  for (const net::IpAddress& address : AddressesToAsk(node, move)) {
    try {
      kube::Client client = ClientFor(node, address, deps);
      return {.objects = SearchObjects(client)};
    } catch (const Error& error) {
      collected.note =
          fmt::format("The cluster's objects are not searched now: {}\n", error.message());
    }
  }
  return collected;
}

void RequireMovable(const NodeFacts& node, const MovePlan& plan, const Move& move,
                    const MoveDeps& deps, const base::ShowLine& say) {
  if (move.from.IsIpv4() != move.to.IsIpv4()) {
    throw Error(
        Error::Kind::kInvalid,
        "the new address must be of the same family as the old one, IPv4 or IPv6: the networks "
        "of the cluster cannot change theirs; nothing was changed");
  }
  const bool own = IsOfThisNode(node, move.from) || IsOfThisNode(node, move.to);
  if (own && !HasAddress(deps.host, move.to)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("this machine does not have the address {}: give it to an interface "
                            "first; nothing was changed",
                            move.to.Text()));
  }
  if (!own && plan.occurrences.empty() && !HasAddress(deps.host, move.to)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("nothing here names {}, and this machine does not have the address {}: "
                            "check --from and --to; nothing was changed",
                            move.from.Text(), move.to.Text()));
  }
  const certs::RenewalContext renewal = RenewalBy(node, move, deps);
  for (const std::string_view name : plan.certificates) {
    if (certs::JudgeRenewal(certs::FindRenewable(name), renewal) ==
        certs::RenewalOutcome::kExternalCa) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("the certificate {} names {}, and the key of its CA is not here: "
                              "have one made for {} first; nothing was changed",
                              name, move.from.Text(), move.to.Text()));
    }
  }
  base::WithContext("nothing was changed", [&] { components::RequireNoStrays(deps.host.files); });
  if (const auto problem =
          etcd_membership::RestartProblem({deps.host, node.config, deps.stop, say})) {
    throw Error(Error::Kind::kUnavailable, "nothing was changed: " + *problem);
  }
}

void RequireReversible(const NodeFacts& node, const Move& move, const MoveDeps& deps,
                       const std::optional<engine::Journal>& last) {
  if (!HasBackups(last)) {
    throw Error(Error::Kind::kConflict,
                fmt::format("an earlier release began this change of the node's address, and kept "
                            "no copies of the files: it cannot be rolled back. Finish it by "
                            "'kubeadm node readdress --to {}', without --try",
                            move.to.Text()));
  }
  const bool own = IsOfThisNode(node, move.from) || IsOfThisNode(node, move.to);
  if (own && !HasAddress(deps.host, move.from)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("this machine no longer has the address {}: give it to an interface "
                            "first; nothing was changed",
                            move.from.Text()));
  }
}

engine::Operation PlanOperation(const NodeFacts& node, const MovePlan& plan, const Move& move,
                                const MoveDeps& deps, const std::optional<engine::Journal>& last) {
  const auto steps = std::make_shared<const Steps>(node, plan, move, deps);
  // The decision is stored, because rewritten files no longer contain the old address.
  const bool moves_pods =
      last ? json::At(last->facts, {kMovesPods}) == true : node.control_plane && MovesPods(plan);
  engine::Operation operation{.name = std::string(kOperation),
                              .tag = "readdress",
                              .intent = {{"from", move.from.Text()}, {"to", move.to.Text()}},
                              .facts = {{kMovesPods, moves_pods}},
                              .steps = {},
                              .can_roll_back = HasBackups(last),
                              .earlier_files = Timer().earlier_files,
                              .timer = &Timer()};
  auto add = [&](engine::Step step) { operation.steps.push_back(std::move(step)); };
  add({.id = "certificates",
       .line = plan.certificates.empty()
                   ? "reissue no certificates: none names the old address"
                   : fmt::format("reissue certificates: {}", ListOf(plan.certificates)),
       .apply = [steps](StepContext& context) { steps->ReissueCertificates(context); }});
  add({.id = "files",
       .line = plan.files.size() == 1
                   ? "write the new address to 1 file"
                   : fmt::format("write the new address to {} files", plan.files.size()),
       .apply = [steps](StepContext& context) { steps->RewriteFiles(context); }});
  if (moves_pods) {
    add({.id = "control-plane",
         .line = "replace the control plane of this node and restart the kubelet",
         .apply = [steps](StepContext& context) { steps->ReplaceControlPlane(context); },
         .rollback = [steps](StepContext& context) { steps->RestoreControlPlane(context); }});
  } else {
    add({.id = "kubelet",
         .line = "restart the kubelet",
         .apply = [](StepContext& context) { context.RestartKubelet(); },
         .rollback = [](StepContext& context) { context.RestartKubelet(); }});
  }
  if (node.etcd) {
    add({.id = "etcd-peers",
         .line = "tell etcd's members where to reach this one",
         .where = Where::kCluster,
         .apply = [steps](StepContext& context) { steps->TellPeers(context); },
         .rollback = [steps](StepContext& context) { steps->TellPeers(context); }});
  }
  if (node.control_plane) {
    add({.id = "objects",
         .line = "write the new address to kubeadm's ConfigMaps",
         .where = Where::kCluster,
         .apply = [steps](StepContext& context) { steps->ChangeObjects(context); },
         .rollback = [steps](StepContext& context) { steps->RestoreObjects(context); }});
  }
  add({.id = "wait",
       .line = "wait until the cluster knows the new address",
       .where = Where::kCluster,
       .apply = [steps](StepContext& context) { steps->WaitForCluster(context); },
       .rollback = [steps](StepContext& context) { steps->WaitForRestored(context); }});
  return operation;
}

}  // namespace readdress
