// SPDX-License-Identifier: Apache-2.0
#include "addons/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"

namespace addons {
namespace {

json::Value Object(const char* api_version, const char* kind, json::Value fields) {
  json::Value object = {{"apiVersion", api_version},
                        {"kind", kind},
                        {"metadata", {{"name", "a"}, {"namespace", "n"}}}};
  object.update(fields, true);
  return object;
}

class ApplyManifestsTest : public testing::Test {
 protected:
  json::Value Live(const kube::Resource& resource) { return *server_.Find(resource, "n", "a"); }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {}};
};

TEST_F(ApplyManifestsTest, ReplacesMembersAndKeepsOtherMetadata) {
  const auto manifest = [](int replicas) {
    return Object("apps/v1", "Deployment",
                  {{"metadata", {{"labels", {{"app", "a"}}}}}, {"spec", {{"replicas", replicas}}}});
  };
  ApplyManifests(client_, {manifest(1)});
  json::Value changed = Live(kube::resources::kDeployment);
  changed["metadata"]["labels"] = {{"app", "b"}, {"team", "x"}};
  changed["metadata"]["annotations"] = {{"note", "y"}};
  changed["spec"]["paused"] = true;
  server_.Put(kube::resources::kDeployment, changed);
  ApplyManifests(client_, {manifest(2)});
  const json::Value live = Live(kube::resources::kDeployment);
  EXPECT_EQ(live.at("metadata").at("labels"), json::Value({{"app", "a"}, {"team", "x"}}));
  EXPECT_EQ(live.at("metadata").at("annotations"), json::Value({{"note", "y"}}));
  EXPECT_EQ(live.at("spec"), json::Value({{"replicas", 2}}));
}

TEST_F(ApplyManifestsTest, LeavesTheStateOfTheProgram) {
  const json::Value map = Object("v1", "ConfigMap", {{"data", {{"k", "first"}}}});
  ApplyManifests(client_, {map});
  ApplyManifests(client_, {Object("v1", "ConfigMap", {{"data", {{"k", "second"}}}})});
  EXPECT_EQ(Live(kube::resources::kConfigMap).at("data"), map.at("data"));
}

TEST_F(ApplyManifestsTest, RefusesAnUnknownKind) {
  EXPECT_THAT(base::MessageOf(
                  [&] { ApplyManifests(client_, {Object("v1", "Pod", json::Value::object())}); }),
              testing::HasSubstr("no addon has an object of kind \"Pod\""));
}

}  // namespace
}  // namespace addons
