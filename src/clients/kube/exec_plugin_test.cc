// SPDX-License-Identifier: Apache-2.0
#include "kube/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.h"
#include "base/fake_error.h"
#include "base/strings.h"
#include "kube/fake_identity.h"
#include "kube/fake_server.h"
#include "yaml/yaml.h"

namespace kube {
namespace {

using base::Error;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using namespace std::chrono_literals;

constexpr const char* kSecret = "very-secret-token";

KubeconfigUser UserOf(const std::string& exec) {
  KubeconfigUser user;
  user.rest = {{"exec", yaml::Parse(exec).value}};
  return user;
}

Plugin V1() { return {.command = "plug", .api_version = "client.authentication.k8s.io/v1"}; }

TEST(ExecPlugin, ReadsAnEntry) {
  const auto plugin = PluginOf(UserOf(R"(
    apiVersion: client.authentication.k8s.io/v1
    command: plug
    args: [get, "a b"]
    env: [{name: A, value: x}, {name: B, value: ""}]
    interactiveMode: Never
    provideClusterInfo: true
    installHint: get it there)"));
  ASSERT_TRUE(plugin);
  EXPECT_EQ(plugin->command, "plug");
  EXPECT_THAT(plugin->args, ElementsAre("get", "a b"));
  EXPECT_THAT(plugin->environment, ElementsAre(Pair("A", "x"), Pair("B", "")));
  EXPECT_EQ(plugin->mode, Plugin::Mode::kNever);
  EXPECT_TRUE(plugin->provide_cluster_info);
  EXPECT_EQ(plugin->install_hint, "get it there");
  EXPECT_FALSE(PluginOf({}));
}

TEST(ExecPlugin, RefusesAnUnusableEntry) {
  const std::string v1 = "{apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, ";
  const std::pair<std::string, std::string> cases[] = {
      {"text", "that is not an object"},
      {v1 + "args: []}", "exec.command is missing"},
      {v1 + "command: 1}", "exec.command must be a string"},
      {v1 + "command: p, args: x}", "exec.args must be a list"},
      {v1 + "command: p, args: [1]}", "exec.args must be strings"},
      {v1 + "command: p, env: [{value: x}]}", "a variable of exec.env has no name"},
      {v1 + "command: p, provideClusterInfo: \"yes\"}", "must be true or false"},
      {"{command: p}", "exec.apiVersion is \"\""},
      {"{command: p, apiVersion: client.authentication.k8s.io/v1alpha1}",
       "exec.apiVersion is \"client.authentication.k8s.io/v1alpha1\""},
      {"{command: p, apiVersion: client.authentication.k8s.io/v1}", "exec.interactiveMode is \"\""},
      {"{command: p, apiVersion: client.authentication.k8s.io/v1, interactiveMode: never}",
       "exec.interactiveMode is \"never\""},
  };
  for (const auto& [entry, why] : cases) {
    EXPECT_THAT(base::MessageOf([&] { PluginOf(UserOf(entry)); }, Error::Kind::kInvalid),
                HasSubstr(why))
        << entry;
  }
  const auto beta = PluginOf(UserOf(
      "{command: p, apiVersion: client.authentication.k8s.io/v1beta1, args: null, env: null}"));
  ASSERT_TRUE(beta);
  EXPECT_EQ(beta->mode, Plugin::Mode::kIfAvailable);
}

// The expected JSON is that of a client-go 0.36 program with the same kubeconfig.
TEST(ExecPlugin, PassesExecInfoToTheProgram) {
  KubeconfigCluster cluster{.server = "https://10.0.0.1:6443",
                            .certificate_authority_data = "PEM",
                            .tls_server_name = "api",
                            .proxy_url = "http://proxy",
                            .insecure_skip_tls_verify = false};
  cluster.rest = yaml::Parse(R"(
    disable-compression: true
    extensions:
    - {name: other, extension: {no: 1}}
    - {name: client.authentication.k8s.io/exec, extension: {audience: me}})")
                     .value;
  Plugin plugin = V1();
  EXPECT_EQ(ExecInfo(plugin, cluster, true),
            json::Value::parse(R"({"kind": "ExecCredential", "spec": {"interactive": true},
                            "apiVersion": "client.authentication.k8s.io/v1"})"));
  plugin.provide_cluster_info = true;
  EXPECT_EQ(ExecInfo(plugin, cluster, false), json::Value::parse(R"({"kind": "ExecCredential",
                            "apiVersion": "client.authentication.k8s.io/v1",
                            "spec": {"interactive": false, "cluster": {
                              "server": "https://10.0.0.1:6443", "tls-server-name": "api",
                              "certificate-authority-data": "UEVN", "proxy-url": "http://proxy",
                              "disable-compression": true, "config": {"audience": "me"}}}})"));
  cluster = {.server = "https://x", .insecure_skip_tls_verify = true};
  EXPECT_EQ(ExecInfo(plugin, cluster, false)["spec"]["cluster"],
            json::Value::parse(R"({"server": "https://x", "insecure-skip-tls-verify": true,
                            "config": null})"));
}

std::string Answer(const std::string& status) {
  return R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": )" +
         status + "}";
}

TEST(ExecPlugin, ReadsAnswers) {
  const Login login = ParseLogin(V1(), Answer(R"({"token": "t", "clientCertificateData": "c",
      "clientKeyData": "k", "expirationTimestamp": "2030-01-02T03:04:05+01:00", "more": 1})"));
  EXPECT_EQ(login.token, "t");
  EXPECT_EQ(login.certificate_pem, "c");
  EXPECT_EQ(login.key_pem, "k");
  EXPECT_EQ(login.expires, std::chrono::sys_seconds(1893549845s));
  EXPECT_EQ(
      ParseLogin(V1(), "apiVersion: client.authentication.k8s.io/v1\nstatus: {token: t}\n").token,
      "t");
}

TEST(ExecPlugin, RefusesInvalidAnswersWithoutQuotingThem) {
  const std::string token = std::string(R"("token": ")") + kSecret + "\"";
  const std::pair<std::string, std::string> cases[] = {
      {"", "is not an ExecCredential"},
      {kSecret, "is not an ExecCredential"},
      {std::string("{\"") + kSecret, "is neither JSON nor YAML"},
      {R"({"kind": "Secret", "apiVersion": "client.authentication.k8s.io/v1"})",
       "is not an ExecCredential"},
      {R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1"})",
       "is not an ExecCredential of client.authentication.k8s.io/v1,"},
      {R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1"})",
       "has neither a token nor a client certificate"},
      {Answer(R"({"token": ""})"), "has neither a token nor a client certificate"},
      {Answer("{\"token\": [\"" + std::string(kSecret) + "\"]}"),
       "status.token that is not a string"},
      {Answer("{" + token + R"(, "clientKeyData": "k"})"), "without the other"},
      {Answer("{" + token + R"(, "clientCertificateData": "c"})"), "without the other"},
      {Answer("{" + token + R"(, "expirationTimestamp": "soon"})"), "that is not a time"},
      {Answer("{\"token\": \"" + std::string(kSecret) + "\\nX-Remote-User: root\"}"),
       "blanks or control characters"},
  };
  for (const auto& [answer, why] : cases) {
    const std::string message =
        base::MessageOf([&] { ParseLogin(V1(), answer); }, Error::Kind::kUnauthorized);
    EXPECT_THAT(message, HasSubstr("cannot log in: the answer of plug"));
    EXPECT_THAT(message, HasSubstr(why));
    EXPECT_THAT(message, Not(HasSubstr(kSecret)));
  }
}

// A cluster whose user logs in with a program that the test fakes.
class PluginTransportTest : public ::testing::Test {
 protected:
  PluginTransportTest() {
    server_.RequireAuthorization("Bearer good");
    server_.SetText("/version", 200, "v1");
    config_ = server_.Config(OneFakeIdentity().ca_pem);
    KubeconfigUser& user = config_.users.begin()->second;
    user = UserOf(
        "{apiVersion: client.authentication.k8s.io/v1, command: plug, args: [get], "
        "interactiveMode: IfAvailable, installHint: hint, env: [{name: A, value: x}]}");
  }

  std::unique_ptr<Transport> NewTransport() {
    return MakeHttpTransport(config_, {.server_override = {}, .read_file = read_file_},
                             {.has_terminal = [this] { return terminal_; },
                              .now = [this] { return now_; },
                              .run =
                                  [this](const PluginCall& call, const std::stop_token&) {
                                    last_call_ = call;
                                    const int run = runs_++;
                                    if (run >= static_cast<int>(answers_.size())) {
                                      throw Error(Error::Kind::kNotFound, "no such program");
                                    }
                                    return Answer(answers_[run]);
                                  }});
  }

  static constexpr const char* kGood = R"({"token": "good"})";
  static constexpr const char* kBad = R"({"token": "bad"})";

  FakeApiServer server_{OneFakeIdentity().tls};
  Kubeconfig config_;
  std::function<std::optional<std::string>(const std::string& path)> read_file_;
  std::vector<std::string> answers_;
  std::atomic<int> runs_ = 0;
  bool terminal_ = false;
  std::chrono::sys_seconds now_{1000000000s};
  PluginCall last_call_;
};

TEST_F(PluginTransportTest, RunsTheProgramOnceAtTheFirstRequest) {
  answers_ = {kGood};
  const auto transport = NewTransport();
  EXPECT_EQ(runs_, 0);
  EXPECT_EQ(transport->GetPath("/version", {}), "v1");
  EXPECT_EQ(transport->GetPath("/version", {}), "v1");
  EXPECT_EQ(runs_, 1);
  EXPECT_THAT(last_call_.argv, ElementsAre("plug", "get"));
  EXPECT_EQ(last_call_.environment["A"], "x");
  EXPECT_EQ(
      json::Value::parse(last_call_.environment["KUBERNETES_EXEC_INFO"])["spec"]["interactive"],
      false);
  EXPECT_FALSE(last_call_.interactive);
  EXPECT_EQ(last_call_.install_hint, "hint");
}

TEST_F(PluginTransportTest, PassesTheCaOfAFileToTheProgram) {
  answers_ = {kGood};
  KubeconfigCluster& cluster = config_.clusters.begin()->second;
  const std::string pem = std::exchange(cluster.certificate_authority_data, "");
  cluster.certificate_authority = "/ca.crt";
  config_.users.begin()->second.rest["exec"]["provideClusterInfo"] = true;
  read_file_ = [&](const std::string& path) {
    return path == "/ca.crt" ? std::optional(pem) : std::nullopt;
  };
  NewTransport()->GetPath("/version", {});
  const json::Value info = json::Parse(last_call_.environment.at("KUBERNETES_EXEC_INFO"));
  EXPECT_EQ(json::TextAt(info, {"spec", "cluster", "certificate-authority-data"}),
            base::Base64Encode(pem));
}

TEST_F(PluginTransportTest, RunsTheProgramOnceForConcurrentCallers) {
  answers_ = {kGood};
  const auto transport = NewTransport();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { EXPECT_EQ(transport->GetPath("/version", {}), "v1"); });
    }
  }
  EXPECT_EQ(runs_, 1);
}

