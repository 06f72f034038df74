// SPDX-License-Identifier: Apache-2.0
// The controller against a server whose lists and watches do not tell the truth of now.
#include "controller/controller.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/error.h"
#include "evidence/fake_kubelet.h"
#include "evidence/fake_objects.h"
#include "host/fake_host.h"
#include "http/fake_impostor.h"
#include "judgement/fake_cases.h"
#include "kube/fake_server.h"
#include "kube/wait.h"

namespace controller {
namespace {

using evidence::BindingsObject;
using evidence::ClusterConfigObject;
using evidence::ConfigMapObject;
using evidence::CsrObject;
using evidence::kFakeMachines;
using evidence::KubeletCa;
using evidence::MachineObject;
using evidence::NodeObject;
using judgement::AskFor;
using judgement::FakeWorld;
using judgement::kMachineMade;
using kube::resources::kConfigMap;
using kube::resources::kCsr;
using kube::resources::kNode;
using testing::HasSubstr;

constexpr const char* kMachinesPath =
    "/apis/machine.openshift.io/v1beta1/namespaces/machines/machines/";

struct RunningClock : host::FakeClock {  // goes by itself from where FakeClock begins
  std::chrono::steady_clock::time_point Steady() const override {
    return host::RealClock().Steady();
  }
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override {
    return host::RealClock().Sleep(duration, std::move(stop));
  }
  int Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) override {
    return host::RealClock().Poll(polled, timeout);
  }
};

// ControllerTest runs a controller on an API server that serves Machines.
class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    server_.SetText("/apis/machine.openshift.io", 200,
                    R"({"preferredVersion":{"version":"v1beta1"}})");
    server_.SetText("/apis/machine.openshift.io/v1beta1", 200,
                    R"({"resources":[{"name":"machines","kind":"Machine"}]})");
    settings_.leader = {.elect = false, .name = "lease", .name_space = "ns", .identity = "me"};
    settings_.inventories.machines = {{.group = "machine.openshift.io", .version = ""}};
    settings_.keep_status = false;
    settings_.workers = 2;
  }

  void Start() {
    controller_ = std::make_unique<Controller>(
        settings_,
        Clusters{.management = transport_, .workload = transport_, .servers = {server_.Url()}},
        host_);
    thread_ = std::jthread([this](const std::stop_token& stop) { controller_->Run(stop); });
    Until("it is synced", [this] { return controller_->Synced(); });
  }

  static void Until(const std::string& what, const std::function<bool()>& ask) {
    host::RealClock clock;
    kube::WaitUntil(
        [&](std::stop_token) { return ask() ? std::nullopt : std::optional(kube::NotYet{what}); },
        {.clock = clock, .limit = std::chrono::seconds(60)});
  }
  bool Approved(const std::string& name) {
    return json::At(server_.Find(kCsr, "", name).value_or(json::Value()), {"status", "conditions"})
        .is_array();
  }
  void UntilApproved(const std::string& name) {
    Until(name + " is approved", [&] { return Approved(name); });
  }
  // Asked is how often that request came, query and all.
  long Asked(const std::string& what) { return std::ranges::count(server_.Requests(), what); }
  void UntilCounted(const std::string& reason) {
    const std::string metric = "reason=\"" + reason + "\"}";
    Until("a verdict " + reason,
          [&] { return controller_->MetricsText().find(metric) != std::string::npos; });
  }
  void PutMachine(const std::string& name) {
    server_.Put(kFakeMachines, MachineObject(name, {{"InternalDNS", name}}));
  }

  host::FakeHost fake_;
  RunningClock clock_;
  host::Host host_{fake_.files,       fake_.processes, clock_,        fake_.random,
                   fake_.environment, fake_.network,   fake_.machine, fake_.signals};
  kube::FakeApiServer server_;
  std::shared_ptr<kube::Transport> transport_ = server_.NewTransport();
  Settings settings_;
  std::unique_ptr<Controller> controller_;
  std::jthread thread_;  // last: it uses the rest
};

