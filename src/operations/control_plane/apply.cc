// SPDX-License-Identifier: Apache-2.0
#include "control_plane/apply.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "certs/create.h"
#include "certs/renewal.h"
#include "config/paths.h"
#include "control_plane/etcd_data.h"
#include "engine/backup_directory.h"
#include "etcd/comeback.h"
#include "etcd_membership/join.h"
#include "etcd_membership/local_etcd.h"
#include "etcd_membership/own_member.h"
#include "kubelet/service.h"
#include "static_pods/static_pod.h"

namespace control_plane {
namespace {

using base::Error;
using components::Component;
using host::fs::path;

constexpr std::string_view kManifestsBackup = "kubeadm-backup-manifests";

void Renew(std::string_view name, const UpgradedNode& node) {
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

void RenewFor(Component component, const UpgradedNode& node) {
  for (const std::string_view name : components::CertificatesOf(component)) {
    Renew(name, node);
  }
  if (component == Component::kEtcd) {
    Renew("etcd-healthcheck-client", node);
  }
}

// Returns the member with this node's peer URL, or else the member with the node's name. A member
// has the name of its node only by default.
const etcd::MemberHealth* OwnMember(const etcd::Health& health, const UpgradedNode& node) {
  const auto local = etcd_membership::FindEtcd(node.host.files).local;
  const etcd::MemberHealth* own = local ? health.At(local->peer_url) : nullptr;
  return own != nullptr ? own : health.Named(node.config.init.node_registration.name);
}

// Returns the health of etcd. Throws kUnavailable if etcd would lose its majority during a restart
// of this node's member.
etcd::Health RequireMajority(const UpgradedNode& node) {
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

// The number of etcd members. Data are restored only for a single member, because other members
// would still have the newer data.
enum class Members { kThisOne, kSeveral };

// Backs the node up before its first change. A resumed run keeps the backup of the first run,
// because the present data may already be the new etcd's data.
void BackUp(const UpgradedNode& node) {
  UpgradeRecord& record = node.record;
  if (!record.under_way.empty()) {
    return;
  }
  record.backup_under_way = node.make_backup ? node.make_backup() : "";
  // A repeated run begins at the new version, so it keeps the backup from before this version.
  if (record.manifests.empty()) {
    record.backup = record.backup_under_way;
  }
  record.data_restored = false;
  SaveRecord(node.host.files, record);
}

// Returns whether the present run can restore etcd's data. It cannot if etcd's log is outside of
// the data directory (--wal-dir).
bool CanRestoreData(const UpgradedNode& node) {
  if (!node.make_data || node.record.backup_under_way.empty()) {
    return false;
  }
  const std::optional<json::Value> kept = KeptPod(node.host.files, node.record, Component::kEtcd);
  const json::Value pod =
      kept ? *kept : static_pods::ReadManifest(node.host.files, Component::kEtcd).value_or(nullptr);
  return !static_pods::CommandArg(pod, "wal-dir");
}

// The shared context of all steps of a run on this node.
class Run {
 public:
  explicit Run(const UpgradedNode& node)
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

  Run(const Run&) = delete;  // the members hold references to it
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
    if (members == Members::kThisOne && CanRestoreData(node_)) {
      parts.restore_etcd_data = [this] {
        RestoreEtcdData(node_.host,
                        {.data_dir = node_.config.cluster.etcd.local->data_dir,
                         .make =
                             [this](const path& directory) {
                               node_.make_data(node_.record.backup_under_way, directory);
                             }},
                        node_.stop);
      };
    }
    return parts;
  }

 private:
  path BackupDirectory() {
    if (backup_.empty()) {
      backup_ = engine::MakeBackupDirectory(node_.host, kManifestsBackup);
      node_.say(Area::kStaticPods,
                fmt::format("The old manifests are kept in {}", backup_.string()));
    }
    return backup_;
  }

  const UpgradedNode& node_;
  static_pods::RestartContext restart_;
  path backup_;
};

PodChange::What DoneToEtcd(std::span<const PodChange> changes) {
  const auto etcd = std::ranges::find(changes, Component::kEtcd, &PodChange::component);
  return etcd == changes.end() ? PodChange::What::kNothing : etcd->what;
}

// Throws kUnavailable if etcd serves and would lose its majority during a restart. Queries the etcd
// member directly, because the API server may be the reason for the rollback.
void RefuseToRestartServing(const UpgradedNode& node) {
  const auto say = [&](const std::string& line) { node.say(Area::kEtcd, line); };
  if (const auto problem = etcd_membership::RestartProblem(
          {node.host, node.config, node.stop, say, node.etcd_limit})) {
    throw Error(Error::Kind::kUnavailable, "nothing was changed: " + *problem);
  }
}

// Removes etcd's manifest while etcd's data are restored. If the record has no old manifest, first
// makes a copy of the present manifest.
void BeginDataRestoration(const UpgradedNode& node) {
  UpgradeRecord& record = node.record;
  const std::string etcd(components::Name(Component::kEtcd));
  if (!record.manifests.contains(etcd)) {
    const path directory = engine::MakeBackupDirectory(node.host, kManifestsBackup);
    engine::CopyToBackup(node.host.files, components::ManifestPath(Component::kEtcd), directory);
    record.manifests[etcd] = directory.string();
  }
  record.backup_under_way = record.backup;
  record.restoring_data = true;
  SaveRecord(node.host.files, record);
}

}  // namespace

bool Changes(std::span<const PodChange> changes) {
  return std::ranges::any_of(
      changes, [](const PodChange& change) { return change.what != PodChange::What::kNothing; });
}

void Apply(std::span<const PodChange> changes, const UpgradedNode& node) {
  Members members = Members::kSeveral;
  switch (DoneToEtcd(changes)) {
    case PodChange::What::kNothing:
    case PodChange::What::kAwait:
      break;
    case PodChange::What::kRestart:
      RequireMajority(node);
      break;
    case PodChange::What::kReplace:
      members = RequireMajority(node).members.size() == 1 ? Members::kThisOne : Members::kSeveral;
  }
  BackUp(node);
  Run run(node);
  ApplyChanges(changes, run.Parts(members));
}

void Undo(const UpgradedNode& node, Data data) {
  UpgradeRecord& record = node.record;
  if (data == Data::kRestore && !record.restoring_data && !record.data_restored) {
    BeginDataRestoration(node);
  }
  record.under_way = record.manifests;
  Run run(node);
  const bool restoring = record.restoring_data;
  if (restoring && !CanRestoreData(node)) {
    throw Error(Error::Kind::kNotFound,
                "nothing was changed: etcd was stopped to restore its data, and there is no backup "
                "to restore them from: restore the node from another backup");
  }
  const PodUpgrade upgrade = run.Parts(restoring ? Members::kThisOne : Members::kSeveral);
  const Etcd etcd = restoring ? Etcd::kPutBackWithData : BackOfServingEtcd(upgrade);
  if (etcd == Etcd::kPutBack) {
    RefuseToRestartServing(node);
  }
  try {
    PutBack(etcd, upgrade);
  } catch (const Error& error) {
    if (etcd == Etcd::kLeave || record.backup.empty()) {
      throw;
    }
    throw Error(error.kind(), fmt::format("{}\nThe backup of this node before the upgrade is {}",
                                          error.message(), record.backup));
  }
}

bool HasToRenewAdministrators(const UpgradeRecord& record, std::span<const PodChange> changes) {
  const bool was_cut_off = !record.complete && !record.under_way.empty();
  return record.command == "apply" || Changes(changes) || was_cut_off;
}

void RenewAdministrators(const UpgradedNode& node) {
  Renew(config::kAdminConf, node);
  Renew(config::kSuperAdminConf, node);
}

}  // namespace control_plane
