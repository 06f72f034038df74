// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/plan.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"

namespace readdress {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Move Moved(const char* from, const char* to) {
  return {.from = *net::IpAddress::Parse(from), .to = *net::IpAddress::Parse(to)};
}

const Move kMove = Moved("10.0.0.1", "10.0.0.2");

struct TextRow {
  std::string_view before;
  std::string_view after;
};

TEST(ReaddressTest, ReplacesOnlyWholeAddresses) {
  for (const TextRow& row : std::vector<TextRow>{
           {"https://10.0.0.1:6443", "https://10.0.0.2:6443"},
           {"a=https://10.0.0.1:2380,b=https://10.0.0.3:2380",
            "a=https://10.0.0.2:2380,b=https://10.0.0.3:2380"},
           {"--node-ip=10.0.0.1 --v=2", "--node-ip=10.0.0.2 --v=2"},
           {"10.0.0.1/32", "10.0.0.2/32"},
           {"It is 10.0.0.1.", "It is 10.0.0.2."},
           {"10.0.0.1\n10.0.0.1\n", "10.0.0.2\n10.0.0.2\n"},
           {"110.0.0.1 10.0.0.11 10.0.0.1.5", "110.0.0.1 10.0.0.11 10.0.0.1.5"},
           {"10.0.0.1.example.org node-10.0.0.1 10.0.0.1-x",
            "10.0.0.1.example.org node-10.0.0.1 10.0.0.1-x"},
       }) {
    EXPECT_EQ(Replaced(row.before, kMove), row.after);
  }
  const Move six = Moved("fd00::1", "fd00::2");
  for (const TextRow& row : std::vector<TextRow>{
           {"https://[fd00::1]:6443", "https://[fd00::2]:6443"},
           {"--node-ip=fd00:0:0::1", "--node-ip=fd00::2"},
           {"address: fd00::1", "address: fd00::2"},
           {"fd00::11 [fd00::1:1]", "fd00::11 [fd00::1:1]"},
       }) {
    EXPECT_EQ(Replaced(row.before, six), row.after);
  }
}

TEST(ReaddressTest, FindsLinesAndFieldsWithTheAddress) {
  EXPECT_THAT(Lines("a\n10.0.0.1 10.0.0.1\nb\n10.0.0.1", kMove.from), ElementsAre(2, 4));
  const json::Value object = {{"data", {{"x", "a\n10.0.0.1"}}}, {"list", {"b", "10.0.0.1"}}};
  EXPECT_THAT(Places(object, kMove.from),
              ElementsAre(Line{.field = "data.x", .line = 2}, Line{.field = "list[1]"}));
}

json::Value Object(const char* kind, const char* name_space, const char* name) {
  return {{"kind", kind},
          {"metadata", {{"namespace", name_space}, {"name", name}}},
          {"data", {{"x", "10.0.0.1"}}}};
}

net::IpAddress Ip(const char* text) { return net::IpAddress::Parse(text).value(); }

TEST(ReaddressTest, EveryOccurrenceIsExplained) {
  certs::FakeContext made;
  made.config.init.local_api_endpoint.advertise_address = "10.0.0.1";
  made.MakeAll();
  const SearchedState seen{
      .files = {{"/etc/kubernetes/admin.conf", "server: https://10.0.0.1:6443\n"},
                {"/etc/kubernetes/audit.yaml", "server: https://10.0.0.1:6443\n"},
                {"/etc/kubernetes/manifests/etcd.yaml", "metadata:\n  x: https://10.0.0.1:2379\n"},
                {"/etc/kubernetes/pki/apiserver.crt", made.Text("apiserver.crt")},
                {"/etc/kubernetes/pki/ca.crt", made.Text("ca.crt")},
                {"/etc/kubernetes/tmp/x/admin.conf", "server: https://10.0.0.1:6443\n"},
                {"/var/lib/kubelet/kubeadm-flags.env", "A=\"--node-ip=10.0.0.1\"\n"},
                {"/var/lib/kubelet/pki/kubelet-server-current.pem", made.Text("etcd/server.crt")}},
      .objects = {Object("ConfigMap", "kube-system", "kube-proxy"),
                  Object("ConfigMap", "default", "mine"),
                  Object("EndpointSlice", "default", "kubernetes")},
      .certificates_dir = "/etc/kubernetes/pki",
      .node = "cp-one"};
  const MovePlan plan = MakePlan(seen, kMove);
  EXPECT_EQ(
      ToString(plan, kMove),
      "From 10.0.0.1 to 10.0.0.2\nOccurrences of the old address, and their changes:\n  "
      "/etc/kubernetes/admin.conf:1: replaced\n  /etc/kubernetes/audit.yaml:1: left (not a file of "
      "kubeadm's: change it by hand)\n  /etc/kubernetes/manifests/etcd.yaml:2: replaced\n  "
      "/etc/kubernetes/pki/apiserver.crt: issued again\n  /etc/kubernetes/tmp/x/admin.conf:1: left "
      "(a copy of what was)\n  /var/lib/kubelet/kubeadm-flags.env:1: replaced\n  "
      "/var/lib/kubelet/pki/kubelet-server-current.pem: changes by itself (the kubelet asks for a "
      "new one)\n  ConfigMap kube-system/kube-proxy: data.x:1: replaced\n  ConfigMap default/mine: "
      "data.x:1: left (not an object of kubeadm's: change it by hand)\n  EndpointSlice "
      "default/kubernetes: data.x:1: changes by itself (the API server writes it)\n");
  EXPECT_THAT(plan.certificates, ElementsAre("apiserver"));
  ASSERT_EQ(plan.pods.size(), 1U);
  EXPECT_EQ(json::TextAt(plan.pods[0].pod, {"metadata", "x"}), "https://10.0.0.2:2379");
  ASSERT_EQ(plan.objects.size(), 1U);
  EXPECT_EQ(json::TextAt(plan.objects[0], {"data", "x"}), "10.0.0.2");
  ASSERT_EQ(plan.files.size(), 2U);
  EXPECT_THAT(plan.files[1].text, HasSubstr("--node-ip=10.0.0.2"));
}

TEST(ReaddressTest, HandlesTheUsersKubeletArguments) {
  const MovePlan plan = MakePlan(
      {.files = {{"/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--node-ip=10.0.0.1\n"},
                 {"/etc/systemd/system/kubelet.service.d/20-own.conf", "--node-ip=10.0.0.1\n"},
                 {"/etc/hosts", "10.0.0.1 cp-one\n"},
                 {.path = "/var/lib/kubelet/pods", .text = {}, .unread = "of Pods"}},
       .objects = {},
       .certificates_dir = "/etc/kubernetes/pki",
       .node = "cp-one"},
      kMove);
  EXPECT_EQ(ToString(plan, kMove),
            "From 10.0.0.1 to 10.0.0.2\nOccurrences of the old address, and their changes:\n  "
            "/etc/default/kubelet:1: replaced\n  "
            "/etc/systemd/system/kubelet.service.d/20-own.conf:1: left (a part of the kubelet's "
            "unit: change it by hand, then 'systemctl daemon-reload')\n  /etc/hosts:1: left (not a "
            "file of kubeadm's: change it by hand)\nNot searched:\n  /var/lib/kubelet/pods: of "
            "Pods\n");
  ASSERT_EQ(plan.files.size(), 1U);
  EXPECT_EQ(plan.files[0].text, "KUBELET_EXTRA_ARGS=--node-ip=10.0.0.2\n");
  EXPECT_FALSE(MovesPods(plan)) << "only the kubelet's settings change";
}

TEST(ReaddressTest, DistinguishesEndpointsOfControllersFromTheUsers) {
  json::Value slice = Object("EndpointSlice", "default", "web-1");
  slice["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"] =
      "endpointslice-controller.k8s.io";
  const MovePlan plan = MakePlan({.files = {},
                                  .objects = {slice, Object("EndpointSlice", "default", "own"),
                                              Object("Endpoints", "default", "own"),
                                              Object("Endpoints", "default", "kubernetes"),
                                              Object("Secret", "default", "own")},
                                  .certificates_dir = {},
                                  .node = "cp-one"},
                                 kMove);
  EXPECT_EQ(
      ToString(plan, kMove),
      "From 10.0.0.1 to 10.0.0.2\nOccurrences of the old address, and their changes:\n  "
      "EndpointSlice default/web-1: data.x:1: changes by itself (follows from Pods and their "
      "nodes)\n  EndpointSlice default/own: data.x:1: left (not an object of kubeadm's: change it "
      "by hand)\n  Endpoints default/own: data.x:1: left (not an object of kubeadm's: change it by "
      "hand)\n  Endpoints default/kubernetes: data.x:1: changes by itself (the API server writes "
      "it)\n  Secret default/own: data.x:1: left (not an object of kubeadm's: change it by "
      "hand)\n");
}

TEST(ReaddressTest, RestartsStaticPodsThatChange) {
  EXPECT_FALSE(MovesPods({}));
  MovePlan plan;
  plan.certificates = {"apiserver"};
  EXPECT_TRUE(MovesPods(plan));
  plan = {};
  plan.files.push_back({.path = "/etc/kubernetes/scheduler.conf", .text = ""});
  EXPECT_TRUE(MovesPods(plan));
  plan.files.front().path = "/var/lib/kubelet/kubeadm-flags.env";
  EXPECT_FALSE(MovesPods(plan));
  plan.pods.push_back({components::Component::kEtcd, json::Value()});
  EXPECT_TRUE(MovesPods(plan));
}

TEST(ReaddressTest, ReplacesNamesOfCertificates) {
  const pki::SubjectAltNames names{.dns_names = {"a"}, .ip_addresses = {"10.96.0.1", "10.0.0.1"}};
  EXPECT_TRUE(Names(names, kMove.from));
  EXPECT_THAT(Replaced(names, kMove).ip_addresses, ElementsAre("10.96.0.1", "10.0.0.2"));
}

TEST(ChooseMove, PrefersTheRequestThenTheJournalThenTheFiles) {
  const NodeFacts node{.config = {}, .address = Ip("10.0.0.1"), .node_ips = {}};
  EXPECT_EQ(ChooseMove({.to = Ip("10.0.0.2"), .from = {}}, node, {}).from, Ip("10.0.0.1"));
  EXPECT_EQ(ChooseMove({.to = Ip("10.0.0.2"), .from = Ip("10.0.0.9")}, node, {}).from,
            Ip("10.0.0.9"));
  const Move interrupted{.from = Ip("10.0.0.7"), .to = Ip("10.0.0.2")};
  EXPECT_EQ(ChooseMove({.to = Ip("10.0.0.2"), .from = {}}, node, interrupted).from, Ip("10.0.0.7"));
}

TEST(ChooseMove, ReportsWhyThereIsNoMove) {
  const NodeFacts unknown{.config = {}, .address = {}, .node_ips = {}};
  EXPECT_THAT(base::MessageOf([&] { ChooseMove({.to = Ip("::1"), .from = {}}, unknown, {}); }),
              HasSubstr("give it with --from"));
  const NodeFacts node{.config = {}, .address = Ip("10.0.0.1"), .node_ips = {}};
  EXPECT_THAT(base::MessageOf([&] { ChooseMove({.to = Ip("10.0.0.1"), .from = {}}, node, {}); }),
              HasSubstr("10.0.0.1 is the node's address already"));
  const Move interrupted{.from = Ip("10.0.0.7"), .to = Ip("10.0.0.2")};
  EXPECT_THAT(
      base::MessageOf([&] { ChooseMove({.to = Ip("10.0.0.3"), .from = {}}, node, interrupted); }),
      HasSubstr("from 10.0.0.7 to 10.0.0.2 was interrupted here"));
}

TEST(FindNextStep, ExistsIfOtherNodesUseTheAddressOfAControlPlane) {
  const Move move{.from = Ip("10.0.0.1"), .to = Ip("10.0.0.2")};
  const NodeFacts worker{.config = {}, .address = {}, .node_ips = {}};
  const NodeFacts control_plane{.control_plane = true, .config = {}, .address = {}, .node_ips = {}};
  MovePlan plan;
  EXPECT_FALSE(FindNextStep(control_plane, plan, move)) << "its own files name an endpoint";
  plan.files.push_back({.path = "/etc/kubernetes/admin.conf", .text = ""});
  EXPECT_FALSE(FindNextStep(worker, plan, move));
  EXPECT_THAT(FindNextStep(control_plane, plan, move).value_or(""),
              HasSubstr("kubeadm node readdress --from 10.0.0.1 --to 10.0.0.2"));
}

}  // namespace
}  // namespace readdress
