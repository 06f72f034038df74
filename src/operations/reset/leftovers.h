// SPDX-License-Identifier: Apache-2.0
// Files and objects that remain on a node after a reset, and users' kubeconfigs of the cluster.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/host.h"

namespace reset {

namespace fs = std::filesystem;

// Returns the files .kube/config of the calling user. They are below HOME and below the home
// directory of the user who called sudo (SUDO_USER, looked up in /etc/passwd). Returns only
// existing files, each once.
std::vector<fs::path> UserKubeconfigs(const host::Host& host);

// Returns the CA of this node's cluster: from admin.conf, else from kubelet.conf. Call it before
// these files are removed.
std::optional<std::string> ClusterCa(const host::Files& files);

// The part of a kubeconfig that belongs to the cluster with a CA: nothing, some or all of it.
enum class Belongs { kNo, kPartly, kOnly };
Belongs BelongsTo(const host::Files& files, const fs::path& kubeconfig,
                  const std::optional<std::string>& ca);

// A symbolic link and its target, on the machine itself.
struct Link {
  fs::path path;
  fs::path target;
};

// Returns the links among the paths, and in the two uppermost levels of directories.
std::vector<Link> FindLinks(const host::Files& files, const std::vector<fs::path>& paths);

// The paths to search.
struct LeftoverQuestion {
  std::vector<fs::path> emptied;  // directories that should be empty now
  std::vector<fs::path> removed;  // files and directories that should not exist now
  std::vector<Link> links;        // links that were removed, but not their targets
  fs::path kubelet_dir;
  std::vector<fs::path> kubeconfigs;  // of users, with the cluster's CA
};

// Returns one sentence for each remaining object: directories that are not empty, files that could
// not be removed, targets of removed links, mounts and listening servers. Also covers CNI's
// configuration, network rules and links, the timer of `certs auto-renew`, and users' kubeconfigs.
std::vector<std::string> FindLeftovers(host::Host& host, const LeftoverQuestion& question);

}  // namespace reset
