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

// Returns the files .kube/config of the calling user: of HOME, and of the user behind sudo
// (SUDO_USER, looked up in /etc/passwd). Only existing ones, each once.
std::vector<fs::path> UserKubeconfigs(const host::Host& host);

// Returns the CA of this node's cluster, by its kubeconfigs: that of admin.conf, else of
// kubelet.conf. Call it before they are removed.
std::optional<std::string> ClusterCa(const host::Files& files);

// Returns whether all or some of a kubeconfig belongs to the cluster with this CA.
enum class Belongs { kNo, kPartly, kOnly };
Belongs BelongsTo(const host::Files& files, const fs::path& kubeconfig,
                  const std::optional<std::string>& ca);

// Link is a symbolic link and where it leads, on the machine itself.
struct Link {
  fs::path path;
  fs::path target;
};

// FindLinks returns the links among the paths, and those in the two uppermost levels of what is a
// directory.
std::vector<Link> FindLinks(const host::Files& files, const std::vector<fs::path>& paths);

// LeftoverQuestion says where to look.
struct LeftoverQuestion {
  std::vector<fs::path> emptied;  // directories that should be empty now
  std::vector<fs::path> removed;  // files and directories that should not exist now
  std::vector<Link> links;        // that were to be removed; what they led to was not
  fs::path kubelet_dir;
  std::vector<fs::path> kubeconfigs;  // of users, with the cluster's server
};

// FindLeftovers lists what is left, one sentence each: directories that are not empty, files that
// could not be removed, what removed links led to, mounts, servers that still listen, CNI's
// configuration, rules and links of the network, the timer of `certs auto-renew`, users'
// kubeconfigs.
std::vector<std::string> FindLeftovers(host::Host& host, const LeftoverQuestion& question);

}  // namespace reset