TEST_F(ControllerTest, ApprovesWhatAMachineVouchesFor) {
  PutMachine("panda");
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
  for (const std::string& request : server_.Requests()) {
    EXPECT_FALSE(request.contains("resourceVersion=0")) << "a cache would answer";
  }
}

TEST_F(ControllerTest, ANodeThatNoWatchToldOfGetsNoSecondCertificate) {
  PutMachine("panda");
  server_.Hide("/api/v1/nodes/");
  server_.Put(kNode, NodeObject("panda", "10.0.0.1"));
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilCounted("client-node-exists");
  Until("it is judged again", [this] { return Asked("GET /api/v1/nodes/panda") >= 2; });
  EXPECT_FALSE(Approved("a"));
  server_.Remove(kNode, "", "panda");
  UntilApproved("a");
}

TEST_F(ControllerTest, NobodyIsCertifiedWhileNodesCannotBeRead) {
  PutMachine("panda");
  server_.Inject({.what = "GET /api/v1/nodes/panda",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "no",
                  .times = 1});
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
  EXPECT_EQ(Asked("GET /api/v1/nodes/panda"), 2);
}

TEST_F(ControllerTest, AMachineThatChangedWithoutAWordDoesNotVouch) {
  PutMachine("panda");
  Start();
  server_.Hide(kMachinesPath);
  json::Value machine = MachineObject("panda", {{"InternalDNS", "panda"}});
  machine["status"]["nodeRef"] = {{"name", "panda"}};
  server_.Put(kFakeMachines, machine);
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  const std::string read = std::string("GET ") + kMachinesPath + "panda";
  Until("it is judged again", [&] { return Asked(read) >= 2; });
  server_.Remove(kFakeMachines, "machines", "panda");
  const long before = Asked(read);
  Until("it is judged once more", [&] { return Asked(read) > before; });
  EXPECT_FALSE(Approved("a"));
}

TEST_F(ControllerTest, ASecondOwnerIsMissedNoLongerThanAWatchMayBeSilent) {
  EXPECT_EQ(settings_.watch_idle, std::chrono::seconds(150)) << "docs/threat-model-approver.md";
  settings_.watch_idle = std::chrono::milliseconds(100);
  PutMachine("panda");
  Start();
  const std::string watch = "GET /apis/machine.openshift.io/v1beta1/machines?";
  const auto watches = [&] {
    return std::ranges::count_if(server_.Requests(), [&](const std::string& request) {
      return request.starts_with(watch) && request.find("watch=true") != std::string::npos;
    });
  };
  Until("Machines are watched", [&] { return watches() > 0; });
  server_.Mute();
  json::Value second = MachineObject("second", {{"Hostname", "x"}});
  second["status"]["nodeRef"] = {{"name", "panda"}};
  server_.Put(kFakeMachines, second);
  Until("the second one is known", [&] {
    return controller_->MetricsText().find("mapi_max_pending_csr 102\n") != std::string::npos;
  });
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilCounted("client-machine-has-noderef");
  EXPECT_FALSE(Approved("a"));
}

TEST_F(ControllerTest, ANodeThatChangedWithoutAWordDoesNotVouch) {
  settings_.inventories = {.machines = {}, .nodes = true};
  server_.Put(kConfigMap, ClusterConfigObject("networking: {serviceSubnet: 10.96.0.0/12}"));
  server_.Put(kConfigMap, BindingsObject());
  const auto put_node = [this](const std::string& ip) {
    json::Value node = NodeObject("panda", ip);
    node["metadata"]["uid"] = "1";
    server_.Put(kNode, std::move(node));
  };
  FakeWorld world = FakeWorld::Serving();
  world.request.names = {{0x82, "panda"}, {0x87, std::string("\x0A\0\0\1", 4)}};
  put_node("10.0.0.1");
  Start();
  server_.Hide("/api/v1/nodes/");
  put_node("10.0.0.2");
  server_.Put(kCsr, CsrObject(world, "a"));
  Until("it is judged again", [this] { return Asked("GET /api/v1/nodes/panda") >= 2; });
  EXPECT_FALSE(Approved("a"));
  put_node("10.0.0.1");
  UntilApproved("a");
}

