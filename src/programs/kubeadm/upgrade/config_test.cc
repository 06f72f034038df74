// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kubeadm/upgrade/flags.h"

namespace kubeadm {
namespace {

using testing::HasSubstr;

cli::Parsed Flags(std::initializer_list<std::pair<const char*, const char*>> set,
                  std::initializer_list<const char*> words = {}) {
  cli::Parsed flags(UpgradeFlags({"config", "etcd-upgrade", "dry-run"}));
  for (const auto& [name, value] : set) {
    flags.Set(name, value);
  }
  for (const char* word : words) {
    flags.AddArgument(word);
  }
  return flags;
}

std::string LoadError(const cli::Parsed& flags, const host::Host& host) {
  return base::MessageOf([&] { LoadUpgradeConfig(flags, host); });
}

TEST(UpgradeFlagRows, AreFoundByName) {
  EXPECT_EQ(UpgradeFlags({"kubeconfig"}).at(0).default_text, "/etc/kubernetes/admin.conf");
  EXPECT_THROW(UpgradeFlags({"nonsense"}), std::logic_error);
}

TEST(SuccessLine, HasTheWordsThatScriptsMatch) {
  EXPECT_EQ(SuccessLine("v1.37.2"),
            "[upgrade] SUCCESS! A control plane node of your cluster was upgraded to \"v1.37.2\".");
}

TEST(ChosenSwitch, ComesFromTheFlagElseFromTheConfiguration) {
  EXPECT_FALSE(Chosen(Flags({{"etcd-upgrade", "false"}}), "etcd-upgrade", true));
  EXPECT_TRUE(Chosen(Flags({{"etcd-upgrade", "true"}}), "etcd-upgrade", false));
  EXPECT_FALSE(Chosen(Flags({}), "etcd-upgrade", false));
  EXPECT_FALSE(Chosen(Flags({}), "etcd-upgrade", std::nullopt));
}

TEST(ChosenVersion, IsTheArgumentElseTheConfiguredVersion) {
  EXPECT_EQ(ChosenVersion(Flags({}, {"v1.36.1"}), "v1.36.0"), "v1.36.1");
  EXPECT_EQ(ChosenVersion(Flags({}), "v1.36.0"), "v1.36.0");
  EXPECT_EQ(ChosenVersion(Flags({}, {"v1.36.1", "v1.36.2"}), ""), "");
}

TEST(UpgradeConfiguration, IsReadFromTheFileIfThereIsOne) {
  host::FakeHost fake;
  EXPECT_EQ(LoadUpgradeConfig(Flags({}), fake.host).plan.etcd_upgrade, true);
  fake.files.Write("/up.yaml",
                   "apiVersion: kubeadm.k8s.io/v1beta4\nkind: UpgradeConfiguration\n"
                   "plan: {etcdUpgrade: false}\ndiff: {contextLines: 2}\n",
                   {});
  const config::UpgradeConfiguration loaded =
      LoadUpgradeConfig(Flags({{"config", "/up.yaml"}, {"dry-run", "true"}}), fake.host);
  EXPECT_EQ(loaded.plan.etcd_upgrade, false);
  EXPECT_EQ(loaded.diff.context_lines, 2);
}

TEST(UpgradeConfiguration, AllowsFewFlags) {
  host::FakeHost fake;
  const cli::Parsed mixed = Flags({{"config", "/up.yaml"}, {"etcd-upgrade", "true"}});
  EXPECT_THAT(LoadError(mixed, fake.host), HasSubstr("[etcd-upgrade]"));
  EXPECT_THAT(LoadError(Flags({{"config", "/up.yaml"}}), fake.host),
              testing::AllOf(HasSubstr("[upgrade/upgrade config] FATAL"), HasSubstr("/up.yaml")));
  fake.files.Write("/up.yaml",
                   "apiVersion: kubeadm.k8s.io/v1beta4\nkind: UpgradeConfiguration\n"
                   "apply: {etcdUpgrade: false}\n",
                   {});
  EXPECT_EQ(ReadUpgradeConfig(mixed, fake.host).apply.etcd_upgrade, false);
}

TEST(UpgradeTransport, NamesTheKubeconfig) {
  host::FakeHost fake;
  const base::Error error = base::Thrown([&] { UpgradeTransport("/nowhere.conf", fake.host); });
  EXPECT_THAT(error.message(), HasSubstr("/nowhere.conf"));
}

}  // namespace
}  // namespace kubeadm
