// SPDX-License-Identifier: Apache-2.0
#include "timers/report.h"

#include <gtest/gtest.h>

#include "json/value.h"

namespace timers {
namespace {

constexpr Task kTask{.name = "kubeadm-certs-renew",
                     .group = "kubeadm certs auto-renew",
                     .log = "kubeadm-certs",
                     .kind = "AutoRenewal",
                     .purpose = "Renew the certificates of this node",
                     .happens = "Certificates are renewed",
                     .lacks = "Certificates are not renewed by a timer",
                     .elsewhere = "kubeadm certs renew all"};

Change Sample() {
  return {.before = {{"systemctl", "stop", "x"}},
          .files = {{.path = "/etc/x.timer", .content = "[Timer]\n"}},
          .removed = {"/etc/y"},
          .after = {{"systemctl", "daemon-reload"}}};
}

TEST(TimerChangeText, ListsTheActionsInOrder) {
  EXPECT_EQ(TextOf(ChangeReport{kTask, Sample()}),
            "Ran systemctl stop x\nWrote /etc/x.timer\nRemoved /etc/y\n"
            "Ran systemctl daemon-reload\n");
}

TEST(TimerChangeText, ShowsTheFilesOfAPlan) {
  EXPECT_EQ(TextOf(ChangeReport{kTask, Sample(), true}),
            "Would run systemctl stop x\nWould write /etc/x.timer\n[Timer]\n"
            "Would remove /etc/y\nWould run systemctl daemon-reload\n");
}

TEST(TimerChangeText, ReportsThatThereIsNothingToDo) {
  EXPECT_EQ(TextOf(ChangeReport{kTask, {}}), "Nothing to do\n");
}

TEST(TimerChangeObject, HasFilesAndCommandsOfBothEnds) {
  EXPECT_EQ(json::Compact(ObjectOf(ChangeReport{kTask, Sample(), true})),
            R"({"kind":"AutoRenewalChange","apiVersion":"output.slipway/v1alpha1","dryRun":true,)"
            R"("written":[{"path":"/etc/x.timer","content":"[Timer]\n"}],"removed":["/etc/y"],)"
            R"("commands":["systemctl stop x","systemctl daemon-reload"]})");
}

TEST(TimerStatusText, ShowsTheCommandThatEnablesTheTimer) {
  EXPECT_NE(TextOf(StatusReport{kTask, {}}).find("kubeadm certs auto-renew enable\n"),
            std::string::npos);
  EXPECT_EQ(
      TextOf(StatusReport{kTask, {.enabled = true, .command = "kubeadm run", .next = "tomorrow"}}),
      "Certificates are renewed daily by: kubeadm run\nNext: tomorrow\n");
  EXPECT_EQ(TextOf(StatusReport{kTask, {.enabled = true, .command = "c"}}),
            "Certificates are renewed daily by: c\n")
      << "cron does not say when";
  EXPECT_EQ(TextOf(StatusReport{
                kTask, {.enabled = true, .command = "c", .problem = "there is no program"}}),
            "Certificates are renewed daily by: c\nThat fails: there is no program; run 'kubeadm "
            "certs auto-renew enable' again\n");
}

TEST(TimerStatusObject, HasTheFieldsOfTheStatus) {
  EXPECT_EQ(json::Compact(ObjectOf(StatusReport{kTask, {.enabled = true, .command = "c"}})),
            R"({"kind":"AutoRenewalStatus","apiVersion":"output.slipway/v1alpha1",)"
            R"("enabled":true,"command":"c","next":"","problem":""})");
}

}  // namespace
}  // namespace timers
