// SPDX-License-Identifier: Apache-2.0
#include "stored_config/or_default.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace stored_config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OrDefaultTest : public testing::Test {
 protected:
  config::Init Load(const std::string& file) {
    return LoadOrDefault({.file = file, .kubeconfig = "/none.conf", .cert_dir = "/pki"}, fake_.host,
                         [this](const std::string& line) { said_.push_back(line); });
  }

  host::FakeHost fake_;
  std::vector<std::string> said_;
};

TEST_F(OrDefaultTest, WithoutAClusterItIsTheDefaultsWithThatDirectory) {
  EXPECT_EQ(Load("").cluster.certificates_dir, "/pki");
  EXPECT_THAT(said_, ElementsAre(HasSubstr("going on with the defaults")));
}

TEST_F(OrDefaultTest, AFileWinsAndNobodyIsAsked) {
  fake_.files.Write("/c.yaml",
                    "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                    "kubernetesVersion: v1.37.0\ncertificatesDir: /mine\n",
                    {});
  EXPECT_EQ(Load("/c.yaml").cluster.certificates_dir, "/mine");
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(OrDefaultTest, AFileThatIsNotThereIsAnError) { EXPECT_THROW(Load("/c.yaml"), base::Error); }

}  // namespace
}  // namespace stored_config
