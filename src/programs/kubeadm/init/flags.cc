// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/flags.h"

#include "base/strings.h"
#include "config/feature_gates.h"
#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"

namespace kubeadm {
namespace {

using cli::FlagType;

std::vector<cli::Flag> ConfigurationFlags() {
  return {
      {.name = "apiserver-advertise-address",
       .help = "The IP address on which this node's API server can be reached; the address of the "
               "default network interface if it is not set"},
      {.name = "apiserver-bind-port",
       .type = FlagType::kInt32,
       .default_text = "6443",
       .help = "The port of the API server"},
      {.name = "apiserver-cert-extra-sans",
       .type = FlagType::kList,
       .help = "More names and IP addresses for the API server's serving certificate"},
      {.name = "control-plane-endpoint",
       .help = "A stable address or DNS name, with an optional port, for all control-plane nodes"},
      {.name = "feature-gates",
       .help = "key=value pairs that switch experimental features:\n" +
               base::Join(config::FeatureGateHelp(), "\n")},
      {.name = "pod-network-cidr",
       .help = "The addresses of the Pod network; nodes get their shares of it when set"},
      {.name = "service-cidr", .default_text = "10.96.0.0/12", .help = "The addresses of Services"},
      {.name = "service-dns-domain",
       .default_text = "cluster.local",
       .help = "The DNS domain of Services"},
      {.name = "token", .help = "The token for joining nodes; random if it is not set"},
      {.name = "token-ttl",
       .type = FlagType::kDuration,
       .default_text = "24h0m0s",
       .help = "How long the token is valid; 0 means that it never expires"},
  };
}

// Returns the flags that the whole command and its phases share.
std::vector<cli::Flag> SharedFlags() {
  return Joined(
      Joined(ConfigurationFlags(),
             CommonFlags({"cert-dir", "config", "cri-socket", "dry-run", "ignore-preflight-errors",
                          "image-repository", "kubernetes-version", "node-name", "patches"})),
      {{.name = "certificate-key",
        .help = "The key (64 hex digits) that encrypts the certificates in Secret kubeadm-certs"},
       Switch("skip-certificate-key-print", "Do not print the key that encrypts the certificates"),
       Switch("skip-token-print", "Do not print the token"),
       Switch("upload-certs",
              "Upload the certificates of the control plane to Secret kubeadm-certs")});
}

std::vector<cli::Flag> FleetFlags() {
  std::vector<cli::Flag> flags = {
      Switch("fleet", "Run the operator of ClusterOperations in the cluster (docs/fleet.md)"),
      {.name = "fleet-image", .help = "The image of that operator: it has slipway-operator"},
      {.name = "fleet-kubeadm-image",
       .help = "The image of that operator's Jobs: it has the kubeadm that runs on the nodes"}};
  for (cli::Flag& flag : flags) {
    flag.beyond_upstream = true;
  }
  return flags;
}

std::vector<cli::Flag> RunFlags() {
  cli::Flag serving =
      Switch("kubelet-serving-certs",
             "Let kubelets serve with certificates of the cluster's CA, and run the approver of "
             "these certificates (docs/approver.md)");
  serving.beyond_upstream = true;
  cli::Flag bound = Switch("node-bound-tokens",
                           "Let nodes join only with tokens that are bound to their name "
                           "('kubeadm token create --node'); needs --kubelet-serving-certs");
  bound.beyond_upstream = true;
  return Joined(Joined(CommonFlags({"output", "skip-phases"}), FleetFlags()),
                {std::move(serving), std::move(bound), KeepFlag(), TimelineFlag(),
                 LockTimeoutFlag(kRunPatience)});
}

std::vector<cli::Flag> PhaseFlags() {
  std::vector<cli::Flag> flags =
      Joined(CommonFlags({"kubeconfig"}),
             {LockTimeoutFlag(kStepPatience),
              {.name = "kubeconfig-dir",
               .default_text = "/etc/kubernetes",
               .help = "The directory of the kubeconfig files"},
              Switch("print-manifest", "Print the addon's manifests, and apply nothing")});
  // These flags are from the time before configuration files supported arguments of components.
  for (const std::string component : {"apiserver", "controller-manager", "scheduler"}) {
    flags.push_back({.name = component + "-extra-args",
                     .type = FlagType::kPairs,
                     .help = "More arguments for the component, as name=value pairs",
                     .deprecated = "use the field extraArgs of a configuration file",
                     .hidden = true});
  }
  return flags;
}

}  // namespace

std::vector<cli::Flag> InitFlags() { return ByName(Joined(SharedFlags(), RunFlags())); }

std::vector<cli::Flag> InitPhaseFlags() { return ByName(Joined(SharedFlags(), PhaseFlags())); }

}  // namespace kubeadm
