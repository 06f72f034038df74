// The configuration file, inventories, decoding, the queue, written objects, metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "approver/cluster_facts.h"
#include "approver/config.h"
#include "approver/decode.h"
#include "approver/events.h"
#include "approver/inventory.h"
#include "approver/judge_input.h"
#include "approver/machine_source.h"
#include "approver/metrics.h"
#include "approver/objects.h"
#include "approver/work_queue.h"
#include "base/error.h"
#include "kube/fake_server.h"

namespace approver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(ReadConfig, TakesOnlyWhatItKnows) {
  struct Row {
    std::string text;
    int disabled;  // 2: refused
  };
  for (const Row& row : std::initializer_list<Row>{
           {"", 0},
           {"{}", 0},
           {"nodeClientCert:", 0},
           {"nodeClientCert: {}", 0},
           {"nodeClientCert: {disabled: true}", 1},
           {"nodeClientCert: {disabled: yes}", 1},
           {"nodeClientCert: {disabled: false}", 0},
           {"{\"nodeClientCert\":{\"disabled\":true}}", 1},
           {"nodeClientCert: {disabled: 'true'}", 2},
           {"nodeClientCert: {disabled: 1}", 2},
           {"nodeClientCert: {Disabled: true}", 2},
           {"nodeClientCert: true", 2},
           {"nodeclientcert: {disabled: true}", 2},
           {"nodeClientCert: {disabled: true}\nmore: 1", 2},
           {"nodeClientCert: {disabled: true, disabled: false}", 2},
           {"nodeClientCert: {disabled: true}\n---\n{}", 2},
           {"- a", 2},
           {"text", 2},
           {"a: [", 2},
       }) {
    int got = 2;
    try {
      got = ReadConfig(row.text).client_disabled ? 1 : 0;
    } catch (const base::Error&) {
    }
    EXPECT_EQ(got, row.disabled) << row.text;
  }
}

TEST(ReadEntries, ReadsHosts) {
  const auto entries = ReadEntries(
      "- hostname: a\n  addresses: [10.0.0.1, a.b]\n  providerID: x://1\n  use: once\n- hostname: "
      "b\n",
      "file");
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_TRUE(entries[0].one_time);
  EXPECT_THAT(entries[0].addresses, SizeIs(3));
  EXPECT_EQ(entries[0].addresses[0].type, "InternalIP");
  EXPECT_EQ(entries[0].addresses[1].type, "Hostname");
  EXPECT_FALSE(entries[1].one_time);
  for (const char* bad : {"a: b", "- a", "- {}", "- hostname: A_B", "- hostname: a\n  more: 1",
                          "- hostname: a\n  use: twice", "- hostname: a\n- hostname: a",
                          "- hostname: a\n  addresses: x", "- hostname: a\n  addresses: [1]"}) {
    EXPECT_THROW(ReadEntries(bad, "file"), base::Error) << bad;
  }
}

TEST(DecodeMachine, IsStrictButForCase) {
  const Machine machine = DecodeMachine(json::Parse(R"({"metadata":{"name":"m","namespace":"n",
        "creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T00:00:00Z"},
        "Status":{"ADDRESSES":[{"Type":"InternalDNS","address":"a"}],"noderef":{}}})"),
                                        "g");
  EXPECT_EQ(machine.created, 1767225600);
  EXPECT_TRUE(machine.deleting);
  EXPECT_EQ(machine.node_ref, "");
  EXPECT_EQ(machine.addresses.at(0).address, "a");
  for (const char* bad : {R"({"status":{"addresses":{}}})", R"({"status":{"addresses":[1]}})",
                          R"({"status":{"addresses":[{"type":1}]}})", R"({"status":[]})",
                          R"({"status":{"nodeRef":"a"}})", R"({"status":{"nodeRef":{"name":1}}})",
                          R"({"metadata":{"creationTimestamp":"yesterday"}})",
                          R"({"metadata":{"creationTimestamp":5}})"}) {
    EXPECT_THROW(DecodeMachine(json::Parse(bad), "g"), base::Error) << bad;
  }
  for (const char* fine : {"{}", R"({"status":null})", R"({"status":{"addresses":null}})",
                           R"({"metadata":{"creationTimestamp":null}})"}) {
    EXPECT_NO_THROW(DecodeMachine(json::Parse(fine), "g")) << fine;
  }
}

TEST(SplitInputs, OneObjectOrManyLines) {
  EXPECT_THAT(SplitInputs("{\n \"a\": 1\n}\n"), SizeIs(1));
  EXPECT_THAT(SplitInputs("{\"a\":1}\n\n{\"a\":2}\n"), SizeIs(2));
  EXPECT_THAT(SplitInputs("[{},{},{}]"), SizeIs(3));
  EXPECT_THAT(SplitInputs(" \n"), SizeIs(0));
  EXPECT_THROW(SplitInputs("{}\n{\n"), base::Error);
  EXPECT_THROW(SplitInputs("{\n \"a\": \n"), base::Error);
}