TEST_F(ControllerTest, AnEntryThatWasTakenOutWithoutAWordDoesNotVouch) {
  settings_.inventories = {.machines = {}, .config_map = {{.name_space = "ns", .name = "hosts"}}};
  const auto put = [this](const std::string& text) {
    server_.Put(kConfigMap, ConfigMapObject("ns", "hosts", "inventory.yaml", text));
  };
  put("- hostname: panda\n");
  Start();
  Until("the entry is known", [this] {
    return controller_->MetricsText().find("mapi_max_pending_csr 101") != std::string::npos;
  });
  server_.Hide("/api/v1/namespaces/ns/configmaps/");
  put("- hostname: bear\n");
  const long before = Asked("GET /api/v1/namespaces/ns/configmaps/hosts");
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  Until("it is judged again",
        [&] { return Asked("GET /api/v1/namespaces/ns/configmaps/hosts") >= before + 2; });
  EXPECT_FALSE(Approved("a"));
  put("- hostname: panda\n");
  UntilApproved("a");
}

TEST_F(ControllerTest, HopelessRequestsAreToldWhyAndDoNotCount) {
  PutMachine("panda");
  clock_.Set(kMachineMade + std::chrono::seconds(60));
  Start();
  FakeWorld broken = FakeWorld::Client();
  broken.request.break_signature = true;
  for (int i = 0; i < 150; ++i) {  // more than may be pending
    server_.Put(kCsr, CsrObject(broken, "broken-" + std::to_string(i)));
  }
  Until("all are judged", [this] {
    return controller_->MetricsText().find("reason=\"signature-invalid\"} 150\n") !=
           std::string::npos;
  });
  EXPECT_THAT(controller_->MetricsText(), HasSubstr("mapi_current_pending_csr 0\n"));
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
}

// Thrower is a transport that throws what no transport should, for the requests that it is told.
class Thrower : public kube::Transport {
 public:
  using Throws = std::function<bool(const kube::Call&)>;
  Thrower(std::shared_ptr<kube::Transport> inner, Throws throws)
      : inner_(std::move(inner)), throws_(std::move(throws)) {}
  json::Value Do(const kube::Call& call, std::stop_token stop) override {
    if (throws_(call)) {
      throw std::logic_error("no base::Error");
    }
    return inner_->Do(call, stop);
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return inner_->GetPath(path, stop);
  }
  void Watch(const kube::Call& call, const std::string& version, const OnEvent& on_event,
             std::stop_token stop) override {
    inner_->Watch(call, version, on_event, stop);
  }

 private:
  std::shared_ptr<kube::Transport> inner_;
  Throws throws_;
};

TEST_F(ControllerTest, WhateverIsThrownOnceEndsNoThread) {
  std::mutex mutex;
  std::set<std::string> thrown;
  transport_ = std::make_shared<Thrower>(transport_, [&](const kube::Call& call) {
    const std::lock_guard lock(mutex);  // each kind of request fails once
    return thrown.insert(fmt::format("{} {}", static_cast<int>(call.verb), call.resource.resource))
        .second;
  });
  PutMachine("panda");
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
  for (const char* name : {"b", "c"}) {  // the Event about the first one is lost
    FakeWorld broken = FakeWorld::Client();
    broken.request.break_signature = true;
    server_.Put(kCsr, CsrObject(broken, name));
  }
  Until("an Event is written", [this] { return Asked("POST /api/v1/namespaces/ns/events") > 0; });
  EXPECT_GE(thrown.size(), 5U) << "lists, reads, approvals, Events";
}

