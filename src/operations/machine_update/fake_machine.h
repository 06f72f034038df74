// SPDX-License-Identifier: Apache-2.0
// Objects of a management cluster and of a workload cluster for tests.
#pragma once

#include <string>

#include "base/strings.h"
#include "json/value.h"
#include "kube/fake_server.h"
#include "machine_update/updated_machine.h"

namespace machine_update {

inline constexpr const char* kSpace = "team";
inline constexpr const char* kOld = "v1.36.3";
inline constexpr const char* kNew = "v1.37.2";

// Returns a Machine `m` that Cluster API updates in place to kNew.
inline json::Value FakeMachine(bool control_plane = true) {
  json::Value machine = {
      {"apiVersion", "cluster.x-k8s.io/v1beta2"},
      {"kind", "Machine"},
      {"metadata",
       {{"name", "m"},
        {"namespace", kSpace},
        {"uid", "u-1"},
        {"generation", 3},
        {"labels", json::Value::object()},
        {"annotations",
         {{"in-place-updates.internal.cluster.x-k8s.io/update-in-progress", ""},
          {"runtime.cluster.x-k8s.io/pending-hooks", "Other,UpdateMachine"}}}}},
      {"spec",
       {{"clusterName", "c"},
        {"version", kNew},
        {"bootstrap", {{"configRef", {{"kind", "KubeadmConfig"}, {"name", "m-config"}}}}}}},
      {"status", {{"nodeRef", {{"name", "node-m"}}}}}};
  if (control_plane) {
    machine["metadata"]["labels"][std::string(kControlPlaneLabel)] = "";
  }
  return machine;
}

inline json::Value FakeKubeadmConfig() {
  return {{"apiVersion", "bootstrap.cluster.x-k8s.io/v1beta2"},
          {"kind", "KubeadmConfig"},
          {"metadata", {{"name", "m-config"}, {"namespace", kSpace}, {"generation", 2}}},
          {"spec",
           {{"joinConfiguration",
             {{"nodeRegistration", {{"ignorePreflightErrors", {"NumCPU", "Swap"}}}}}}}}};
}

// Returns a Node with the label of a control plane, or without it.
inline json::Value FakeVersionedNode(const std::string& name, const std::string& version,
                                     bool control_plane) {
  json::Value node = {{"metadata", {{"name", name}}},
                      {"status", {{"nodeInfo", {{"kubeletVersion", version}}}}}};
  node["metadata"]["labels"] = {{"kubernetes.io/hostname", name + ".example"}};
  if (control_plane) {
    node["metadata"]["labels"]["node-role.kubernetes.io/control-plane"] = "";
  }
  return node;
}

inline json::Value FakeStoredConfig(const std::string& version) {
  return {{"metadata", {{"name", "kubeadm-config"}, {"namespace", "kube-system"}}},
          {"data", {{"ClusterConfiguration", "kubernetesVersion: " + version + "\n"}}}};
}

// Stores the Machine, its KubeadmConfig and the kubeconfig of its cluster.
inline void PutMachine(kube::FakeApiServer& server, const json::Value& machine) {
  server.Put(kMachine, machine);
  server.Put(kKubeadmConfig, FakeKubeadmConfig());
  server.Put(kube::resources::kSecret,
             {{"metadata", {{"name", "c-kubeconfig"}, {"namespace", kSpace}}},
              {"data", {{"value", base::Base64Encode("the kubeconfig")}}}});
}

}  // namespace machine_update
