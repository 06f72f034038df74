// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/snapshot.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "backup/create.h"
#include "base/error.h"
#include "base/strings.h"
#include "etcd/health.h"
#include "etcd_maintenance/status.h"
#include "host/new_file.h"
#include "pki/sha256_sum.h"

namespace etcd_maintenance {
namespace {

using base::Error;

// Returns the member to copy. If the user names a member, returns it. Otherwise returns the leader,
// which has every change. Without a leader, returns the most advanced member.
MemberState Choose(const ClusterState& state, const std::string& wanted) {
  std::vector<etcd::Member> members;
  for (const MemberState& row : state.members) {
    members.push_back(row.member);
  }
  std::optional<std::uint64_t> id;
  if (!wanted.empty()) {
    id = RequireMember(members, wanted).id;
  }
  std::optional<MemberState> best;
  std::string problem;
  for (const MemberState& row : state.members) {
    if (!row.status || (id && row.member.id != *id)) {
      problem = !id || row.member.id == *id ? row.problem : problem;
      continue;
    }
    const bool leads = row.status->leader_id == row.member.id;
    if (!best || leads || (best->status->leader_id != best->member.id && row.lag < best->lag)) {
      best = row;
    }
  }
  if (!best) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("no snapshot of etcd can be taken: {}", problem));
  }
  return *best;
}

}  // namespace

SavedSnapshot SaveSnapshot(etcd::Client& client, const host::Files& files,
                           const SnapshotRequest& request) {
  if (files.Exists(request.path)) {
    throw Error(Error::Kind::kAlreadyExists,
                fmt::format("{} exists already: a snapshot does not replace a file",
                            request.path.string()));
  }
  const MemberState member = Choose(CollectState(client), request.member);
  host::NewFile file(files, request.path);
  pki::Sha256Sum database;
  pki::Sha256Sum whole;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  client.Snapshot(
      member.member.client_urls.front(),
      [&](std::string_view bytes) {
        database.Add(bytes);
        whole.Add(bytes);
        file.Append(bytes);
        done += bytes.size();
        if (request.progress) {
          request.progress(done, total);
        }
      },
      [&](std::uint64_t size) { total = size; });
  const std::string sum = database.End();
  whole.Add(sum);
  file.Append(sum);
  file.Finish();
  return {.path = request.path.string(),
          .size = static_cast<std::int64_t>(done + sum.size()),
          .revision = member.status->revision,
          .member = etcd::NameOf(member.member),
          .sha256 = base::HexEncode(whole.End())};
}

std::string TextOf(const SavedSnapshot& saved) {
  return fmt::format(
      "[etcd] {}: snapshot of member {} at revision {} or later, {}\n"
      "[etcd] SHA-256 {}\n"
      "[etcd] It has every Secret of the cluster, and no certificates: 'kubeadm backup create' "
      "adds these, and encrypts\n",
      saved.path, saved.member, saved.revision,
      backup::SizeText(static_cast<std::uint64_t>(saved.size)), saved.sha256);
}

json::Value ObjectOf(const SavedSnapshot& saved) {
  return {{"kind", "EtcdSnapshot"}, {"apiVersion", "output.slipway/v1alpha1"},
          {"path", saved.path},     {"size", saved.size},
          {"member", saved.member}, {"revision", saved.revision},
          {"sha256", saved.sha256}};
}

}  // namespace etcd_maintenance
