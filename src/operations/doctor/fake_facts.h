// SPDX-License-Identifier: Apache-2.0
// Facts of a healthy node, and its possible faults, for tests of the judgement.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "components/fake_containers.h"
#include "doctor/facts.h"
#include "doctor/judge.h"

namespace doctor {

using checks::Severity;

inline constexpr sys_seconds kNow{seconds(1'767'225'600)};  // 2026-01-01
inline constexpr std::uint64_t kGib = 1024ULL * 1024 * 1024;
inline constexpr const char* kPki = "/etc/kubernetes/pki/";

inline CertificateFact Leaf(const std::string& name, const std::string& ca = "ca") {
  return {.name = name,
          .path = kPki + name + ".crt",
          .ca = ca,
          .ca_path = kPki + ca + ".crt",
          .issuer = "CN=kubernetes",
          .serial = "0" + name,
          .pin = "sha256:" + name,
          .not_before = kNow - std::chrono::days(30),
          .not_after = kNow + std::chrono::days(335)};
}

inline CertificateFact Ca(const std::string& name) {
  CertificateFact ca = Leaf(name, "");
  ca.ca_path = "";
  ca.not_after = kNow + std::chrono::days(3'000);
  return ca;
}

inline ManifestFact Manifest(const std::string& component) {
  return {.component = component,
          .path = "/etc/kubernetes/manifests/" + component + ".yaml",
          .as_written = true,
          .rendered = true};
}

inline EndpointFact Endpoint(const std::string& url, const std::string& used_by) {
  return {.url = url, .used_by = {used_by}, .status = 200, .ahead = seconds(0)};
}

inline const std::vector<std::string> kComponents = {"etcd", "kube-apiserver",
                                                     "kube-controller-manager", "kube-scheduler"};

// A healthy control-plane node.
inline Facts Healthy() {
  Facts facts{.now = kNow, .role = Role::kControlPlane, .node_name = "alpha"};
  facts.machine.disks = {{.path = "/", .total = 100 * kGib, .available = 50 * kGib}};
  facts.machine.switches = {{"net/ipv4/ip_forward", "1"}};
  facts.machine.links = {{.name = "eth0", .mtu = 1500, .default_route = true},
                         {.name = "flannel.1", .mtu = 1450}};
  facts.machine.newest = kNow - seconds(60);
  facts.runtime = {.endpoint = "unix:///run/containerd/containerd.sock", .driver = "systemd"};
  facts.machine.has_systemd = true;
  facts.kubelet.service_known = true;
  facts.kubelet.state = "active";
  facts.kubelet.config = json::Value{{"cgroupDriver", "systemd"}, {"clusterDNS", {"10.96.0.10"}}};
  facts.kubelet.name_servers = {"192.0.2.53"};
  facts.kubelet.resolv_conf_path = "/etc/resolv.conf";
  facts.certificates = {Ca("ca"),
                        Leaf("apiserver"),
                        Leaf("apiserver-kubelet-client"),
                        Leaf("kubelet.conf"),
                        Ca("etcd-ca"),
                        Leaf("etcd-server", "etcd-ca"),
                        Leaf("etcd-peer", "etcd-ca")};
  for (const std::string& component : kComponents) {
    facts.manifests.push_back(Manifest(component));
    facts.control_plane.containers[component] = {
        .name = component, .running = true, .failures = {{.id = component, .last_lines = {}}}};
    facts.control_plane.healthy.insert(component);
  }
  facts.kubeconfigs = {{.name = "admin.conf", .path = "/etc/kubernetes/admin.conf"},
                       {.name = "kubelet.conf", .path = "/etc/kubernetes/kubelet.conf"}};
  for (KubeconfigFact& file : facts.kubeconfigs) {
    file.ca_is_known = true;
  }
  facts.endpoints = {Endpoint("https://api.example:6443", "admin.conf"),
                     Endpoint("https://192.0.2.10:6443", "this node's API server")};
  facts.endpoints[1].local = true;
  facts.endpoints[1].shown_serial = "0apiserver";
  facts.etcd.members = {{.name = "alpha", .url = "https://192.0.2.10:2379"}};
  facts.cluster.asked = facts.cluster.tokens_seen = facts.cluster.nodes_seen = true;
  facts.cluster.certs_uploaded = true;
  // A rotation of the CA is in progress.
  facts.cluster.kubelet_trust = {{.object = "the bundle", .pins = {"sha256:old", "sha256:ca"}}};
  facts.cluster.tokens = {{.id = "abcdef", .expires = kNow + seconds(3'600), .for_joining = true}};
  facts.cluster.nodes = {{.name = "alpha", .ready = true, .renewed = kNow}};
  return facts;
}

// Makes a component unhealthy. With `words`, its container has printed them and ended.
inline void Fail(Facts& facts, const std::string& component, const std::string& words = "") {
  facts.unhealthy[component] = "connection refused";
  facts.control_plane.healthy.erase(component);
  if (!words.empty()) {
    facts.control_plane.containers[component] = components::Ended(component, 3, {words});
  }
}

// Turns the facts into those of a node whose API server is gone.
inline void LoseApi(Facts& facts) {
  facts.cluster = {};
  for (EndpointFact& endpoint : facts.endpoints) {
    endpoint.problem = "connection refused";
    endpoint.kind = base::Error::Kind::kUnavailable;
    endpoint.ahead = std::nullopt;
    endpoint.shown_serial = "";
  }
  for (ManifestFact& manifest : facts.manifests) {
    manifest.rendered = false;
  }
}

inline CertificateFact& Certificate(Facts& facts, const std::string& name) {
  return *std::ranges::find(facts.certificates, name, &CertificateFact::name);
}
inline ManifestFact& ManifestOf(Facts& facts, const std::string& component) {
  return *std::ranges::find(facts.manifests, component, &ManifestFact::component);
}

// A fault of the healthy node, and the expected first finding.
struct Case {
  std::string name;
  std::function<void(Facts& facts)> change;
  std::string id, subject;
  Severity severity = Severity::kError;
};

// The manual has a row for every finding.
inline std::string Manual() {
  std::ifstream file(std::filesystem::path(PROJECT_DIR) / "docs/doctor.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Judges each case. Expects every finding to be complete and in the manual.
inline void ExpectFirst(const std::vector<Case>& cases) {
  const std::string manual = Manual();
  for (const Case& c : cases) {
    Facts facts = Healthy();
    c.change(facts);
    const Findings findings = Judge(facts);
    ASSERT_FALSE(findings.empty()) << c.name;
    EXPECT_EQ(findings[0].id, c.id) << c.name << "\n" << findings[0].Text();
    EXPECT_THAT(findings[0].subject, testing::HasSubstr(c.subject)) << c.name;
    EXPECT_EQ(findings[0].severity, c.severity) << c.name;
    EXPECT_EQ(ExitStatus(findings), static_cast<int>(c.severity)) << c.name;
    for (const Finding& finding : findings) {
      EXPECT_FALSE(finding.what.empty() || finding.remedy.empty() || finding.subject.empty())
          << c.name << ": " << finding.id;
      EXPECT_THAT(manual, testing::HasSubstr("`" + finding.id + "`"));
    }
  }
}

}  // namespace doctor
