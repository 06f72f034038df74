// SPDX-License-Identifier: Apache-2.0
#include "evidence/fake_objects.h"

#include "base/strings.h"
#include "evidence/node_bindings.h"
#include "json/rfc3339.h"

namespace evidence {
namespace {

using judgement::Address;
using judgement::FakeWorld;
using judgement::kMachineMade;
using judgement::Time;

std::string TimeText(Time time) { return json::FormatRfc3339(time); }

json::Value Addresses(const std::vector<Address>& addresses) {
  json::Value list = json::Value::array();
  for (const Address& address : addresses) {
    list.push_back({{"type", address.type}, {"address", address.address}});
  }
  return list;
}

}  // namespace

json::Value CsrObject(const FakeWorld& world, const std::string& name) {
  const std::string pem = world.pem.empty() ? pki::FakeRequestPem(world.request) : world.pem;
  return {{"metadata",
           {{"name", name}, {"uid", name}, {"creationTimestamp", TimeText(world.csr.created)}}},
          {"spec",
           {{"username", world.csr.username},
            {"groups", world.csr.groups},
            {"usages", world.csr.usages},
            {"signerName", world.csr.signer},
            {"request", base::Base64Encode(pem)}}}};
}

json::Value MachineObject(const std::string& name, const std::vector<Address>& addresses) {
  return {
      {"metadata",
       {{"name", name}, {"namespace", "machines"}, {"creationTimestamp", TimeText(kMachineMade)}}},
      {"status", {{"addresses", Addresses(addresses)}}}};
}

json::Value NodeObject(const std::string& name, const std::string& ip, int kubelet_port) {
  return {{"metadata", {{"name", name}}},
          {"status",
           {{"addresses", Addresses({{"InternalIP", ip}, {"Hostname", name}})},
            {"daemonEndpoints", {{"kubeletEndpoint", {{"Port", kubelet_port}}}}}}}};
}

json::Value LabelledNodeObject(const std::string& name, const std::string& uid,
                               const json::Value& labels) {
  return {{"metadata", {{"name", name}, {"uid", uid}, {"labels", labels}}}};
}

json::Value ConfigMapObject(const std::string& name_space, const std::string& name,
                            const std::string& key, const std::string& text) {
  return {{"metadata", {{"name", name}, {"namespace", name_space}}}, {"data", {{key, text}}}};
}

json::Value ClusterConfigObject(const std::string& text) {
  return ConfigMapObject("kube-system", "kubeadm-config", "ClusterConfiguration", text);
}

json::Value ApiServersObject(const std::vector<std::string>& addresses) {
  return {{"metadata", {{"name", "kubernetes"}, {"namespace", "default"}}},
          {"endpoints", json::Value::array({{{"addresses", addresses}}})}};
}

json::Value BindingsObject(const json::Value& data) {
  return {{"metadata", {{"name", kBindingsName}, {"namespace", "ns"}}}, {"data", data}};
}

}  // namespace evidence
