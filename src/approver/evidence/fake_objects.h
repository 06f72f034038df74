// SPDX-License-Identifier: Apache-2.0
// Objects in the API server's form, for tests.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "judgement/fake_world.h"
#include "kube/client.h"

namespace evidence {

inline constexpr kube::Resource kFakeMachines{"machine.openshift.io", "v1beta1", "machines",
                                              "Machine"};

// Returns the request of `world` as a CertificateSigningRequest with this name.
json::Value CsrObject(const judgement::FakeWorld& world, const std::string& name);
// Returns a Machine in the namespace `machines`, created at kMachineMade.
json::Value MachineObject(const std::string& name,
                          const std::vector<judgement::Address>& addresses);
json::Value NodeObject(const std::string& name, const std::string& ip = "10.0.0.1",
                       int kubelet_port = 10250);
// Returns a Node with this UID and these labels.
json::Value LabelledNodeObject(const std::string& name, const std::string& uid,
                               const json::Value& labels = nullptr);
json::Value ConfigMapObject(const std::string& name_space, const std::string& name,
                            const std::string& key, const std::string& text);
// Returns the ConfigMap kube-system/kubeadm-config with this ClusterConfiguration.
json::Value ClusterConfigObject(const std::string& text);
// Returns the EndpointSlice default/kubernetes, in which API servers publish their addresses.
json::Value ApiServersObject(const std::vector<std::string>& addresses);
// Returns the ConfigMap of addresses that are bound to Nodes, in the namespace `ns`.
json::Value BindingsObject(const json::Value& data = nullptr);

}  // namespace evidence
