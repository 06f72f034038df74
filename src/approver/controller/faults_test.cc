// SPDX-License-Identifier: Apache-2.0
// The controller on failing servers, and with odd objects.

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>

#include "base/error.h"
#include "controller/fake_controller.h"
#include "judgement/fake_cases.h"

namespace controller {
namespace {

using evidence::ConfigMapObject;
using evidence::CsrObject;
using evidence::NodeObject;
using judgement::AskFor;
using judgement::FakeWorld;
using kube::resources::kConfigMap;
using kube::resources::kCsr;

// The kinds of requests that have failed.
struct Failed {
  std::mutex mutex;
  std::set<std::string> kinds;
};

TEST_F(ControllerTest, KeepsItsThreadsAfterAnException) {
  const auto failed = std::make_shared<Failed>();
  transport_ = std::make_shared<Thrower>(transport_, [failed](const kube::Call& call) {
    const std::lock_guard lock(failed->mutex);  // each kind of request fails once
    return failed->kinds
        .insert(fmt::format("{} {}", static_cast<int>(call.verb), call.resource.resource))
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
  const std::lock_guard lock(failed->mutex);
  EXPECT_GE(failed->kinds.size(), 5U) << "lists, reads, approvals, Events";
}

// Returns a fault: each approval of the request "a" throws an error of this kind, and `tries`
// counts them.
Thrower::Throws ApprovalsThrow(base::Error::Kind kind, std::shared_ptr<std::atomic<int>> tries) {
  return [kind, tries = std::move(tries)](const kube::Call& call) {
    if (call.subresource == "approval" && call.name == "a") {
      ++*tries;
      throw base::Error(kind, "no approval");
    }
    return false;
  };
}

TEST_F(ControllerTest, RetriesAFailedApprovalAfterAPause) {
  const auto tries = std::make_shared<std::atomic<int>>(0);
  transport_ =
      std::make_shared<Thrower>(transport_, ApprovalsThrow(base::Error::Kind::kForbidden, tries));
  PutMachine("panda");
  Start();
  const auto begin = std::chrono::steady_clock::now();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  Until("it is tried twice", [&] { return *tries >= 2; });
  UntilCounted("approval-failed");
  Until("an Event is written", [this] { return Asked("POST /api/v1/namespaces/ns/events") > 0; });
  EXPECT_EQ(controller_->MetricsText().find("decision=\"approve\""), std::string::npos);
  const int tried = *tries;
  const auto spent = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(tried, 1 + std::chrono::ceil<std::chrono::seconds>(spent).count())
      << "one second, then two";
  // "a" was certainly not approved, so "b", a request of the same node, may be approved
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "b"));
  UntilApproved("b");
}

TEST_F(ControllerTest, ApprovesNoSecondCertificateAfterALostAnswer) {
  const auto tries = std::make_shared<std::atomic<int>>(0);
  transport_ =
      std::make_shared<Thrower>(transport_, ApprovalsThrow(base::Error::Kind::kTimeout, tries));
  PutMachine("panda");
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  Until("it is tried", [&] { return *tries >= 1; });
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "b"));
  UntilCounted("certificate-in-flight");
  Until("it is tried again", [&] { return *tries >= 2; });
  EXPECT_FALSE(Approved("b"));
}

// A transport whose lists and watches also contain malformed and unrequested objects.
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

TEST_F(ControllerTest, IgnoresObjectsWithOddContent) {
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

}  // namespace
}  // namespace controller
