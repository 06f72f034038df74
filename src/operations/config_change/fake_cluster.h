// SPDX-License-Identifier: Apache-2.0
// A cluster in memory for tests of changes: its stored configuration, and a node without static
// Pods.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "config/fake_facts.h"
#include "config_change/operation.h"
#include "config_change/settings.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "stored_config/fetch.h"
#include "workflow/event.h"
#include "workflow/reporter.h"

namespace config_change {

struct FakeCluster {
  FakeCluster() {
    node.node_registration.name = "cp-one";
    node.node_registration.cri_socket = "unix:///run/containerd/containerd.sock";
    node.local_api_endpoint.advertise_address = "10.20.30.40";
  }

  // Returns a configuration with that cluster name.
  static config::StoredConfig Stored(const std::string& name) {
    return {
        .cluster = config::ClusterText("clusterName: " + name + "\n"),
        .kubelet = config::StoredComponent{.text = "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                                   "kind: KubeletConfiguration\nmaxPods: 110\n"}};
  }

  void Put(const char* name, const char* key, const std::string& text) {
    server.Put(
        kube::resources::kConfigMap,
        {{"metadata", {{"name", name}, {"namespace", "kube-system"}}}, {"data", {{key, text}}}});
  }
  void Store(const std::string& name) {
    const config::StoredConfig stored = Stored(name);
    Put("kubeadm-config", "ClusterConfiguration", stored.cluster);
    Put("kubelet-config", "kubelet", stored.kubelet->text);
  }
  std::string StoredName() {
    const std::string text = stored_config::FetchStoredConfig(client).cluster;
    const std::size_t at = text.find("clusterName: ") + 13;
    return text.substr(at, text.find('\n', at) - at);
  }

  // Makes the next `times` reads of stored objects fail.
  void Silence(int times) {
    server.Inject({.what = "GET /api/v1/namespaces/kube-system/configmaps",
                   .status = 503,
                   .reason = "ServiceUnavailable",
                   .message = "nobody",
                   .times = times});
  }

  host::FakeHost fake;
  kube::FakeApiServer server;
  kube::Client client{
      server.NewTransport(),
      fake.clock,
      {.limit = std::chrono::milliseconds(1), .grace = std::chrono::milliseconds(1)}};
  config::Facts facts = config::FakeFacts();
  config::InitConfiguration node;
  std::vector<std::string> said;
  Sources sources{.host = fake.host, .client = client, .facts = facts};
  Deps deps{
      .sources = sources,
      .connect_runtime = [](const std::string&) { return std::make_unique<cri::FakeRuntime>(); },
      .start = fake.clock.NowSeconds(),
      .limit = std::chrono::milliseconds(5'000),
      .say = [this](const std::string& line) { said.push_back(line); }};
  workflow::Reporter reporter{
      fake.clock, {[this](const workflow::Event& event) {
        if (const auto* message = std::get_if<workflow::event::Message>(&event.what)) {
          said.push_back(message->text);
        }
      }}};
  engine::OperationDeps With() { return {.host = fake.host, .reporter = reporter}; }
};

}  // namespace config_change
