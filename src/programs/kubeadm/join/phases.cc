// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/phases.h"

#include <array>

#include "node_steps/steps.h"

namespace kubeadm {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kEndpointArg = "[api-server-endpoint]";

bool IsControlPlane(const JoinData& data) { return data.control_plane(); }

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

JoinPhase ControlPlanePrepare() {
  return {
      .name = "control-plane-prepare",
      .summary = "Make what a node of the control plane serves with",
      .needs = {"checked", "cluster"},
      .when = IsControlPlane,
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
          .when = IsControlPlane,
          .run = CheckEtcd};
}

JoinPhase KubeletStart() {
  return {.name = "kubelet-start",
          .summary = "Write the kubelet's settings and (re)start it",
          .flags = WithDiscovery({"cri-socket", "node-name", "patches"}),
          .usage_args = std::string(kEndpointArg),
          .needs = {"checked", "cluster", "manifests"},
          .makes = {"kubelet"},
          .run = StartJoiningKubelet};
}

JoinPhase EtcdJoin() {
  return {.name = "etcd-join",
          .summary = "Bring this node's etcd into the cluster's",
          .flags = {"apiserver-advertise-address", "config", "control-plane", "dry-run",
                    "node-name", "patches"},
          .max_args = 0,
          .needs = {"etcd-checked", "kubelet"},
          .makes = {"etcd"},
          .when = IsControlPlane,
          .run = JoinEtcd};
}

JoinPhase KubeletWaitBootstrap() {
  return {.name = "kubelet-wait-bootstrap",
          .summary = "Wait until the kubelet has got its certificate",
          .flags = {"config", "cri-socket", "dry-run"},
          .needs = {"kubelet", "etcd"},
          .makes = {"node"},
          .run = WaitForBootstrap};
}

JoinPhase ControlPlaneJoin() {
  return {
      .name = "control-plane-join",
      .summary = "Make this node known as one of the control plane",
      .needs = {"node", "admin.conf"},
      .when = IsControlPlane,
      .all = workflow::AllSiblings{.summary = "Do all that makes this node known",
                                   .flags = {"apiserver-advertise-address", "config",
                                             "control-plane", "dry-run", "node-name", "patches"},
                                   .max_args = 0},
      .children = {{.name = "mark-control-plane",
                    .summary = "Mark this node as one of the control plane",
                    .flags = {"config", "control-plane", "dry-run", "node-name"},
                    .max_args = 0,
                    .run = [](JoinData& data, workflow::Context& context) {
                      data.LoadCluster(context);
                      data.world.Do(
                          {.act = [&] { MarkControlPlane(data, context); },
                           .show = world::Would(context, {"[control-plane-join] Would mark node " +
                                                          data.config.init.node_registration.name +
                                                          " as one of the control plane"})});
                    }}}};
}

JoinPhase WaitControlPlane() {
  return {
      .name = "wait-control-plane",
      .summary = "Wait until this node's control plane serves",
      .only_looks = true,
      .needs = {"kubelet", "manifests", "etcd", "admin.conf"},
      .when = [](const JoinData& data) { return data.control_plane() && data.world.RunsPods(); },
      .run =
          [](JoinData& data, workflow::Context& context) {
            data.LoadCluster(context);
            SayWaitForControlPlane(data, context);
            context.Progress("waiting for the control plane of this node");
            WaitForComponents(components::kControlPlane, data, context);
            context.Progress({});
          }};
}

}  // namespace

std::vector<std::string> WithDiscovery(std::vector<std::string> more) {
  more.insert(
      more.end(),
      {"config", "discovery-file", "discovery-token", "discovery-token-ca-cert-hash",
       "discovery-token-unsafe-skip-ca-verification", "dry-run", "tls-bootstrap-token", "token"});
  return more;
}

std::vector<JoinPhase> JoinPhases() {
  return {Preflight(), ControlPlanePrepare(),  CheckEtcdPhase(),   KubeletStart(),
          EtcdJoin(),  KubeletWaitBootstrap(), ControlPlaneJoin(), WaitControlPlane()};
}

}  // namespace kubeadm
