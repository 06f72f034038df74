// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/flags.h"

#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"

namespace kubeadm {
namespace {

using cli::FlagType;

std::vector<cli::Flag> DiscoveryFlags() {
  return {
      {.name = "discovery-file",
       .help = "A kubeconfig file, or an https URL of one, that describes the cluster"},
      {.name = "discovery-token",
       .help = "The token that authenticates the cluster information of the API server"},
      {.name = "discovery-token-ca-cert-hash",
       .type = FlagType::kList,
       .help = "The cluster's CA must have one of these public keys (\"<type>:<value>\")"},
      Switch("discovery-token-unsafe-skip-ca-verification",
             "With a token: join without checking that the CA is the right one"),
      {.name = "tls-bootstrap-token",
       .help = "The token by which the kubelet gets its certificate"},
      {.name = "token",
       .help = "The token for both discovery and the kubelet, unless they have separate tokens"},
  };
}

std::vector<cli::Flag> NodeFlags() {
  return Joined(
      CommonFlags(
          {"config", "cri-socket", "dry-run", "ignore-preflight-errors", "node-name", "patches"}),
      {{.name = "apiserver-advertise-address",
        .help = "A control-plane node: the IP address of its API server; that of the default "
                "network interface if it is not set"},
       {.name = "apiserver-bind-port",
        .type = FlagType::kInt32,
        .default_text = "6443",
        .help = "A control-plane node: the port of its API server"},
       {.name = "certificate-key",
        .help = "The key (64 hex digits) that opens the certificates in Secret kubeadm-certs"},
       Switch("control-plane", "Make this machine one more node of the control plane")});
}

// Returns the flags that only the whole command has.
std::vector<cli::Flag> RunFlags() {
  return Joined(
      CommonFlags({"output", "skip-phases"}),
      {KeepFlag(),
       {.name = kReplaceDeadMember,
        .type = FlagType::kBool,
        .help = "A control-plane node: first remove the dead etcd member that has this "
                "node's name or address",
        .beyond_upstream = true},
       TimelineFlag(),
       LockTimeoutFlag(kRunPatience),
       {.name = "identity-document",
        .help = "A file with the signed document of this machine's cloud, '-' for standard "
                "input: the approver gives the kubelet its certificate for it, and no "
                "token is needed",
        .beyond_upstream = true},
       {.name = "identity-endpoint",
        .help = "The approver's endpoint for --identity-document and --tpm: a host, with another "
                "port than 9193 as HOST:PORT; the API server's host if it is not set",
        .beyond_upstream = true},
       {.name = "tpm",
        .type = FlagType::kBool,
        .help = "Join by this machine's TPM 2.0, whose endorsement key an inventory of the "
                "approver lists for this node; no token is needed",
        .beyond_upstream = true},
       {.name = "token-file",
        .help = "A file that holds the token, '-' for standard input: so that it does "
                "not appear in the process list",
        .beyond_upstream = true}});
}

}  // namespace

std::vector<cli::Flag> JoinFlags() {
  return ByName(Joined(Joined(DiscoveryFlags(), NodeFlags()), RunFlags()));
}

std::vector<cli::Flag> JoinPhaseFlags() {
  return ByName(Joined(Joined(DiscoveryFlags(), NodeFlags()), {LockTimeoutFlag(kStepPatience)}));
}

}  // namespace kubeadm
