// SPDX-License-Identifier: Apache-2.0
#include "readdress/apply.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

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
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "net/host_port.h"
#include "readdress/plan.h"
#include "static_pods/restart.h"
#include "static_pods/serving.h"
#include "static_pods/static_pod.h"
#include "upgrade/backup.h"

namespace readdress {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{60'000};

certs::RenewalContext RenewalBy(const Node& node, const Move& move, const Engine& engine) {
  return {
      .files = engine.host.files,
      .cluster = node.config.cluster,
      .kubeconfig_dir = fs::path(config::kKubernetesDir),
      .start = engine.start,
      .new_key =
          [&node] { return pki::PrivateKey::Generate(certs::AlgorithmFor(node.config.cluster)); },
      .names = [move](const pki::SubjectAltNames& names) { return Replaced(names, move); }};
}

const certs::Renewable& RowOf(std::string_view name) {
  return *std::ranges::find(certs::Renewables(), name, &certs::Renewable::name);
}

void Keep(const fs::path& file, const Journal& journal, host::Files& files) {
  const fs::path directory = journal.directory / file.parent_path().filename();
  if (!files.Exists(directory / file.filename())) {  // the first copy has the original state
    files.MakeDirectories(directory, 0700);
    upgrade::KeepFile(files, file, directory);
  }
}

void Reissue(const Plan& plan, const Node& node, const Journal& journal, const Engine& engine) {
  const certs::RenewalContext renewal = RenewalBy(node, journal.move, engine);
  for (const std::string_view name : plan.certificates) {
    const certs::Renewable& row = RowOf(name);
    for (const fs::path& file : certs::FilesOf(row, renewal)) {
      Keep(file, journal, engine.host.files);
    }
    certs::Renew(row, renewal);
    engine.say(fmt::format("The certificate {} is issued again", name));
  }
}

void Rewrite(const Plan& plan, const Journal& journal, const Engine& engine) {
  host::Files& files = engine.host.files;
  for (const FileChange& change : plan.files) {
    Keep(change.path, journal, files);
    // Not all of them are secrets: the kubelet's settings are world-readable.
    const std::optional<host::FileInfo> before = files.Stat(change.path);
    files.Write(
        change.path, change.text,
        {.mode = before && before->kind == host::FileInfo::Kind::kFile ? before->mode : 0600});
    engine.say(fmt::format("{} names {}", change.path.string(), journal.move.to.Text()));
  }
  for (const PodChange& change : plan.pods) {
    Keep(components::ManifestPath(change.component), journal, files);
  }
}

void RestartKubelet(const Engine& engine) {
  engine.say("Restarting the kubelet");
  kubelet::RestartIfService(engine.host);
  kubelet::RequireRunning(engine.host, engine.stop);
}

// The final address of this node's API server.
net::IpAddress AddressAfter(const Node& node, const Move& move) {
  return AddressesToAsk(node, move).back();
}

config::ApiEndpoint NewEndpoint(const Node& node, const net::IpAddress& address) {
  return {.advertise_address = address.Text(),
          .bind_port = node.config.init.local_api_endpoint.bind_port};
}

// The control plane's Pods before the move.
struct Pods {
  std::vector<static_pods::RunningPod> replaced;  // by another manifest
  std::vector<static_pods::RunningPod> others;    // read their kubeconfig files again
};

Pods FindPods(const Plan& plan, const Engine& engine, cri::Runtime& runtime) {
  Pods pods;
  for (const Component component : components::kComponents) {
    if (std::ranges::contains(plan.pods, component, &PodChange::component)) {
      pods.replaced.push_back(static_pods::FindRunning(component, runtime));
    } else if (engine.host.files.Exists(components::ManifestPath(component))) {
      pods.others.push_back(static_pods::FindRunning(component, runtime));
    }
  }
  return pods;
}

// Stops and starts all Pods together: none works without the others. A kubelet that read the old
// manifests would check for the ends of their Pods only after a while. If it cannot reach the API
// server it would never check; a restarted one starts the new manifests. The API server ends before
// etcd, so that it removes its old address from the Service kubernetes.
void MovePods(const Plan& plan, const Node& node, const Journal& journal, const Engine& engine) {
  const std::unique_ptr<cri::Runtime> runtime = engine.connect_runtime();
  const static_pods::RestartContext restart{
      .host = engine.host,
      .runtime = *runtime,
      .probe_of = static_pods::ServingProbes(engine.host, node.config.cluster,
                                             NewEndpoint(node, AddressAfter(node, journal.move))),
      .limit = engine.limit,
      .stop = engine.stop};
  const Pods pods = FindPods(plan, engine, *runtime);
  for (const PodChange& change : plan.pods) {
    static_pods::WriteManifest(engine.host.files, change.component, change.pod);
  }
  engine.say("Stopping the control plane of this node");
  for (const auto* list : {&pods.others, &pods.replaced}) {
    for (const static_pods::RunningPod& pod : *list | std::views::reverse) {
      static_pods::StopContainers(pod, restart);
    }
  }
  RestartKubelet(engine);
  engine.say("Waiting for the control plane of this node");
  static_pods::WaitForSuccessors(pods.replaced, static_pods::Successor::kPod, restart);
  static_pods::WaitForSuccessors(pods.others, static_pods::Successor::kContainer, restart);
}

void TellPeers(const Engine& engine) {
  const std::optional<etcd_membership::LocalEtcd> local =
      etcd_membership::FindEtcd(engine.host.files).local;
  if (!local) {
    return;
  }
  etcd::Connection connection =
      etcd_membership::ReadClientPair(engine.host.files, local->certificates_dir);
  connection.endpoints = {local->client_url};
  connection.stop = engine.stop;
  const std::unique_ptr<etcd::Client> client = etcd::Connect(std::move(connection));
  const std::uint64_t id = client->Status(local->client_url).member_id;
  for (const etcd::Member& member : client->Members()) {
    if (member.id == id && !std::ranges::contains(member.peer_urls, local->peer_url)) {
      client->UpdatePeerUrl(id, local->peer_url);
      engine.say(fmt::format("etcd's members reach this one at {}", local->peer_url));
    }
  }
}

void ChangeObjects(kube::Client& client, const Node& node, const Move& move, const Engine& engine) {
  const Plan plan = MakePlan({.files = {},
                              .objects = SearchObjects(client),
                              .certificates_dir = {},
                              .node = node.config.init.node_registration.name},
                             move);
  bool proxies = false;
  for (const json::Value& object : plan.objects) {
    client.Update(kube::resources::kConfigMap, object);
    const std::string name = json::TextAt(object, {"metadata", "name"});
    engine.say(fmt::format("ConfigMap {} names {}", name, move.to.Text()));
    proxies = proxies || name == "kube-proxy";
  }
  if (!proxies) {
    return;
  }
  engine.say("Restarting kube-proxy on all nodes");
  for (const json::Value& pod : client.List(
           kube::resources::kPod, std::string(kube::kSystemNamespace), "k8s-app=kube-proxy")) {
    if (kube::IsOwnedBy(pod, kube::resources::kDaemonSet.kind, "kube-proxy")) {
      client.Delete(kube::resources::kPod, std::string(kube::kSystemNamespace),
                    json::TextAt(pod, {"metadata", "name"}));
    }
  }
}

// The cluster's objects of this node, and of its API server, no longer have the old address.
std::optional<kube::NotYet> StillNamed(kube::Client& client, const Node& node, const Move& move) {
  const json::Value object =
      client.Get(kube::resources::kNode, "", node.config.init.node_registration.name);
  if (!Places(json::At(object, {"status", "addresses"}), move.from).empty()) {
    return kube::NotYet{"the Node still has the old address"};
  }
  if (!node.control_plane) {
    return std::nullopt;
  }
  const json::Value slice = client.Get(kEndpointSlice, "default", "kubernetes");
  if (!Places(json::At(slice, {"endpoints"}), move.from).empty()) {
    return kube::NotYet{"the Service kubernetes still leads to the old address"};
  }
  return std::nullopt;
}

void WaitForCluster(kube::Client& client, const Node& node, const Move& move,
                    const Engine& engine) {
  engine.say("Waiting for the cluster to know the new address");
  kube::WaitUntil(static_pods::UntilAnswered(
                      [&](const std::stop_token&) { return StillNamed(client, node, move); }),
                  {.clock = engine.host.clock,
                   .most = milliseconds(500),
                   .limit = engine.limit,
                   .stop = engine.stop,
                   .culprit = {}});
}

bool HasAddress(const host::Host& host, const net::IpAddress& address) {
  return std::ranges::any_of(host.network.Interfaces(), [&](const host::Interface& each) {
    return std::ranges::any_of(each.addresses, [&](const std::string& text) {
      return net::IpAddress::Parse(text) == address;
    });
  });
}

}  // namespace

std::vector<net::IpAddress> AddressesToAsk(const Node& node, const Move& move) {
  if (node.address && *node.address != move.from && *node.address != move.to) {
    return {*node.address};
  }
  return {move.from, move.to};
}

kube::Client ClientFor(const Node& node, const net::IpAddress& address, const Engine& engine) {
  const fs::path directory(config::kKubernetesDir);
  const kube::RetryPolicy retry{.limit = kPatience, .grace = milliseconds(0)};
  if (!node.control_plane) {
    return {kubeconfigs::ConnectBy(engine.host, directory / config::kKubeletConf),
            engine.host.clock, retry, engine.stop};
  }
  const std::string server =
      fmt::format("https://{}",
                  net::JoinHostPort(address.Text(), node.config.init.local_api_endpoint.bind_port));
  return {kubeconfigs::ConnectBy(engine.host, directory / config::kAdminConf,
                                 {.server_override = server}),
          engine.host.clock, retry, engine.stop};
}

void CheckMove(const Node& node, const Plan& plan, const Move& move, const Engine& engine) {
  if (move.from.IsIpv4() != move.to.IsIpv4()) {
    throw Error(Error::Kind::kInvalid,
                "the new address is of another family than the old one, and so would all networks "
                "of the cluster have to be: nothing was changed");
  }
  const bool own = node.address == move.from || node.address == move.to ||
                   std::ranges::contains(node.node_ips, move.from) ||
                   std::ranges::contains(node.node_ips, move.to);
  if (own && !HasAddress(engine.host, move.to)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("this machine does not have the address {}: give it to an interface "
                            "first; nothing was changed",
                            move.to.Text()));
  }
  const certs::RenewalContext renewal = RenewalBy(node, move, engine);
  for (const std::string_view name : plan.certificates) {
    if (certs::JudgeRenewal(RowOf(name), renewal) == certs::RenewalOutcome::kExternalCa) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("the certificate {} names {}, and the key of its CA is not here: "
                              "have one made for {} first; nothing was changed",
                              name, move.from.Text(), move.to.Text()));
    }
  }
  base::WithContext("nothing was changed", [&] { components::RequireNoStrays(engine.host.files); });
  if (const auto problem =
          etcd_membership::RestartProblem({engine.host, node.config, engine.stop, engine.say})) {
    throw Error(Error::Kind::kUnavailable, "nothing was changed: " + *problem);
  }
}

