// SPDX-License-Identifier: Apache-2.0
#include "upgrade/new_manifests.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/fake_error.h"
#include "base/strings.h"
#include "host/fake_host.h"

namespace upgrade {
namespace {

using components::Component;
using testing::HasSubstr;
using testing::Not;

class NewManifestsTest : public testing::Test {
 protected:
  NewManifestsTest() {
    config_.cluster.kubernetes_version = "v1.36.0";
    config_.cluster.image_repository = "registry.k8s.io";
    config_.cluster.certificates_dir = "/etc/kubernetes/pki";
    for (const Component component : components::kControlPlane) {
      fake_.files.Write(components::ManifestPath(component), "x", {});
    }
  }
  std::string Refusal() {
    return base::MessageOf([&] { RequireManifests(fake_.files); });
  }

  // Returns "" without a new manifest.
  std::string New(Component component) {
    for (const auto& manifest : FindNewManifests(config_, fake_.host).manifests) {
      if (manifest.component == component) {
        return manifest.text;
      }
    }
    return "";
  }

  host::FakeHost fake_;
  config::Init config_;
};

TEST_F(NewManifestsTest, RequiresRegularFilesOfAllThreeComponents) {
  EXPECT_EQ(Refusal(), "");
  const host::fs::path path = components::ManifestPath(Component::kScheduler);
  fake_.files.Remove(path);
  EXPECT_THAT(Refusal(), HasSubstr("there is no /etc/kubernetes/manifests/kube-scheduler.yaml"));
  std::filesystem::create_symlink("none", fake_.files.Location(path));
  EXPECT_THAT(Refusal(), HasSubstr("kube-scheduler.yaml"));
  fake_.files.Remove(path);
  fake_.files.MakeDirectories(path, 0755);
  EXPECT_THAT(Refusal(), HasSubstr("is not a regular file"));
}

constexpr const char* kEtcdPod =
    "spec:\n  containers:\n  - name: etcd\n    image: registry.k8s.io/etcd:VERSION\n"
    "    command: [etcd, --initial-cluster=a=https://10.0.0.1:2380, "
    "--initial-cluster-state=existing]\n";

TEST_F(NewManifestsTest, HaveEtcdWhereItsManifestIs) {
  config_.cluster.etcd.local.emplace();
  EXPECT_EQ(New(Component::kEtcd), "");
  EXPECT_THAT(FindNewManifests(config_, fake_.host).etcd_left_out,
              testing::Optional(HasSubstr("there is no /etc/kubernetes/manifests/etcd.yaml")));
  const auto put = [&](const std::string& version) {
    fake_.files.Write(components::ManifestPath(Component::kEtcd),
                      base::ReplaceAll(kEtcdPod, "VERSION", version), {});
  };
  put("3.6.5-0");
  EXPECT_THAT(New(Component::kEtcd),
              testing::AllOf(HasSubstr("registry.k8s.io/etcd:3.6.8-0"),
                             HasSubstr("--initial-cluster=a=https://10.0.0.1:2380")));
  put("3.7.1-0");
  EXPECT_EQ(New(Component::kEtcd), "");
  EXPECT_EQ(FindNewManifests(config_, fake_.host).etcd_left_out, "3.6.8-0 is older than 3.7.1-0");
  config_.cluster.etcd = {};
  EXPECT_EQ(FindNewManifests(config_, fake_.host).etcd_left_out, std::nullopt) << "external";
}

TEST_F(NewManifestsTest, HaveTheNewImageAndAUserOnlyWithTheFeatureGate) {
  EXPECT_THAT(New(Component::kScheduler),
              testing::AllOf(HasSubstr("registry.k8s.io/kube-scheduler:v1.36.0"),
                             Not(HasSubstr("runAsUser"))));
  config_.cluster.feature_gates = {{"RootlessControlPlane", true}};
  fake_.files.Write("/etc/passwd", "", {});
  fake_.files.Write("/etc/group", "", {});
  EXPECT_THAT(New(Component::kScheduler), HasSubstr("runAsUser"));
  EXPECT_EQ(fake_.files.Read("/etc/passwd"), "") << "users are planned, not made";
}

}  // namespace
}  // namespace upgrade
