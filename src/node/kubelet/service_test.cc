// SPDX-License-Identifier: Apache-2.0
#include "kubelet/service.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kubelet/finalize.h"
#include "kubelet/wait.h"

namespace kubelet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Outcome = ServiceResult::Outcome;

TEST(ServiceTest, StartKubeletRestartsTheService) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  EXPECT_EQ(StopKubelet(fake.host).outcome, Outcome::kDone);
  EXPECT_EQ(StartKubelet(fake.host).outcome, Outcome::kDone);
  EXPECT_THAT(fake.processes.changes(),
              ElementsAre("systemctl stop kubelet", "systemctl daemon-reload",
                          "systemctl restart kubelet"));
}

TEST(ServiceTest, ReturnsAFailureAsAResult) {
  host::FakeHost fake;
  EXPECT_EQ(StopKubelet(fake.host).outcome, Outcome::kNoInitSystem);
  fake.processes.On("systemctl", {.err = "Unit kubelet.service could not be found."});
  EXPECT_EQ(StopKubelet(fake.host).outcome, Outcome::kNoService);
  EXPECT_THAT(fake.processes.changes(), ElementsAre());
  fake.processes.On("systemctl", {.exit_code = 4, .err = "no such unit"});
  const ServiceResult result = RestartKubelet(fake.host);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.problem, HasSubstr("no such unit"));
}

TEST(ServiceTest, EveryOutcomeButDoneHasAProblem) {
  EXPECT_EQ(ProblemOf({.outcome = Outcome::kDone}), std::nullopt);
  EXPECT_EQ(ProblemOf({.outcome = Outcome::kNoInitSystem}),
            "this machine has no init system that kubeadm knows");
  EXPECT_EQ(ProblemOf({.outcome = Outcome::kNoService}),
            "the init system has no service named kubelet");
  EXPECT_EQ(ProblemOf({.outcome = Outcome::kFailed, .problem = "no such unit"}), "no such unit");
}

TEST(ServiceTest, RestartReportsAMissingService) {
  host::FakeHost fake;
  EXPECT_FALSE(RestartIfService(fake.host));
  EXPECT_EQ(base::Thrown([&] { RequireRestart(fake.host); }).message(),
            "could not restart the kubelet: this machine has no init system that kubeadm knows");
  fake.processes.On("systemctl", {.err = "Unit kubelet.service could not be found."});
  EXPECT_FALSE(RestartIfService(fake.host));
  EXPECT_EQ(base::Thrown([&] { RequireRestart(fake.host); }).message(),
            "could not restart the kubelet: the init system has no service named kubelet");
}

TEST(ServiceTest, ThrowsIfARestartFails) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  EXPECT_TRUE(RestartIfService(fake.host));
  RequireRestart(fake.host);
  fake.processes.On("systemctl restart", {.exit_code = 4, .err = "no such unit"});
  for (const base::Error& error : {base::Thrown([&] { RestartIfService(fake.host); }),
                                   base::Thrown([&] { RequireRestart(fake.host); })}) {
    EXPECT_THAT(error.message(), HasSubstr("could not restart the kubelet: "));
    EXPECT_THAT(error.message(), HasSubstr("no such unit"));
  }
}

// The reason line of a real kubelet.
const std::string kUnknownFlag =
    "E1123 03:09:36.774746    9815 run.go:72] \"command failed\" err=\"failed to parse kubelet "
    "flag: "
    "unknown flag: --no-such\"";
const std::string kNoRuntime =
    "E1123 03:09:37.183513    9852 run.go:72] \"command failed\" err=\"failed to run Kubelet: "
    "validate "
    "service connection: validate CRI v1 runtime API for endpoint "
    "\\\"unix:///run/containerd/containerd.sock\\\": dial unix: connect: connection refused\"";

const std::string kNoSocket =
    "E1123 03:09:37.183513    9852 run.go:72] \"command failed\" err=\"failed to run Kubelet: "
    "validate service connection: validate CRI v1 runtime API for endpoint "
    "\\\"unix:///run/containerd/containerd.sock\\\": rpc error: code = Unavailable desc = "
    "connection error: desc = \\\"transport: Error while dialing: dial unix "
    "/run/containerd/containerd.sock: connect: no such file or directory\\\"\"";
