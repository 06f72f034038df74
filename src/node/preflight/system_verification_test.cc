// SPDX-License-Identifier: Apache-2.0
#include "preflight/system_verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/error.h"
#include "base/strings.h"
#include "host/fake_host.h"

namespace preflight {
namespace {

using checks::Severity;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

constexpr const char* kConfig =
    "# CONFIG_AUFS_FS is not set\n"
    "CONFIG_NAMESPACES=y\nCONFIG_NET_NS=y\nCONFIG_PID_NS=y\nCONFIG_IPC_NS=y\nCONFIG_UTS_NS=y\n"
    "CONFIG_CPUSETS=y\nCONFIG_MEMCG=y\nCONFIG_INET=y\nCONFIG_EXT4_FS=m\nCONFIG_PROC_FS=y\n"
    "CONFIG_IP_NF_TARGET_REDIRECT=m\nCONFIG_NETFILTER_XT_MATCH_COMMENT=m\n"
    "CONFIG_FAIR_GROUP_SCHED=y\nCONFIG_CGROUPS=y\nCONFIG_CGROUP_BPF=y\nCONFIG_CGROUP_PIDS=y\n"
    "CONFIG_CGROUP_SCHED=y\nCONFIG_CGROUP_CPUACCT=y\nCONFIG_CGROUP_DEVICE=y\n"
    "CONFIG_CGROUP_FREEZER=y\nCONFIG_OVERLAY_FS=m\nCONFIG_LOCALVERSION=\"x=y\"\n";

SystemFacts Good() {
  return {.kernel_name = "Linux",
          .kernel_release = "6.1.0-40-amd64",
          .kernel_config = kConfig,
          .cgroups = Cgroups{.version = CgroupVersion::kV2,
                             .controllers = {"cpu", "cpuset", "devices", "freezer", "memory",
                                             "pids", "hugetlb", "io"}},
          .kubelet = {1, 36, 3, "", ""}};
}

SystemFacts WithV1(const base::Version& kubelet) {
  SystemFacts facts = Good();
  facts.kubelet = kubelet;
  facts.cgroups = Cgroups{.version = CgroupVersion::kV1,
                          .controllers = {"cpu", "cpuacct", "cpuset", "devices", "freezer",
                                          "memory", "pids", "hugetlb", "blkio"}};
  return facts;
}

std::vector<std::string> Errors(const SystemFacts& facts) {
  return checks::WhatOf(JudgeSystem(facts), Severity::kError);
}
std::vector<std::string> Warnings(const SystemFacts& facts) {
  return checks::WhatOf(JudgeSystem(facts), Severity::kWarning);
}

TEST(JudgeSystemTest, FindsNothingOnASuitableHost) { EXPECT_THAT(JudgeSystem(Good()), IsEmpty()); }

TEST(JudgeSystemTest, ListsAllThatItCheckedWithItsFirstError) {
  SystemFacts facts = Good();
  facts.kernel_name = "FreeBSD";
  facts.kernel_release = "4.19.0";
  facts.cgroups->controllers.erase("memory");
  const checks::Findings findings = JudgeSystem(facts);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[0].evidence, "");
  EXPECT_THAT(base::Lines(findings[1].evidence),
              IsSupersetOf({"KERNEL_VERSION: 4.19.0", "CONFIG_EXT4_FS: enabled (as module)",
                            "CONFIG_AUFS_FS: not set, needed by aufs", "OS: FreeBSD",
                            "CGROUPS_IO: enabled", "CGROUPS_MEMORY: missing"}));
  EXPECT_EQ(findings[2].evidence, "");
}

TEST(JudgeSystemTest, KernelReleases) {
  const std::pair<const char*, bool> cases[] = {
      {"5.4.0-1", true},   {"5.10.0-33-amd64", true}, {"5.15.1", true},  {"6.1.0", true},
      {"6.18.44-x", true}, {"10.0.1", true},          {"5.11.0", false}, {"4.19.0", false},
      {"6.1", false},      {"6.x.1", false},          {"", false},       {"16", false}};
  for (const auto& [release, known] : cases) {
    SystemFacts facts = Good();
    facts.kernel_release = release;
    EXPECT_EQ(Warnings(facts).empty(), known) << release;
  }
}

TEST(JudgeSystemTest, MissingKernelOptionsAreNamed) {
  SystemFacts facts = Good();
  facts.kernel_config = "CONFIG_NAMESPACES=y\nCONFIG_NET_NS=n\n";
  const checks::Findings findings = JudgeSystem(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].what, HasSubstr("CONFIG_NET_NS CONFIG_PID_NS"));
  EXPECT_THAT(findings[0].what, HasSubstr("CONFIG_CGROUP_BPF"));
  EXPECT_THAT(findings[0].what, Not(HasSubstr("CONFIG_CGROUP_CPUACCT"))) << "version 1 only";
  EXPECT_THAT(findings[0].what, Not(HasSubstr("SECCOMP"))) << "optional";
  EXPECT_THAT(base::Lines(findings[0].evidence), Contains("CONFIG_NET_NS: missing"));
}