TEST_F(PluginTransportTest, ReplacesRefusedCredentialsOnce) {
  answers_ = {kBad, kGood};
  auto transport = NewTransport();
  EXPECT_EQ(transport->GetPath("/version", {}), "v1");
  EXPECT_EQ(runs_, 2);
  runs_ = 0;
  answers_ = {kBad, kBad, kGood};
  transport = NewTransport();
  base::MessageOf([&] { transport->GetPath("/version", {}); }, Error::Kind::kUnauthorized);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(transport->GetPath("/version", {}), "v1");
  EXPECT_EQ(runs_, 3);
}

TEST_F(PluginTransportTest, DoesNotRunTheProgramAgainAfterForbidden) {
  answers_ = {kGood};
  const auto transport = NewTransport();
  server_.Inject({.what = "GET /version", .status = 403, .reason = "Forbidden", .message = "no"});
  base::MessageOf([&] { transport->GetPath("/version", {}); }, Error::Kind::kForbidden);
  EXPECT_EQ(runs_, 1);
}

TEST_F(PluginTransportTest, ReplacesExpiredCredentials) {
  answers_ = {R"({"token": "good", "expirationTimestamp": "2001-09-09T02:00:00Z"})", kGood};
  const auto transport = NewTransport();
  transport->GetPath("/version", {});
  now_ += 12s;
  transport->GetPath("/version", {});
  EXPECT_EQ(runs_, 1);
  now_ += 24h;
  transport->GetPath("/version", {});
  EXPECT_EQ(runs_, 2);
}

