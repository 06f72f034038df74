// SPDX-License-Identifier: Apache-2.0
#include "upgrade/plan_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upgrade {
namespace {

using testing::HasSubstr;

PlanView OneUpgrade() {
  return {.upgrades = {{.offer = {.description = "version in the v1.35 series",
                                  .version = "v1.36.3",
                                  .kubeadm = "v1.36.3"},
                        .components = {{"kubelet", "one", "v1.35.4", "v1.36.3"},
                                       {"kube-apiserver", "one", "v1.35.4", "v1.36.3"},
                                       {"kube-proxy", "", "1.35.4", "v1.36.3"},
                                       {"kubeadm", "", "v1.36.3", "v1.36.3"},
                                       {"etcd", "one", "3.6.5-0", "3.6.8-0"}}}},
          .states = {{"kubeproxy.config.k8s.io", "", "v1alpha1", false},
                     {"kubelet.config.k8s.io", "v1alpha9", "v1beta1", true}}};
}

TEST(PlanText, IsTablesWithTheCommandToRun) {
  EXPECT_EQ(
      PlanText(OneUpgrade()),
      R"(Upgrade these yourself, node by node, once 'kubeadm upgrade apply' has upgraded the control plane:
COMPONENT   NODE      CURRENT   TARGET
kubelet     one       v1.35.4   v1.36.3

Upgrade to the latest version in the v1.35 series:

COMPONENT        NODE      CURRENT   TARGET
kube-apiserver   one       v1.35.4   v1.36.3
kube-proxy                 1.35.4    v1.36.3
etcd             one       3.6.5-0   3.6.8-0

You can now apply the upgrade by executing the following command:

	kubeadm upgrade apply v1.36.3

_____________________________________________________________________


Configurations of components that the cluster stores, as this kubeadm reads them. Where the last
column says "yes", convert yours to the preferred version, or let kubeadm make it again, before
you upgrade.

API GROUP                 CURRENT VERSION   PREFERRED VERSION   MANUAL UPGRADE REQUIRED
kubeproxy.config.k8s.io   -                 v1alpha1            no
kubelet.config.k8s.io     v1alpha9          v1beta1             yes
_____________________________________________________________________

)");
}

TEST(PlanText, NamesTheFlagAndTheKubeadmThatAnUpgradeTakes) {
  PlanView view = OneUpgrade();
  view.upgrades[0].offer.needs = {.release_candidates = true};
  view.upgrades[0].components[3].target = "v1.36.4-rc.0";
  EXPECT_THAT(PlanText(view),
              HasSubstr("apply v1.36.3 --allow-release-candidate-upgrades\n\nBefore that, bring "
                        "kubeadm itself from v1.36.3 to v1.36.4-rc.0.\n"));
  view.upgrades[0].offer.needs = {.experimental = true};
  EXPECT_THAT(PlanText(view), HasSubstr("v1.36.3 --allow-experimental-upgrades\n"));
}

TEST(PlanText, HasAnEmptyTableWhenTheKubeletsAreThereAlready) {
  PlanView view = OneUpgrade();
  view.upgrades[0].components.erase(view.upgrades[0].components.begin());
  EXPECT_THAT(PlanText(view), HasSubstr("There is nothing that you have to upgrade yourself:\n"
                                        "COMPONENT   NODE      CURRENT   TARGET\n\nUpgrade to"));
}

TEST(PlanObject, HasEveryRow) {
  EXPECT_EQ(
      json::Compact(PlanObject(OneUpgrade())),
      R"({"kind":"UpgradePlan","apiVersion":"output.kubeadm.k8s.io/v1alpha3",)"
      R"("availableUpgrades":[{"description":"version in the v1.35 series","components":[)"
      R"({"name":"kubelet","currentVersion":"v1.35.4","newVersion":"v1.36.3","nodeName":"one"},)"
      R"({"name":"kube-apiserver","currentVersion":"v1.35.4","newVersion":"v1.36.3",)"
      R"("nodeName":"one"},)"
      R"({"name":"kube-proxy","currentVersion":"1.35.4","newVersion":"v1.36.3"},)"
      R"({"name":"kubeadm","currentVersion":"v1.36.3","newVersion":"v1.36.3"},)"
      R"({"name":"etcd","currentVersion":"3.6.5-0","newVersion":"3.6.8-0","nodeName":"one"}]}],)"
      R"("configVersions":[{"group":"kubeproxy.config.k8s.io","currentVersion":"",)"
      R"("preferredVersion":"v1alpha1","manualUpgradeRequired":false},)"
      R"({"group":"kubelet.config.k8s.io","currentVersion":"v1alpha9",)"
      R"("preferredVersion":"v1beta1","manualUpgradeRequired":true}]})");
}

}  // namespace
}  // namespace upgrade
