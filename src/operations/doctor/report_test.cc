// SPDX-License-Identifier: Apache-2.0
#include "doctor/report.h"

#include <gtest/gtest.h>

namespace doctor {
namespace {

using checks::Severity;

Facts Node() {
  Facts facts{.role = Role::kControlPlane, .node_name = "alpha"};
  facts.looked_at = {"kubelet", "3 disks"};
  return facts;
}

TEST(DiagnosisText, ListsTheCheckedPartsIfAllIsWell) {
  EXPECT_EQ(TextOf({Node(), {}}),
            "This control-plane node, alpha, is healthy\n"
            "\nLooked at:\n  kubelet\n  3 disks\n");
}

TEST(DiagnosisText, PrintsEachFindingCompletely) {
  Facts facts = Node();
  facts.unseen = {"etcd: no answer in time"};
  const Findings findings = {{.id = "disk-full",
                              .subject = "/",
                              .what = "the disk of / is full",
                              .evidence = "0 MiB are left\nof 9 GiB",
                              .remedy = "make room"},
                             {.id = "swap-on",
                              .severity = Severity::kWarning,
                              .subject = "swap",
                              .what = "swap is on",
                              .remedy = "swapoff -a",
                              .sure = checks::Confidence::kLikely}};
  EXPECT_EQ(TextOf({facts, findings}),
            "This control-plane node, alpha, is unwell: 1 broken, 1 to be warned of; the first "
            "finding may explain those after it\n"
            "\nbroken: the disk of / is full\n"
            "  evidence: 0 MiB are left\n"
            "            of 9 GiB\n"
            "  remedy:   make room\n"
            "  (disk-full, certain)\n"
            "\nwarning: swap is on\n"
            "  remedy:   swapoff -a\n"
            "  (swap-on, likely)\n"
            "\nLooked at:\n  kubelet\n  3 disks\n"
            "\nCould not see:\n  etcd: no answer in time\n");
}

TEST(DiagnosisText, FitsATerminal) {
  Facts facts = Node();
  facts.looked_at = {"disks, swap, kernel settings, interfaces and more of the machine"};
  const Findings findings = {
      {.id = "swap-on",
       .severity = Severity::kWarning,
       .subject = "swap",
       .what = "swap is on: the kubelet will not start again with it",
       .evidence = "/proc/swaps lists /dev/sda2 and others\n  as it is",
       .remedy = "swapoff -a, and take it out of /etc/fstab; or set failSwapOn: false"}};
  EXPECT_EQ(TextOf({facts, findings, 50}),
            "This control-plane node, alpha, works, but there\n"
            "is 1 to be warned of\n"
            "\nwarning: swap is on: the kubelet will not start\n"
            "         again with it\n"
            "  evidence: /proc/swaps lists /dev/sda2 and others\n"
            "              as it is\n"
            "  remedy:   swapoff -a, and take it out of\n"
            "            /etc/fstab; or set failSwapOn: false\n"
            "  (swap-on, certain)\n"
            "\nLooked at:\n"
            "  disks, swap, kernel settings, interfaces and\n"
            "  more of the machine\n");
  EXPECT_EQ(TextOf({facts, findings, 5}), TextOf({facts, findings, 40}));
}

TEST(DiagnosisObject, HasTheFieldsOfTheDiagnosis) {
  const json::Ordered object = ObjectOf(
      {Node(), {{.id = "x", .severity = Severity::kWarning, .subject = "c", .what = "w"}}});
  EXPECT_EQ(object["kind"], "Diagnosis");
  EXPECT_EQ(object["verdict"], "warnings");
  EXPECT_EQ(object["role"], "control-plane node");
  EXPECT_EQ(object["findings"][0]["severity"], "warning");
  EXPECT_EQ(object["findings"][0]["sure"], "certain");
  EXPECT_EQ(object["lookedAt"].size(), 2U);
}

TEST(DiagnosisText, NamesAMachineOutsideACluster) {
  EXPECT_EQ(TextOf({Facts{.role = Role::kNone}, {}}), "This machine is not a node of a cluster\n");
}

}  // namespace
}  // namespace doctor
