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

// The world's request under that name, by the world's user.
json::Value CsrObject(const judgement::FakeWorld& world, const std::string& name);
// Returns a Machine in the namespace `machines`, with the creation time of the worlds' machines.
json::Value MachineObject(const std::string& name,
                          const std::vector<judgement::Address>& addresses);
json::Value NodeObject(const std::string& name, const std::string& ip = "10.0.0.1",
                       int kubelet_port = 10250);
// A Node with that UID.
json::Value LabelledNodeObject(const std::string& name, const std::string& uid,
                               const json::Value& labels = nullptr);
json::Value ConfigMapObject(const std::string& name_space, const std::string& name,
                            const std::string& key, const std::string& text);
// kube-system/kubeadm-config with that ClusterConfiguration.
json::Value ClusterConfigObject(const std::string& text);
// The EndpointSlice default/kubernetes, in which API servers publish their addresses.
json::Value ApiServersObject(const std::vector<std::string>& addresses);
// The ConfigMap of addresses that are bound to Nodes, in the namespace `ns`.
json::Value BindingsObject(const json::Value& data = nullptr);

}  // namespace evidence