const std::string kUnknownGate =
    "panic: failed to merge global and in-flight KubeletConfiguration while setting defaults, "
    "error: unrecognized feature gate: NoSuchGate\n\ngoroutine 1 [running]:\n"
    "k8s.io/kubernetes/cmd/kubelet/app.newKubelet()\nmain.main()\n"
    "\tcmd/kubelet/kubelet.go:37 +0x18";
// The kubelet logs this line every ten seconds before `init` if its package is installed.
const std::string kNoConfig =
    "E1123 03:09:35.012345    9801 run.go:72] \"command failed\" err=\"failed to load kubelet "
    "config file, path: /var/lib/kubelet/config.yaml, error: failed to load Kubelet config file "
    "/var/lib/kubelet/config.yaml, error failed to read kubelet config file "
    "\\\"/var/lib/kubelet/config.yaml\\\", error: open /var/lib/kubelet/config.yaml: no such "
    "file or directory\"";

TEST(JudgeKubeletTest, OnlyPermanentFailuresEndTheWait) {
  struct Case {
    std::string name;
    KubeletFacts facts;
    std::string want;  // "" for none
  };
  const Case cases[] = {
      {"running", {.active_state = "active"}, ""},
      {"died once", {.active_state = "activating"}, ""},
      {"came back once", {.active_state = "active"}, ""},
      {"runs after it had ended for want of its configuration",
       {.active_state = "active", .log = kNoConfig + "\n" + kNoConfig + "\n"},
       ""},
      {"unknown", {}, ""},
      {"given up", {.active_state = "failed"}, "the kubelet service has failed"},
      {"again and again, for a reason that stays",
       {.active_state = "activating", .log = kUnknownFlag + "\n" + kUnknownFlag + "\n"},
       "the kubelet ends again and again, for the same reason; its last words:\n" + kUnknownFlag},
      {"with a panic, whose stack says less than its first line",
       {.active_state = "activating", .log = kUnknownGate + "\n" + kUnknownGate},
       "the kubelet ends again and again, for the same reason; its last words:\npanic: failed to "
       "merge global and in-flight KubeletConfiguration while setting defaults, error: "
       "unrecognized feature gate: NoSuchGate"},
      {"given up for a reason that nobody knows",
       {.active_state = "failed", .log = "one\ntwo\n"},
       "the kubelet service has failed; its last words:\none\ntwo"},
      {"while the runtime starts",
       {.active_state = "activating", .log = kNoRuntime + "\n" + kNoRuntime},
       ""},
      {"while the runtime has not made its socket",
       {.active_state = "activating", .log = kNoSocket + "\n" + kNoSocket},
       ""},
      {"for a reason that nobody knows", {.active_state = "activating", .log = "odd\nodd\n"}, ""},
      {"for want of a file that somebody may still write",
       {.active_state = "activating", .log = kNoConfig + "\n" + kNoConfig + "\n"},
       ""},
      {"first for one argument, then for another",
       {.active_state = "activating", .log = kUnknownFlag + "\n" + kUnknownFlag + "-other\n"},
       ""},
      {"first for one reason, then for another",
       {.active_state = "activating", .log = kNoRuntime + "\n" + kUnknownFlag},
       ""},
      {"for a reason of an earlier run, and now for a transient one",
       {.active_state = "activating",
        .log = kUnknownFlag + "\n" + kUnknownFlag + "\n" + kNoRuntime + "\n" + kNoRuntime},
       ""}};
  for (const Case& c : cases) {
    const std::optional<base::Error> error = JudgeKubelet(c.facts);
    EXPECT_EQ(error ? error->message() : "", c.want) << c.name;
  }
}

