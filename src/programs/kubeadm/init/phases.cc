// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/phases.h"

#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace kubeadm {
namespace {

using Names = std::vector<std::string>;

InitPhase Preflight() {
  return {
      .name = "preflight",
      .summary = "Check that this machine can be a control-plane node",
      .flags = {"config", "cri-socket", "dry-run", "ignore-preflight-errors", "image-repository"},
      .only_looks = true,
      .children = {{.name = "checks",
                    .summary = "Check this machine",
                    .hidden = true,
                    .makes = {"checked"},
                    .run = init_steps::CheckMachine},
                   {.name = "images",
                    .summary = "Pull the images",
                    .hidden = true,
                    .needs = {"checked"},
                    .run = node_steps::PullImages}}};
}

InitPhase Certificates() {
  return {.name = "certs",
          .summary = "Make the certificates",
          .needs = {"checked"},
          .run = node_steps::SayCertificatesDirectory,
          .all =
              workflow::AllSiblings{
                  .summary = "Make all certificates",
                  .flags = {"apiserver-advertise-address", "apiserver-cert-extra-sans", "cert-dir",
                            "config", "control-plane-endpoint", "dry-run", "kubernetes-version",
                            "service-cidr", "service-dns-domain"}},
          .children = CertificatePhases()};
}

InitPhase Kubeconfigs() {
  return {
      .name = "kubeconfig",
      .summary = "Make the kubeconfig files of the control plane and of the administrator",
      .needs = {"checked"},
      .run = node_steps::SayKubeconfigDirectory,
      .all =
          workflow::AllSiblings{.summary = "Make all kubeconfig files",
                                .flags = {"apiserver-advertise-address", "apiserver-bind-port",
                                          "cert-dir", "config", "control-plane-endpoint", "dry-run",
                                          "kubeconfig-dir", "kubernetes-version", "node-name"}},
      .children = KubeconfigPhases()};
}

InitPhase Etcd() {
  return {.name = "etcd",
          .summary = "Make the static Pod manifest of a local etcd",
          .needs = {"checked"},
          .children = EtcdPhases()};
}

InitPhase ControlPlane() {
  return {.name = "control-plane",
          .summary = "Make the static Pod manifests of the control plane",
          .needs = {"checked"},
          .run = node_steps::SayManifestDirectory,
          .all =
              workflow::AllSiblings{
                  .summary = "Make all static Pod manifests of the control plane",
                  .flags = {"apiserver-advertise-address", "apiserver-bind-port",
                            "apiserver-extra-args", "cert-dir", "config", "control-plane-endpoint",
                            "controller-manager-extra-args", "dry-run", "feature-gates",
                            "image-repository", "kubernetes-version", "patches", "pod-network-cidr",
                            "scheduler-extra-args", "service-cidr"}},
          .children = ControlPlanePhases()};
}

InitPhase KubeletStart() {
  return {.name = "kubelet-start",
          .summary = "Write the kubelet's settings and (re)start it",
          .flags = {"config", "cri-socket", "dry-run", "image-repository", "node-name", "patches"},
          .needs = {"kubelet.conf"},
          .makes = {"kubelet"},
          .run = init_steps::WriteAndStartKubelet};
}

// Returns a phase that is skipped in a dry run, because no Pod starts then.
InitPhase PodStep(std::string name, std::string summary, Names needs, Names makes,
                  void (*run)(InitData&, workflow::Context&)) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .hidden = true,
          .needs = std::move(needs),
          .makes = std::move(makes),
          .when = init_steps::RunsPods,
          .run = run};
}

InitPhase WaitControlPlane() {
  return {
      .name = "wait-control-plane",
      .summary = "Wait until the control plane serves",
      .only_looks = true,
      .needs = {"kubelet", "manifests", "admin.conf"},
      .children = {{.name = "kubelet",
                    .summary = "Wait until the kubelet is healthy",
                    .hidden = true,
                    .makes = {"healthy-kubelet"},
                    .run = init_steps::WaitForKubelet},
                   PodStep("api", "Wait until the API server answers", {"healthy-kubelet"}, {"api"},
                           init_steps::WaitForApi),
                   PodStep("rules", "Wait until the API server has loaded its RBAC rules", {"api"},
                           {"rules"}, init_steps::WaitForRules),
                   PodStep("accounts", "Make the accounts of the controller manager's controllers",
                           {"rules"}, {}, init_steps::MakeControllerAccounts),
                   PodStep("components", "Wait until the control plane is healthy",
                           {"healthy-kubelet"}, {}, init_steps::WaitForHealth)}};
}

