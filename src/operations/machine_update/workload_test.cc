// SPDX-License-Identifier: Apache-2.0
#include "machine_update/workload.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "kube/fake_server.h"

namespace machine_update {
namespace {

using testing::HasSubstr;
using Kind = base::Error::Kind;

// Returns the message with which a kubeconfig with this user is refused.
std::string Refusal(const json::Value& user) {
  const json::Value config = {
      {"current-context", "it"},
      {"clusters", {{{"name", "it"}, {"cluster", {{"server", "https://127.0.0.1:1"}}}}}},
      {"users", {{{"name", "it"}, {"user", user}}}},
      {"contexts", {{{"name", "it"}, {"context", {{"cluster", "it"}, {"user", "it"}}}}}}};
  return base::MessageOf([&] { ConnectToWorkload(json::Compact(config)); }, Kind::kInvalid);
}

TEST(ConnectToWorkload, UsesTheKubeconfigsCluster) {
  kube::FakeApiServer server;
  server.SetText("/livez", 200, "ok");
  EXPECT_EQ(ConnectToWorkload(server.Config().Text())->GetPath("/livez", {}), "ok");
}

TEST(ConnectToWorkload, RunsNoProgramAndReadsNoFileThatTheKubeconfigNames) {
  EXPECT_THAT(Refusal({{"exec",
                        {{"apiVersion", "client.authentication.k8s.io/v1"},
                         {"command", "/bin/true"},
                         {"interactiveMode", "Never"}}}}),
              HasSubstr("\"exec\""));
  EXPECT_THAT(Refusal({{"tokenFile", "/etc/passwd"}}), HasSubstr("/etc/passwd"));
  EXPECT_THAT(Refusal({{"client-certificate", "/a"}, {"client-key", "/b"}}), HasSubstr("/a"));
}

TEST(ConnectToWorkload, RefusesOtherTexts) {
  for (const char* text : {"", "{", "text", "kind: Pod"}) {
    EXPECT_EQ(base::Thrown([&] { ConnectToWorkload(text); }).kind(), Kind::kInvalid) << text;
  }
}

}  // namespace
}  // namespace machine_update
