// SPDX-License-Identifier: Apache-2.0
#include "renewal/schedule_report.h"

#include <gtest/gtest.h>

#include "json/value.h"

namespace renewal {
namespace {

Schedule Sample() {
  return {.before = {{"systemctl", "stop", "x"}},
          .files = {{.path = "/etc/x.timer", .content = "[Timer]\n"}},
          .removed = {"/etc/y"},
          .after = {{"systemctl", "daemon-reload"}}};
}

TEST(ScheduleChangeText, SaysWhatWasDoneInItsOrder) {
  EXPECT_EQ(TextOf(ScheduleChange{Sample()}),
            "Ran systemctl stop x\nWrote /etc/x.timer\nRemoved /etc/y\n"
            "Ran systemctl daemon-reload\n");
}

TEST(ScheduleChangeText, ShowsTheFilesOfWhatIsPlanned) {
  EXPECT_EQ(TextOf(ScheduleChange{Sample(), ReportWords::kPlanned}),
            "Would run systemctl stop x\nWould write /etc/x.timer\n[Timer]\n"
            "Would remove /etc/y\nWould run systemctl daemon-reload\n");
}

TEST(ScheduleChangeText, SaysThatThereIsNothingToDo) {
  EXPECT_EQ(TextOf(ScheduleChange{}), "Nothing to do\n");
}

TEST(ScheduleChangeObject, HasFilesAndCommandsOfBothEnds) {
  EXPECT_EQ(json::Compact(ObjectOf(ScheduleChange{Sample(), ReportWords::kPlanned})),
            R"({"kind":"AutoRenewalChange","apiVersion":"output.slipway/v1alpha1","dryRun":true,)"
            R"("written":[{"path":"/etc/x.timer","content":"[Timer]\n"}],"removed":["/etc/y"],)"
            R"("commands":["systemctl stop x","systemctl daemon-reload"]})");
}

TEST(ScheduleStatusText, SaysHowToHaveItDone) {
  EXPECT_NE(TextOf(ScheduleStatus{}).find("kubeadm certs auto-renew enable\n"), std::string::npos);
  EXPECT_EQ(TextOf(ScheduleStatus{.enabled = true, .command = "kubeadm run", .next = "tomorrow"}),
            "Certificates are renewed daily by: kubeadm run\nNext: tomorrow\n");
  EXPECT_EQ(TextOf(ScheduleStatus{.enabled = true, .command = "c"}),
            "Certificates are renewed daily by: c\n")
      << "cron does not say when";
  EXPECT_EQ(
      TextOf(ScheduleStatus{.enabled = true, .command = "c", .problem = "there is no program"}),
      "Certificates are renewed daily by: c\nThat fails: there is no program; run 'kubeadm "
      "certs auto-renew enable' again\n");
}

TEST(ScheduleStatusObject, IsForPrograms) {
  EXPECT_EQ(json::Compact(ObjectOf(ScheduleStatus{.enabled = true, .command = "c"})),
            R"({"kind":"AutoRenewalStatus","apiVersion":"output.slipway/v1alpha1",)"
            R"("enabled":true,"command":"c","next":"","problem":""})");
}

}  // namespace
}  // namespace renewal
