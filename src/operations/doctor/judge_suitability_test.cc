// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "cri/fake_runtime.h"
#include "doctor/fake_facts.h"
#include "doctor/suitability.h"
#include "host/fake_host.h"

namespace doctor {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr host::WriteOptions kMode{.mode = 0644};

Suitability Suitable() {
  return {.etcd_disk = "/var/lib",
          .sync_time = microseconds(900),
          .clock_kept = true,
          .is_x86 = true,
          .processor = {"aes", "cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
          .missing_modules = {},
          .asked_name = "registry.k8s.io",
          .name_servers = {"192.0.2.53", "192.0.2.54"},
          .pods_resolv_conf = "/etc/resolv.conf",
          .pods_name_servers = {"192.0.2.53", "192.0.2.54"},
          .has_systemd = true,
          .cgroup_driver = "systemd",
          .sandbox_image = "pause:3",
          .pause_image = "pause:3"};
}

std::vector<std::string> Ids(const Suitability& facts) {
  const std::string manual = Manual();
  std::vector<std::string> ids;
  for (const checks::Finding& finding : JudgeSuitability(facts)) {
    EXPECT_FALSE(finding.what.empty() || finding.remedy.empty() || finding.evidence.empty());
    EXPECT_NE(finding.severity, Severity::kError) << "nothing runs yet";
    EXPECT_THAT(manual, testing::HasSubstr("`" + finding.id + "`"));
    ids.push_back(finding.id);
  }
  return ids;
}

TEST(JudgeSuitability, SaysNothingOfAGoodMachine) { EXPECT_THAT(Ids(Suitable()), IsEmpty()); }

TEST(JudgeSuitability, SaysNothingOfWhatCouldNotBeSeen) { EXPECT_THAT(Ids({}), IsEmpty()); }

TEST(JudgeSuitability, NamesWhatWillHurt) {
  const std::vector<std::pair<std::function<void(Suitability&)>, std::string>> cases = {
      {[](Suitability& facts) { facts.sync_time = microseconds(12'000); }, "disk-slow"},
      {[](Suitability& facts) { facts.clock_kept = false; }, "clock-not-kept"},
      {[](Suitability& facts) { facts.processor.erase("popcnt"); }, "processor-old"},
      {[](Suitability& facts) { facts.processor.erase("aes"); }, "processor-without-aes"},
      {[](Suitability& facts) { facts.missing_modules = {"overlay"}; }, "modules-not-loaded"},
      {[](Suitability& facts) { facts.cgroup_driver = "cgroupfs"; }, "runtime-without-systemd"},
      {[](Suitability& facts) { facts.sandbox_image = "pause:2"; }, "sandbox-image-other"},
      {[](Suitability& facts) { facts.has_systemd = false; }, "cgroup-driver-without-systemd"},
      {[](Suitability& facts) { facts.has_name_server = false; }, "no-name-server"},
      {[](Suitability& facts) { facts.silent_servers = facts.name_servers; }, "name-server-silent"},
      {[](Suitability& facts) { facts.pods_name_servers = {"192.0.2.53", "127.0.0.53"}; },
       "resolv-conf-loop"}};
  for (const auto& [change, id] : cases) {
    Suitability facts = Suitable();
    change(facts);
    EXPECT_THAT(Ids(facts), ElementsAre(id));
  }
}

TEST(JudgeSuitability, OneSilentNameServerOfTwoIsANote) {
  Suitability facts = Suitable();
  facts.silent_servers = {facts.name_servers[0]};
  const Findings findings = JudgeSuitability(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::kNote);
  EXPECT_EQ(findings[0].subject, "192.0.2.53");
  EXPECT_EQ(findings[0].evidence,
            "asked for registry.k8s.io over UDP, no answer came from 192.0.2.53 within 2 s; "
            "/etc/resolv.conf names 192.0.2.53, 192.0.2.54");
}

TEST(JudgeSuitability, ArmHasNoLevelsOfX86) {
  Suitability facts = Suitable();
  facts.is_x86 = false;
  facts.processor = {"fp", "asimd", "aes"};
  EXPECT_THAT(Ids(facts), IsEmpty());
}

TEST(LookAtSuitability, ReadsWhatTheMachineShows) {
  host::FakeHost fake;
  fake.files.Write("/proc/filesystems", "nodev\tsysfs\nnodev\toverlay\n", kMode);
  fake.files.Write("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu aes\n", kMode);
  fake.files.Write("/etc/resolv.conf", "search a\nnameserver 192.0.2.53\nnameserver ::1\n", kMode);
  fake.files.Write("/var/lib/dpkg/status", "", kMode);
  const Suitability facts = LookAtSuitability(
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
           }});
  EXPECT_EQ(facts.etcd_disk, "/var/lib");
  EXPECT_EQ(facts.sync_time, microseconds(7));
  EXPECT_TRUE(facts.is_x86 && facts.has_name_server && facts.clock_kept.value());
  EXPECT_THAT(facts.processor, ElementsAre("aes", "fpu"));
  EXPECT_THAT(facts.missing_modules, ElementsAre("br_netfilter", "nf_conntrack"));
  EXPECT_EQ(facts.sandbox_image, "pause:2");
  EXPECT_THAT(facts.name_servers, ElementsAre("192.0.2.53", "::1"));
  EXPECT_THAT(facts.silent_servers, ElementsAre("::1"));
  EXPECT_EQ(facts.pods_resolv_conf, "/etc/resolv.conf");
  EXPECT_THAT(facts.unseen, IsEmpty());
}

// A machine of which nothing is to be seen.
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

TEST(LookAtSuitability, SaysWhatCouldNotBeSeen) {
  host::FakeHost fake;
  const Suitability facts = LookAtSuitability(Blind(fake));
  EXPECT_THAT(facts.unseen,
              ElementsAre("speed of the disk of /: a file without a name (O_TMPFILE) cannot be "
                          "written there",
                          HasSubstr("clock"), HasSubstr("processor")));
  EXPECT_FALSE(facts.has_name_server);
}

TEST(LookAtSuitability, PodsGetTheServersBehindResolved) {
  host::FakeHost fake;
  fake.processes.AddExecutable("systemctl");
  fake.processes.On("systemctl is-active systemd-resolved", {.out = "active\n"});
  fake.files.Write("/run/systemd/resolve/resolv.conf", "nameserver 192.0.2.53\n", kMode);
  const Suitability facts = LookAtSuitability(Blind(fake));
  EXPECT_EQ(facts.pods_resolv_conf, "/run/systemd/resolve/resolv.conf");
  EXPECT_THAT(facts.pods_name_servers, ElementsAre("192.0.2.53"));
}

}  // namespace
}  // namespace doctor
