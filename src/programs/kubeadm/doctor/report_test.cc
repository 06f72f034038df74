#include "kubeadm/doctor/report.h"

#include <gtest/gtest.h>

namespace kubeadm {
namespace {

using diagnosis::Severity;
using doctor::Facts;
using doctor::Finding;

Facts Node() {
  Facts facts{.role = doctor::Role::kControlPlane, .node_name = "alpha"};
  facts.looked_at = {"kubelet", "3 disks"};
  return facts;
}

TEST(DoctorText, SaysWhatWasLookedAtWhereAllIsWell) {
  EXPECT_EQ(DoctorText(Node(), {}),
            "This control-plane node, alpha, is well\n"
            "\nLooked at:\n  kubelet\n  3 disks\n");
}

TEST(DoctorText, TellsEachFindingWhole) {
  Facts facts = Node();
  facts.unseen = {"etcd: no answer in time"};
  const std::vector<Finding> findings = {{.id = "disk-full",
                                          .culprit = "/",
                                          .what = "the disk of / is full",
                                          .evidence = "0 MiB are left\nof 9 GiB",
                                          .remedy = "make room"},
                                         {.id = "swap-on",
                                          .severity = Severity::kWarning,
                                          .culprit = "swap",
                                          .what = "swap is on",
                                          .remedy = "swapoff -a",
                                          .sure = diagnosis::Sureness::kLikely}};
  EXPECT_EQ(DoctorText(facts, findings),
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

TEST(DoctorObject, IsForPrograms) {
  const json::Ordered object = DoctorObject(
      Node(), {{.id = "x", .severity = Severity::kWarning, .culprit = "c", .what = "w"}});
  EXPECT_EQ(object["kind"], "Diagnosis");
  EXPECT_EQ(object["verdict"], "warnings");
  EXPECT_EQ(object["role"], "control-plane node");
  EXPECT_EQ(object["findings"][0]["severity"], "warning");
  EXPECT_EQ(object["findings"][0]["sure"], "certain");
  EXPECT_EQ(object["lookedAt"].size(), 2U);
}

}  // namespace
}  // namespace kubeadm
