// SPDX-License-Identifier: Apache-2.0
#include "upgrade/new_manifests.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/fake_error.h"
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

  host::FakeHost fake_;
  config::Init config_;
};

TEST_F(NewManifestsTest, AllThreeMustBeFilesOrLeadToOne) {
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

TEST_F(NewManifestsTest, HaveTheImageOfTheNewVersionAndAUserWhereThatIsWanted) {
  EXPECT_THAT(NewManifest(Component::kScheduler, config_, fake_.host),
              testing::AllOf(HasSubstr("registry.k8s.io/kube-scheduler:v1.36.0"),
                             Not(HasSubstr("runAsUser"))));
  config_.cluster.feature_gates = {{"RootlessControlPlane", true}};
  fake_.files.Write("/etc/passwd", "", {});
  fake_.files.Write("/etc/group", "", {});
  EXPECT_THAT(NewManifest(Component::kScheduler, config_, fake_.host), HasSubstr("runAsUser"));
  EXPECT_EQ(fake_.files.Read("/etc/passwd"), "") << "users are planned, not made";
}

}  // namespace
}  // namespace upgrade