TEST(FindCommandLine, ReadsTheServicesProcessOnly) {
  host::FakeHost fake;
  const auto run = [&](const std::string& pid, const std::string& line) {
    fake.files.Write("/proc/" + pid + "/status", "Uid:\t0\t0\t0\t0\n", {});
    fake.files.Write("/proc/" + pid + "/cmdline", line, {});
  };
  run("9", std::string("kubelet\0--v=9\0", 14));
  EXPECT_EQ(FindCommandLine(fake.host), std::nullopt) << "no init system";
  fake.processes.On("systemctl show kubelet --property=MainPID", {.out = "MainPID=0\n"});
  EXPECT_EQ(FindCommandLine(fake.host), std::nullopt) << "it does not run";
  fake.processes.On("systemctl show kubelet --property=MainPID", {.out = "MainPID=77\n"});
  run("77", std::string("/usr/bin/kubelet\0--v=2\0", 23));
  EXPECT_THAT(FindCommandLine(fake.host),
              testing::Optional(ElementsAre("/usr/bin/kubelet", "--v=2")));
  run("77", std::string("/bin/sh\0-c\0kubelet\0", 19));
  EXPECT_EQ(FindCommandLine(fake.host), std::nullopt) << "a wrapper";
}

TEST(KubeletCulpritTest, QueriesSystemd) {
  host::FakeHost fake;
  const auto culprit = KubeletCulprit(fake.host);
  EXPECT_FALSE(culprit()) << "no systemd";
  fake.processes.On("systemctl show kubelet", {.out = "ActiveState=active\n"});
  EXPECT_FALSE(culprit());
  fake.processes.On("systemctl show kubelet", {.out = "ActiveState=activating\n"});
  fake.processes.On("journalctl", {.out = kUnknownFlag + "\n" + kUnknownFlag + "\n"});
  const auto found = culprit();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->message(), HasSubstr("again and again"));
  EXPECT_THAT(found->message(), HasSubstr("unknown flag: --no-such"));
  EXPECT_THAT(fake.processes.changes(), ElementsAre());
}

TEST(KubeletCulprit, QueriesOpenRcWithoutSystemd) {
  constexpr const char* kOther = "Runlevel: default\n containerd   [  started 00:01:00 (7) ]\n";
  host::FakeHost fake;
  fake.processes.On("tail -n 200 /var/log/kubelet.log",
                    {.out = kUnknownFlag + "\n" + kUnknownFlag + "\n"});
  fake.files.Write("/var/log/kubelet.log", "", {});
  const auto culprit = KubeletCulprit(fake.host);
  fake.processes.On("rc-status", {.out = kOther});
  EXPECT_FALSE(culprit());
  fake.processes.On("rc-status",
                    {.out = kOther + std::string(" kubelet   [  started 00:00:08 (1) ]\n")});
  EXPECT_FALSE(culprit());
  fake.processes.On("rc-status", {.out = kOther + std::string(" kubelet   [  started 1 day(s) "
                                                              "00:00:08 (2) ]\n")});
  EXPECT_FALSE(culprit()) << "whether it runs is not known";
  for (const char* tool : {"openrc", "rc-service", "rc-update"}) {
    fake.processes.AddExecutable(tool);
  }
  fake.files.Write("/run/openrc/options/kubelet/child_pid", "77", {});
  fake.files.Write("/proc/77/status", "Uid:\t0\t0\t0\t0\n", {});
  fake.files.Write("/proc/77/cmdline", std::string("/usr/bin/kubelet\0", 17), {});
  EXPECT_FALSE(culprit()) << "it runs now";
  // The kubelet's pid now belongs to another process, which only has the kubelet's name.
  fake.files.Write("/proc/77/status", "Uid:\t1000\t1000\t1000\t1000\n", {});
  const auto found = culprit();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->message(), HasSubstr("again and again"));
  EXPECT_THAT(found->message(), HasSubstr("unknown flag: --no-such"));
  fake.processes.On("rc-status", {.out = " kubelet   [  crashed ]\n"});
  EXPECT_THAT(culprit()->message(), HasSubstr("has failed"));
  EXPECT_THAT(fake.processes.changes(), ElementsAre());
}

