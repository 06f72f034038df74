// SPDX-License-Identifier: Apache-2.0
#include "objects/controller_accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace objects {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;

const std::vector<std::string> kOwnArguments = {"kube-controller-manager",
                                                "--controllers=*,bootstrapsigner,tokencleaner",
                                                "--use-service-account-credentials=true"};

json::Value Pod(std::vector<std::string> command) {
  return {{"spec", {{"containers", json::Value::array({{{"command", std::move(command)}}})}}}};
}

std::vector<std::string> With(const std::string& argument) {
  std::vector<std::string> command = kOwnArguments;
  command.push_back(argument);
  return command;
}

TEST(ControllerAccounts, DependOnTheVersion) {
  const auto in_35 = ControllerAccounts(Pod(kOwnArguments), {1, 35, 4});
  EXPECT_THAT(in_35, Contains("certificate-controller"));
  EXPECT_THAT(in_35, Not(Contains("device-taint-eviction-controller")));
  EXPECT_THAT(ControllerAccounts(Pod(kOwnArguments), {1, 36, 0}),
              Contains("device-taint-eviction-controller"));
}

TEST(ControllerAccounts, AreNotCreatedForACustomizedControllerManager) {
  const base::Version version{1, 36, 3};
  EXPECT_THAT(ControllerAccounts(Pod({"kube-controller-manager"}), version), IsEmpty());
  EXPECT_THAT(ControllerAccounts(Pod(With("--controllers=*,-ttl")), version), IsEmpty());
  EXPECT_THAT(ControllerAccounts(Pod(With("--feature-gates=A=true")), version), IsEmpty());
  EXPECT_THAT(ControllerAccounts(Pod(With("--use-service-account-credentials=false")), version),
              IsEmpty());
  EXPECT_THAT(ControllerAccounts(Pod(With("--cloud-provider=external")), version), Not(IsEmpty()));
}

TEST(ControllerAccounts, KeepsExistingAccounts) {
  kube::FakeApiServer server;
  const json::Value old = {{"metadata",
                            {{"name", "ttl-controller"},
                             {"namespace", "kube-system"},
                             {"annotations", {{"whose", "theirs"}}}}}};
  server.Put(kube::resources::kServiceAccount, old);
  host::FakeClock clock;
  kube::Client client{server.NewTransport(), clock, {.limit = 0ms, .grace = 0ms}};

  MakeControllerAccounts(client, {"node-controller", "ttl-controller"});
  const auto find = [&](const std::string& name) {
    return server.Find(kube::resources::kServiceAccount, "kube-system", name)
        .value_or(json::Value());
  };
  EXPECT_EQ(json::At(find("node-controller"), {"metadata", "name"}), "node-controller");
  EXPECT_EQ(json::At(find("ttl-controller"), {"metadata", "annotations", "whose"}), "theirs");
}

}  // namespace
}  // namespace objects
