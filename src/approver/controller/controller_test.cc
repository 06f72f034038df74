// SPDX-License-Identifier: Apache-2.0
// The controller's handling of requests.
#include "controller/controller.h"

#include <gmock/gmock.h>

#include <chrono>

#include "controller/fake_controller.h"
#include "evidence/fake_kubelet.h"
#include "http/fake_impostor.h"
#include "judgement/fake_cases.h"

namespace controller {
namespace {

using evidence::ConfigMapObject;
using evidence::CsrObject;
using evidence::KubeletCa;
using evidence::NodeObject;
using judgement::AskFor;
using judgement::FakeWorld;
using judgement::kMachineMade;
using kube::resources::kConfigMap;
using kube::resources::kCsr;
using kube::resources::kNode;
using testing::HasSubstr;

TEST_F(ControllerTest, ApprovesARequestThatAMachineAttests) {
  PutMachine("panda");
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
  for (const std::string& request : server_.Requests()) {
    EXPECT_FALSE(request.contains("resourceVersion=0")) << "a cache would answer";
  }
}

TEST_F(ControllerTest, GivesHopelessRequestsAReasonWithoutCountingThem) {
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

// A kubelet creates four requests, one after each restart. The latest is removed, and then the
// Machine appears. The approver must approve only the latest remaining request, "b".
TEST_F(ControllerTest, ApprovesTheLatestOfSeveralRequestsThatWaitedForTheMachine) {
  clock_.Set(kMachineMade + std::chrono::seconds(600));
  Start();
  FakeWorld world = FakeWorld::Client();
  for (const char* name : {"c", "a", "b", "later"}) {
    server_.Put(kCsr, CsrObject(world, name));
    world.csr.created += std::chrono::seconds(60);
  }
  // no inventory could attest this request, so it does not count
  world.request.version = std::string(1, '\1');
  server_.Put(kCsr, CsrObject(world, "hopeless"));
  UntilCounted("version-not-zero");
  Until("the others are known",
        [this] { return controller_->MetricsText().contains("mapi_current_pending_csr 4\n"); });
  server_.Remove(kCsr, "", "later");
  Until("it is gone",
        [this] { return controller_->MetricsText().contains("mapi_current_pending_csr 3\n"); });
  PutMachine("panda");
  UntilApproved("b");
  EXPECT_FALSE(Approved("a"));
  EXPECT_FALSE(Approved("c"));
}

TEST_F(ControllerTest, IssuesOneCertificateToAMachineWithTwoNames) {
  server_.Put(evidence::kFakeMachines,
              evidence::MachineObject("panda",
                                      {{"InternalDNS", "panda"}, {"InternalDNS", "panda.zone.c"}}));
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilApproved("a");
  FakeWorld other = FakeWorld::Client();
  AskFor(other, "panda.zone.c");
  server_.Put(kCsr, CsrObject(other, "b"));
  UntilCounted("certificate-in-flight");
  EXPECT_FALSE(Approved("b"));
}

TEST_F(ControllerTest, ReportsAForbiddenListOfMachines) {
  server_.Inject({.what = "GET /apis/machine.openshift.io/v1beta1/machines",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "machines is forbidden",
                  .times = -1});
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilCounted("machine-list-failed");
}

TEST_F(ControllerTest, AHangingKubeletDelaysNoOtherRequest) {
  const auto now = clock_.NowSeconds();
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

// RenewalCaTest: a kubelet requests its next certificate, with the default CA.
class RenewalCaTest : public ControllerTest {
 protected:
  void Ask() {
    settings_.renewal_ca = {.name_space = "openshift-config-managed", .name = "csr-controller-ca"};
    settings_.renewal_ca_needs = {.group = "machine.openshift.io", .version = ""};
    server_.Put(kConfigMap, ConfigMapObject("openshift-config-managed", "csr-controller-ca",
                                            "ca-bundle.crt", ca_.certificate().Pem()));
    server_.Put(kNode, NodeObject("panda", "127.0.0.1", kubelet_.port()));
    Start();
    FakeWorld panda = FakeWorld::Serving();
    panda.request.names = {{0x82, "panda"}, {0x87, std::string("\x7F\0\0\1", 4)}};
    server_.Put(kCsr, CsrObject(panda, "panda"));
  }

 private:
  const KubeletCa ca_{clock_.NowSeconds()};
  const http::FakeServer kubelet_{
      [](const http::FakeRequest&) { return http::FakeReply{}; },
      ca_.Certify("system:node:panda", {.dns_names = {"panda"}, .ip_addresses = {"127.0.0.1"}})};
};

TEST_F(RenewalCaTest, IsUsedIfTheClusterServesMachines) {
  Ask();
  UntilApproved("panda");
}

TEST_F(RenewalCaTest, IsIgnoredIfTheClusterServesNoMachines) {
  server_.SetText("/apis/machine.openshift.io", 404, "404 page not found");
  Ask();
  UntilCounted("serving-exhausted");
  EXPECT_FALSE(Approved("panda"));
}

}  // namespace
}  // namespace controller