TEST(JudgeInput, AConfigurationThatCannotBeReadSwitchesClientsOff) {
  const json::Value input =
      json::Parse(R"({"csr":null,"config":{"nodeClientCert":{"disabled":"x"}}})");
  EXPECT_EQ(JudgeInput(input, {}).reason, "invalid-call");
  EXPECT_EQ(VerdictLine(JudgeInput(input, {})),
            R"({"decision":"ignore","reason":"invalid-call","rules":[{"rule":"request-given",)"
            R"("passed":false,"compared":"there is no request"}]})");
}

TEST(ApprovalCall, IsForTheRequestThatWasJudgedOrForNone) {
  const std::chrono::sys_seconds now{std::chrono::seconds(0)};
  EXPECT_THROW(ApprovalCall({.name = "a", .uid = "u"}, now), base::Error);
  EXPECT_THROW(ApprovalCall({.name = "a", .resource_version = "7"}, now), base::Error);
  EXPECT_NO_THROW(ApprovalCall({.name = "a", .uid = "u", .resource_version = "7"}, now));
}

TEST(ApprovalCall, KeepsConditionsAndTheVersionJudged) {
  const Csr csr{.name = "a",
                .uid = "u",
                .resource_version = "7",
                .conditions = {{.type = "X", .status = "True", .reason = "r", .message = "m"}}};
  const kube::Call call = ApprovalCall(csr, std::chrono::sys_seconds(std::chrono::seconds(0)));
  EXPECT_EQ(call.subresource, "approval");
  EXPECT_EQ(json::TextAt(call.body, {"metadata", "resourceVersion"}), "7");
  const json::Value& conditions = call.body["status"]["conditions"];
  ASSERT_THAT(conditions, SizeIs(2));
  EXPECT_EQ(conditions[1]["type"], "Approved");
  EXPECT_EQ(conditions[1]["reason"], "NodeCSRApprove");
  EXPECT_EQ(conditions[1]["lastUpdateTime"], "1970-01-01T00:00:00Z");
}

TEST(EventCall, HasTheSameNameForTheSameReason) {
  const Csr csr{.name = std::string(253, 'a'), .uid = "u"};
  Verdict verdict{.decision = Decision::kIgnore, .reason = "x", .message = "why", .rules = {}};
  const auto name = [&] {
    return json::TextAt(EventCall(csr, verdict, {"ns", "me"}, {}).body, {"metadata", "name"});
  };
  const std::string first = name();
  EXPECT_EQ(first, name());
  EXPECT_THAT(first, SizeIs(253));
  verdict.reason = "y";
  EXPECT_NE(first, name());
}

TEST(EventCall, CutsHostileTexts) {
  const Csr csr{.name = "a", .uid = "u"};
  const Verdict verdict{
      .decision = Decision::kIgnore,
      .reason = "x",
      .message = std::string(1023, 'a') + "\xC3\xA4" + std::string(70'000, '\xFF'),
      .rules = {}};
  const std::string message =
      json::TextAt(EventCall(csr, verdict, {"ns", "me"}, {}).body, {"message"});
  EXPECT_EQ(message, std::string(1023, 'a') + "\xEF\xBF\xBD");
}

TEST(EventWriter, ForgetsReasonsBeforeTheyFillTheMemory) {
  kube::FakeApiServer server;
  const auto transport = server.NewTransport();
  Metrics metrics;
  EventWriter events(*transport, {"ns", "me"}, metrics);
  const Verdict verdict{.decision = Decision::kIgnore, .reason = "x", .message = "y", .rules = {}};
  for (std::size_t i = 0; i <= EventWriter::kMostReasons; ++i) {
    events.Tell({.name = "a", .uid = std::to_string(i), .username = std::to_string(i % 100)},
                verdict, {});
  }
  EXPECT_EQ(events.remembered(), 1U);
}

TEST(EventWriter, OneRequesterDoesNotCrowdOutTheOthers) {
  kube::FakeApiServer server;
  const auto transport = server.NewTransport();
  Metrics metrics;
  EventWriter events(*transport, {"ns", "me"}, metrics);
  const Verdict verdict{.decision = Decision::kIgnore, .reason = "x", .message = "y", .rules = {}};
  for (int i = 0; i < 3 * EventAllowance::kBurst; ++i) {
    events.Tell({.name = "a", .uid = std::to_string(i), .username = "hostile"}, verdict, {});
  }
  EXPECT_EQ(events.remembered(), static_cast<std::size_t>(EventAllowance::kBurst));
  events.Tell({.name = "b", .uid = "other", .username = "other"}, verdict, {});
  EXPECT_EQ(events.remembered(), EventAllowance::kBurst + 1U);
}

TEST(LeaderEventCall, IsAboutTheLease) {
  const kube::Call call = LeaderEventCall("lease", {"ns", "me"}, {});
  EXPECT_EQ(json::TextAt(call.body, {"involvedObject", "kind"}), "Lease");
  EXPECT_EQ(json::TextAt(call.body, {"reason"}), "LeaderElection");
  EXPECT_EQ(json::TextAt(call.body, {"message"}), "me became leader");
}

TEST(EgressIpsOf, PicksTheNodesOwn) {
  const json::Value list = json::Parse(R"({"items":[{"status":{"items":[
    {"node":"a","egressIP":"1.1.1.1"},{"node":"b","egressIP":"2.2.2.2"}]}},{}]})");
  EXPECT_THAT(EgressIpsOf(list, "a"), ElementsAre("1.1.1.1"));
}

