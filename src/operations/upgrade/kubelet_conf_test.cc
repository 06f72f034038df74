// SPDX-License-Identifier: Apache-2.0
#include "upgrade/kubelet_conf.h"

#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace upgrade {
namespace {

constexpr const char* kPath = "/etc/kubernetes/kubelet.conf";

class OwnServerConfTest : public testing::Test {
 protected:
  OwnServerConfTest() {
    config_.init.local_api_endpoint = {.advertise_address = "10.0.0.1", .bind_port = 6443};
    config_.cluster.control_plane_endpoint = "lb.example.org:6443";
  }

  void WriteConf(const std::string& server) {
    kube::Kubeconfig conf;
    conf.clusters["c"] = {.server = server};
    conf.contexts["x"] = {.cluster = "c", .user = "u"};
    conf.current_context = "x";
    fake_.files.Write(kPath, conf.Text(), {});
  }

  host::FakeHost fake_;
  config::Init config_;
};

TEST_F(OwnServerConfTest, LeadsToThisNodesApiServer) {
  EXPECT_FALSE(OwnServerConf(fake_.files, config_));
  WriteConf("https://lb.example.org:6443");
  const auto conf = OwnServerConf(fake_.files, config_);
  ASSERT_TRUE(conf);
  EXPECT_EQ(conf->CurrentCluster()->server, "https://10.0.0.1:6443");
}

TEST_F(OwnServerConfTest, KeepsTheUsersSettings) {
  WriteConf("https://elsewhere.example.org:6443");
  EXPECT_FALSE(OwnServerConf(fake_.files, config_));
}

TEST_F(OwnServerConfTest, WithoutASharedEndpointNothingChanges) {
  config_.cluster.control_plane_endpoint.clear();
  WriteConf("https://10.0.0.1:6443");
  EXPECT_FALSE(OwnServerConf(fake_.files, config_));
}

}  // namespace
}  // namespace upgrade
