// SPDX-License-Identifier: Apache-2.0
#include "reset/extras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace reset {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ExtrasTest : public testing::Test {
 protected:
  host::FakeHost fake_;
  Teardown teardown_{fake_.host};
};

TEST_F(ExtrasTest, AreEmptyOnACleanMachine) {
  const Extras extras = FindExtras(teardown_);
  EXPECT_THAT(extras.Names(), IsEmpty());
  EXPECT_THAT(RemoveExtras(extras, fake_.host), IsEmpty());
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
}

TEST_F(ExtrasTest, IncludeTheUsersKubeconfigOnlyIfItHasNoOtherCluster) {
  const std::string one =
      "clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: b3Vycw==}}";
  fake_.files.Write("/only", one + "]", {});
  fake_.files.Write("/partly", one + ", {name: b, cluster: {server: 'https://b'}}]", {});
  teardown_.cluster_ca = "ours";
  teardown_.user_kubeconfigs = {"/only", "/partly"};
  const Extras extras = FindExtras(teardown_);
  EXPECT_THAT(extras.Names(), ElementsAre("/only"));
  EXPECT_THAT(extras.kept, ElementsAre(HasSubstr("/partly also has other clusters")));
  EXPECT_THAT(RemoveExtras(extras, fake_.host), IsEmpty());
  EXPECT_FALSE(fake_.files.Exists("/only"));
  EXPECT_TRUE(fake_.files.Exists("/partly"));
}

TEST_F(ExtrasTest, AreRemovedByTheToolsThatMadeThem) {
  fake_.processes.On("nft list tables", {.out = "table ip kube-proxy\n"});
  const Extras extras = FindExtras(teardown_);
  EXPECT_THAT(extras.Names(), ElementsAre("nftables table ip kube-proxy"));
  RemoveExtras(extras, fake_.host);
  EXPECT_THAT(fake_.processes.changes(), Contains("nft delete table ip kube-proxy"));
}

}  // namespace
}  // namespace reset
