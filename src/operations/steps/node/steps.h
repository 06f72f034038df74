// SPDX-License-Identifier: Apache-2.0
// Steps that init, join and upgrade share. Each logs its actions.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "certs/tree.h"
#include "etcd/client.h"
#include "etcd/waiting.h"
#include "json/value.h"
#include "kubeconfigs/specs.h"
#include "kubelet/flags.h"
#include "kubelet/service.h"
#include "preflight/checks.h"
#include "static_pods/static_pod.h"
#include "steps/node/data.h"
#include "workflow/context.h"

namespace node_steps {

// Defined in preflight.cc: returns the inputs of the checks: the machine and its container runtime.
preflight::Sources CheckSources(NodeData& data);
// Checks that the user is root. Runs before all other checks, because they fail without root.
void CheckRoot(NodeData& data, workflow::Context& context);
// Runs the checks and reports their findings. Skips checks that the resumed run's own files would
// fail.
void RunChecks(std::vector<checks::Check> checks, NodeData& data, workflow::Context& context);
// Pulls missing images of the control plane.
void PullImages(NodeData& data, workflow::Context& context);

// Defined in certs.cc:
void SayCertificatesDirectory(NodeData& data, workflow::Context& context);
void SayCertificate(const certs::CertSpec& spec, const certs::Outcome& outcome,
                    workflow::Context& context);
// In a dry run, copies the machine's CA for `spec` into the run's directory, if the machine has
// one. The dry run then signs with this CA, as a real run would.
void BringOwnCa(const certs::CertSpec& spec, NodeData& data);
void MakeServiceAccountKey(NodeData& data, workflow::Context& context);

// Defined in kubeconfigs.cc:
void SayKubeconfigDirectory(NodeData& data, workflow::Context& context);
void MakeKubeconfig(const kubeconfigs::KubeconfigSpec& spec, NodeData& data,
                    workflow::Context& context);

// Defined in manifests.cc. ManifestDirectory returns the manifests' directory in quotes, for
// messages.
std::string ManifestDirectory(const NodeData& data);
void SayManifestDirectory(NodeData& data, workflow::Context& context);
// Logs the patches that were applied.
void SayPatches(const std::vector<node_input::AppliedPatch>& patches, workflow::Context& context);
// Applies the user's patches, logs them, and sets the Pod's user.
json::Value FinishPod(components::Component component, json::Value pod, NodeData& data,
                      workflow::Context& context);
// Completes the Pod and writes the component's manifest.
void WriteStaticPod(components::Component component, json::Value pod, NodeData& data,
                    workflow::Context& context);
void MakeControlPlanePod(components::Component component, NodeData& data,
                         workflow::Context& context);

// Defined in kubelet.cc. These functions stop the kubelet, change its files, and start it again. In
// a dry run they only print these actions.
void StopKubelet(NodeData& data, workflow::Context& context);
void StartKubelet(NodeData& data, workflow::Context& context);
void WriteKubeletFlags(NodeData& data, kubelet::FlagsInput::Taints taints,
                       workflow::Context& context);
void WriteInstanceConfig(NodeData& data, workflow::Context& context);
void WriteKubeletConfig(NodeData& data, workflow::Context& context);
// Logs a failure of the kubelet's service. Such a failure never ends a command.
void SayServiceTrouble(const kubelet::ServiceResult& result, const char* verb,
                       workflow::Context& context);

// Defined in wait.cc. ShowWhatTheKubeletRuns prints the files of these components and of the
// kubelet, for users of a dry run.
void ShowWhatTheKubeletRuns(std::span<const components::Component> components, NodeData& data,
                            workflow::Context& context);
// Waits until the kubelet with this KubeletConfiguration is healthy. A dry run only logs the wait.
void WaitForHealthyKubelet(NodeData& data, const json::Value& kubelet_config,
                           workflow::Context& context);
// Selects whether a wait includes the start of the controllers. The controller manager starts its
// controllers when it becomes the leader.
enum class Controllers { kNotNeeded, kNeeded };

// Waits until all of these components on this node are healthy at the same time. Throws
// base::Error(kTimeout), with their diagnosis, if components do not start.
void WaitForComponents(std::span<const components::Component> wanted, Controllers controllers,
                       NodeData& data, workflow::Context& context);
// Waits until this node's API server answers requests. It answers before it is healthy.
void WaitForAnswer(NodeData& data, workflow::Context& context);
void SayWaitForControlPlane(NodeData& data, workflow::Context& context);

// Defined in etcd.cc. EtcdConnection returns a connection to the etcd members whose Pods the
// cluster lists, as etcd's health check client. By default, the user's interrupt ends its calls.
etcd::Connection EtcdConnection(NodeData& data, workflow::Context& context);
std::unique_ptr<etcd::Client> ConnectEtcd(NodeData& data, workflow::Context& context);
etcd::Waiting EtcdWaiting(const NodeData& data, const std::stop_token& stop);

// Defined in addons.cc:
void ApplyCoreDns(NodeData& data, workflow::Context& context);
void ApplyKubeProxy(NodeData& data, workflow::Context& context);
// PrintCoreDns and PrintKubeProxy print the addons' objects, which a user can read or apply.
void PrintCoreDns(NodeData& data, workflow::Context& context);
void PrintKubeProxy(NodeData& data, workflow::Context& context);

// Defined in mark.cc:
void MarkControlPlane(NodeData& data, workflow::Context& context);

// Defined in uploads.cc:
void UploadKubeadmConfig(NodeData& data, workflow::Context& context);
void UploadKubeletConfig(NodeData& data, workflow::Context& context);

}  // namespace node_steps
