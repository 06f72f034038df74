// SPDX-License-Identifier: Apache-2.0
#include "certs/tree.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "base/error.h"

namespace certs {
namespace {

TEST(TreeTest, HasTheRowsOfUpstreamInTheSameOrder) {
  std::vector<std::string> names;
  for (const CertSpec& spec : Tree()) {
    names.emplace_back(spec.name);
  }
  EXPECT_THAT(names,
              testing::ElementsAre("ca", "apiserver", "apiserver-kubelet-client", "front-proxy-ca",
                                   "front-proxy-client", "etcd-ca", "etcd-server", "etcd-peer",
                                   "etcd-healthcheck-client", "apiserver-etcd-client"));
}

TEST(TreeTest, ListsEveryLeafAfterItsCa) {
  std::set<std::string_view> seen;
  for (const CertSpec& spec : Tree()) {
    EXPECT_TRUE(spec.is_ca() || seen.contains(spec.ca)) << spec.name;
    EXPECT_EQ(spec.usages.empty(), spec.is_ca()) << spec.name;
    EXPECT_FALSE(spec.long_name.empty()) << spec.name;
    seen.insert(spec.name);
  }
}

TEST(TreeTest, ExactlyTheRowsBelowTheEtcdCaBelongToEtcd) {
  for (const CertSpec& spec : Tree()) {
    EXPECT_EQ(spec.of_etcd, spec.name == kEtcdCa || spec.ca == kEtcdCa) << spec.name;
  }
}

TEST(TreeTest, FindSpecAcceptsNamesAndRefusesFiles) {
  EXPECT_EQ(FindSpec("etcd-peer").base_name, "etcd/peer");
  EXPECT_THROW(FindSpec("etcd/peer"), base::Error);
  EXPECT_THROW(FindSpec("sa"), base::Error);
}

}  // namespace
}  // namespace certs