void Apply(const Node& node, Journal journal, const Engine& engine) {
  host::Files& files = engine.host.files;
  const bool begins = !LoadJournal(files);
  const Plan plan = MakePlan({.files = SearchFiles(files),
                              .objects = {},
                              .certificates_dir = node.config.cluster.certificates_dir,
                              .node = node.config.init.node_registration.name},
                             journal.move);
  if (begins) {  // later the files do not have it any more
    journal.moves_pods = node.control_plane && MovesPods(plan);
    SaveJournal(files, journal);
  }
  Reissue(plan, node, journal, engine);
  Rewrite(plan, journal, engine);
  if (!journal.pods_serve) {
    if (node.control_plane && journal.moves_pods) {
      MovePods(plan, node, journal, engine);
    } else {
      RestartKubelet(engine);
    }
    journal.pods_serve = true;
    SaveJournal(files, journal);
  }
  if (node.etcd && !journal.peers_know) {
    TellPeers(engine);
    journal.peers_know = true;
    SaveJournal(files, journal);
  }
  kube::Client client = ClientFor(node, AddressAfter(node, journal.move), engine);
  if (node.control_plane) {
    client.Retry("", [&] { ChangeObjects(client, node, journal.move, engine); });
  }
  WaitForCluster(client, node, journal.move, engine);
  RemoveJournal(files);
}

}  // namespace readdress
