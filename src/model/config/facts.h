// SPDX-License-Identifier: Apache-2.0
// Facts of the host that a configuration depends on, provided by the caller, and the defaults that
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

// The runtimes that are searched for if none is configured.
inline constexpr std::array<std::string_view, 3> kKnownCriSockets{kContainerdSocket, kCrioSocket,
                                                                  kDockerSocket};

// Functions that read facts about the host. They are called only when their result matters. A
// function that is not set counts as returning an empty result: no routes, no sockets, no files.
struct Facts {
  std::string hostname;  // as the kernel reports it
  std::function<NetworkFacts()> network;
  std::function<std::vector<std::string>()>
      cri_sockets;  // those of kKnownCriSockets with a listener
  RandomBytes random;
  Fetch fetch;
  FileExists file_exists;
  base::Version kubeadm = KubeadmVersion();
};

// Converts a host name to a Node's name: trimmed, in lower case.
std::string NodeName(const std::string& hostname);

// Returns the existing socket if there is exactly one, and containerd's socket if none exists.
// Throws base::Error(kInvalid), naming all sockets, if several exist.
std::string ChooseCriSocket(std::span<const std::string> existing);

// The choice of a container runtime if none is configured.
enum class CriSocketChoice {
  kDetect,  // by the existing sockets
  kAssume   // containerd's, for commands that never talk to a runtime
};

// Fills the fields that depend on the host. Keeps the order of upstream's kubeadm, so that it
// reports the same error first: tokens, node, address, then version and endpoint. Throws
// base::Error(kInvalid) if it finds no usable name or address. Also throws the error of a failed
// name lookup.
void SetDynamicDefaults(Init& config, const Facts& facts, CriSocketChoice choice);
void SetDynamicDefaults(JoinConfiguration& join, const Facts& facts, CriSocketChoice choice);
void SetDynamicDefaults(ResetConfiguration& reset, const Facts& facts, CriSocketChoice choice);

// Each of these functions sets a part of SetDynamicDefaults: tokens and node, address, or cluster.
void SetNodeDynamicDefaults(InitConfiguration& init, const Facts& facts, CriSocketChoice choice);
void SetAddressDynamicDefault(ApiEndpoint& endpoint, const Facts& facts);
void SetClusterDynamicDefaults(ClusterConfiguration& cluster, const ApiEndpoint& local,
                               const Facts& facts);

}  // namespace config
