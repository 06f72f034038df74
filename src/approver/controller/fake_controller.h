// SPDX-License-Identifier: Apache-2.0
// A controller that runs on an API server of the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "controller/controller.h"
#include "evidence/fake_objects.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "kube/wait.h"

namespace controller {

// A FakeClock for the time of day only: steady time, pauses and polls are real.
struct RunningClock : host::FakeClock {
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

// Runs a controller on an API server that serves Machines.
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

  // Ends the controller before the members of a derived test are destroyed. Local variables of the
  // test are already destroyed at this time, so the controller's callbacks must own their state.
  void TearDown() override { thread_ = {}; }

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
    return json::At(server_.Find(kube::resources::kCsr, "", name).value_or(json::Value()),
                    {"status", "conditions"})
        .is_array();
  }
  void UntilApproved(const std::string& name) {
    Until(name + " is approved", [&] { return Approved(name); });
  }
  // Returns how often the request "METHOD path?query" arrived.
  long Asked(const std::string& what) { return std::ranges::count(server_.Requests(), what); }
  void UntilCounted(const std::string& reason) {
    const std::string metric = "reason=\"" + reason + "\"}";
    Until("a verdict " + reason,
          [&] { return controller_->MetricsText().find(metric) != std::string::npos; });
  }
  void PutMachine(const std::string& name) {
    server_.Put(evidence::kFakeMachines, evidence::MachineObject(name, {{"InternalDNS", name}}));
  }

  host::FakeHost fake_;
  RunningClock clock_;
  host::Host host_ = fake_.With(clock_);
  kube::FakeApiServer server_;
  std::shared_ptr<kube::Transport> transport_ = server_.NewTransport();
  Settings settings_;
  std::unique_ptr<Controller> controller_;
  std::jthread thread_;  // last: it uses the other members
};

// A transport that throws unexpected exceptions for the given requests.
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

}  // namespace controller
