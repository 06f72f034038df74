// SPDX-License-Identifier: Apache-2.0
#include "addons/machine_approver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/fake_facts.h"
#include "config/load.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace addons {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

config::Init Configured(const std::string& cluster = "") {
  return config::LoadInit(
      {.text = config::InitText("localAPIEndpoint:\n  advertiseAddress: 10.20.30.40\n"
                                "nodeRegistration:\n  name: one\n"
                                "  criSocket: unix:///run/x.sock\n") +
               "---\n" + config::ClusterText(cluster)},
      config::FakeFacts());
}

const ApproverProgram kFromNode{.path = "/usr/bin/approver"};

json::Value PodOf(const json::Value& deployment) { return deployment["spec"]["template"]["spec"]; }
json::Value ContainerOf(const json::Value& deployment) {
  return PodOf(deployment)["containers"][0];
}

std::string ServerOf(const std::string& cluster) {
  const json::Value environment =
      ContainerOf(ApproverDeployment(Configured(cluster), kFromNode))["env"];
  return environment[0]["value"].get<std::string>() + " " +
         environment[1]["value"].get<std::string>();
}

TEST(ApproverDeployment, RunsTheNodesProgramInTheSandboxImage) {
  const json::Value deployment = ApproverDeployment(Configured(), kFromNode);
  const json::Value container = ContainerOf(deployment);
  EXPECT_EQ(container["image"], "registry.k8s.io/pause:3.10.2");
  EXPECT_EQ(container["command"], json::Value({"/usr/bin/approver"}));
  std::vector<std::string> seen;
  for (const json::Value& mount : container["volumeMounts"]) {
    EXPECT_EQ(mount["readOnly"], true);
    seen.push_back(mount["mountPath"]);
  }
  EXPECT_THAT(seen, ElementsAre("/usr/bin/approver"));
  const json::Value volumes = PodOf(deployment)["volumes"];
  ASSERT_THAT(volumes, SizeIs(1));
  EXPECT_EQ(json::Compact(volumes[0]["hostPath"]), R"({"path":"/usr/bin/approver","type":"File"})");
}

TEST(ApproverDeployment, RunsAnImageWithoutFilesOfTheNode) {
  const json::Value deployment = ApproverDeployment(Configured(), {.image = "a/b:c"});
  EXPECT_EQ(ContainerOf(deployment)["image"], "a/b:c");
  EXPECT_EQ(ContainerOf(deployment)["command"], json::Value({"/usr/bin/cluster-machine-approver"}));
  EXPECT_THAT(PodOf(deployment)["volumes"], IsEmpty());
}

TEST(ApproverDeployment, HasNoRightsOnTheNode) {
  const json::Value deployment = ApproverDeployment(Configured(), kFromNode);
  EXPECT_EQ(PodOf(deployment)["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(json::Compact(ContainerOf(deployment)["securityContext"]),
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},)"
            R"("readOnlyRootFilesystem":true})");
}

TEST(ApproverDeployment, CallsTheControlPlaneEndpoint) {
  EXPECT_EQ(ServerOf(""), "10.20.30.40 6443");
  EXPECT_EQ(ServerOf("controlPlaneEndpoint: api.example.com\n"), "api.example.com 6443");
  EXPECT_EQ(ServerOf("controlPlaneEndpoint: '[fd00::1]:6443'\n"), "fd00::1 6443");
}

TEST(ApplyApprover, WritesTheAccountTheRulesAndTheDeployment) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock, {});
  ApplyApprover(client, Configured(), kFromNode);
  EXPECT_TRUE(server.Find(kube::resources::kDeployment, "kube-system", "machine-approver"));
  EXPECT_TRUE(server.Find(kube::resources::kServiceAccount, "kube-system", "machine-approver"));
  const auto role = server.Find(kube::resources::kClusterRole, "", "kubeadm:machine-approver");
  ASSERT_TRUE(role);
  EXPECT_EQ(role->dump().find("kube-apiserver-client-kubelet"), std::string::npos)
      << "it never approves client certificates";
  EXPECT_EQ(role->dump().find("\"*\""), std::string::npos);
  EXPECT_EQ(role->dump().find("configmaps"), std::string::npos) << "only those of its namespace";
  EXPECT_THAT(ApproverManifests(Configured(), kFromNode), SizeIs(10));
  ApplyApprover(client, Configured(), {.image = "a/b:c"});
  EXPECT_EQ(ContainerOf(*server.Find(kube::resources::kDeployment, "kube-system",
                                     "machine-approver"))["image"],
            "a/b:c");
}

TEST(ApplyApprover, DoesNotOverwriteTheLeaseAndTheAddresses) {
  kube::FakeApiServer server;
  host::FakeClock clock;
  kube::Client client(server.NewTransport(), clock, {});
  const auto bindings = [&] {
    return *server.Find(kube::resources::kConfigMap, "kube-system",
                        "cluster-machine-approver-nodes");
  };
  ApplyApprover(client, Configured(), kFromNode);
  EXPECT_TRUE(
      server.Find(kube::resources::kLease, "kube-system", "cluster-machine-approver-leader"));
  json::Value used = bindings();
  used["data"]["one"] = "x";
  server.Put(kube::resources::kConfigMap, used);
  ApplyApprover(client, Configured(), kFromNode);
  EXPECT_EQ(bindings()["data"]["one"], "x") << "a node's first addresses stay its first";
}

TEST(ApplyApprover, LimitsRolesToNamedObjectsExceptEvents) {
  for (const json::Value& manifest : ApproverManifests(Configured(), kFromNode)) {
    for (const json::Value& rule :
         manifest["kind"] == "Role" ? manifest["rules"] : json::Value::array()) {
      const bool events = rule["resources"] == json::Value({"events"});
      EXPECT_EQ(rule.contains("resourceNames"), !events) << rule;
      EXPECT_EQ(rule["verbs"] == json::Value({"create"}), events)
          << "names do not limit what is made";
    }
  }
}

TEST(ApproverDeployment, HasALimitOfMemory) {
  EXPECT_EQ(ContainerOf(ApproverDeployment(Configured(), kFromNode))["resources"]["limits"],
            json::Value({{"memory", "128Mi"}}));
}

TEST(ApproverDeployment, PassesTheAllowedNetworksToTheProgram) {
  ApproverProgram program = kFromNode;
  EXPECT_EQ(ContainerOf(ApproverDeployment(Configured(), program))["args"].dump().find("cidrs"),
            std::string::npos);
  program.allowed_cidrs = {"10.0.0.0/8", "fd00::/8"};
  EXPECT_EQ(ContainerOf(ApproverDeployment(Configured(), program))["args"].back(),
            "--nodes-allowed-cidrs=10.0.0.0/8,fd00::/8");
}

}  // namespace
}  // namespace addons
