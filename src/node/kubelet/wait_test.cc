// SPDX-License-Identifier: Apache-2.0
#include "kubelet/wait.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace kubelet {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kConf = "/etc/kubernetes/kubelet.conf";

std::string ConfWith(const std::string& credentials) {
  return "{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], "
         "clusters: [{name: c, cluster: {server: 'https://c:6443'}}], "
         "users: [{name: u, user: {" +
         credentials + "}}]}";
}

base::Error Refusal(host::Host& host, const std::stop_token& stop = {}) {
  return base::Thrown(
      [&] { RequireBootstrap({.host = host, .since = {}, .limit = 5ms, .stop = stop}); });
}

TEST(Bootstrap, TakesAUsableFileAndTheCertificateThatItNames) {
  host::FakeHost fake;
  EXPECT_EQ(Refusal(fake.host).kind(), base::Error::Kind::kTimeout);
  EXPECT_THAT(Refusal(fake.host).message(), HasSubstr("/etc/kubernetes/kubelet.conf is not there"));
  fake.files.Write(kConf, ConfWith(""), {});
  EXPECT_FALSE(IsBootstrapped({.host = fake.host, .since = {}, .limit = 1ms, .stop = {}}))
      << "no credentials";
  fake.files.Write(kConf, ConfWith("client-certificate: /pem, client-key: /pem"), {});
  EXPECT_FALSE(IsBootstrapped({.host = fake.host, .since = {}, .limit = 1ms, .stop = {}}))
      << "no certificate yet";
  fake.files.Write("/pem", "x", {});
  EXPECT_NO_THROW(RequireBootstrap({.host = fake.host, .since = {}, .limit = 1s, .stop = {}}));
  fake.files.Write(kConf, ConfWith("token: t"), {});
  EXPECT_TRUE(IsBootstrapped({.host = fake.host, .since = {}, .limit = 1ms, .stop = {}}));
}

TEST(Bootstrap, CanBeStopped) {
  host::FakeHost fake;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      RequireBootstrap({.host = fake.host, .since = {}, .limit = 5ms, .stop = stop.get_token()}),
      base::Interrupted);
  EXPECT_THROW(
      IsBootstrapped({.host = fake.host, .since = {}, .limit = 5ms, .stop = stop.get_token()}),
      base::Interrupted);
}

TEST(Bootstrap, QueriesTheLogOfThisRunOnly) {
  host::FakeHost fake;
  fake.processes.On("systemctl show kubelet", {.out = "ActiveState=activating\n"});
  fake.processes.AddExecutable("journalctl");
  const auto since = std::chrono::system_clock::time_point(1'790'000'000s);
  EXPECT_FALSE(IsBootstrapped({.host = fake.host, .since = since, .limit = 5ms, .stop = {}}));
  EXPECT_THAT(fake.processes.calls(), testing::Contains(HasSubstr("--since=@1790000000")));
}

TEST(HealthzUrlHere, FollowsTheArgumentsBeforeTheConfiguration) {
  host::FakeHost fake;
  const json::Value config = {{"healthzPort", 11}, {"healthzBindAddress", "10.0.0.1"}};
  EXPECT_EQ(HealthzUrlHere(fake.files, {}), "http://127.0.0.1:10248/healthz");
  EXPECT_EQ(HealthzUrlHere(fake.files, config), "http://10.0.0.1:11/healthz");
  fake.files.Write("/etc/default/kubelet",
                   "KUBELET_EXTRA_ARGS=\"--healthz-port=12 --healthz-bind-address=::1\"\n", {});
  EXPECT_EQ(HealthzUrlHere(fake.files, config), "http://[::1]:12/healthz");
  fake.files.Write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--healthz-port=0\n", {});
  EXPECT_EQ(HealthzUrlHere(fake.files, config), std::nullopt);
}

TEST(Bootstrap, EndsAtOnceWhenTheKubeletHasFailed) {
  host::FakeHost fake;
  fake.processes.On("systemctl show kubelet", {.out = "ActiveState=failed\n"});
  const base::Error error = base::Thrown(
      [&] { RequireBootstrap({.host = fake.host, .since = {}, .limit = 60s, .stop = {}}); });
  EXPECT_THAT(error.message(), HasSubstr("the kubelet service has failed"));
}

}  // namespace
}  // namespace kubelet
