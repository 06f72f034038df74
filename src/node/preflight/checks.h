// SPDX-License-Identifier: Apache-2.0
// The lists of checks of each command, in the order of the report (reference: preflight.md §2 to
// §5). All checks of a list run. The next list runs only if this list succeeds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checks/check.h"
#include "config/types.h"
#include "cri/runtime.h"
#include "host/host.h"

namespace preflight {

// Opens a container runtime's socket (cri::Connect).
using ConnectRuntime = std::function<std::unique_ptr<cri::Runtime>(const std::string& endpoint)>;

// Host and runtime that the checks query. The host must outlive the checks.
struct Sources {
  host::Host& host;
  ConnectRuntime connect;
};

// The first batch of every command that changes the machine: IsPrivilegedUser.
std::vector<checks::Check> RootChecks(host::Host& host);

// The node checks of `init`.
std::vector<checks::Check> InitChecks(const Sources& sources, const config::Init& config);

// The checks of `join` that need no information from the cluster.
std::vector<checks::Check> JoinChecks(const Sources& sources,
                                      const config::JoinConfiguration& config);

// The checks of every node that joins, once the cluster's configuration and the certificate of its
// CA are known.
std::vector<checks::Check> JoinClusterChecks(host::Host& host,
                                             const config::ClusterConfiguration& cluster,
                                             const std::string& ca_pem);

// The additional checks of a new control-plane node. `config` is the configuration of the cluster
// with this node's local endpoint.
enum class Certificates { kOnDisk, kDownloaded };
std::vector<checks::Check> JoinControlPlaneChecks(const Sources& sources,
                                                  const config::Init& config,
                                                  Certificates certificates);

// Reports second Pods of the control plane's components (components::Stray), as errors or as
// warnings.
checks::Check StrayManifestsCheck(host::Host& host, checks::Severity severity);

// The node's checks for `upgrade apply` and `upgrade node` to a version. The kubelet will also be
// upgraded. The checks therefore treat it as one minor version newer than it is, up to the target
// version.
std::vector<checks::Check> UpgradeChecks(const Sources& sources, const std::string& cri_socket,
                                         const std::string& kubernetes_version);

// Returns a path's form in a check's name: "/etc/x" is "-etc-x".
std::string PathName(const std::string& path);

}  // namespace preflight