TEST(JudgeSystemTest, AKernelWithoutConfigurationIsAnError) {
  SystemFacts facts = Good();
  facts.kernel_config.reset();
  EXPECT_THAT(Errors(facts), ElementsAre(HasSubstr("6.1.0-40-amd64")));
}

TEST(JudgeSystemTest, AcceptsOnlyLinux) {
  SystemFacts facts = Good();
  facts.kernel_name = "FreeBSD";
  EXPECT_THAT(Errors(facts), ElementsAre(HasSubstr("FreeBSD")));
}

TEST(JudgeSystemTest, RefusesCgroupsV1ForKubeletsWithoutSupport) {
  struct Case {
    base::Version kubelet;
    std::size_t warnings;
    std::size_t errors;
  };
  for (const Case& c : {Case{{1, 34, 9, "", ""}, 1, 0}, Case{{1, 35, 0, "", ""}, 0, 1},
                        Case{{1, 35, 0, "alpha.1", ""}, 0, 1}, Case{{1, 36, 3, "", ""}, 0, 1}}) {
    EXPECT_EQ(Warnings(WithV1(c.kubelet)).size(), c.warnings) << c.kubelet.Text();
    EXPECT_EQ(Errors(WithV1(c.kubelet)).size(), c.errors) << c.kubelet.Text();
  }
}

TEST(JudgeSystemTest, ReportsMissingControllersOfCgroupsV1First) {
  SystemFacts facts = WithV1({1, 36, 3, "", ""});
  facts.cgroups->controllers.erase("memory");
  EXPECT_THAT(Errors(facts), ElementsAre("missing required cgroups: memory"));
}

TEST(JudgeSystemTest, Controllers) {
  SystemFacts facts = Good();
  facts.cgroups->controllers = {"cpu", "memory"};
  EXPECT_THAT(Errors(facts), ElementsAre("missing required cgroups: cpuset devices freezer pids"));
  EXPECT_THAT(Warnings(facts), ElementsAre("missing optional cgroups: hugetlb io"));
  facts.cgroups.reset();
  EXPECT_THAT(Errors(facts), ElementsAre(HasSubstr("no control groups")));
}

TEST(CgroupsTest, DetectsTheVersionFromTheMounts) {
  struct Case {
    std::string name;
    std::string mounts;
    bool memory;
    std::optional<CgroupVersion> want;
  };
  const Case cases[] = {
      {"v2", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", false, CgroupVersion::kV2},
      {"v1", "tmpfs /sys/fs/cgroup tmpfs ro 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n", true,
       CgroupVersion::kV1},
      {"tmpfs without controllers", "tmpfs /sys/fs/cgroup tmpfs ro 0 0\n", false,
       CgroupVersion::kV2},
      {"elsewhere, v2 wins", "cgroup /c/cpu cgroup rw 0 0\ncgroup2 /c/u cgroup2 rw 0 0\n", false,
       CgroupVersion::kV2},
      {"elsewhere, v1 only", "cgroup /c/cpu cgroup rw 0 0\n", false, CgroupVersion::kV1},
      {"none", "proc /proc proc rw 0 0\nshort\n", true, std::nullopt}};
  for (const Case& c : cases) {
    const auto mount = FindCgroups(c.mounts, c.memory);
    EXPECT_EQ(mount ? std::optional(mount->version) : std::nullopt, c.want) << c.name;
  }
}

TEST(CgroupsTest, ListsOnlyEnabledControllersOfVersion1) {
  EXPECT_THAT(ParseCgroupsV1("#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
                             "cpu\t1\t3\t1\nmemory\t0\t1\t0\npids\t8\t3\t1\n"),
              ElementsAre("cpu", "pids"));
}

class CollectTest : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    fake_.files.Write(path, text, {});
  }
  host::FakeHost fake_;
};

