// SPDX-License-Identifier: Apache-2.0
// The etcd member of a node that is reset: its data directory and the addresses of the others
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

// Below a member's data directory: all of etcd's files. Other files next to it (the `lost+found` of
// a dedicated disk) are not etcd's.
inline constexpr std::string_view kMemberDirectory = "member";

// The content of this node's manifest of etcd; missing parts are empty.
struct LocalEtcd {
  std::string peer_url;
  std::string client_url;     // for other nodes
  fs::path certificates_dir;  // of etcd's CA and its clients' pairs
  fs::path data_dir;          // from the volume etcd-data
  // Peer URLs of the other members when this one joined. Empty for the member of the first control
  // plane: its manifest does not receive later members.
  std::vector<std::string> other_peers;
  bool operator==(const LocalEtcd&) const = default;
};
LocalEtcd ReadLocalEtcd(const json::Value& pod);

// The known state of etcd on this node.
struct EtcdState {
  std::optional<LocalEtcd> local;  // std::nullopt without a manifest
  std::string broken;              // why the manifest is unreadable; "" if it is readable or absent
};
EtcdState FindEtcd(const host::Files& files);

// The directory to empty: std::nullopt if etcd is (or seems to be) elsewhere. `guessed` is set if
// neither the cluster nor a manifest named it.
struct DataDirectory {
  std::optional<fs::path> path;
  bool guessed = false;
};
// Reads the manifest, which describes the running etcd, then the cluster's configuration: users who
// may change the configuration must not choose which directory is emptied. An unreadable manifest
// counts as an etcd elsewhere, a missing one as the default directory.
DataDirectory DataDirectoryOf(const EtcdState& etcd, const config::ClusterConfiguration* cluster);

// MemberEndpoints returns the client URLs of all started members, and OwnLast moves this node's URL
// to the end: its member stops answering as soon as it is removed.
std::vector<std::string> MemberEndpoints(const std::vector<etcd::Member>& members);
std::vector<std::string> OwnLast(std::vector<std::string> endpoints, const std::string& own);

// Returns the client URLs of this node's member and of the members in its manifest. Those of the
// manifest have the port of kubeadm's etcd.
std::vector<std::string> KnownEndpoints(const LocalEtcd& local);

// Reads CA, certificate and key of the health check's client from a directory. Throws
// base::Error(kNotFound) naming a missing file.
etcd::Connection ReadClientPair(const host::Files& files, const fs::path& directory);

}  // namespace etcd_membership
