// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "cri/fake_runtime.h"
#include "doctor/before_init.h"
#include "doctor/fake_facts.h"
#include "host/fake_host.h"

namespace doctor {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr host::WriteOptions kMode{.mode = 0644};

Facts Suitable() {
  Facts facts{.now = kNow};
  facts.machine.has_systemd = true;
  facts.runtime.driver = "systemd";
  facts.runtime.sandbox_image = "pause:3";
  facts.kubelet.resolv_conf_path = "/etc/resolv.conf";
  facts.kubelet.name_servers = {"192.0.2.53", "192.0.2.54"};
  facts.suitability = {
      .etcd_disk = "/var/lib",
      .sync_time = microseconds(900),
      .clock_kept = true,
      .is_x86 = true,
      .processor = {"aes", "cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
      .missing_modules = {},
      .asked_name = "registry.k8s.io",
      .name_servers = {"192.0.2.53", "192.0.2.54"},
      .pause_image = "pause:3"};
  return facts;
}

// Returns all findings except the one that the machine is not a node.
Findings Unsuitable(const Facts& facts) {
  Findings findings = Judge(facts);
  EXPECT_EQ(findings.at(0).id, "no-node");
  findings.erase(findings.begin());
  return findings;
}

std::vector<std::string> Ids(const Facts& facts) {
  const std::string manual = Manual();
  std::vector<std::string> ids;
  for (const Finding& finding : Unsuitable(facts)) {
    EXPECT_FALSE(finding.what.empty() || finding.remedy.empty() || finding.evidence.empty());
    EXPECT_NE(finding.severity, Severity::kError) << "nothing runs yet";
    EXPECT_THAT(manual, testing::HasSubstr("`" + finding.id + "`"));
    ids.push_back(finding.id);
  }
  return ids;
}

TEST(JudgeSuitability, FindsNothingOnASuitableMachine) { EXPECT_THAT(Ids(Suitable()), IsEmpty()); }

TEST(JudgeSuitability, IgnoresMissingFacts) { EXPECT_THAT(Ids({}), IsEmpty()); }

TEST(JudgeSuitability, NamesEachDrawback) {
  const std::vector<std::pair<std::function<void(Facts&)>, std::string>> cases = {
      {[](Facts& facts) { facts.suitability.sync_time = microseconds(12'000); }, "disk-slow"},
      {[](Facts& facts) { facts.suitability.clock_kept = false; }, "clock-not-kept"},
      {[](Facts& facts) { facts.suitability.processor.erase("popcnt"); }, "processor-old"},
      {[](Facts& facts) { facts.suitability.processor.erase("aes"); }, "processor-without-aes"},
      {[](Facts& facts) { facts.suitability.missing_modules = {"overlay"}; }, "modules-not-loaded"},
      {[](Facts& facts) { facts.runtime.driver = "cgroupfs"; }, "runtime-without-systemd"},
      {[](Facts& facts) { facts.runtime.sandbox_image = "pause:2"; }, "sandbox-image-other"},
      {[](Facts& facts) { facts.machine.has_systemd = false; }, "cgroup-driver-without-systemd"},
      {[](Facts& facts) { facts.suitability.has_name_server = false; }, "no-name-server"},
      {[](Facts& facts) { facts.suitability.silent_servers = facts.suitability.name_servers; },
       "name-server-silent"},
      {[](Facts& facts) { facts.kubelet.name_servers = {"192.0.2.53", "127.0.0.53"}; },
       "resolv-conf-loop"}};
  for (const auto& [change, id] : cases) {
    Facts facts = Suitable();
    change(facts);
    EXPECT_THAT(Ids(facts), ElementsAre(id));
  }
}

TEST(JudgeSuitability, OneSilentNameServerOfTwoIsANote) {
  Facts facts = Suitable();
  facts.suitability.silent_servers = {facts.suitability.name_servers[0]};
  const Findings findings = Unsuitable(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::kNote);
  EXPECT_EQ(findings[0].subject, "192.0.2.53");
  EXPECT_EQ(findings[0].evidence,
            "asked for registry.k8s.io over UDP, no answer came from 192.0.2.53 within 2 s; "
            "/etc/resolv.conf names 192.0.2.53, 192.0.2.54");
}

TEST(JudgeSuitability, ChecksNoX86LevelsOnArm) {
  Facts facts = Suitable();
  facts.suitability.is_x86 = false;
  facts.suitability.processor = {"fp", "asimd", "aes"};
  EXPECT_THAT(Ids(facts), IsEmpty());
}

TEST(CollectSuitability, ReadsThePropertiesOfTheMachine) {
  host::FakeHost fake;
  fake.files.Write("/proc/filesystems", "nodev\tsysfs\nnodev\toverlay\n", kMode);
  fake.files.Write("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu aes\n", kMode);
  fake.files.Write("/etc/resolv.conf", "search a\nnameserver 192.0.2.53\nnameserver ::1\n", kMode);
  fake.files.Write("/var/lib/dpkg/status", "", kMode);
  Facts facts;
  CollectSuitability(
      {.host = fake.host,
       .connect_runtime =
           [] {
             auto runtime = std::make_unique<cri::FakeRuntime>();
             runtime->status.sandbox_image = "pause:2";
             return runtime;
           },
       .pause_image = "registry.example:5000/pause:3",
       .sync_time = [](const std::filesystem::path&) { return std::optional(microseconds(7)); },
       .clock_kept = [] { return std::optional(true); },
       .silent_name_servers =
           [](const std::vector<std::string>& servers, const host::Question& question) {
             EXPECT_EQ(question.name, "registry.example");
             EXPECT_EQ(question.patience, std::chrono::seconds(2));
             return std::vector<std::string>{servers.back()};
           }},
      facts);
  EXPECT_EQ(facts.suitability.etcd_disk, "/var/lib");
  EXPECT_EQ(facts.suitability.sync_time, microseconds(7));
  EXPECT_TRUE(facts.suitability.is_x86 && facts.suitability.has_name_server &&
              facts.suitability.clock_kept.value());
  EXPECT_THAT(facts.suitability.processor, ElementsAre("aes", "fpu"));
  EXPECT_THAT(facts.suitability.missing_modules, ElementsAre("br_netfilter", "nf_conntrack"));
  EXPECT_EQ(facts.runtime.sandbox_image, "pause:2");
  EXPECT_THAT(facts.suitability.name_servers, ElementsAre("192.0.2.53", "::1"));
  EXPECT_THAT(facts.suitability.silent_servers, ElementsAre("::1"));
  EXPECT_EQ(facts.kubelet.resolv_conf_path, "/etc/resolv.conf");
  EXPECT_THAT(facts.unseen, IsEmpty());
}

// Returns sources that can read no facts.
SuitabilitySources Blind(host::FakeHost& fake) {
  return {.host = fake.host,
          .connect_runtime = []() -> std::unique_ptr<cri::Runtime> { throw base::Error("none"); },
          .pause_image = "registry.example/pause:3",
          .sync_time = [](const std::filesystem::path&) -> std::optional<microseconds> {
            return std::nullopt;
          },
          .clock_kept = []() -> std::optional<bool> { return std::nullopt; },
          .silent_name_servers = [](const std::vector<std::string>&,
                                    const host::Question&) -> std::vector<std::string> {
            ADD_FAILURE() << "there is nobody to ask";
            return {};
          }};
}

TEST(CollectSuitability, ReportsUnreadableFacts) {
  host::FakeHost fake;
  Facts facts;
  CollectSuitability(Blind(fake), facts);
  EXPECT_THAT(facts.unseen,
              ElementsAre("speed of the disk of /: a file without a name (O_TMPFILE) cannot be "
                          "written there",
                          HasSubstr("clock"), HasSubstr("processor")));
  EXPECT_FALSE(facts.suitability.has_name_server);
}

TEST(CollectSuitability, PodsGetTheServersBehindResolved) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  fake.processes.On("systemctl is-active systemd-resolved", {.out = "active\n"});
  fake.files.Write("/run/systemd/resolve/resolv.conf", "nameserver 192.0.2.53\n", kMode);
  Facts facts;
  CollectSuitability(Blind(fake), facts);
  EXPECT_EQ(facts.kubelet.resolv_conf_path, "/run/systemd/resolve/resolv.conf");
  EXPECT_THAT(facts.kubelet.name_servers, ElementsAre("192.0.2.53"));
}

}  // namespace
}  // namespace doctor