// Odd is a transport whose lists and watches also have what nobody asked for.
class Odd : public kube::Transport {
 public:
  explicit Odd(std::shared_ptr<kube::Transport> inner) : inner_(std::move(inner)) {}
  static std::vector<json::Value> Things() {
    const json::Value node = NodeObject("panda");
    return {
        nullptr,
        1,
        "x",
        true,
        json::Value::array(),
        json::Value::object(),
        {{"metadata", 5}},
        {{"metadata", {{"name", 7}, {"namespace", json::Value::array()}}}},
        {{"metadata", {{"name", "odd"}, {"creationTimestamp", "never"}}},
         {"spec", 3},
         {"status", "Approved"}},
        {{"metadata", {{"name", "odd-2"}, {"creationTimestamp", -1}}},
         {"spec", {{"request", json::Value::array()}, {"groups", "system:nodes"}, {"usages", 1}}},
         {"status", {{"conditions", {1, nullptr, "Approved"}}, {"addresses", 5}}}},
        {{"metadata", {{"name", std::string(100'000, 'x')}}},
         {"status", {{"addresses", {nullptr, {{"type", 1}, {"address", node}}}}}}}};
  }
  json::Value Do(const kube::Call& call, std::stop_token stop) override {
    json::Value answer = inner_->Do(call, stop);
    if (call.verb == kube::Verb::kList) {
      for (json::Value& thing : Things()) {
        answer["items"].push_back(std::move(thing));
      }
    }
    return answer;
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return inner_->GetPath(path, stop);
  }
  void Watch(const kube::Call& call, const std::string& version, const OnEvent& on_event,
             std::stop_token stop) override {
    inner_->Watch(
        call, version,
        [&](const std::string& type, const json::Value& object) {
          for (const json::Value& thing : Things()) {
            on_event(type, thing);
          }
          return on_event(type, object);
        },
        stop);
  }

 private:
  std::shared_ptr<kube::Transport> inner_;
};

TEST_F(ControllerTest, OddObjectsVouchForNobodyAndHarmNobody) {
  settings_.inventories = {.machines = {}, .config_map = {{.name_space = "ns", .name = "hosts"}}};
  server_.Put(kConfigMap, ConfigMapObject("ns", "hosts", "inventory.yaml", "- hostname: panda\n"));
  transport_ = std::make_shared<Odd>(transport_);
  Start();
  FakeWorld odd = FakeWorld::Client();
  AskFor(odd, "bear");
  server_.Put(kCsr, CsrObject(odd, "b"));
  UntilCounted("client-no-machine-with-internal-dns");
  EXPECT_FALSE(Approved("b"));
  server_.Put(kConfigMap, ConfigMapObject("ns", "hosts", "inventory.yaml", "- hostname: panda\n"));
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // they want memory beyond any limit
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// Bare is an API server without threads of its own: it has nothing but a lease.
class Bare : public kube::Transport {
 public:
  json::Value Do(const kube::Call& call, std::stop_token) override {
    const std::lock_guard lock(mutex_);
    if (call.resource.resource != kube::resources::kLease.resource) {
      return {{"metadata", {{"resourceVersion", "1"}}}, {"items", json::Value::array()}};
    }
    lease_ = call.verb == kube::Verb::kGet ? lease_ : call.body;
    if (lease_.is_null()) {
      throw base::Error(base::Error::Kind::kNotFound, "no lease");
    }
    return lease_;
  }
  std::string GetPath(const std::string&, std::stop_token) override {
    throw base::Error(base::Error::Kind::kNotFound, "nothing");
  }
  void Watch(const kube::Call&, const std::string&, const OnEvent&, std::stop_token stop) override {
    host::RealClock().Sleep(std::chrono::hours(1), stop);
  }
  std::string Holder() {
    const std::lock_guard lock(mutex_);
    return json::TextAt(lease_, {"spec", "holderIdentity"});
  }

 private:
  std::mutex mutex_;
  json::Value lease_;  // guarded by mutex_
};

TEST(Controller, WithoutThreadsItEndsWithAnErrorAndLeavesNone) {
  if (kSanitized) {
    GTEST_SKIP() << "a limit on memory is no place for a sanitizer";
  }
  host::FakeHost fake;
  Settings settings;
  settings.leader = {.retry_period = std::chrono::milliseconds(10),
                     .name = "lease",
                     .name_space = "ns",
                     .identity = "me"};
  settings.workers = 10'000;
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{400} << 20U);
  const rlimit limited{.rlim_cur = most, .rlim_max = before.rlim_max};
  for (const bool elect : {false, true}) {
    const auto bare = std::make_shared<Bare>();
    settings.leader.elect = elect;
    Controller controller(settings, {.management = bare, .workload = bare, .servers = {}},
                          fake.host);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
    EXPECT_THROW(controller.Run({}), std::system_error) << elect;
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_EQ(bare->Holder(), "") << "others may lead now";
  }
}

TEST_F(ControllerTest, WhoCannotRenewTheLeaseForAnUnknownReasonGivesItBack) {
  settings_.leader = {.elect = true,
                      .retry_period = std::chrono::milliseconds(10),
                      .name = "lease",
                      .name_space = "ns",
                      .identity = "me"};
  std::atomic<int> renewals = 0;
  const auto thrower = std::make_shared<Thrower>(transport_, [&](const kube::Call& call) {
    return call.verb == kube::Verb::kUpdate &&
           call.resource.resource == kube::resources::kLease.resource && ++renewals == 1;
  });
  Controller controller(settings_, {.management = thrower, .workload = thrower}, host_);
  EXPECT_THROW(controller.Run({}), std::logic_error);
  EXPECT_EQ(json::TextAt(server_.Find(kube::resources::kLease, "ns", "lease").value(),
                         {"spec", "holderIdentity"}),
            "");
}

TEST_F(ControllerTest, ALostLeaseEndsItWithAllItsThreads) {
  settings_.leader = {.elect = true,
                      .lease_duration = std::chrono::seconds(30),
                      .renew_deadline = std::chrono::seconds(20),
                      .retry_period = std::chrono::milliseconds(10),
                      .name = "lease",
                      .name_space = "ns",
                      .identity = "me"};
  Controller controller(settings_, {.management = transport_, .workload = transport_}, host_);
  std::jthread thief([this] {
    Until("it leads",
          [this] { return server_.Find(kube::resources::kLease, "ns", "lease").has_value(); });
    json::Value lease = *server_.Find(kube::resources::kLease, "ns", "lease");
    lease["spec"]["holderIdentity"] = "another";
    server_.Put(kube::resources::kLease, std::move(lease));
  });
  EXPECT_THROW(controller.Run({}), base::Error);
}

TEST_F(ControllerTest, AHangingKubeletHoldsUpItselfOnly) {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.Now());
  const KubeletCa ca(now);
  const http::FakeServer kubelet(
      [](const http::FakeRequest&) { return http::FakeReply{}; },
      ca.Certify("system:node:panda", {.dns_names = {"panda"}, .ip_addresses = {"127.0.0.1"}}));
  const http::Impostor silent({});
  settings_.dial_timeout = std::chrono::seconds(2);
  settings_.renewal_ca = {.name_space = "openshift-config-managed", .name = "csr-controller-ca"};
  server_.Put(kConfigMap, ConfigMapObject("openshift-config-managed", "csr-controller-ca",
                                          "ca-bundle.crt", ca.certificate().Pem()));
  server_.Put(kNode, NodeObject("mute", "127.0.0.1", silent.port()));
  server_.Put(kNode, NodeObject("panda", "127.0.0.1", kubelet.port()));
  FakeWorld mute = FakeWorld::Serving();
  mute.csr.username = "system:node:mute";
  AskFor(mute, "mute");
  mute.request.names = {{0x82, "mute"}};
  for (int i = 0; i < 40; ++i) {
    server_.Put(kCsr, CsrObject(mute, "mute-" + std::to_string(i)));
  }
  Start();
  Until("it is dialled", [&] { return silent.connections() > 0; });
  FakeWorld panda = FakeWorld::Serving();
  panda.request.names = {{0x82, "panda"}, {0x87, std::string("\x7F\0\0\1", 4)}};
  const auto begin = std::chrono::steady_clock::now();
  server_.Put(kCsr, CsrObject(panda, "panda"));
  UntilApproved("panda");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_LE(silent.connections(), 6) << "one at a time, two seconds each";
}

}  // namespace
}  // namespace controller
