// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/recover.h"

#include <fmt/core.h>

#include <utility>

#include "backup/etcd_tools.h"
#include "backup/throwaway_etcd.h"
#include "base/error.h"
#include "base/strings.h"
#include "components/table.h"
#include "control_plane/etcd_data.h"
#include "etcd/client.h"
#include "etcd/snapshot.h"
#include "etcd_membership/local_etcd.h"
#include "host/new_file.h"
#include "host/renames.h"
#include "kubelet/local_runtime.h"
#include "kubelet/service.h"
#include "pki/sha256_sum.h"
#include "static_pods/restart.h"
#include "static_pods/static_pod.h"
#include "workflow/state_file.h"

namespace etcd_maintenance {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;
using engine::StepContext;

// A subdirectory of etcd's data directory, so that a rename can put the data in place. `kubeadm
// reset` removes "member.*".
constexpr std::string_view kCopy = "member.recovering";
constexpr std::string_view kRestoring = "member.recovered";
constexpr std::chrono::minutes kSyncLimit{30};  // gigabytes, on a slow disk

fs::path ScratchPath() { return workflow::kRestoring; }

fs::path SnapshotPath() { return ScratchPath() / "snapshot.db"; }

// The steps of one recovery. Functions of the engine hold a pointer to this object.
class Steps {
 public:
  Steps(RecoveryFacts facts, RecoverDeps deps) : facts_(std::move(facts)), deps_(std::move(deps)) {}

  void Stop(StepContext& context) const;
  void KeepData(StepContext& context) const;
  void RebuildData(StepContext& context) const;
  void Start(StepContext& context) const;
  void Verify(StepContext& context) const;

 private:
  fs::path Member() const { return facts_.data_directory / etcd_membership::kMemberDirectory; }
  fs::path Copy() const { return facts_.data_directory / kCopy; }
  fs::path Restoring() const { return facts_.data_directory / kRestoring; }
  void StopKubelet() const;
  void TakeSnapshot(backup::EtcdTools& tools, StepContext& context) const;
  void GiveToOwner(const fs::path& data) const;
  void RemoveScratch() const;

