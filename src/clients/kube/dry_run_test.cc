// SPDX-License-Identifier: Apache-2.0
#include "kube/dry_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

using base::Error;
using testing::HasSubstr;

json::Value Map(const std::string& name, const std::string& value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "kube-system"}}},
          {"data", {{"key", value}}}};
}

class DryRunTest : public testing::Test {
 protected:
  Client NewClient(DryRunOptions options = {}) {
    options.log = [this](const std::string& report) { log_ += report; };
    return {std::make_shared<DryRunTransport>(std::move(options)), clock_, {.grace = {}}};
  }
  std::string TakeLog() { return std::exchange(log_, ""); }
  host::FakeClock clock_;
  std::string log_;
};

TEST_F(DryRunTest, ShowsObjectsToCreate) {
  NewClient().Create(resources::kConfigMap, Map("m", "x"));
  EXPECT_EQ(log_,
            "[dryrun] Would perform action CREATE on resource \"configmaps\" in API group "
            "\"core/v1\"\n"
            "[dryrun] Attached object:\n"
            "apiVersion: v1\n"
            "data:\n"
            "  key: x\n"
            "kind: ConfigMap\n"
            "metadata:\n"
            "  name: m\n"
            "  namespace: kube-system\n"
            "\n");
}

TEST_F(DryRunTest, NamesTheApiGroupOfOtherResources) {
  NewClient().Create(resources::kClusterRole, {{"metadata", {{"name", "r"}}}});
  EXPECT_THAT(log_, HasSubstr("\"clusterroles\" in API group \"rbac.authorization.k8s.io/v1\"\n"));
}

TEST_F(DryRunTest, ReportsObjectsThatItDoesNotFind) {
  Client client = NewClient();
  EXPECT_FALSE(client.Find({resources::kSecret, "kube-system", "s"}));
  EXPECT_EQ(log_,
            "[dryrun] Would perform action GET on resource \"secrets\" in API group \"core/v1\"\n"
            "[dryrun] Resource name \"s\", namespace \"kube-system\"\n"
            "[dryrun] Real object does not exist. Attempting to GET from followup reactors or from "
            "the fake client tracker\n");
}

TEST_F(DryRunTest, RemembersItsWrites) {
  Client client = NewClient();
  client.CreateOrUpdate(resources::kConfigMap, Map("m", "one"));
  client.CreateOrUpdate(resources::kConfigMap, Map("m", "two"));
  EXPECT_THAT(TakeLog(), HasSubstr("action UPDATE on resource"));
  EXPECT_EQ(json::TextAt(client.Get({resources::kConfigMap, "kube-system", "m"}), {"data", "key"}),
            "two");
  client.Patch({resources::kConfigMap, "kube-system", "m"}, "application/merge-patch+json",
               {{"data", {{"key", "three"}}}});
  EXPECT_THAT(TakeLog(), HasSubstr("  key: three\n"));
  EXPECT_EQ(client.List(resources::kConfigMap, "kube-system").size(), 1U);
  EXPECT_EQ(client.List(resources::kConfigMap, "other").size(), 0U);
  client.Delete({resources::kConfigMap, "kube-system", "m"});
  EXPECT_FALSE(client.Find({resources::kConfigMap, "kube-system", "m"}));
  EXPECT_EQ(client.List(resources::kConfigMap, "kube-system").size(), 0U);
}

TEST_F(DryRunTest, FindsAnyNodeByItsHostname) {
  Client client = NewClient();
  client.PatchNode("n", [](json::Value& node) { node["metadata"]["labels"]["mark"] = ""; });
  EXPECT_EQ(log_,
            "[dryrun] Would perform action GET on resource \"nodes\" in API group \"core/v1\"\n"
            "[dryrun] Resource name \"n\", namespace \"\"\n"
            "[dryrun] Attached object:\n"
            "apiVersion: v1\n"
            "kind: Node\n"
            "metadata:\n"
            "  labels:\n"
            "    kubernetes.io/hostname: \"n\"\n"
            "  name: \"n\"\n"
            "\n"
            "[dryrun] Would perform action PATCH on resource \"nodes\" in API group \"core/v1\"\n"
            "[dryrun] Resource name \"n\", namespace \"\"\n"
            "[dryrun] Attached object:\n"
            "apiVersion: v1\n"
            "kind: Node\n"
            "metadata:\n"
            "  labels:\n"
            "    kubernetes.io/hostname: \"n\"\n"
            "    mark: \"\"\n"
            "  name: \"n\"\n"
            "\n");
}

TEST_F(DryRunTest, AnswersFromTheCannedObjects) {
  Client client = NewClient({.canned = [](const Call& call) -> std::optional<json::Value> {
    return call.name == "m" ? std::optional(Map("m", "canned")) : std::nullopt;
  }});
  EXPECT_EQ(json::TextAt(client.Get({resources::kConfigMap, "kube-system", "m"}), {"data", "key"}),
            "canned");
  EXPECT_THAT(log_, HasSubstr("Attempting to GET"));
  EXPECT_THAT(log_, HasSubstr("Attached object:\n"));
}

TEST_F(DryRunTest, ReadsTheRealClusterButNeverWrites) {
  FakeApiServer server;
  server.Put(resources::kConfigMap, Map("real", "x"));
  Client client = NewClient({.real = server.NewTransport()});
  EXPECT_TRUE(client.Find({resources::kConfigMap, "kube-system", "real"}));
  EXPECT_EQ(client.List(resources::kConfigMap, "kube-system").size(), 1U);
  client.CreateOrUpdate(resources::kConfigMap, Map("new", "x"));
  client.Patch({resources::kConfigMap, "kube-system", "real"}, "application/merge-patch+json",
               {{"data", {{"key", "y"}}}});
  client.Delete({resources::kConfigMap, "kube-system", "real"});
  EXPECT_FALSE(client.Find({resources::kConfigMap, "kube-system", "real"}));
  for (const std::string& request : server.Requests()) {
    EXPECT_THAT(request, testing::StartsWith("GET "));
  }
}

TEST_F(DryRunTest, QueriesAnUnreachableClusterOnlyOnce) {
  struct Away : Transport {
    int asked = 0;
    json::Value Do(const Call&, std::stop_token) override {
      ++asked;
      throw Error(Error::Kind::kUnavailable, "away");
    }
    std::string GetPath(const std::string&, std::stop_token) override { return ""; }
    void Watch(const Call&, const std::string&, const OnEvent&, std::stop_token) override {}
  };
  const auto away = std::make_shared<Away>();
  Client client = NewClient({.real = away});
  EXPECT_FALSE(client.Find({resources::kSecret, "ns", "a"}));
  EXPECT_FALSE(client.Find({resources::kSecret, "ns", "b"}));
  EXPECT_EQ(away->asked, 1);
}

TEST_F(DryRunTest, IsAlwaysHealthy) {
  EXPECT_EQ(NewClient().transport().GetPath("/livez", {}), "ok");
}

}  // namespace
}  // namespace kube
