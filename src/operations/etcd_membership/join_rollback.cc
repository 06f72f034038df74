// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/join_rollback.h"

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "etcd_membership/local_etcd.h"
#include "host/remove_tree.h"
#include "static_pods/restart.h"
#include "static_pods/static_pod.h"

namespace etcd_membership {
namespace {

constexpr components::Component kEtcd = components::Component::kEtcd;
constexpr const char* kStays =
    "the changes of the join for the etcd member {} of this node could not be rolled back: {}; run "
    "the same command again, or undo them with \"kubeadm reset\"";

void WaitForEnd(const Joining& joining, const JoiningNode& node) {
  etcd::WaitFor("this node's etcd has not ended", joining.undoing.waiting,
                [&]() -> std::optional<std::string> {
                  if (static_pods::FindRunning(kEtcd, node.runtime).containers.empty()) {
                    return std::nullopt;
                  }
                  return "its container still runs";
                });
}

void EmptyData(const Joining& joining, const JoiningNode& node) {
  WaitForEnd(joining, node);
  const host::EmptyOptions members_only{.only = std::vector<fs::path>{kMemberDirectory},
                                        .recognized = {kMemberDirectory}};
  for (const std::string& kept :
       host::EmptyDirectory(node.host.files, node.data_dir, members_only)) {
    base::LogWarning("{}", kept);
  }
}

void RemoveTraces(const Joining& joining, const JoiningNode& node, bool data_is_own) {
  node.host.files.Remove(components::ManifestPath(kEtcd));
  if (data_is_own) {
    EmptyData(joining, node);
  } else {
    base::LogWarning(
        "{} held data of etcd before this run and is left as it is: if they are those of the "
        "member that was removed, etcd does not start with them; check whose data they are, and "
        "empty the directory",
        base::Quoted(node.data_dir.string()));
  }
}

}  // namespace

void RollbackJoin(const Joining& joining, const JoiningNode& node, bool data_is_own) {
  const std::string& peer_url = joining.member.peer_url;
  try {
    switch (etcd::UndoAdd(joining.undoing.client, peer_url, joining.undoing.waiting)) {
      case etcd::Undone::kVotes:
        base::LogWarning(
            "the etcd member {} of this node votes already and stays: run the same command again "
            "to continue",
            peer_url);
        return;
      case etcd::Undone::kRemoved:
        base::LogWarning("the etcd member {} of this node was removed again", peer_url);
        break;
      case etcd::Undone::kAbsent:
        break;
    }
    RemoveTraces(joining, node, data_is_own);
  } catch (const std::exception& error) {
    base::LogWarning(kStays, peer_url, error.what());
  } catch (const base::Interrupted& interrupted) {
    base::LogWarning(kStays, peer_url, interrupted.message());
  }
}

}  // namespace etcd_membership
