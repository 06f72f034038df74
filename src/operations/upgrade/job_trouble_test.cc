// SPDX-License-Identifier: Apache-2.0
#include "upgrade/job_trouble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"
#include "objects/fake_mirror_pod.h"

namespace upgrade {
namespace {

using components::Component;

json::Value Pod(const std::string& node, const char* status) {
  return {{"metadata", {{"name", "p"}}},
          {"spec", {{"nodeName", node}}},
          {"status", json::Value::parse(status)}};
}

// A Pod that its kubelet has acknowledged.
json::Value Noticed(const char* status) {
  json::Value pod = Pod("n", status);
  pod["status"]["startTime"] = "2026-11-24T10:00:00Z";
  return pod;
}

TEST(JobTrouble, NamesTheComponentThatFailed) {
  const struct {
    std::vector<json::Value> pods;
    std::string text;
    std::optional<Component> waits_for;
    bool kubelet_is_late = false;
  } cases[] = {
      {{}, "kube-controller-manager has made no Pod of it", Component::kControllerManager},
      {{Pod("", "{}")}, "kube-scheduler has chosen no node for Pod p", Component::kScheduler},
      {{Pod("", R"({"conditions": [{"type": "PodScheduled", "status": "False",
                                    "message": "0/3 nodes are available"}]})")},
       "Pod p finds no node: 0/3 nodes are available",
       {}},
      {{Pod("n", R"({"phase": "Pending"})")},
       "the kubelet of node n has not taken notice of Pod p",
       {},
       true},
      {{Noticed(R"({"phase": "Pending"})")}, "Pod p on node n is Pending", {}},
      {{Noticed(R"({"containerStatuses": [{"state": {"waiting": {
                      "reason": "ImagePullBackOff", "message": "no such image"}}}]})")},
       "Pod p on node n waits: ImagePullBackOff: no such image",
       {}},
      {{Noticed(R"({"phase": "Running", "containerStatuses": [{"state": {"running": {}}}],
                     "conditions": [{"type": "PodScheduled", "status": "True"}]})")},
       "Pod p on node n is Running",
       {},
       true},
      {{Noticed(R"({"phase": "Succeeded", "containerStatuses": [{"state": {"terminated": {}}}]})")},
       "kube-controller-manager has not seen that Pod p on node n succeeded",
       Component::kControllerManager},
  };
  for (const auto& each : cases) {
    const JobTrouble trouble = TroubleOf(each.pods);
    EXPECT_EQ(trouble.text, each.text);
    EXPECT_EQ(trouble.waits_for, each.waits_for) << each.text;
    EXPECT_EQ(trouble.kubelet_is_late, each.kubelet_is_late) << each.text;
  }
}

TEST(Leader, IsDescribedByItsLeaseAndTheReasonsOfItsPods) {
  host::FakeClock clock;
  kube::FakeApiServer server;
  kube::Client client(server.NewTransport(), clock, {});
  const auto describe = [&] { return DescribeLeader(client, Component::kScheduler); };
  EXPECT_EQ(describe(), "");
  server.Put(kube::resources::kLease,
             {{"metadata", {{"name", "kube-scheduler"}, {"namespace", "kube-system"}}},
              {"spec", {{"renewTime", "2026-11-24T10:00:00.000000Z"}, {"holderIdentity", "a_1"}}}});
  EXPECT_EQ(describe(), "its Lease was last renewed at 2026-11-24T10:00:00.000000Z by a_1");
  server.Put(kube::resources::kNode, objects::FakeControlPlaneNode("a"));
  for (const char* node : {"a", "worker"}) {
    json::Value pod = objects::FakeMirrorPod(Component::kScheduler, node);
    pod["status"] = json::Value::parse(R"({"containerStatuses": [{"state": {"waiting": {
        "reason": "CrashLoopBackOff", "message": "back-off 40s"}}}]})");
    server.Put(kube::resources::kPod, pod);
  }
  EXPECT_THAT(
      describe(),
      testing::EndsWith("by a_1; Pod kube-scheduler-a waits: CrashLoopBackOff: back-off 40s"));
}

}  // namespace
}  // namespace upgrade
