// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cri/fake_runtime.h"
#include "doctor/fake_facts.h"
#include "doctor/suitability.h"
#include "host/fake_host.h"

namespace doctor {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr host::WriteOptions kMode{.mode = 0644};

Suitability Suitable() {
  return {.etcd_disk = "/var/lib",
          .sync_time = microseconds(900),
          .clock_kept = true,
          .is_x86 = true,
          .processor = {"aes", "cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
          .missing_modules = {},
          .has_systemd = true,
          .cgroup_driver = "systemd",
          .sandbox_image = "pause:3",
          .pause_image = "pause:3"};
}

std::vector<std::string> Ids(const Suitability& facts) {
  const std::string manual = Manual();
  std::vector<std::string> ids;
  for (const diagnosis::Finding& finding : JudgeSuitability(facts)) {
    EXPECT_FALSE(finding.what.empty() || finding.remedy.empty() || finding.evidence.empty());
    EXPECT_NE(finding.severity, Severity::kBroken) << "nothing runs yet";
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
      {[](Suitability& facts) { facts.has_name_server = false; }, "no-name-server"}};
  for (const auto& [change, id] : cases) {
    Suitability facts = Suitable();
    change(facts);
    EXPECT_THAT(Ids(facts), ElementsAre(id));
  }
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
  fake.files.Write("/etc/resolv.conf", "search a\nnameserver 192.0.2.53\n", kMode);
  fake.files.Write("/var/lib/dpkg/status", "", kMode);
  const Suitability facts = LookAtSuitability(
      {.host = fake.host,
       .connect_runtime =
           [] {
             auto runtime = std::make_unique<cri::FakeRuntime>();
             runtime->status.sandbox_image = "pause:2";
             return runtime;
           },
       .pause_image = "pause:3",
       .sync_time = [](const std::filesystem::path&) { return std::optional(microseconds(7)); },
       .clock_kept = [] { return std::optional(true); }});
  EXPECT_EQ(facts.etcd_disk, "/var/lib");
  EXPECT_EQ(facts.sync_time, microseconds(7));
  EXPECT_TRUE(facts.is_x86 && facts.has_name_server && facts.clock_kept.value());
  EXPECT_THAT(facts.processor, ElementsAre("aes", "fpu"));
  EXPECT_THAT(facts.missing_modules, ElementsAre("br_netfilter", "nf_conntrack"));
  EXPECT_EQ(facts.sandbox_image, "pause:2");
}

}  // namespace
}  // namespace doctor
