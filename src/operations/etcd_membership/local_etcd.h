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

// The directory below a member's data directory that contains all of etcd's files. Other files in
// the data directory (such as `lost+found` of a dedicated disk) do not belong to etcd.
inline constexpr std::string_view kMemberDirectory = "member";

// The content of this node's manifest of etcd; missing parts are empty.
struct LocalEtcd {
  std::string peer_url;
  std::string client_url;     // for other nodes
  fs::path certificates_dir;  // directory with etcd's CA and the client certificates
  fs::path data_dir;          // from the volume etcd-data
  // The peer URLs of the members that existed when this member joined. Empty for the member of the
  // first control-plane node, whose manifest does not name later members.
  std::vector<std::string> other_peers;
  bool operator==(const LocalEtcd&) const = default;
};
LocalEtcd ReadLocalEtcd(const json::Value& pod);

// The known state of etcd on this node.
struct EtcdState {
  std::optional<LocalEtcd> local;  // std::nullopt without a manifest
  std::string broken;              // why the manifest is unreadable; otherwise ""
};
EtcdState FindEtcd(const host::Files& files);

// The data directory to empty; std::nullopt if etcd runs (or seems to run) on another host.
// `guessed` is true if the directory is the default, because neither the cluster nor a manifest
// named one.
struct DataDirectory {
  std::optional<fs::path> path;
  bool guessed = false;
};
// Returns the data directory according to the manifest, which describes the running etcd, or else
// according to the cluster's configuration. The manifest takes precedence: users who may change the
// configuration must not choose which directory is emptied. If neither names a directory, returns
// the default directory without a manifest. With a manifest that is unreadable or names none, etcd
// counts as running on another host, like an external etcd.
DataDirectory DataDirectoryOf(const EtcdState& etcd, const config::ClusterConfiguration* cluster);

// MemberEndpoints returns the client URLs of all started members. OwnLast moves the URL of this
// node's member to the end, because this member stops answering when it is removed.
std::vector<std::string> MemberEndpoints(const std::vector<etcd::Member>& members);
std::vector<std::string> OwnLast(std::vector<std::string> endpoints, const std::string& own);

// Returns the client URLs of this node's member and of the members that its manifest names. The
// URLs of the members in the manifest get the port of kubeadm's etcd.
std::vector<std::string> KnownEndpoints(const LocalEtcd& local);

// Reads the CA, and the certificate and key of etcd's health check client, from a directory. Throws
// base::Error(kNotFound) naming a missing file.
etcd::Connection ReadClientPair(const host::Files& files, const fs::path& directory);

}  // namespace etcd_membership