TEST(WorkQueue, HandsANameOutOnceAtATime) {
  WorkQueue queue;
  queue.Add("a");
  queue.Add("a");
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.Take({}), "a");
  queue.Add("a");
  EXPECT_EQ(queue.size(), 0U) << "it is being worked on";
  queue.Done("a");
  EXPECT_EQ(queue.Take({}), "a");
  queue.Done("a");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(WorkQueue, WaitersEndWhenAskedTo) {
  WorkQueue queue;
  std::stop_source stop;
  std::optional<std::string> got = "x";
  std::jthread waiter([&] { got = queue.Take(stop.get_token()); });
  stop.request_stop();
  waiter.join();
  EXPECT_FALSE(got.has_value());
}

TEST(WorkQueue, LaterComesByItself) {
  WorkQueue queue;
  queue.AddLater("a");
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.Take({}), "a");
}

TEST(WorkQueue, RequestersTakeTurns) {
  WorkQueue queue({.requester_of = [](const std::string& name) { return name.substr(0, 1); }});
  for (const char* name : {"a1", "a2", "a3", "b1", "c1", "b2"}) {
    queue.Add(name);
  }
  std::string order;
  for (int i = 0; i < 6; ++i) {
    const std::string name = *queue.Take({});
    order += name + " ";
    queue.Done(name);
  }
  EXPECT_EQ(order, "a1 b1 c1 a2 b2 a3 ");
  EXPECT_EQ(queue.remembered(), 0U);
}

TEST(WorkQueue, ARequesterHasOnlySoManyWorkers) {
  WorkQueue queue(
      {.requester_of = [](const std::string& name) { return name.substr(0, 1); }, .at_once = 1});
  for (const char* name : {"a1", "a2", "b1"}) {
    queue.Add(name);
  }
  EXPECT_EQ(queue.Take({}), "a1");
  EXPECT_EQ(queue.Take({}), "b1");
  EXPECT_EQ(queue.size(), 1U) << "a2 waits for a1";
  queue.Add("a1");
  queue.Done("a1");
  EXPECT_EQ(queue.Take({}), "a2");
  queue.Done("a2");
  EXPECT_EQ(queue.Take({}), "a1");
}

TEST(WorkQueue, DropsWhatIsGone) {
  WorkQueue queue;
  for (int i = 0; i < 100; ++i) {
    queue.AddLater(std::to_string(i));
    queue.Drop(std::to_string(i));
  }
  EXPECT_EQ(queue.remembered(), 0U);
}

TEST(Metrics, AreTextThatPrometheusReads) {
  Metrics metrics;
  metrics.SetPending(3, 103);
  metrics.CountDecision("approve", "client-ok");
  metrics.CountDecision("approve", "client-ok");
  metrics.ObserveApproval(std::chrono::milliseconds(300));
  metrics.SetLeader("lease", true);
  const std::string text = metrics.Text();
  for (const char* line :
       {"mapi_current_pending_csr 3\n", "mapi_max_pending_csr 103\n",
        "machine_approver_decisions_total{decision=\"approve\",reason=\"client-ok\"} 2\n",
        "machine_approver_approval_seconds_bucket{le=\"0.25\"} 0\n",
        "machine_approver_approval_seconds_bucket{le=\"0.5\"} 1\n",
        "machine_approver_approval_seconds_bucket{le=\"+Inf\"} 1\n",
        "leader_election_master_status{name=\"lease\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(FindMachineApi, FollowsTheServersPreference) {
  kube::FakeApiServer server;
  const auto transport = server.NewTransport();
  EXPECT_FALSE(FindMachineApi(*transport, {"g", ""}, {}));
  server.SetText("/apis/g", 200, R"({"preferredVersion":{"version":"v2"}})");
  server.SetText("/apis/g/v1", 200, R"({"resources":[{"name":"machines/status","kind":"Machine"},
    {"name":"machines","kind":"Machine"}]})");
  server.SetText("/apis/g/v2", 200, R"({"resources":[{"name":"others","kind":"Other"}]})");
  EXPECT_FALSE(FindMachineApi(*transport, {"g", ""}, {}));
  EXPECT_FALSE(FindMachineApi(*transport, {"g", "v3"}, {}));
  const auto api = FindMachineApi(*transport, {"g", "v1"}, {});
  ASSERT_TRUE(api);
  EXPECT_EQ(api->plural, "machines");
}

}  // namespace
}  // namespace approver
