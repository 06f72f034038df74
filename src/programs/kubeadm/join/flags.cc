#include "kubeadm/join/flags.h"

#include <algorithm>

#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"

namespace kubeadm {
namespace {

using cli::FlagType;

std::vector<cli::Flag> DiscoveryFlags() {
  return {
      {.name = "discovery-file",
       .help = "A kubeconfig file, or an https URL of one, that tells of the cluster"},
      {.name = "discovery-token",
       .help = "The token that vouches for what the API server says of the cluster"},
      {.name = "discovery-token-ca-cert-hash",
       .type = FlagType::kList,
       .help = "The cluster's CA must have one of these public keys (\"<type>:<value>\")"},
      {.name = "discovery-token-unsafe-skip-ca-verification",
       .type = FlagType::kBool,
       .help = "With a token: join without looking whether the CA is the right one"},
      {.name = "tls-bootstrap-token",
       .help = "The token by which the kubelet gets its certificate"},
      {.name = "token",
       .help = "The token for both discovery and the kubelet, where they have none of their own"},
  };
}

std::vector<cli::Flag> NodeFlags() {
  return {
      {.name = "apiserver-advertise-address",
       .help = "A control-plane node: the IP address of its API server; that of the default "
               "network interface if it is not set"},
      {.name = "apiserver-bind-port",
       .type = FlagType::kInt32,
       .default_text = "6443",
       .help = "A control-plane node: the port of its API server"},
      {.name = "certificate-key",
       .help = "The key (64 hex digits) that opens the certificates in Secret kubeadm-certs"},
      {.name = "config", .help = "Path to a configuration file of kubeadm"},
      {.name = "control-plane",
       .type = FlagType::kBool,
       .help = "Make this machine one more node of the control plane"},
      {.name = "cri-socket",
       .help = "The socket of the container runtime; found by itself when there is only one"},
      {.name = "dry-run", .type = FlagType::kBool, .help = "Show what would be done, do nothing"},
      {.name = "ignore-preflight-errors",
       .type = FlagType::kList,
       .help = "Checks whose errors count as warnings, such as 'IsPrivilegedUser,Swap'; 'all' for "
               "all of them"},
      {.name = "node-name", .help = "The name of this node"},
      {.name = "patches",
       .help = "A folder of patches for manifests and configurations, named "
               "'target[suffix][+patchtype].extension', such as 'kube-apiserver0+merge.yaml'"},
  };
}

// Flags of the whole command alone.
std::vector<cli::Flag> RunFlags() {
  return {
      {.name = "skip-phases", .type = FlagType::kList, .help = "Phases to leave out"},
      {.name = "output",
       .shorthand = 'o',
       .default_text = "text",
       .help = "'text' for people, 'json' for one JSON event a line (docs/events.md)",
       .beyond_upstream = true},
      TimelineFlag(),
      LockTimeoutFlag(kRunPatience),
      {.name = "token-file",
       .help = "A file that holds the token, '-' for standard input: so it stands in no process "
               "list",
       .beyond_upstream = true},
  };
}

std::vector<cli::Flag> Sorted(std::vector<cli::Flag> flags, std::vector<cli::Flag> more) {
  std::ranges::move(more, std::back_inserter(flags));
  std::ranges::sort(flags, {}, &cli::Flag::name);
  return flags;
}

}  // namespace

std::vector<cli::Flag> JoinFlags() {
  return Sorted(Sorted(DiscoveryFlags(), NodeFlags()), RunFlags());
}

std::vector<cli::Flag> JoinPhaseFlags() {
  return Sorted(Sorted(DiscoveryFlags(), NodeFlags()), {LockTimeoutFlag(kStepPatience)});
}

}  // namespace kubeadm