TEST_F(PluginTransportTest, LogsInForWatches) {
  answers_ = {kBad, kGood};
  server_.Put(resources::kNamespace, {{"metadata", {{"name", "a"}}}});
  const auto transport = NewTransport();
  int events = 0;
  transport->Watch({.verb = Verb::kList, .resource = resources::kNamespace}, "0",
                   [&](const std::string&, const json::Value&) { return ++events < 1; }, {});
  EXPECT_EQ(events, 1);
  EXPECT_EQ(runs_, 2);
}

// A failed program must be reported as kUnauthorized. A caller would take an error such as
// kNotFound for an answer of the server.
TEST_F(PluginTransportTest, ReportsAFailedProgramAsAFailedLogin) {
  const auto transport = NewTransport();
  EXPECT_EQ(
      base::MessageOf([&] { transport->GetPath("/version", {}); }, Error::Kind::kUnauthorized),
      "cannot log in: no such program");
}

TEST_F(PluginTransportTest, RefusesAnInteractiveProgramWithoutATerminal) {
  answers_ = {kGood, kGood};
  config_.users.begin()->second.rest["exec"]["interactiveMode"] = "Always";
  EXPECT_THAT(
      base::MessageOf([&] { NewTransport()->GetPath("/version", {}); }, Error::Kind::kUnauthorized),
      HasSubstr("standard input is not a terminal"));
  EXPECT_EQ(runs_, 0);
  terminal_ = true;
  NewTransport()->GetPath("/version", {});
  EXPECT_TRUE(last_call_.interactive);
  config_.users.begin()->second.rest["exec"]["interactiveMode"] = "Never";
  NewTransport()->GetPath("/version", {});
  EXPECT_FALSE(last_call_.interactive);
}

TEST_F(PluginTransportTest, DoesNotLogInForAnonymousRequests) {
  FakeApiServer plain;
  plain.SetText("/version", 200, "v1");
  config_.clusters.begin()->second.server = plain.Url();
  EXPECT_EQ(NewTransport()->GetPath("/version", {}), "v1");
  EXPECT_EQ(runs_, 0);
}

TEST_F(PluginTransportTest, PrefersTheCredentialsOfTheKubeconfig) {
  config_.users.begin()->second.token = "good";
  EXPECT_EQ(NewTransport()->GetPath("/version", {}), "v1");
  config_.users.begin()->second.token = "";
  config_.users.begin()->second.username = "me";
  base::MessageOf([&] { NewTransport()->GetPath("/version", {}); }, Error::Kind::kUnauthorized);
  EXPECT_EQ(runs_, 0);
}

TEST_F(PluginTransportTest, ReportsErrorsOfTheKubeconfigBeforeALogin) {
  config_.clusters.begin()->second.server = "";
  EXPECT_THAT(base::MessageOf([&] { NewTransport(); }, Error::Kind::kInvalid),
              HasSubstr("no server"));
}

}  // namespace
}  // namespace kube
