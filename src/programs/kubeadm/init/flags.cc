#include "kubeadm/init/flags.h"

#include <algorithm>

#include "base/strings.h"
#include "config/feature_gates.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"

namespace kubeadm {
namespace {

using cli::FlagType;

// Where a flag is offered besides the phases' commands.
enum class On { kInit, kPhasesOnly, kInitOnly };

struct Row {
  On on;
  cli::Flag flag;
};

std::vector<Row> ConfigurationRows() {
  return {
      {On::kInit,
       {.name = "apiserver-advertise-address",
        .help = "The IP address on which this node's API server can be reached; the address of the "
                "default network interface if it is not set"}},
      {On::kInit,
       {.name = "apiserver-bind-port",
        .type = FlagType::kInt32,
        .default_text = "6443",
        .help = "The port of the API server"}},
      {On::kInit,
       {.name = "apiserver-cert-extra-sans",
        .type = FlagType::kList,
        .help = "More names and IP addresses for the API server's serving certificate"}},
      {On::kInit,
       {.name = "cert-dir",
        .default_text = "/etc/kubernetes/pki",
        .help = "The folder of the certificates"}},
      {On::kInit,
       {.name = "control-plane-endpoint",
        .help =
            "A stable address or DNS name, with an optional port, for all control-plane nodes"}},
      {On::kInit,
       {.name = "cri-socket",
        .help = "The socket of the container runtime; found by itself when there is only one"}},
      {On::kInit,
       {.name = "feature-gates",
        .help = "key=value pairs that switch experimental features:\n" +
                base::Join(config::FeatureGateHelp(), "\n")}},
      {On::kInit,
       {.name = "image-repository",
        .default_text = "registry.k8s.io",
        .help = "The registry of the control plane's images"}},
      {On::kInit,
       {.name = "kubernetes-version",
        .default_text = "stable-1",
        .help = "The version of Kubernetes for the control plane"}},
      {On::kInit, {.name = "node-name", .help = "The name of this node"}},
      {On::kInit,
       {.name = "pod-network-cidr",
        .help = "The addresses of the Pod network; nodes get their shares of it when set"}},
      {On::kInit,
       {.name = "service-cidr",
        .default_text = "10.96.0.0/12",
        .help = "The addresses of Services"}},
      {On::kInit,
       {.name = "service-dns-domain",
        .default_text = "cluster.local",
        .help = "The DNS domain of Services"}},
      {On::kInit,
       {.name = "token", .help = "The token for joining nodes; random if it is not set"}},
      {On::kInit,
       {.name = "token-ttl",
        .type = FlagType::kDuration,
        .default_text = "24h0m0s",
        .help = "How long the token is valid; 0 is for ever"}},
  };
}

std::vector<Row> RunRows() {
  return {
      {On::kInit,
       {.name = "certificate-key",
        .help = "The key (64 hex digits) that encrypts the certificates in Secret kubeadm-certs"}},
      {On::kInit, {.name = "config", .help = "Path to a configuration file of kubeadm"}},
      {On::kInit,
       {.name = "dry-run",
        .type = FlagType::kBool,
        .help = "Show what would be done, and do nothing"}},
      {On::kInit,
       {.name = "ignore-preflight-errors",
        .type = FlagType::kList,
        .help = "Checks whose errors count as warnings, such as 'IsPrivilegedUser,Swap'; 'all' for "
                "all of them"}},
      {On::kInit,
       {.name = "patches",
        .help = "A folder of patches for manifests and configurations, named "
                "'target[suffix][+patchtype].extension', such as 'kube-apiserver0+merge.yaml'"}},
      {On::kInit,
       {.name = "skip-certificate-key-print",
        .type = FlagType::kBool,
        .help = "Do not print the key that encrypts the certificates"}},
      {On::kInitOnly,
       {.name = "skip-phases", .type = FlagType::kList, .help = "Phases to leave out"}},
      {On::kInit,
       {.name = "skip-token-print", .type = FlagType::kBool, .help = "Do not print the token"}},
      {On::kInit,
       {.name = "upload-certs",
        .type = FlagType::kBool,
        .help = "Upload the certificates of the control plane to Secret kubeadm-certs"}},
      {On::kInitOnly,
       {.name = "kubelet-serving-certs",
        .type = FlagType::kBool,
        .help = "Let kubelets serve with certificates of the cluster's CA, and run the approver "
                "that lets them have those (docs/approver.md)",
        .beyond_upstream = true}},
      {On::kInitOnly,
       {.name = "output",
        .shorthand = 'o',
        .default_text = "text",
        .help = "'text' for people, 'json' for one JSON event a line (docs/events.md)",
        .beyond_upstream = true}},
      {On::kInitOnly, TimelineFlag()},
      {On::kInitOnly, LockTimeoutFlag(kRunPatience)},
      {On::kPhasesOnly, LockTimeoutFlag(kStepPatience)},
      {On::kPhasesOnly,
       {.name = "kubeconfig",
        .default_text = "/etc/kubernetes/admin.conf",
        .help = "The kubeconfig file to talk to the cluster with"}},
      {On::kPhasesOnly,
       {.name = "kubeconfig-dir",
        .default_text = "/etc/kubernetes",
        .help = "The folder of the kubeconfig files"}},
      {On::kPhasesOnly,
       {.name = "print-manifest",
        .type = FlagType::kBool,
        .help = "Print the addon's manifests, and apply nothing"}},
  };
}

// Arguments of components, from before the configuration file could hold them.
std::vector<Row> DeprecatedRows() {
  std::vector<Row> rows;
  for (const std::string component : {"apiserver", "controller-manager", "scheduler"}) {
    rows.push_back({On::kPhasesOnly,
                    {.name = component + "-extra-args",
                     .type = FlagType::kPairs,
                     .help = "More arguments for the component, as name=value pairs",
                     .deprecated = "use the field extraArgs of a configuration file",
                     .hidden = true}});
  }
  return rows;
}

std::vector<Row> Rows() {
  std::vector<Row> rows = ConfigurationRows();
  for (auto more : {RunRows(), DeprecatedRows()}) {
    std::ranges::move(more, std::back_inserter(rows));
  }
  return rows;
}

std::vector<cli::Flag> Without(On left_out) {
  std::vector<cli::Flag> flags;
  for (Row& row : Rows()) {
    if (row.on != left_out) {
      flags.push_back(std::move(row.flag));
    }
  }
  std::ranges::sort(flags, {}, &cli::Flag::name);
  return flags;
}

}  // namespace

std::vector<cli::Flag> InitFlags() { return Without(On::kPhasesOnly); }

std::vector<cli::Flag> InitPhaseFlags() { return Without(On::kInitOnly); }

}  // namespace kubeadm