TEST_F(CollectTest, ReadsControlGroupsOfVersion1) {
  Write("/proc/mounts", "tmpfs /sys/fs/cgroup tmpfs ro 0 0\n");
  Write("/proc/cgroups", "cpu\t1\t3\t1\n");
  fake_.files.MakeDirectories("/sys/fs/cgroup/memory", 0755);
  const Cgroups cgroups = *CollectCgroups(fake_.host);
  EXPECT_EQ(cgroups.version, CgroupVersion::kV1);
  EXPECT_THAT(cgroups.controllers, ElementsAre("cpu"));
}

TEST_F(CollectTest, AddsDevicesAndFreezerToControllersOfVersion2) {
  Write("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
  Write("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  EXPECT_THAT(CollectCgroups(fake_.host)->controllers, ElementsAre("cpu", "devices", "memory"));
  EXPECT_FALSE(fake_.files.Exists("/sys/fs/cgroup/slipway-preflight")) << "the probe is gone";
  Write("/sys/fs/cgroup/init.scope/cgroup.freeze", "0\n");
  EXPECT_THAT(CollectCgroups(fake_.host)->controllers,
              ElementsAre("cpu", "devices", "freezer", "memory"));
}

TEST_F(CollectTest, ReturnsNulloptWithoutControlGroups) {
  EXPECT_FALSE(CollectCgroups(fake_.host));
}

TEST_F(CollectTest, CollectsAllFacts) {
  Write("/boot/config-6.1.0-40-amd64", kConfig);
  const SystemFacts facts = CollectSystem(fake_.host, {1, 36, 3, "", ""});
  EXPECT_EQ(facts.kernel_name, "Linux");
  EXPECT_EQ(facts.kernel_release, "6.1.0-40-amd64");
  EXPECT_EQ(facts.kernel_config, kConfig);
  EXPECT_EQ(facts.kubelet.minor, 36);
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(CollectTest, PrefersTheCompressedKernelConfiguration) {
  Write("/boot/config-6.1.0-40-amd64", "CONFIG_OTHER=y\n");
  std::string large = kConfig;
  for (int i = 0; i < 20'000; ++i) {
    large += "CONFIG_NUMBER_" + std::to_string(i) + "=y\n";
  }
  Write("/proc/config.gz", Gzip(large));
  EXPECT_EQ(FindKernelConfig(fake_.host), large);
  EXPECT_EQ(ParseKernelConfig(large).size(), 20'000U + 21U);
}

TEST_F(CollectTest, ThrowsForAnInvalidGzipFile) {
  const std::string good = Gzip("CONFIG_A=y\n");
  for (const std::string& text :
       {std::string("garbage"), good.substr(0, good.size() - 4), std::string()}) {
    EXPECT_THROW(Gunzip(text), base::Error) << text.size();
  }
  EXPECT_EQ(Gunzip(good), "CONFIG_A=y\n");
}

TEST_F(CollectTest, LoadsTheKernelModuleTemporarily) {
  EXPECT_FALSE(FindKernelConfig(fake_.host)) << "no modprobe";
  fake_.processes.On("modprobe configs", {.exit_code = 1});
  EXPECT_FALSE(FindKernelConfig(fake_.host));
  EXPECT_THAT(fake_.processes.changes(), ElementsAre("modprobe configs"));
  fake_.processes.On("modprobe configs", {});
  EXPECT_FALSE(FindKernelConfig(fake_.host));
  EXPECT_THAT(fake_.processes.changes(),
              ElementsAre("modprobe configs", "modprobe configs", "modprobe -r configs"));
}

TEST(KernelConfigTest, HasNinePaths) {
  const std::vector<std::string> paths = KernelConfigPaths("6.1");
  EXPECT_THAT(paths,
              ElementsAre("/proc/config.gz", "/boot/config-6.1", "/usr/src/linux-6.1/.config",
                          "/usr/src/linux/.config", "/usr/lib/modules/6.1/config",
                          "/usr/lib/ostree-boot/config-6.1", "/usr/lib/kernel/config-6.1",
                          "/usr/src/linux-headers-6.1/.config", "/lib/modules/6.1/build/.config"));
}

}  // namespace
}  // namespace preflight