TEST(KubeletCulprit, QueriesTheJournalSinceTheStartOnly) {
  host::FakeHost fake;
  fake.processes.On("systemctl show kubelet", {.out = "ActiveState=activating\n"});
  fake.processes.On("journalctl", {.out = kUnknownFlag + "\n" + kUnknownFlag + "\n"});
  // Two exits of an earlier run, both with an unknown flag, are not a culprit.
  fake.processes.On(
      "journalctl --no-pager --output=cat --lines=200 --unit kubelet --since=@1790000000.900000",
      {});
  const auto since =
      std::chrono::system_clock::time_point(std::chrono::milliseconds(1'790'000'000'900));
  EXPECT_FALSE(KubeletCulprit(fake.host, since)());
  EXPECT_TRUE(KubeletCulprit(fake.host)());
}

TEST(KubeletCulprit, IgnoresLinesFromBeforeItsFilesWereWritten) {
  host::FakeHost fake;
  fake.processes.On("systemctl show kubelet", {.out = "ActiveState=activating\n"});
  fake.processes.On("journalctl", {.out = kUnknownFlag + "\n" + kUnknownFlag + "\n"});
  EXPECT_TRUE(KubeletCulprit(fake.host)()) << "no file is there";
  // The files may be written long after the run began, for example after a long pull of images.
  fake.files.Write("/var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\n", {});
  const auto written = fake.files.Stat("/var/lib/kubelet/config.yaml")->modified;
  const auto micros =
      std::chrono::floor<std::chrono::microseconds>(written.time_since_epoch()).count();
  fake.clock.Set(written + std::chrono::seconds(1));
  fake.processes.On(
      fmt::format("journalctl --no-pager --output=cat --lines=200 --unit kubelet --since=@{}.{:06}",
                  micros / 1'000'000, micros % 1'000'000),
      {});
  EXPECT_FALSE(KubeletCulprit(fake.host)());
  fake.clock.Set(written - std::chrono::hours(1));
  EXPECT_TRUE(KubeletCulprit(fake.host)()) << "a file of the future says nothing";
}

constexpr const char* kKubeletConf = R"(apiVersion: v1
kind: Config
current-context: system:node:a@kubernetes
clusters:
- name: kubernetes
  cluster:
    server: https://10.20.30.40:6443
contexts:
- name: system:node:a@kubernetes
  context: {cluster: kubernetes, user: "system:node:a"}
users:
- name: system:node:a
  user:
    client-certificate-data: YQ==
    client-key-data: Yg==
- name: other
  user:
    client-certificate-data: YQ==
    client-key-data: Yg==
)";

TEST(FinalizeTest, DoesNothingWithoutACertificate) {
  host::FakeHost fake;
  EXPECT_EQ(Finalize(fake.host, fake.files, {}).outcome, FinalizeResult::Outcome::kNothingToDo);
  EXPECT_THAT(fake.files.written(), ElementsAre());
}

TEST(FinalizeTest, TheCurrentUserGetsTheRotatedFile) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  fake.files.Write("/etc/kubernetes/kubelet.conf", kKubeletConf, {.mode = 0600});
  fake.files.Write("/var/lib/kubelet/pki/kubelet-client-current.pem", "x", {});
  const FinalizeResult result = Finalize(fake.host, fake.files, {});
  EXPECT_EQ(result.outcome, FinalizeResult::Outcome::kRewritten);
  EXPECT_EQ(result.restart.outcome, Outcome::kDone);
  const std::string text = fake.files.Read("/etc/kubernetes/kubelet.conf");
  EXPECT_THAT(text, HasSubstr("client-certificate: /var/lib/kubelet/pki/"
                              "kubelet-client-current.pem\n"));
  EXPECT_THAT(text, HasSubstr("client-key: /var/lib/kubelet/pki/kubelet-client-current.pem\n"));
  EXPECT_THAT(text, HasSubstr("client-key-data: Yg==")) << "of the other user";
  EXPECT_EQ(text.find("client-key-data"), text.rfind("client-key-data")) << "once only";
  EXPECT_EQ(fake.files.Stat("/etc/kubernetes/kubelet.conf")->mode, 0600U);
  EXPECT_THAT(fake.processes.changes(),
              ElementsAre("systemctl daemon-reload", "systemctl restart kubelet"));
}

