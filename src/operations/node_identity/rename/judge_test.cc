// SPDX-License-Identifier: Apache-2.0
#include "node_identity/rename/judge.h"

#include <gmock/gmock.h>

#include <functional>

namespace node_rename {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Value Node() {
  return {{"metadata", {{"name", "w1"}, {"labels", {{"kubernetes.io/hostname", "w1-host"}}}}},
          {"spec", {{"unschedulable", true}}}};
}

Value Pod(const char* node, const Value& metadata) {
  Value pod{{"metadata", {{"namespace", "default"}, {"name", "p"}}},
            {"spec", {{"nodeName", node}}}};
  pod["metadata"].update(metadata);
  return pod;
}

Value Volume(const char* member, const char* value) {
  return {{"metadata", {{"name", "disk"}}},
          {"spec",
           {{"nodeAffinity",
             {{"required",
               {{"nodeSelectorTerms",
                 Value::array(
                     {{{member, Value::array({{{"key", "any"},
                                               {"operator", "In"},
                                               {"values", Value::array({value})}}})}}})}}}}}}}};
}

Value Attachment(const char* node) {
  return {{"metadata", {{"name", "csi-1"}}}, {"spec", {{"nodeName", node}}}};
}

struct Row {
  const char* about;
  std::function<void(RenameFacts&)> change;
  const char* error;  // a part of the only error; "": no error
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows{
      {"a drained worker", [](RenameFacts&) {}, ""},
      {"a control plane", [](RenameFacts& facts) { facts.control_plane = true; }, "etcd member"},
      {"a name that is none", [](RenameFacts& facts) { facts.to = "W_2"; },
       "is not a name for a Node"},
      {"a name too long for the label", [](RenameFacts& facts) { facts.to = std::string(64, 'a'); },
       "more than 63"},
      {"its own name", [](RenameFacts& facts) { facts.to = "w1"; }, "already"},
      {"a name that is taken", [](RenameFacts& facts) { facts.taken = true; },
       "there is a Node called"},
      {"a kubelet that the user names", [](RenameFacts& facts) { facts.naming_files = {"/etc/x"}; },
       "/etc/x gives the kubelet"},
      {"no Node", [](RenameFacts& facts) { facts.node = nullptr; },
       "the cluster has no Node called w1"},
      {"a node that takes Pods", [](RenameFacts& facts) { facts.node["spec"].clear(); },
       "kubectl cordon"},
      {"a Machine of Cluster API",
       [](RenameFacts& facts) {
         facts.node["metadata"]["annotations"]["cluster.x-k8s.io/machine"] = "m-1";
       },
       "Machine m-1"},
      {"a finalizer",
       [](RenameFacts& facts) { facts.node["metadata"]["finalizers"] = Value::array({"a/b"}); },
       "the finalizer a/b"},
      {"a Pod of its own", [](RenameFacts& facts) { facts.pods = {Pod("w1", Value::object())}; },
       "default/p"},
      {"a Pod of a Deployment",
       [](RenameFacts& facts) {
         facts.pods = {Pod("w1", {{"ownerReferences", Value::array({{{"kind", "ReplicaSet"}}})}})};
       },
       "kubectl drain w1"},
      {"a Pod of a DaemonSet",
       [](RenameFacts& facts) {
         facts.pods = {Pod("w1", {{"ownerReferences", Value::array({{{"kind", "DaemonSet"}}})}})};
       },
       ""},
      {"a static Pod",
       [](RenameFacts& facts) {
         facts.pods = {Pod("w1", {{"annotations", {{"kubernetes.io/config.mirror", "x"}}}})};
       },
       ""},
      {"a Pod elsewhere", [](RenameFacts& facts) { facts.pods = {Pod("w2", Value::object())}; },
       ""},
      {"a volume by the node's name",
       [](RenameFacts& facts) { facts.volumes = {Volume("matchFields", "w1")}; }, "disk"},
      {"a volume by the label",
       [](RenameFacts& facts) { facts.volumes = {Volume("matchExpressions", "w1-host")}; }, "disk"},
      {"a volume elsewhere",
       [](RenameFacts& facts) { facts.volumes = {Volume("matchExpressions", "w2")}; }, ""},
      {"a volume anywhere",
       [](RenameFacts& facts) { facts.volumes = {Value{{"metadata", {{"name", "nfs"}}}}}; }, ""},
      {"a volume that is attached",
       [](RenameFacts& facts) { facts.attachments = {Attachment("w1")}; },
       "VolumeAttachments csi-1"},
      {"one attached elsewhere", [](RenameFacts& facts) { facts.attachments = {Attachment("w2")}; },
       ""}};
  return rows;
}

TEST(JudgeTest, ReportsEachReasonSeparately) {
  for (const Row& row : Rows()) {
    RenameFacts facts{.from = "w1", .to = "w2", .node = Node()};
    row.change(facts);
    const checks::Findings findings = Judge(facts);
    const auto errors = checks::WhatOf(findings, checks::Severity::kError);
    if (*row.error == '\0') {
      EXPECT_THAT(errors, IsEmpty()) << row.about;
    } else {
      EXPECT_THAT(errors, ElementsAre(HasSubstr(row.error))) << row.about;
    }
    EXPECT_EQ(findings.size(), errors.size()) << row.about;
  }
}

TEST(JudgeTest, ReportsAllReasonsTogether) {
  const RenameFacts facts{.from = "w1",
                          .to = "w2",
                          .node = Node(),
                          .taken = true,
                          .pods = {Pod("w1", Value::object())},
                          .volumes = {Volume("matchFields", "w1")},
                          .attachments = {Attachment("w1")}};
  EXPECT_EQ(checks::WhatOf(Judge(facts), checks::Severity::kError).size(), 4U);
}

TEST(JudgeTest, WarnsOfACloudProvider) {
  RenameFacts facts{.from = "w1", .to = "w2", .node = Node()};
  facts.node["spec"]["providerID"] = "cloud:///1";
  const checks::Findings findings = Judge(facts);
  EXPECT_FALSE(checks::HasErrors(findings));
  EXPECT_THAT(checks::WhatOf(findings, checks::Severity::kWarning),
              ElementsAre(HasSubstr("a cloud provider knows this machine")));
}

TEST(NewNodeTest, CopiesValuesThatUsersAndControllersSet) {
  const Value old{
      {"metadata",
       {{"name", "w1"},
        {"uid", "u"},
        {"resourceVersion", "7"},
        {"labels", {{"kubernetes.io/hostname", "w1"}, {"topology.x/node", "w1"}, {"disk", "ssd"}}},
        {"annotations", {{"csi.volume.kubernetes.io/nodeid", "{}"}, {"mine", "yes"}}}}},
      {"spec",
       {{"podCIDR", "10.244.3.0/24"},
        {"podCIDRs", Value::array({"10.244.3.0/24"})},
        {"unschedulable", true},
        {"taints",
         Value::array({{{"key", "node.kubernetes.io/unschedulable"}, {"effect", "NoSchedule"}},
                       {{"key", "gpu"}, {"effect", "NoSchedule"}}})}}},
      {"status", {{"phase", "x"}}}};
  EXPECT_EQ(
      NewNode(old, "w2"),
      Value({{"apiVersion", "v1"},
             {"kind", "Node"},
             {"metadata",
              {{"name", "w2"},
               {"labels",
                {{"kubernetes.io/hostname", "w2"}, {"topology.x/node", "w2"}, {"disk", "ssd"}}},
               {"annotations", {{"mine", "yes"}}}}},
             {"spec",
              {{"podCIDR", "10.244.3.0/24"},
               {"podCIDRs", Value::array({"10.244.3.0/24"})},
               {"unschedulable", true},
               {"taints", Value::array({{{"key", "gpu"}, {"effect", "NoSchedule"}}})}}}}));
}

}  // namespace
}  // namespace node_rename
