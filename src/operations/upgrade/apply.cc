// SPDX-License-Identifier: Apache-2.0
#include "upgrade/apply.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "backups/directory.h"
#include "base/error.h"
#include "certs/create.h"
#include "certs/renewal.h"
#include "config/paths.h"
#include "etcd/answers.h"
#include "etcd/comeback.h"
#include "etcd_membership/join.h"
#include "etcd_membership/local_etcd.h"
#include "etcd_membership/own_member.h"
#include "kubelet/service.h"
#include "upgrade/backup.h"

namespace upgrade {
namespace {

using base::Error;
using components::Component;
using host::fs::path;

void Renew(std::string_view name, const Node& node) {
  const certs::Renewable& row = certs::FindRenewable(name);
  const auto outcome = base::WithContext(fmt::format("cannot renew {}", name), [&] {
    return certs::Renew(
        row, {.files = node.host.files,
              .cluster = node.config.cluster,
              .kubeconfig_dir = path(config::kKubernetesDir),
              .start = node.start,
              .new_key =
                  [&node] {
                    return pki::PrivateKey::Generate(certs::AlgorithmFor(node.config.cluster));
                  },
              .node = &node.config});
  });
  if (outcome == certs::RenewalOutcome::kRenewed) {
    node.say(Area::kStaticPods, fmt::format("Renewed {}", row.long_name));
  } else if (outcome == certs::RenewalOutcome::kExternalCa) {
    node.say(Area::kStaticPods,
             fmt::format("{} is not renewed: the key of its CA is not here", row.long_name));
  }
}

void RenewFor(Component component, const Node& node) {
  for (const std::string_view name : components::CertificatesOf(component)) {
    Renew(name, node);
  }
  if (component == Component::kEtcd) {
    Renew("etcd-healthcheck-client", node);
  }
}

// Finds it by URL: its name equals the node's only by default.
const etcd::MemberHealth* OwnMember(const etcd::Health& health, const Node& node) {
  const auto local = etcd_membership::FindEtcd(node.host.files).local;
  const etcd::MemberHealth* own = local ? health.At(local->peer_url) : nullptr;
  return own != nullptr ? own : health.Named(node.config.init.node_registration.name);
}

// Returns the health of etcd if the cluster tolerates a restart of this node's member.
etcd::Health RequireMajority(const Node& node) {
  const std::unique_ptr<etcd::Client> client = node.connect_etcd();
  etcd::Health health;
  const auto problem = etcd::LastingProblem(
      {.step = etcd::Step::kRestart,
       .health = [&] { return health = etcd::ClusterHealth(*client); },
       .member = [&](const etcd::Health& asked) { return OwnMember(asked, node); }},
      etcd_membership::WaitingOn(node.host.clock, node.etcd_limit, node.stop),
      [&](const std::string& line) { node.say(Area::kEtcd, line); });
  if (problem) {
    throw Error(Error::Kind::kUnavailable, "nothing was changed: " + *problem);
  }
  return health;
}

// Other members that have etcd's data would send a single restored member the newer data again.
enum class Members { kThisOne, kSeveral };

// Returns the URL of this node's running member; "" if no process listens there. A slow member
// runs, too, and writes its files.
std::string RunningUrl(etcd::Client& client, const Node& node) {
  const auto local = etcd_membership::FindEtcd(node.host.files).local;
  if (!local || local->client_url.empty()) {
    return "";
  }
  try {
    client.Status(local->client_url);
  } catch (const Error& error) {
    return etcd::NothingListens(error.message()) ? "" : local->client_url;
  }
  return local->client_url;
}

void CopyEtcd(const Node& node) {
  const path directory = backups::MakeDirectory(node.host, kEtcdBackup);
  node.say(Area::kEtcd, fmt::format("Copying etcd's data to {}", directory.string()));
  const std::unique_ptr<etcd::Client> etcd = node.connect_etcd();
  const std::string url = RunningUrl(*etcd, node);
  EtcdData data{.directory = node.config.cluster.etcd.local->data_dir};
  if (!url.empty()) {
    data.snapshot = [&](const auto& take) { etcd->Snapshot(url, take); };
  }
  CopyEtcdData(node.host, data, directory);
  node.record.etcd_data = directory.string();
  SaveRecord(node.host.files, node.record);
}

// etcd itself stays: the copy is of the state before the other components change.
void CopyEtcdThatStays(const Node& node) {
  if (node.copies_etcd && node.config.cluster.etcd.local && node.record.etcd_data.empty()) {
    CopyEtcd(node);
  }
}

// etcd must keep its majority; its data is copied before any change.
Members KeepEtcd(const Node& node) {
  const Members members =
      RequireMajority(node).members.size() == 1 ? Members::kThisOne : Members::kSeveral;
  const bool under_way =
      node.record.under_way.contains("etcd") && !node.record.serving.contains("etcd");
  if (under_way && !node.record.etcd_data.empty()) {
    return members;  // of the continued run: the present data may be the new etcd's
  }
  CopyEtcd(node);
  return members;
}

// The shared context of all steps of a run on this node.
class Run {
 public:
  explicit Run(const Node& node)
      : node_(node),
        restart_{.host = node.host,
                 .runtime = node.runtime,
                 .probe_of = static_pods::ServingProbes(node.host, node.config.cluster,
                                                        node.config.init.local_api_endpoint),
                 .limit = node.limit,
                 .stop = node.stop,
                 .restart_kubelet =
                     [&node] {
                       node.say(Area::kStaticPods,
                                "Restarting the kubelet, which does not start the Pods");
                       kubelet::RestartKubelet(node.host);
                     },
                 .say = [&node](const std::string& line) { node.say(Area::kStaticPods, line); }} {}