  const RecoveryFacts facts_;
  const RecoverDeps deps_;
};

// Stops the kubelet, because it would kill the containers of etcd's programs. Throws
// base::Error(kConflict) if it still runs.
void Steps::StopKubelet() const {
  kubelet::StopKubelet(deps_.host);
  if (kubelet::FindCommandLine(deps_.host)) {
    throw Error(Error::Kind::kConflict,
                "the kubelet still runs, and would start etcd while its data are replaced: stop it "
                "('systemctl stop kubelet'), and run the same command again");
  }
}

void Steps::Stop(StepContext& context) const {
  context.Say("Stopping the kubelet, the API server and etcd of this node");
  StopKubelet();
  context.RemoveFile(components::ManifestPath(Component::kEtcd));
  const std::unique_ptr<cri::Runtime> runtime = deps_.connect_runtime();
  const static_pods::RestartContext stopping = context.RestartBy(*runtime, {});
  for (const Component component : {Component::kApiServer, Component::kEtcd}) {
    static_pods::StopContainers(static_pods::FindRunning(component, *runtime), stopping);
  }
}

void Steps::KeepData(StepContext& context) const {
  host::Files& files = deps_.host.files;
  if (!files.Exists(Member())) {  // an interrupted run has moved the data
    return;
  }
  const fs::path& kept = facts_.kept;
  files.MakeDirectories(kept, 0700);
  host::Rename(files, Member(), kept / etcd_membership::kMemberDirectory);
  context.Say(fmt::format("etcd's data are kept in {}", kept.string()));
}

void Steps::TakeSnapshot(backup::EtcdTools& tools, StepContext& context) const {
  host::Files& files = deps_.host.files;
  const host::fs::path data = Copy() / "etcd";
  backup::ServeData({.host = deps_.host,
                     .tools = tools,
                     .data = data,
                     .sockets = ScratchPath(),
                     .name = facts_.own.name,
                     .as_only_member = true},
                    context.Stop(), [&](const backup::ServingEtcd& serving) {
                      if (serving.counts.revision < facts_.revision) {
                        throw Error(fmt::format(
                            "the copy of etcd's data is at revision {}, and the member was at {}: "
                            "nothing is restored from it",
                            serving.counts.revision, facts_.revision));
                      }
                      host::NewFile snapshot(files, SnapshotPath());
                      pki::Sha256Sum sum;
                      etcd::SnapshotOverSocket(
                          serving.socket,
                          [&](std::string_view bytes) {
                            sum.Add(bytes);
                            snapshot.Append(bytes);
                          },
                          context.Stop());
                      snapshot.Append(sum.End());
                      snapshot.Finish();
                      context.Say(fmt::format("The data have {} keys, at revision {}",
                                              serving.counts.keys, serving.counts.revision));
                    });
}

// Gives the data to the owner of the old data, because etcd may run as its own user.
void Steps::GiveToOwner(const fs::path& data) const {
  const fs::path like = facts_.kept / etcd_membership::kMemberDirectory;
  backup::RequireSuccess(
      deps_.host.processes.Run({"chown", "-R", "--reference=" + like.string(), "--", data.string()},
                               {.timeout = kSyncLimit}),
      "give etcd's data to its user");
}

void Steps::RemoveScratch() const {
  host::Files& files = deps_.host.files;
  files.RemoveTree(ScratchPath());
  files.RemoveTree(Copy());
  files.RemoveTree(Restoring());
}

void Steps::RebuildData(StepContext& context) const {
  host::Files& files = deps_.host.files;
  // If the data exist, an interrupted run has already rebuilt them.
  if (!files.Exists(Member())) {
    StopKubelet();
    RemoveScratch();
    files.MakeDirectories(fs::path(workflow::kDirectory), 0700);
    files.MakeDirectories(ScratchPath(), 0700);
    files.MakeDirectories(Copy(), 0700);
    context.Say(
        fmt::format("Making member {} the only one, in a copy of the data", facts_.own.name));
    control_plane::CopyEtcdData(deps_.host, facts_.kept, Copy());
    const std::unique_ptr<cri::Runtime> runtime = deps_.connect_runtime();
    const auto tools = backup::ToolsOfImage(deps_.host, *runtime, facts_.image,
                                            {ScratchPath(), facts_.data_directory});
    TakeSnapshot(*tools, context);
    backup::RestoreSnapshot(*tools,
                            {.snapshot = SnapshotPath(),
                             .directory = Restoring(),
                             .identity = facts_.own,
                             .token = base::HexEncode(deps_.host.random.Bytes(16)),
                             .bump = backup::RevisionBump(deps_.host.clock.NowSeconds())},
                            context.Stop());
    GiveToOwner(Restoring() / etcd_membership::kMemberDirectory);
    host::Rename(files, Restoring() / etcd_membership::kMemberDirectory, Member());
    backup::RequireSuccess(deps_.host.processes.Run({"sync", "-f", facts_.data_directory.string()},
                                                    {.timeout = kSyncLimit}),
                           "write etcd's data to the disk");
  }
  RemoveScratch();
}

void Steps::Start(StepContext& context) const {
  const json::Value pod = LoadEtcdPod(deps_.host.files, context.BackupDirectory());
  context.WriteFile(components::ManifestPath(Component::kEtcd),
                    static_pods::Text(backup::AsOnlyMember(pod, facts_.own)), 0600);
  backup::StartControlPlane(
      context,
      {.host = deps_.host, .connect_runtime = deps_.connect_runtime, .limit = deps_.limit});
}

void Steps::Verify(StepContext& context) const {
  const etcd_membership::LocalEtcd local =
      etcd_membership::ReadLocalEtcd(LoadEtcdPod(deps_.host.files, context.BackupDirectory()));
  etcd::Connection connection =
      etcd_membership::ReadClientPair(deps_.host.files, local.certificates_dir);
  connection.endpoints = {local.client_url};
  connection.stop = context.Stop();
  const std::unique_ptr<etcd::Client> client = etcd::Connect(std::move(connection));
  client->CheckWrite();
  const std::size_t members = client->Members().size();
  const std::int64_t revision = client->Status(local.client_url).revision;
  if (members != 1 || revision <= facts_.revision) {
    throw Error(
        fmt::format("etcd serves at revision {} with {} members; expected one member and a "
                    "revision beyond {}",
                    revision, members, facts_.revision));
  }
  context.Say(fmt::format("etcd takes writes as a single member, at revision {}", revision));
}

std::string NamesOf(const RecoveryFacts& facts) {
  std::vector<std::string> names;
  for (const OtherMember& other : facts.others) {
    names.push_back(other.name);
  }
  return base::Join(names, ", ");
}

}  // namespace

