// SPDX-License-Identifier: Apache-2.0
#include "addons/fleet_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"

namespace addons {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNamespace = "slipway-fleet";
const FleetImages kImages = {.slipway_operator = "r/slipway-operator:1", .kubeadm = "r/kubeadm:1"};

class FleetOperator : public testing::Test {
 protected:
  json::Value Deployment() {
    return *server_.Find(kube::resources::kDeployment, kNamespace, "slipway-operator");
  }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {}};
};

TEST(RequireFleetImages, RequiresBothImages) {
  EXPECT_EQ(RequireFleetImages({.enabled = true, .image = "a", .kubeadm_image = "b"}).kubeadm, "b");
  for (const config::Fleet& fleet : {config::Fleet{.enabled = true, .image = "a"},
                                     config::Fleet{.enabled = true, .kubeadm_image = "b"}}) {
    EXPECT_THAT(base::MessageOf([&] { RequireFleetImages(fleet); }), HasSubstr("two images"));
  }
}

TEST(FleetManifests, CreateTheNamespaceAndTheDefinitionFirst) {
  std::vector<std::string> kinds;
  for (const json::Value& object : FleetManifests(kImages)) {
    kinds.push_back(json::TextAt(object, {"kind"}));
  }
  EXPECT_THAT(kinds, ElementsAre("Namespace", "CustomResourceDefinition", "ServiceAccount",
                                 "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Role",
                                 "RoleBinding", "Deployment", "NetworkPolicy"));
}

TEST_F(FleetOperator, RunsTheGivenImages) {
  ApplyFleet(client_, kImages);
  const json::Value deployment = Deployment();
  const json::Value& container =
      json::At(deployment, {"spec", "template", "spec", "containers"}).at(0);
  EXPECT_EQ(container.at("image"), "r/slipway-operator:1");
  EXPECT_EQ(container.at("args"),
            json::Value::array({"--image=r/kubeadm:1", "--namespace=slipway-fleet"}));
}

TEST_F(FleetOperator, IsUpdatedAndKeepsLabelsOfOtherClients) {
  ApplyFleet(client_, kImages);
  json::Value changed = Deployment();
  changed["metadata"]["labels"]["team"] = "a";
  changed["spec"]["replicas"] = 7;
  server_.Put(kube::resources::kDeployment, changed);
  ApplyFleet(client_, {.slipway_operator = "r/slipway-operator:2", .kubeadm = "r/kubeadm:2"});
  EXPECT_EQ(Deployment()["metadata"]["labels"],
            json::Value({{"app", "slipway-operator"}, {"team", "a"}}));
  EXPECT_EQ(Deployment()["spec"]["replicas"], 2);
  EXPECT_THAT(json::Compact(Deployment()), HasSubstr("--image=r/kubeadm:2"));
}

}  // namespace
}  // namespace addons
