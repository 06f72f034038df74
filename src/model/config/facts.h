// SPDX-License-Identifier: Apache-2.0
// Facts of the host that a configuration depends on, gathered by the caller, and the defaults that
// follow from them.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/version.h"
#include "config/advertise_address.h"
#include "config/kubernetes_version.h"
#include "config/paths.h"
#include "config/token.h"
#include "config/types.h"
#include "config/validation.h"
#include "config/version.h"

namespace config {

// The runtimes that are looked for when none is configured.
inline constexpr std::array<std::string_view, 3> kKnownCriSockets{kContainerdSocket, kCrioSocket,
                                                                  kDockerSocket};

// Facts are asked for only when they matter. A function that is not set yields nothing: no routes,
// no sockets, no files.
struct Facts {
  std::string hostname;  // as the kernel has it
  std::function<NetworkFacts()> network;
  std::function<std::vector<std::string>()>
      cri_sockets;  // those of kKnownCriSockets that are served
  RandomBytes random;
  Fetch fetch;
  FileExists file_exists;
  base::Version kubeadm = KubeadmVersion();
};

// NodeName is a host name as a Node may have it: trimmed, in lower case.
std::string NodeName(const std::string& hostname);

// ChooseCriSocket is the one socket that exists, containerd's when no socket exists. Throws
// base::Error(kInvalid) naming all when there are several.
std::string ChooseCriSocket(std::span<const std::string> existing);

// CriSocketChoice is what to do where the configuration names no container runtime.
enum class CriSocketChoice {
  kDetect,  // look which sockets exist
  kAssume   // take containerd's: commands that never talk to a runtime
};

// SetDynamicDefaults fills what depends on the host, in the order in which Kubernetes' own tool
// finds errors: tokens, node, address, then version and endpoint. Throws base::Error.
void SetDynamicDefaults(Init& config, const Facts& facts, CriSocketChoice choice);
void SetDynamicDefaults(JoinConfiguration& join, const Facts& facts, CriSocketChoice choice);
void SetDynamicDefaults(ResetConfiguration& reset, const Facts& facts, CriSocketChoice choice);

// The parts of the first: tokens and node; address; cluster.
void SetNodeDynamicDefaults(InitConfiguration& init, const Facts& facts, CriSocketChoice choice);
void SetAddressDynamicDefault(ApiEndpoint& endpoint, const Facts& facts);
void SetClusterDynamicDefaults(ClusterConfiguration& cluster, const ApiEndpoint& local,
                               const Facts& facts);

}  // namespace config