engine::Operation RecoverOperation(const RecoveryFacts& facts, const RecoverDeps& deps) {
  const auto steps = std::make_shared<Steps>(facts, deps);
  engine::Operation operation{.name = std::string(kRecoverOperation),
                              .tag = "etcd",
                              .intent = {{"member", facts.own.name}},
                              .facts = ToJson(facts),
                              .steps = {}};
  const auto add = [&](std::string id, std::string line, void (Steps::*apply)(StepContext&) const) {
    operation.steps.push_back(
        {.id = std::move(id),
         .line = std::move(line),
         .apply = [steps, apply](StepContext& context) { ((*steps).*apply)(context); }});
  };
  add("stop", "stop the kubelet, the API server and etcd of this node", &Steps::Stop);
  add("keep", fmt::format("move etcd's data to {}", facts.kept.string()), &Steps::KeepData);
  add("data",
      fmt::format("make {} the only member in a copy of the data, with a revision raised by {}",
                  facts.own.name, backup::RevisionBump(deps.host.clock.NowSeconds())),
      &Steps::RebuildData);
  add("control-plane", "write etcd's manifest, start the kubelet and wait for the control plane",
      &Steps::Start);
  add("verify", "verify a write and the revision", &Steps::Verify);
  return operation;
}

std::string TextOf(const RecoveryFacts& facts) {
  std::string text = fmt::format(
      "etcd member {} ({}) becomes the only member, with its own data{}\n", facts.own.name,
      facts.own.peer_url, facts.revision > 0 ? fmt::format(" of revision {}", facts.revision) : "");
  for (const OtherMember& other : facts.others) {
    text += other.problem.empty() ? fmt::format("  answers: {}\n", other.name)
                                  : fmt::format("  lost: {}: {}\n", other.name, other.problem);
  }
  if (facts.others.empty()) {
    text += "  the other members are not known, since etcd does not answer here\n";
  }
  text +=
      "  writes that only the lost members had are lost\n"
      "  if a majority of the lost members runs somewhere, or comes back, it continues as a second "
      "cluster: power their machines off first\n";
  return text;
}

void RequireRecoverable(const RecoveryFacts& facts) {
  if (const std::optional<std::string> refusal = RecoveryRefusal(facts)) {
    throw Error(Error::Kind::kConflict,
                fmt::format("etcd member {} must not become the only one: {}; nothing was changed",
                            facts.own.name, *refusal));
  }
}

std::vector<std::string> StepsAfterRecovery(const RecoveryFacts& facts) {
  const std::string names = facts.others.empty() ? "every other control plane" : NamesOf(facts);
  return {
      fmt::format("etcd has one member now, and survives no failure. For each of {}: 'kubectl "
                  "delete node NAME' here, then on its machine 'kubeadm reset' and the join "
                  "command",
                  names),
      "For the join command: 'kubeadm init phase upload-certs --upload-certs' prints a certificate "
      "key. Then run 'kubeadm token create --print-join-command --certificate-key KEY'",
      fmt::format("When the cluster is whole again, remove {} from this node",
                  facts.kept.string())};
}

}  // namespace etcd_maintenance
