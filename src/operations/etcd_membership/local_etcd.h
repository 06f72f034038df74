// SPDX-License-Identifier: Apache-2.0
// The etcd member of the node that is reset: where its data lies and how the others are reached
// (reference: phases.md §5, upgrade-reset.md §8).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "etcd/client.h"
#include "host/files.h"
#include "json/value.h"

namespace etcd_membership {

namespace fs = std::filesystem;

// Below a member's data directory: all that etcd keeps there. What else lies beside it (the
// `lost+found` of a disk of its own) is not etcd's.
inline constexpr std::string_view kMemberDirectory = "member";

// LocalEtcd is what this node's manifest of etcd says; what it does not say is empty.
struct LocalEtcd {
  std::string peer_url;
  std::string client_url;     // by which other nodes reach it
  fs::path certificates_dir;  // of etcd's CA and its clients' pairs
  fs::path data_dir;          // from the volume etcd-data
  // Peer URLs of the members that were there when it joined; none of a first control plane's, which
  // does not hear of those that join later.
  std::vector<std::string> other_peers;
  bool operator==(const LocalEtcd&) const = default;
};
LocalEtcd ReadLocalEtcd(const json::Value& pod);

// EtcdState is what is known of etcd on this node.
struct EtcdState {
  std::optional<LocalEtcd> local;  // nothing when there is no manifest
  std::string broken;              // why the manifest cannot be read; "" when it can or is absent
};
EtcdState FindEtcd(const host::Files& files);

// DataDirectory is what is to be emptied: nothing when etcd is (or seems to be) elsewhere.
// `guessed` tells that neither the cluster nor a manifest said so.
struct DataDirectory {
  std::optional<fs::path> path;
  bool guessed = false;
};
// DataDirectoryOf asks the manifest, which says what runs here, then the cluster's configuration:
// who may change that does not choose what is emptied. A manifest that cannot be read counts as an
// etcd elsewhere, no manifest at all as the default directory.
DataDirectory DataDirectoryOf(const EtcdState& etcd, const config::ClusterConfiguration* cluster);

// MemberEndpoints are the client URLs of all started members, and OwnLast puts this node's at the
// end: it stops answering as soon as it is removed.
std::vector<std::string> MemberEndpoints(const std::vector<etcd::Member>& members);
std::vector<std::string> OwnLast(std::vector<std::string> endpoints, const std::string& own);

// ReadClientPair fills in CA, certificate and key of the health check's client from a directory.
// Throws base::Error naming the file that is missing.
etcd::Connection ReadClientPair(const host::Files& files, const fs::path& directory);

}  // namespace etcd_membership