TEST(FinalizeTest, TheDirectoryFollowsCertDir) {
  config::NodeRegistration registration;
  registration.kubelet_extra_args = {{"cert-dir", "/data/pki"}};
  EXPECT_EQ(RotatedCertificate(registration), "/data/pki/kubelet-client-current.pem");
}

TEST(FinalizeTest, AMissingOrUnusableFileIsAnError) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/pki/kubelet-client-current.pem", "x", {});
  EXPECT_THROW(Finalize(fake.host, fake.files, {}), base::Error);
  fake.files.Write("/etc/kubernetes/kubelet.conf", "apiVersion: v1\nkind: Config\n", {});
  const base::Error error = base::Thrown([&] { Finalize(fake.host, fake.files, {}); });
  EXPECT_THAT(error.what(), HasSubstr("/etc/kubernetes/kubelet.conf"));
  EXPECT_THAT(error.what(), Not(HasSubstr("YQ==")));
}

TEST(HealthzUrlTest, FollowsTheConfiguration) {
  const std::pair<json::Value, std::optional<std::string>> cases[] = {
      {json::Value::object(), "http://127.0.0.1:10248/healthz"},
      {{{"healthzPort", 10999}, {"healthzBindAddress", "10.0.0.1"}},
       "http://10.0.0.1:10999/healthz"},
      {{{"healthzBindAddress", "::1"}}, "http://[::1]:10248/healthz"},
      {{{"healthzPort", 0}}, std::nullopt}};
  for (const auto& [config, want] : cases) {
    EXPECT_EQ(HealthzUrl(config), want);
  }
}

TEST(WaitForBootstrapTest, EndsWhenAUsableFileExists) {
  host::FakeHost fake;
  fake.files.Write("/etc/kubernetes/kubelet.conf", kKubeletConf, {});
  EXPECT_EQ(WaitForBootstrap(fake.files, {.clock = fake.clock}), host::WaitResult::kHappened);
}

TEST(WaitForBootstrapTest, WaitsForTheCertificateThatTheFileNames) {
  host::FakeHost fake;
  const std::string pem = "/var/lib/kubelet/pki/kubelet-client-current.pem";
  fake.files.Write("/etc/kubernetes/kubelet.conf", PointToRotatedCertificate(kKubeletConf, pem),
                   {});
  const host::WaitLimits now = {.clock = fake.clock,
                                .deadline = fake.clock.Steady() + std::chrono::minutes(1)};
  EXPECT_EQ(WaitForBootstrap(fake.files, now), host::WaitResult::kDeadline);
  fake.files.Write(pem, "a certificate", {});
  EXPECT_EQ(WaitForBootstrap(fake.files, now), host::WaitResult::kHappened);
}

TEST(WaitForBootstrapTest, IgnoresAnEmptyFile) {
  host::FakeHost fake;
  fake.files.Write("/etc/kubernetes/kubelet.conf", "", {});
  EXPECT_EQ(
      WaitForBootstrap(fake.files, {.clock = fake.clock,
                                    .deadline = fake.clock.Steady() + std::chrono::minutes(1)}),
      host::WaitResult::kDeadline);
}

TEST(WaitForBootstrapTest, EndsAtOnceIfTheKubeletIsDead) {
  host::FakeHost fake;
  EXPECT_THROW(WaitForBootstrap(fake.files, {.clock = fake.clock},
                                [] { return std::optional(base::Error("it died")); }),
               base::Error);
}

TEST(IsClientConfigTest, NeedsServerAndCredentials) {
  EXPECT_TRUE(IsClientConfig(kKubeletConf));
  std::string no_server = kKubeletConf;
  no_server.erase(no_server.find("    server:"),
                  no_server.find("contexts:") - no_server.find("    server:"));
  for (const std::string& text : {std::string(), std::string("}{"), no_server}) {
    EXPECT_FALSE(IsClientConfig(text)) << text;
  }
}

}  // namespace
}  // namespace kubelet
