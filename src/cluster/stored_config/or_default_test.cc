// SPDX-License-Identifier: Apache-2.0
#include "stored_config/or_default.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace stored_config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OrDefaultTest : public testing::Test {
 protected:
  config::Init Load(const std::string& file) {
    return LoadOrDefault({.file = file,
                          .kubeconfig = "/none.conf",
                          .cert_dir = "/pki",
                          .patience = patience_,
                          .otherwise = otherwise_},
                         fake_.host, {.found = {}, .trouble = [this](const std::string& line) {
                                        said_.push_back(line);
                                      }});
  }

  host::FakeHost fake_;
  std::vector<std::string> said_;
  std::chrono::milliseconds patience_ = {};
  Places::Otherwise otherwise_ = Places::Otherwise::kDefaults;
};

TEST_F(OrDefaultTest, ReturnsDefaultsIfThereIsNoCluster) {
  EXPECT_EQ(Load("").cluster.certificates_dir, "/pki");
  EXPECT_THAT(said_, ElementsAre(AllOf(HasSubstr("continuing with the defaults: "),
                                       HasSubstr("/none.conf: no such"))));
}

TEST_F(OrDefaultTest, PrefersAFileAndCallsNoServer) {
  fake_.files.Write("/c.yaml",
                    "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                    "kubernetesVersion: v1.37.0\ncertificatesDir: /mine\n",
                    {});
  EXPECT_EQ(Load("/c.yaml").cluster.certificates_dir, "/mine");
  EXPECT_THAT(said_, IsEmpty());
}

// A kubeconfig for a server that does not answer, because port 1 is closed.
constexpr const char* kDeadCluster = R"(apiVersion: v1
kind: Config
current-context: a
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: a, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t}}]
)";

TEST_F(OrDefaultTest, RetriesAnUnreachableClusterForTheGivenTime) {
  fake_.files.Write("/none.conf", kDeadCluster, {});
  patience_ = std::chrono::seconds(20);
  const auto begin = fake_.clock.Steady();
  EXPECT_EQ(Load("").cluster.certificates_dir, "/pki");
  EXPECT_GT(fake_.clock.Steady() - begin, patience_ / 2);
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("trying again for up to 20s"), HasSubstr("the defaults")));
}

TEST_F(OrDefaultTest, ThrowsWhereDefaultsAreNotAllowed) {
  otherwise_ = Places::Otherwise::kNothing;
  EXPECT_THROW(Load(""), base::Error) << "no kubeconfig: nothing that could pass";
  fake_.files.Write("/none.conf", kDeadCluster, {});
  EXPECT_THROW(Load(""), base::Error);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(OrDefaultTest, AMissingFileIsAnError) { EXPECT_THROW(Load("/c.yaml"), base::Error); }

}  // namespace
}  // namespace stored_config