InitPhase UploadConfig() {
  const Names flags = {"config", "cri-socket", "dry-run", "kubeconfig"};
  return {.name = "upload-config",
          .summary = "Keep the configurations of kubeadm and of the kubelet in ConfigMaps",
          .aliases = {"uploadconfig"},
          .needs = {"rules"},
          .all = workflow::AllSiblings{.summary = "Keep all configurations in ConfigMaps",
                                       .flags = flags},
          .children = {{.name = "kubeadm",
                        .summary = "Keep kubeadm's ClusterConfiguration in a ConfigMap",
                        .flags = flags,
                        .run = node_steps::UploadKubeadmConfig},
                       {.name = "kubelet",
                        .summary = "Keep the kubelets' configuration in a ConfigMap",
                        .flags = flags,
                        .run = init_steps::StoreKubeletConfig}}};
}

InitPhase UploadCerts() {
  return {.name = "upload-certs",
          .summary = "Keep the certificates, encrypted, in Secret kubeadm-certs",
          .flags = {"certificate-key", "config", "dry-run", "kubeconfig",
                    "skip-certificate-key-print", "upload-certs"},
          .needs = {"rules", "ca", "front-proxy-ca", "etcd-ca", "sa"},
          .makes = {"certificate-key"},
          .run = init_steps::UploadCertificates};
}

InitPhase MarkNode() {
  return {.name = "mark-control-plane",
          .summary = "Mark this node as one of the control plane",
          .flags = {"config", "dry-run", "node-name"},
          .needs = {"rules"},
          .run = node_steps::MarkControlPlane};
}

InitPhase BootstrapToken() {
  return {.name = "bootstrap-token",
          .summary = "Make the tokens, rules and cluster-info by which nodes join",
          .aliases = {"bootstraptoken"},
          .flags = {"config", "dry-run", "kubeconfig", "skip-token-print"},
          .needs = {"rules"},
          .makes = {"cluster-info"},
          .run = init_steps::MakeBootstrapTokens};
}

InitPhase KubeletFinalize() {
  const Names flags = {"cert-dir", "config", "dry-run"};
  return {.name = "kubelet-finalize",
          .summary = "Update the kubelet's files once it has its certificate",
          .needs = {"api"},
          .all = workflow::AllSiblings{.summary = "Do everything that the kubelet needs",
                                       .flags = flags},
          .children = {{.name = "enable-client-cert-rotation",
                        .summary = "Let the kubelet renew its client certificate",
                        .flags = flags,
                        .run = init_steps::EnableClientCertRotation}}};
}

InitPhase Addon() {
  return {.name = "addon",
          .summary = "Install the addons that a cluster needs",
          .needs = {"rules"},
          .all =
              workflow::AllSiblings{
                  .summary = "Install all addons",
                  .flags = {"apiserver-advertise-address", "apiserver-bind-port", "config",
                            "control-plane-endpoint", "dry-run", "feature-gates",
                            "image-repository", "kubeconfig", "kubernetes-version",
                            "pod-network-cidr", "service-cidr", "service-dns-domain"}},
          .children = AddonPhases()};
}

InitPhase ShowJoin() {
  return {.name = "show-join-command",
          .summary = "Print the commands by which further nodes join",
          .only_looks = true,
          .needs = {"cluster-info", "certificate-key", "admin.conf"},
          .depends_on = {"bootstrap-token", "upload-certs"},
          .run = ShowJoinCommand};
}

}  // namespace

std::vector<InitPhase> InitPhases() {
  return {Preflight(),      Certificates(),     Kubeconfigs(),  Etcd(),        ControlPlane(),
          KubeletStart(),   WaitControlPlane(), UploadConfig(), UploadCerts(), MarkNode(),
          BootstrapToken(), KubeletFinalize(),  Addon(),        ShowJoin()};
}

}  // namespace kubeadm
