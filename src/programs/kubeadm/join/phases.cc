// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/phases.h"

#include "steps/join/steps.h"
#include "steps/node/steps.h"

namespace kubeadm {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kEndpointArg = "[api-server-endpoint]";

// Returns the flags for a phase's connection to the cluster, and the flags `more`.
Names WithDiscovery(Names more) {
  more.insert(
      more.end(),
      {"config", "discovery-file", "discovery-token", "discovery-token-ca-cert-hash",
       "discovery-token-unsafe-skip-ca-verification", "dry-run", "tls-bootstrap-token", "token"});
  return more;
}

std::vector<JoinPhase> JoinPreflightSteps() {
  return {{.name = "checks",
           .summary = "Check this machine",
           .hidden = true,
           .makes = {"checked"},
           .run = join_steps::CheckMachine},
          {.name = "cluster",
           .summary = "Find the cluster and read its configuration",
           .hidden = true,
           .makes = {"cluster"},
           .run = join_steps::CollectCluster},
          {.name = "control-plane",
           .summary = "Check this machine as a node of the control plane",
           .hidden = true,
           .needs = {"checked", "cluster"},
           .makes = {"checked"},
           .when = join_steps::IsControlPlane,
           .run = join_steps::CheckControlPlane},
          {.name = "images",
           .summary = "Pull the images",
           .hidden = true,
           .needs = {"checked", "cluster"},
           .when = join_steps::IsControlPlane,
           .run = node_steps::PullImages}};
}

JoinPhase Preflight() {
  return {.name = "preflight",
          .summary = "Check that this machine can join, and learn of the cluster",
          .flags = WithDiscovery({"apiserver-advertise-address", "apiserver-bind-port",
                                  "certificate-key", "control-plane", "cri-socket",
                                  "ignore-preflight-errors", "node-name"}),
          .usage_args = std::string(kEndpointArg),
          .only_looks = true,
          .children = JoinPreflightSteps()};
}

std::vector<JoinPhase> ControlPlanePrepareSteps() {
  const std::string endpoint(kEndpointArg);
  return {{.name = "download-certs",
           .summary = "Download the certificates that the nodes of the control plane share",
           .flags = WithDiscovery({"certificate-key", "control-plane"}),
           .usage_args = endpoint,
           .makes = {"shared-certs"},
           .run = join_steps::ShareCertificates},
          {.name = "certs",
           .summary = "Make the certificates of this node's control plane",
           .flags = WithDiscovery({"apiserver-advertise-address", "control-plane", "node-name"}),
           .usage_args = endpoint,
           .needs = {"shared-certs"},
           .makes = {"certs"},
           .run = join_steps::MakeCertificates},
          {.name = "kubeconfig",
           .summary = "Make the kubeconfig files of this node's control plane",
           .flags = WithDiscovery({"certificate-key", "control-plane"}),
           .usage_args = endpoint,
           .needs = {"shared-certs", "certs"},
           .makes = {"admin.conf"},
           .run = join_steps::MakeKubeconfigs},
          {.name = "control-plane",
           .summary = "Make the manifests of this node's control plane",
           .flags = {"apiserver-advertise-address", "apiserver-bind-port", "config",
                     "control-plane", "dry-run", "patches"},
           .max_args = 0,
           .needs = {"certs", "admin.conf"},
           .makes = {"manifests"},
           .run = join_steps::MakeManifests}};
}

JoinPhase ControlPlanePrepare() {
  return {
      .name = "control-plane-prepare",
      .summary = "Make the files with which a control-plane node serves",
      .needs = {"checked", "cluster"},
      .when = join_steps::IsControlPlane,
      .all =
          workflow::AllSiblings{
              .summary = "Make everything that a node of the control plane serves with",
              .flags = WithDiscovery({"apiserver-advertise-address", "apiserver-bind-port",
                                      "certificate-key", "control-plane", "node-name", "patches"}),
              .usage_args = std::string(kEndpointArg),
              .max_args = 1},
      .children = ControlPlanePrepareSteps()};
}

JoinPhase CheckEtcdPhase() {
  return {.name = "check-etcd",
          .summary = "Check that the etcd cluster can take one more member",
          .hidden = true,
          .needs = {"certs", "admin.conf"},
          .makes = {"etcd-checked"},
          .when = join_steps::IsControlPlane,
          .run = join_steps::CheckEtcd};
}

JoinPhase KubeletStart() {
  return {.name = "kubelet-start",
          .summary = "Write the kubelet's settings and (re)start it",
          .flags = WithDiscovery({"cri-socket", "node-name", "patches"}),
          .usage_args = std::string(kEndpointArg),
          .needs = {"checked", "cluster", "manifests"},
          .makes = {"kubelet"},
          .run = join_steps::StartJoiningKubelet};
}

JoinPhase EtcdJoin() {
  return {.name = "etcd-join",
          .summary = "Bring this node's etcd into the cluster's",
          .flags = {"apiserver-advertise-address", "config", "control-plane", "dry-run",
                    "node-name", "patches"},
          .max_args = 0,
          .needs = {"etcd-checked", "kubelet"},
          .makes = {"etcd"},
          .when = join_steps::IsControlPlane,
          .run = join_steps::JoinEtcd};
}

JoinPhase KubeletWaitBootstrap() {
  return {.name = "kubelet-wait-bootstrap",
          .summary = "Wait until the kubelet has got its certificate",
          .flags = {"config", "cri-socket", "dry-run"},
          .needs = {"kubelet", "etcd"},
          .makes = {"node"},
          .run = join_steps::WaitForBootstrap};
}

JoinPhase ControlPlaneJoin() {
  return {
      .name = "control-plane-join",
      .summary = "Make this node known as one of the control plane",
      .needs = {"node", "admin.conf"},
      .when = join_steps::IsControlPlane,
      .all = workflow::AllSiblings{.summary = "Do all that makes this node known",
                                   .flags = {"apiserver-advertise-address", "config",
                                             "control-plane", "dry-run", "node-name", "patches"},
                                   .max_args = 0},
      .children = {{.name = "mark-control-plane",
                    .summary = "Mark this node as one of the control plane",
                    .flags = {"config", "control-plane", "dry-run", "node-name"},
                    .max_args = 0,
                    .run = join_steps::MarkNode}}};
}

JoinPhase WaitControlPlane() {
  return {
      .name = "wait-control-plane",
      .summary = "Wait until this node's control plane serves",
      .only_looks = true,
      .needs = {"kubelet", "manifests", "etcd", "admin.conf"},
      .when = [](const JoinData& data) { return data.control_plane() && data.world.RunsPods(); },
      .run = join_steps::WaitForControlPlane};
}

}  // namespace

std::vector<JoinPhase> JoinPhases() {
  return {Preflight(), ControlPlanePrepare(),  CheckEtcdPhase(),   KubeletStart(),
          EtcdJoin(),  KubeletWaitBootstrap(), ControlPlaneJoin(), WaitControlPlane()};
}

}  // namespace kubeadm
