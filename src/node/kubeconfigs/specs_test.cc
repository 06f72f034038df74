// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/specs.h"

#include <gmock/gmock.h>

#include <vector>

#include "base/error.h"
#include "certs/fake_context.h"

namespace kubeconfigs {
namespace {

std::vector<std::string> FilesOf(std::span<const KubeconfigSpec> specs) {
  std::vector<std::string> files;
  for (const KubeconfigSpec& spec : specs) {
    files.emplace_back(spec.file);
  }
  return files;
}

TEST(SpecsTest, InitMakesFiveFilesAndJoinThree) {
  EXPECT_THAT(FilesOf(InitSpecs()),
              testing::ElementsAre("admin.conf", "super-admin.conf", "kubelet.conf",
                                   "controller-manager.conf", "scheduler.conf"));
  EXPECT_THAT(FilesOf(JoinSpecs()),
              testing::ElementsAre("admin.conf", "controller-manager.conf", "scheduler.conf"));
}

TEST(SpecsTest, UsersAndServersFollowTheConfiguration) {
  config::Init config = certs::FakeContext::DefaultConfig();
  config.cluster.control_plane_endpoint = "lb.example.org:8443";
  struct Case {
    const char* phase;
    const char* user;
    const char* server;
  };
  for (const Case& c :
       {Case{"admin", "kubernetes-admin", "https://lb.example.org:8443"},
        Case{"super-admin", "kubernetes-super-admin", "https://lb.example.org:8443"},
        Case{"kubelet", "system:node:cp-one", "https://10.20.30.40:6443"},
        Case{"controller-manager", "system:kube-controller-manager", "https://10.20.30.40:6443"},
        Case{"scheduler", "system:kube-scheduler", "https://10.20.30.40:6443"}}) {
    EXPECT_EQ(UserOf(FindSpec(c.phase), config), c.user);
    EXPECT_EQ(ServerUrl(FindSpec(c.phase).server, config), c.server) << c.phase;
  }
  config.cluster.control_plane_endpoint = "";
  EXPECT_EQ(ServerUrl(Server::kControlPlane, config), "https://10.20.30.40:6443");
  EXPECT_THROW(FindSpec("admin.conf"), base::Error);
}

}  // namespace
}  // namespace kubeconfigs
