// SPDX-License-Identifier: Apache-2.0
#include "endpoint/plan.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/fake_error.h"

namespace endpoint {
namespace {

using std::chrono::sys_seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr sys_seconds kNow{std::chrono::seconds(1'000'000)};
constexpr const char* kOld = "10.0.0.10:6443";
constexpr const char* kNew = "api.example.org:6443";

net::HostPort To(const char* text = kNew) { return net::HostPort::Parse(text).value(); }

// A single control plane that was created without an endpoint.
EndpointFacts Single() {
  EndpointFacts seen{
      .control_plane = true,
      .config = {},
      .files = {{"/etc/kubernetes/admin.conf", "https://10.0.0.10:6443"},
                {"/etc/kubernetes/super-admin.conf", "https://10.0.0.10:6443"},
                {"/etc/kubernetes/kubelet.conf", "https://10.0.0.10:6443"},
                {"/etc/kubernetes/controller-manager.conf", "https://10.0.0.10:6443"}},
      .mark = "",
      .now = kNow,
      .names = {.dns_names = {"cp-one", "by-hand"}, .ip_addresses = {"10.0.0.10"}},
      .unprepared = {},
      .cluster_info_server = "https://10.0.0.10:6443",
      .proxy_server = "https://10.0.0.10:6443"};
  seen.config.init.node_registration.name = "cp-one";
  seen.config.init.local_api_endpoint = {.advertise_address = "10.0.0.10", .bind_port = 6443};
  seen.config.cluster.networking = {.service_subnet = "10.96.0.0/12",
                                    .dns_domain = "cluster.local"};
  return seen;
}

// Returns the facts after the whole plan.
EndpointFacts Done(EndpointFacts seen, const SetPlan& plan) {
  seen.names = plan.names.value_or(seen.names);
  seen.record = plan.record ? plan.record : seen.record;
  seen.config.cluster = plan.cluster.value_or(seen.config.cluster);
  for (auto server : {&EndpointFacts::cluster_info_server, &EndpointFacts::proxy_server}) {
    seen.*server = UrlOf(plan.endpoint);
  }
  seen.proxy_restarted = seen.record ? *seen.record->switched : kNow;
  for (KubeconfigFile& file : seen.files) {
    for (const KubeconfigChange& change : plan.files) {
      file.server = change.path == file.path ? UrlOf(plan.endpoint) : file.server;
    }
  }
  seen.mark = plan.endpoint;
  return seen;
}

TEST(SetPlan, GivesASingleControlPlaneAnEndpoint) {
  const SetPlan plan = MakePlan(Single(), To());
  ASSERT_TRUE(plan.names && plan.record && plan.cluster);
  EXPECT_THAT(plan.names->dns_names, ElementsAre("cp-one", "by-hand", "api.example.org"));
  EXPECT_EQ(*plan.record,
            (ChangeRecord{.endpoint = kNew, .previous = kOld, .names = {}, .switched = kNow}));
  EXPECT_EQ(plan.cluster->control_plane_endpoint, kNew);
  EXPECT_THAT(plan.cluster->api_server.cert_sans, IsEmpty());
  EXPECT_TRUE(plan.cluster_info && plan.kube_proxy && plan.mark);
  EXPECT_THAT(plan.files,
              ElementsAre(KubeconfigChange{.path = "/etc/kubernetes/admin.conf"},
                          KubeconfigChange{.path = "/etc/kubernetes/super-admin.conf"}));
  EXPECT_FALSE(plan.kubelet) << "it asks its own API server";
}

TEST(SetPlan, IsEmptyOnceItIsDone) {
  const EndpointFacts done = Done(Single(), MakePlan(Single(), To()));
  const SetPlan again = MakePlan(done, To());
  EXPECT_TRUE(IsEmpty(again)) << TextOf(again);
  EXPECT_EQ(TextOf(again), "This node's part in the endpoint api.example.org:6443 is done\n");
}

TEST(SetPlan, ChangesTheCertificateAloneWhileOthersLackTheName) {
  EndpointFacts seen = Single();
  seen.unprepared = {"cp-two: no"};
  const SetPlan plan = MakePlan(seen, To());
  EXPECT_TRUE(plan.names);
  EXPECT_EQ(plan.record->switched, std::nullopt);
  EXPECT_FALSE(plan.cluster || plan.cluster_info || plan.kube_proxy || plan.mark);
  EXPECT_THAT(plan.files, IsEmpty());
  EXPECT_THAT(TextOf(plan), HasSubstr("the cluster waits for cp-two: no"));
}

struct Case {
  const char* name;
  std::function<void(EndpointFacts&)> change;
  const char* to;
  std::vector<std::string> names;  // in the record
  std::vector<std::string> sans;   // in the stored configuration
};

TEST(SetPlan, KeepsFormerEndpointsInCertificates) {
  const auto stored = [](EndpointFacts& seen) {
    seen.config.cluster.control_plane_endpoint = "old:6443";
  };
  const auto half = [=](EndpointFacts& seen) {
    stored(seen);
    seen.record =
        ChangeRecord{.endpoint = "given-up:6443", .previous = "old:6443", .names = {"old"}};
  };
  const auto back = [](EndpointFacts& seen) {
    seen.config.cluster.control_plane_endpoint = "new:6443";
    seen.config.cluster.api_server.cert_sans = {"mine", "old"};
    seen.record = ChangeRecord{
        .endpoint = "new:6443", .previous = "old:6443", .names = {"old"}, .switched = kNow};
  };
  const std::vector<Case> cases{
      {"none before", [](EndpointFacts&) {}, "new:6443", {}, {}},
      {"another", stored, "new:6443", {"old"}, {"old"}},
      {"another port", stored, "old:443", {}, {}},
      {"the user's own name",
       [=](EndpointFacts& seen) {
         stored(seen);
         seen.config.cluster.api_server.cert_sans = {"OLD"};
       },
       "new:6443",
       {},
       {"OLD"}},
      {"a third while the second is not there yet",
       half,
       "new:6443",
       {"old", "given-up"},
       {"old", "given-up"}},
      {"back to the first", back, "old:6443", {"new"}, {"mine", "new"}},
      {"one of the other family", stored, "[fd00::1]:6443", {"old"}, {"old"}},
  };
  for (const Case& c : cases) {
    EndpointFacts seen = Single();
    c.change(seen);
    const SetPlan plan = MakePlan(seen, To(c.to));
    ASSERT_TRUE(plan.record && plan.cluster) << c.name;
    EXPECT_EQ(plan.record->names, c.names) << c.name;
    EXPECT_EQ(plan.record->endpoint, c.to) << c.name;
    EXPECT_EQ(plan.record->switched, kNow) << c.name;
    EXPECT_EQ(plan.cluster->api_server.cert_sans, c.sans) << c.name;
    EXPECT_EQ(plan.cluster->control_plane_endpoint, c.to) << c.name;
    const SetPlan again = MakePlan(Done(seen, plan), To(c.to));
    EXPECT_TRUE(IsEmpty(again)) << c.name << TextOf(again);
  }
}

TEST(SetPlan, RestartsLeftoversOfAnInterruptedRun) {
  EndpointFacts seen = Done(Single(), MakePlan(Single(), To()));
  seen.mark = "";
  seen.files = {{"/etc/kubernetes/kubelet.conf", UrlOf(kNew)},
                {"/etc/kubernetes/scheduler.conf", UrlOf(kNew)}};
  seen.proxy_restarted = {};
  const SetPlan plan = MakePlan(seen, To());
  EXPECT_TRUE(plan.kubelet && plan.mark && plan.kube_proxy);
  EXPECT_THAT(plan.files,
              ElementsAre(KubeconfigChange{.path = "/etc/kubernetes/scheduler.conf",
                                           .reader = components::Component::kScheduler}));
}

TEST(SetPlan, PointsAWorkersKubeletToTheEndpoint) {
  EndpointFacts seen{.control_plane = false,
                     .config = {},
                     .files = {{"/etc/kubernetes/kubelet.conf", "https://10.0.0.10:6443"}},
                     .mark = "",
                     .names = {},
                     .unprepared = {},
                     .cluster_info_server = {},
                     .proxy_server = {}};
  seen.config.cluster.control_plane_endpoint = kNew;
  const SetPlan plan = MakePlan(seen, To());
  EXPECT_THAT(plan.files, ElementsAre(KubeconfigChange{.path = "/etc/kubernetes/kubelet.conf"}));
  EXPECT_TRUE(plan.kubelet && plan.mark);
  EXPECT_FALSE(plan.names || plan.record || plan.cluster || plan.cluster_info || plan.kube_proxy);
}

TEST(FinishPlan, NamesTheNodesThatAreBehindAndRemovesNames) {
  EndpointFacts seen = Single();
  seen.config.cluster.control_plane_endpoint = kNew;
  seen.config.cluster.api_server.cert_sans = {"mine", "old"};
  seen.names = {.dns_names = {"cp-one", "old", "by-hand"}, .ip_addresses = {"10.0.0.10"}};
  const ChangeRecord record{
      .endpoint = kNew, .previous = kOld, .names = {"old", "10.0.0.10"}, .switched = kNow};
  const auto second = std::chrono::seconds(1);
  const FinishPlan plan = MakeFinishPlan(seen, record,
                                         {{"cp-one", kNew, kNow - second},
                                          {"worker", "", kNow - second},
                                          {"another", "gone:1", kNow - second},
                                          {"new", "", kNow + second}});
  EXPECT_THAT(plan.behind, ElementsAre("worker", "another"));
  ASSERT_TRUE(plan.cluster && plan.names);
  EXPECT_THAT(plan.cluster->api_server.cert_sans, ElementsAre("mine"));
  EXPECT_THAT(plan.names->dns_names, ElementsAre("cp-one", "by-hand"));
  EXPECT_THAT(plan.names->ip_addresses, ElementsAre("10.0.0.10")) << "the node's own";
  EXPECT_THAT(TextOf(plan), HasSubstr("not in use yet on worker, another"));
}

TEST(FinishPlan, LeavesBehindTheNamedNodes) {
  const ChangeRecord record{.endpoint = kNew, .previous = kOld, .names = {}, .switched = kNow};
  const std::vector<NodeEndpoint> nodes = {{"worker", "", {}}, {"another", "", {}}};
  const FinishPlan plan = MakeFinishPlan(Single(), record, nodes, {"worker"});
  EXPECT_THAT(plan.behind, ElementsAre("another"));
  EXPECT_THAT(plan.left, ElementsAre("worker"));
  EXPECT_THAT(TextOf(plan), HasSubstr("left behind: worker; a kubelet there loses the cluster"));
  EXPECT_THAT(base::MessageOf([&] { MakeFinishPlan(Single(), record, nodes, {"wroker"}); }),
              HasSubstr("\"wroker\": the cluster has no node of that name"));
}

TEST(FinishPlan, IssuesNoCertificateIfNoNameIsRemoved) {
  const FinishPlan plan = MakeFinishPlan(
      Single(), {.endpoint = kNew, .previous = kOld, .names = {}, .switched = kNow}, {});
  EXPECT_FALSE(plan.cluster || plan.names);
  EXPECT_THAT(plan.behind, IsEmpty());
}

TEST(NextSteps, ListTheActionsOnOtherNodes) {
  const EndpointFacts single = Single();
  SetPlan plan{.endpoint = kNew};
  EXPECT_THAT(NextSteps(plan, single), testing::SizeIs(2));
  EndpointFacts worker = single;
  worker.control_plane = false;
  EXPECT_THAT(NextSteps(plan, worker), testing::SizeIs(1));
  plan.unprepared = {"cp-two: no answer"};
  EXPECT_THAT(NextSteps(plan, single),
              ElementsAre(testing::HasSubstr("the last of them changes the cluster")));
}

TEST(RecordToFinish, RequiresThatTheClusterUsesTheNewEndpoint) {
  EndpointFacts seen = Single();
  const auto problem = [&] { return base::MessageOf([&] { RecordToFinish(seen); }); };
  EXPECT_FALSE(RecordToFinish(seen)) << "finished on another control plane";
  seen.record = ChangeRecord{.endpoint = kNew, .previous = kOld, .names = {}};
  EXPECT_THAT(problem(), testing::HasSubstr("the cluster does not use"));
  seen.record->switched = kNow;
  EXPECT_EQ(RecordToFinish(seen), seen.record);
  seen.control_plane = false;
  EXPECT_THAT(problem(), testing::HasSubstr("on a control plane"));
}

}  // namespace
}  // namespace endpoint
