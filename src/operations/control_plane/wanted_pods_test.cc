// SPDX-License-Identifier: Apache-2.0
#include "control_plane/wanted_pods.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "config/images.h"
#include "host/fake_host.h"
#include "static_pods/static_pod.h"

namespace control_plane {
namespace {

using components::Component;
using testing::ElementsAre;
using testing::HasSubstr;

class WantedPodsTest : public testing::Test {
 protected:
  WantedPodsTest() {
    config_.init.node_registration.name = "cp-one";
    config_.init.local_api_endpoint = {.advertise_address = "10.20.30.40", .bind_port = 6443};
    config_.cluster.kubernetes_version = "v1.36.0";
    config_.cluster.image_repository = "registry.k8s.io";
    config_.cluster.certificates_dir = "/etc/kubernetes/pki";
    config_.cluster.etcd.local.emplace().data_dir = "/var/lib/etcd";
  }

  // Writes the manifest of the running etcd, with this image tag.
  void WriteEtcd(const std::string& tag, bool joined = false) {
    WriteEtcdImage("registry.k8s.io/etcd:" + tag, joined);
  }

  void WriteEtcdImage(const std::string& image, bool joined = false) {
    json::Value pod = joined
                          ? static_pods::JoiningEtcdPod(config_, "a=https://10.0.0.1:2380,cp-one=x")
                          : static_pods::StaticPod(Component::kEtcd, config_, {});
    pod["spec"]["containers"][0]["image"] = image;
    static_pods::WriteManifest(fake_.files, Component::kEtcd, pod);
  }

  std::vector<Component> Components(EtcdPod etcd) {
    std::vector<Component> components;
    for (const static_pods::Replacement& pod : FindWantedPods(fake_.host, config_, etcd).pods) {
      components.push_back(pod.component);
    }
    return components;
  }

  host::FakeHost fake_;
  config::Init config_;
};

TEST_F(WantedPodsTest, EtcdComesFirst) {
  WriteEtcd("3.0.0-0");
  EXPECT_THAT(Components(EtcdPod::kUpgrade),
              ElementsAre(Component::kEtcd, Component::kApiServer, Component::kControllerManager,
                          Component::kScheduler));
  EXPECT_THAT(
      Components(EtcdPod::kLeave),
      ElementsAre(Component::kApiServer, Component::kControllerManager, Component::kScheduler));
}

TEST_F(WantedPodsTest, KeepsANewerEtcd) {
  WriteEtcd("99.0.0-0");
  const WantedPods wanted = FindWantedPods(fake_.host, config_, EtcdPod::kUpgrade);
  EXPECT_EQ(wanted.pods.size(), 3U);
  EXPECT_THAT(wanted.etcd_stays.value_or(""), HasSubstr(" is older than 99.0.0-0"));
}

TEST_F(WantedPodsTest, AppliesTheConfigurationToAnEtcdThatKeepsItsImage) {
  config_.cluster.etcd.local->extra_args = {{"quota-backend-bytes", "8"}};
  for (const char* tag : {":3.0.0-0", ":99.0.0-0", "@sha256:0a"}) {
    WriteEtcdImage(std::string("registry.k8s.io/etcd") + tag);
    const json::Value pod =
        FindWantedPods(fake_.host, config_, EtcdPod::kSameVersion).pods.front().pod;
    EXPECT_THAT(static_pods::FirstImage(pod).value(), testing::EndsWith(std::string("etcd") + tag));
    EXPECT_EQ(static_pods::CommandArg(pod, "quota-backend-bytes"), "8");
  }
}

TEST_F(WantedPodsTest, IgnoresAnExternalEtcd) {
  config_.cluster.etcd.local.reset();
  config_.cluster.etcd.external.emplace();
  const WantedPods wanted = FindWantedPods(fake_.host, config_, EtcdPod::kUpgrade);
  EXPECT_EQ(wanted.pods.size(), 3U);
  EXPECT_EQ(wanted.etcd_stays, std::nullopt);
}

TEST_F(WantedPodsTest, AJoinedMemberKeepsItsInitialCluster) {
  WriteEtcd("3.0.0-0", true);
  const WantedPods wanted = FindWantedPods(fake_.host, config_, EtcdPod::kUpgrade);
  EXPECT_EQ(static_pods::CommandArg(wanted.pods.front().pod, "initial-cluster"),
            "a=https://10.0.0.1:2380,cp-one=x");
}

TEST_F(WantedPodsTest, AMissingManifestIsNamed) {
  const base::Error error =
      base::Thrown([&] { FindWantedPods(fake_.host, config_, EtcdPod::kUpgrade); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("/etc/kubernetes/manifests/etcd.yaml is missing"));
}

}  // namespace
}  // namespace control_plane
