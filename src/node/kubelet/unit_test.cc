// SPDX-License-Identifier: Apache-2.0
#include "kubelet/unit.h"

#include <gmock/gmock.h>

#include <map>

#include "host/fake_host.h"
#include "kubelet/flags.h"

namespace kubelet {
namespace {

// The drop-in of the kubelet's package, with the content of upstream's and of packaging/.
constexpr const char* kPackage = "/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf";
constexpr const char* kPackageText =
    "[Service]\nEnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env\n"
    "EnvironmentFile=-/etc/default/kubelet\nExecStart=\n"
    "ExecStart=/usr/bin/kubelet $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS\n";
constexpr const char* kDropIn = "/etc/systemd/system/kubelet.service.d/20.conf";
constexpr const char* kDefault = "/etc/default/kubelet";

struct UnitCase {
  const char* name;
  std::map<std::string, std::string> files;
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<std::string> arguments;
};

class ReadUnitTest : public testing::TestWithParam<UnitCase> {};

TEST_P(ReadUnitTest, FollowsTheRulesOfSystemd) {
  host::FakeHost fake;
  for (const auto& [file, text] : GetParam().files) {
    fake.files.Write(file, text, {});
  }
  const Unit unit = ReadUnit(fake.files);
  std::vector<std::string> environment;
  for (const Assignment& set : unit.environment) {
    environment.push_back(set.name + "=" + set.value);
  }
  std::vector<std::string> arguments;
  for (const Word& word : unit.arguments) {
    arguments.push_back(word.text);
  }
  EXPECT_EQ(environment, GetParam().environment);
  EXPECT_EQ(arguments, GetParam().arguments);
}

const UnitCase kUnits[] = {
    {"HasNothingWithoutFiles", {}, {}, {}},
    {"TakesSeveralAssignmentsOfALine",
     {{kDropIn, "[Service]\nEnvironment=\"A=b c\" 'D=e \"f\"' G=h\n"}},
     {"A=b c", "D=e \"f\"", "G=h"},
     {"b", "c", "e", "f", "h"}},
    {"SkipsComments",
     {{kDropIn, "[Service]\n#Environment=A=1\n  ; Environment=A=2\n"},
      {kDefault, "# B=1\n;B=2\nno assignment\n"}},
     {},
     {}},
    {"JoinsContinuedLines",
     {{kDropIn, "[Service]\nEnvironment=A=1 \\\n# a comment\n  B=2\\\nC=3\n"},
      {kDefault, "D=--a \\\n--b\n"}},
     {"A=1", "B=2", "C=3", "D=--a --b"},
     {"1", "2", "3", "--a", "--b"}},
    {"SkipsOtherSections",
     {{kDropIn, "[Unit]\nEnvironment=A=1\n[Service]\nEnvironment = B=2\n[X-Own]\nExecStart=c\n"}},
     {"B=2"},
     {"2"}},
    {"ResetsAListByAnEmptyValue",
     {{kPackage, "[Service]\nEnvironment=A=1\nEnvironmentFile=/a\nExecStart=kubelet --v=1\n"},
      {kDropIn,
       "[Service]\nEnvironment=\nEnvironment=B=2\nEnvironmentFile=\nExecStart=\n"
       "ExecStart=kubelet --v=2\nUnsetEnvironment=B\nUnsetEnvironment=\n"},
      {"/a", "C=3\n"}},
     {"B=2"},
     {"2", "kubelet", "--v=2"}},
    {"UnsetsNamesAndAssignments",
     {{kDropIn, "[Service]\nEnvironment=A=1 B=2 C=3\nUnsetEnvironment=A B=2 C=4 D\n"},
      {kDefault, "D=5\n"}},
     {"C=3"},
     {"3"}},
    {"ReplacesAnEarlierAssignmentOfTheFile",
     {{kDropIn, "[Service]\nEnvironment=A=1\nEnvironment=A=2\n"}, {kDefault, "B=1\nB=2\n"}},
     {"A=2", "B=2"},
     {"2", "2"}},
    {"KeepsAssignmentsOfOtherFiles",
     {{kDropIn, "[Service]\nEnvironment=A=1\n"}, {kDefault, "A=2\n"}},
     {"A=1", "A=2"},
     {"1", "2"}},
    {"PutsVariablesIntoTheCommandLine",
     {{kPackage, kPackageText},
      {"/var/lib/kubelet/kubeadm-flags.env", "KUBELET_KUBEADM_ARGS=\"--a=\\\"1\\\"\"\n"},
      {kDropIn, "[Service]\nEnvironment=\"KUBELET_EXTRA_ARGS=--b --c=2\"\n"}},
     {"KUBELET_EXTRA_ARGS=--b --c=2", "KUBELET_KUBEADM_ARGS=--a=\"1\""},
     {"/usr/bin/kubelet", "--a=1", "--b", "--c=2"}},
    {"PutsVariablesIntoAWord",
     {{kDropIn, "[Service]\nEnvironment=G=A=true\nExecStart=kubelet ${H} --gates=${G}\n"}},
     {"G=A=true"},
     {"A=true", "kubelet", "--gates=A=true"}},
    {"PutsKubeadmsFileFirst",
     {{"/var/lib/kubelet/kubeadm-flags.env", "K=--k\n"},
      {kDropIn, "[Service]\nEnvironment=E=--e\nExecStart=kubelet --x\n"}},
     {"E=--e", "K=--k"},
     {"--k", "--e", "kubelet", "--x"}},
    {"ReadsNamedEnvironmentFiles",
     {{kDropIn, "[Service]\nEnvironmentFile=-/etc/own.env\nEnvironmentFile=/etc/k/*.env\n"},
      {"/etc/own.env", "A='1\n2' \n"},
      {"/etc/k/1.env", "B=3 \"4\" \n"},
      {"/etc/k/1.txt", "C=5\n"}},
     {"A=1\n2", "B=3 \"4\""},
     {"1", "2", "3", "4"}},
    {"HidesADropInByItsName",
     {{kPackage, "[Service]\nEnvironment=A=1\n"},
      {"/etc/systemd/system/kubelet.service.d/10-kubeadm.conf", ""},
      {"/etc/systemd/system/kubelet.service.d/30.conf.bak", "[Service]\nEnvironment=A=2\n"}},
     {},
     {}},
    {"TakesTheFirstUnit",
     {{"/etc/systemd/system/kubelet.service", "[Service]\nExecStart=kubelet --a\n"},
      {"/usr/lib/systemd/system/kubelet.service", "[Service]\nExecStart=kubelet --b\n"}},
     {},
     {"kubelet", "--a"}},
    {"AppliesDropInsByNameOfAllDirectories",
     {{kPackage, "[Service]\nEnvironment=A=1\n"},
      {"/etc/systemd/system/kubelet.service.d/05.conf", "[Service]\nEnvironment=B=2\n"},
      {"/run/systemd/system/kubelet.service.d/15.conf", "[Service]\nEnvironment=C=3\n"}},
     {"B=2", "A=1", "C=3"},
     {"2", "1", "3"}},
    {"ReadsOpenRcsScript",
     {{"/etc/conf.d/kubelet",
       "# don't\nexport A=1 # isn't B=2\ncommand_args=\"$X\n  --a='b c'\"\nA=\"$A 3\"\n"}},
     {"A=1", "command_args=$X\n  --a='b c'", "A=$A 3"},
     {"1", "$X", "--a=b c", "$A", "3"}},
};

INSTANTIATE_TEST_SUITE_P(Files, ReadUnitTest, testing::ValuesIn(kUnits),
                         [](const auto& info) { return info.param.name; });

TEST(ReadUnit, NamesTheFileOfEachWord) {
  host::FakeHost fake;
  fake.files.Write(kPackage, kPackageText, {});
  fake.files.Write(kDefault, "KUBELET_EXTRA_ARGS=--a\n", {});
  const std::vector<Word> arguments = ReadUnit(fake.files).arguments;
  ASSERT_EQ(arguments.size(), 2U);
  EXPECT_EQ(arguments.front().file, kPackage);
  EXPECT_EQ(arguments.back().file, kDefault);
}

TEST(FindArgument, ReadsFilesAndNoProcess) {
  host::FakeHost fake;
  const auto port = [&] { return FindArgument(ReadUnit(fake.files).arguments, "healthz-port"); };
  EXPECT_EQ(port(), std::nullopt);
  fake.files.Write(kFlagsFile, "KUBELET_KUBEADM_ARGS=\"--healthz-port 1 --v=2\"\n", {});
  EXPECT_EQ(port(), "1");
  fake.files.Write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--healthz_port=2\n", {});
  EXPECT_EQ(port(), "2") << "the last one counts";
  fake.files.Write("/proc/7/cmdline", std::string("/usr/bin/kubelet\0--healthz-port\0003\0", 34),
                   {});
  EXPECT_EQ(port(), "2") << "a process of anybody's";
  fake.files.Write("/etc/systemd/system/kubelet.service.d/90-mine.conf",
                   "[Service]\nExecStart=\nExecStart=/usr/bin/kubelet --healthz-port=4\n", {});
  EXPECT_EQ(port(), "4");
}

TEST(FindArgument, TakesNoOtherArgumentForTheValue) {
  const std::vector<Word> words = {{.file = "", .text = "--fail-swap-on"},
                                   {.file = "", .text = "--feature-gates=A=false"}};
  EXPECT_EQ(FindArgument(words, "fail-swap-on"), "");
  EXPECT_EQ(FindArgument({words.data(), 1}, "fail-swap-on"), "");
}

TEST(ReadUnit, ListsTheFilesThatUsersMayWrite) {
  host::FakeHost fake;
  EXPECT_THAT(ReadUnit(fake.files).files, testing::IsEmpty());
  for (const char* file :
       {"/etc/sysconfig/kubelet", "/usr/lib/systemd/system/kubelet.service",
        "/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf",
        "/etc/systemd/system/kubelet.service.d/20-b.conf", "/srv/kubelet.env",
        "/etc/systemd/system/kubelet.service.d/20-b.conf.bak", "/etc/conf.d/kubelet"}) {
    fake.files.Write(file, "", {});
  }
  fake.files.Write(kFlagsFile, "KUBELET_KUBEADM_ARGS=\n", {});
  fake.files.Write("/etc/systemd/system/kubelet.service.d/10-a.conf",
                   "[Service]\nEnvironmentFile=-/srv/kubelet.env\nEnvironmentFile=-/none\n", {});
  EXPECT_THAT(
      ReadUnit(fake.files).files,
      testing::ElementsAre("/etc/systemd/system/kubelet.service.d/10-a.conf",
                           "/etc/systemd/system/kubelet.service.d/20-b.conf", "/srv/kubelet.env",
                           "/etc/sysconfig/kubelet", "/etc/conf.d/kubelet"));
}

}  // namespace
}  // namespace kubelet
