// SPDX-License-Identifier: Apache-2.0
// Steps that init, join and upgrade have in common. Each says what it does.
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
#include "node_steps/data.h"
#include "preflight/checks.h"
#include "static_pods/static_pod.h"
#include "workflow/context.h"

namespace node_steps {

// preflight.cc
// CheckSources are what the checks ask: the machine and its container runtime.
preflight::Sources CheckSources(NodeData& data);
// CheckRoot is a batch of its own: without root nothing else matters.
void CheckRoot(NodeData& data, workflow::Context& context);
// RunChecks leaves out those that complain of what the run that is resumed has made itself.
void RunChecks(std::vector<checks::Check> checks, NodeData& data, workflow::Context& context);
// PullImages pulls what the control plane needs and is not here yet.
void PullImages(NodeData& data, workflow::Context& context);

// certs.cc
void SayCertificatesDirectory(NodeData& data, workflow::Context& context);
void SayCertificate(const certs::CertSpec& spec, const certs::Outcome& outcome,
                    workflow::Context& context);
// BringOwnCa: what is signed is signed by the machine's own CA where there is one.
void BringOwnCa(const certs::CertSpec& spec, NodeData& data);
void MakeServiceAccountKey(NodeData& data, workflow::Context& context);

// kubeconfigs.cc
void SayKubeconfigDirectory(NodeData& data, workflow::Context& context);
void MakeKubeconfig(const kubeconfigs::KubeconfigSpec& spec, NodeData& data,
                    workflow::Context& context);

// manifests.cc
// ManifestDirectory is where the manifests lie, quoted for a text.
std::string ManifestDirectory(const NodeData& data);
void SayManifestDirectory(NodeData& data, workflow::Context& context);
// SayPatches names the patches that were applied.
void SayPatches(const std::vector<patches::AppliedPatch>& patches, workflow::Context& context);
// FinishPod applies the user's patches, says which, and lets the Pod run as its user.
json::Value FinishPod(components::Component component, json::Value pod, NodeData& data,
                      workflow::Context& context);
// WriteStaticPod finishes the Pod and writes the component's manifest.
void WriteStaticPod(components::Component component, json::Value pod, NodeData& data,
                    workflow::Context& context);
void MakeControlPlanePod(components::Component component, NodeData& data,
                         workflow::Context& context);

// kubelet.cc
// The kubelet is stopped while its files change. Actions, to be done by the world.
void StopKubelet(NodeData& data, workflow::Context& context);
void StartKubelet(NodeData& data, workflow::Context& context);
void WriteKubeletFlags(NodeData& data, kubelet::FlagsInput::Taints taints,
                       workflow::Context& context);
void WriteInstanceConfig(NodeData& data, workflow::Context& context);
void WriteKubeletConfig(NodeData& data, workflow::Context& context);
// SayServiceTrouble: trouble with the kubelet's service never ends a command.
void SayServiceTrouble(const kubelet::ServiceResult& result, const char* verb,
                       workflow::Context& context);

// wait.cc
// ShowWhatTheKubeletRuns is for who reads a dry run: these components and the kubelet's files.
void ShowWhatTheKubeletRuns(std::span<const components::Component> components, NodeData& data,
                            workflow::Context& context);
// WaitForHealthyKubelet, which runs with that KubeletConfiguration; a dry run says that it would.
void WaitForHealthyKubelet(NodeData& data, const json::Value& kubelet_config,
                           workflow::Context& context);
// Controllers says whether a controller manager counts that has not started its controllers: it
// does not before it leads.
enum class Controllers { kNotNeeded, kNeeded };

// WaitForComponents waits until all of these components of this node are healthy, and at the end
// together. Throws with the diagnosis of what does not come up.
void WaitForComponents(std::span<const components::Component> wanted, Controllers controllers,
                       NodeData& data, workflow::Context& context);
// WaitForAnswer waits until this node's API server speaks to us, which is sooner than it is
// healthy.
void WaitForAnswer(NodeData& data, workflow::Context& context);
void SayWaitForControlPlane(NodeData& data, workflow::Context& context);

// etcd.cc
// EtcdConnection leads to the members that the cluster's Pods name, as the health check's client.
// Until it is told otherwise the user's interrupt ends its calls.
etcd::Connection EtcdConnection(NodeData& data, workflow::Context& context);
std::unique_ptr<etcd::Client> ConnectEtcd(NodeData& data, workflow::Context& context);
etcd::Waiting EtcdWaiting(const NodeData& data, const std::stop_token& stop);

// addons.cc
void ApplyCoreDns(NodeData& data, workflow::Context& context);
void ApplyKubeProxy(NodeData& data, workflow::Context& context);
// What the addons consist of, for a user to read or to install.
void PrintCoreDns(NodeData& data, workflow::Context& context);
void PrintKubeProxy(NodeData& data, workflow::Context& context);

// mark.cc
void MarkControlPlane(NodeData& data, workflow::Context& context);

// uploads.cc
void UploadKubeadmConfig(NodeData& data, workflow::Context& context);
void UploadKubeletConfig(NodeData& data, workflow::Context& context);

}  // namespace node_steps
