// SPDX-License-Identifier: Apache-2.0
// Adds a joining node's etcd to the cluster's.
#include <fmt/core.h>

#include "base/strings.h"
#include "etcd/client.h"
#include "etcd/health.h"
#include "etcd_membership/join.h"
#include "static_pods/static_pod.h"
#include "steps/join/steps.h"
#include "steps/node/steps.h"

namespace join_steps {
namespace {

constexpr components::Component kEtcd = components::Component::kEtcd;

void StartMember(const etcd::Joined& joined, JoinData& data, workflow::Context& context) {
  context.Print(
      fmt::format("[etcd] Writing the static Pod manifest of etcd to {}", ManifestDirectory(data)));
  WriteStaticPod(kEtcd, static_pods::JoiningEtcdPod(data.config, joined.initial_cluster), data,
                 context);
  context.Print("[etcd] Waiting until the new member has copied the data and votes");
}

void JoinRealEtcd(JoinData& data, workflow::Context& context) {
  const std::string peer_url = static_pods::EtcdPeerUrl(data.config.init.local_api_endpoint);
  data.host.files.MakeDirectories(data.config.cluster.etcd.local->data_dir, 0700);
  etcd::Connection connection = EtcdConnection(data, context);
  const std::unique_ptr<etcd::Client> client = etcd::Connect(connection);
  connection.stop = {};
  const std::unique_ptr<etcd::Client> undoing_client = etcd::Connect(std::move(connection));
  const std::unique_ptr<cri::Runtime> runtime = data.Runtime();
  context.Print(fmt::format("[etcd] Adding etcd member: {}", peer_url));
  etcd_membership::Join(
      *client,
      {.member = {.name = data.config.init.node_registration.name, .peer_url = peer_url},
       .waiting = EtcdWaiting(data, context.Stop()),
       .undoing = {.client = *undoing_client, .waiting = EtcdWaiting(data, {})},
       .replace_dead = data.options.replace_dead_member},
      {.host = data.host,
       .runtime = *runtime,
       .since = data.start,
       .data_dir = data.config.cluster.etcd.local->data_dir},
      {.start = [&](const etcd::Joined& joined) { StartMember(joined, data, context); },
       .progress = [&](std::optional<std::string_view> text) { context.Progress(text); }});
}

void ShowEtcdJoin(JoinData& data, workflow::Context& context) {
  const std::string peer_url = static_pods::EtcdPeerUrl(data.config.init.local_api_endpoint);
  context.Print(fmt::format("[etcd] Would make the directory {}",
                            base::Quoted(data.config.cluster.etcd.local->data_dir)));
  context.Print(fmt::format("[etcd] Would add etcd member: {}", peer_url));
  context.Print(
      fmt::format("[etcd] Writing the static Pod manifest of etcd to {}", ManifestDirectory(data)));
  const static_pods::HostFacts facts = static_pods::CollectFacts(data.machine, data.config.cluster);
  WriteStaticPod(kEtcd, static_pods::StaticPod(kEtcd, data.config, facts), data, context);
  data.world.Show({components::ManifestPath(kEtcd)}, context);
  context.Print("[etcd] Would wait until the new member votes");
}

void RequireQuorum(JoinData& data, workflow::Context& context) {
  context.Print("[check-etcd] Checking that the etcd cluster is healthy");
  const std::unique_ptr<etcd::Client> client = ConnectEtcd(data, context);
  const etcd::Health health = etcd::WaitForQuorum(*client, EtcdWaiting(data, context.Stop()));
  if (const auto problems = etcd::Explain(health)) {
    context.Warn(*problems);
  }
}

}  // namespace

void CheckEtcd(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  if (!data.stacked_etcd()) {
    context.Print("[check-etcd] Skipping phase: etcd is external");
    return;
  }
  data.world.Do({.on_machine = [&] { RequireQuorum(data, context); },
                 .in_dry_run = steps::Would(
                     context, {"[dryrun] Would check that the etcd cluster is healthy"})});
}

void JoinEtcd(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  if (!data.stacked_etcd()) {
    context.Print("[etcd-join] Skipping phase: etcd is external");
    return;
  }
  data.world.Do({.on_machine = [&] { JoinRealEtcd(data, context); },
                 .in_dry_run = [&] { ShowEtcdJoin(data, context); }});
}

}  // namespace join_steps