  Run(const Run&) = delete;  // the parts refer to it
  Run& operator=(const Run&) = delete;

  PodUpgrade Parts(Members members) {
    PodUpgrade parts{
        .host = node_.host,
        .restart = restart_,
        .record = node_.record,
        .backup_directory = [this] { return BackupDirectory(); },
        .say = [this](const std::string& line) { node_.say(Area::kStaticPods, line); }};
    if (node_.renews == Renews::kYes) {
      parts.renew = [this](Component component) { RenewFor(component, node_); };
    }
    if (members == Members::kThisOne &&
        CanRestoreEtcdData(node_.host.files, node_.record.etcd_data)) {
      parts.restore_etcd_data = [this] {
        RestoreEtcdData(node_.host, node_.record.etcd_data,
                        node_.config.cluster.etcd.local->data_dir, node_.stop);
      };
    }
    return parts;
  }

 private:
  path BackupDirectory() {
    if (backup_.empty()) {
      backup_ = backups::MakeDirectory(node_.host, kManifestsBackup);
      node_.say(Area::kStaticPods,
                fmt::format("The old manifests are kept in {}", backup_.string()));
    }
    return backup_;
  }

  const Node& node_;
  static_pods::RestartContext restart_;
  path backup_;
};

PodChange::What DoneToEtcd(std::span<const PodChange> changes) {
  const auto etcd = std::ranges::find(changes, Component::kEtcd, &PodChange::component);
  return etcd == changes.end() ? PodChange::What::kNothing : etcd->what;
}

// Queries the member itself: the API server may be the reason for the rollback.
void RefuseToRestartServing(const Node& node) {
  const auto say = [&](const std::string& line) { node.say(Area::kEtcd, line); };
  if (const auto problem = etcd_membership::RestartProblem(
          {node.host, node.config, node.stop, say, node.etcd_limit})) {
    throw Error(Error::Kind::kUnavailable, "nothing was changed: " + *problem);
  }
}

}  // namespace

bool Changes(std::span<const PodChange> changes) {
  return std::ranges::any_of(
      changes, [](const PodChange& change) { return change.what != PodChange::What::kNothing; });
}

void Apply(std::span<const PodChange> changes, const Node& node) {
  Members members = Members::kSeveral;
  switch (DoneToEtcd(changes)) {
    case PodChange::What::kNothing:
    case PodChange::What::kAwait:
      CopyEtcdThatStays(node);
      break;
    case PodChange::What::kRestart:
      RequireMajority(node);
      CopyEtcdThatStays(node);
      break;
    case PodChange::What::kReplace:
      members = KeepEtcd(node);
  }
  Run run(node);
  ApplyChanges(changes, run.Parts(members));
}

void Undo(const Node& node) {
  node.record.under_way = node.record.manifests;
  Run run(node);
  const bool restoring = node.record.restoring_data;
  const PodUpgrade upgrade = run.Parts(restoring ? Members::kThisOne : Members::kSeveral);
  const Etcd etcd = restoring ? Etcd::kPutBackWithData : BackOfServingEtcd(upgrade);
  if (etcd == Etcd::kPutBack) {
    RefuseToRestartServing(node);
  }
  try {
    PutBack(etcd, upgrade);
  } catch (const Error& error) {
    if (etcd == Etcd::kLeave || node.record.etcd_data.empty()) {
      throw;
    }
    throw Error(error.kind(), fmt::format("{}\nA copy of etcd's data as it was before the upgrade "
                                          "is in {}",
                                          error.message(), node.record.etcd_data));
  }
}

bool HasToRenewAdministrators(const Record& record, std::span<const PodChange> changes) {
  const bool was_cut_off = !record.complete && !record.under_way.empty();
  return record.command == "apply" || Changes(changes) || was_cut_off;
}

void RenewAdministrators(const Node& node) {
  Renew(config::kAdminConf, node);
  Renew(config::kSuperAdminConf, node);
}

}  // namespace upgrade
