// SPDX-License-Identifier: Apache-2.0
#include "preflight/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preflight {
namespace {

using host::FileInfo;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Summarizes findings: "", "W", "WW", "E", …
std::string Outcome(const Findings& findings) {
  std::string outcome;
  for (const checks::Finding& finding : findings) {
    outcome += finding.severity == checks::Severity::kError ? 'E' : 'W';
  }
  return outcome;
}

struct Case {
  std::string name;
  Findings findings;
  std::string outcome;
  std::string mentions;
};

void Expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(Outcome(c.findings), c.outcome) << c.name;
    if (!c.mentions.empty()) {
      EXPECT_THAT(c.findings.at(0).what, HasSubstr(c.mentions)) << c.name;
    }
  }
}

const base::Version kKubeadm{1, 36, 3, "", ""};

TEST(Judgements, ReportsSwap) {
  using enum SwapFacts::Kubelet;
  using enum KubeletSwap;
  const std::vector<std::string> used = {"/dev/sda2"};
  Expect(
      {{"no swap", JudgeSwap({.devices = {}, .setting = kRefuses}), "", ""},
       {"swap", JudgeSwap({.devices = used, .setting = kRefuses}), "W", "failSwapOn: false in its"},
       {"swap, joining", JudgeSwap({.devices = used, .setting = kUnknown}), "W",
        "unless the cluster's"},
       {"swap that is tolerated", JudgeSwap({.devices = used, .setting = kTolerates}), "", ""},
       {"under a kubelet", JudgeSwap({.devices = used, .setting = kRefuses, .kubelet = kRuns}), "W",
        "will not start again"},
       {"under a kubelet that has ended",
        JudgeSwap({.devices = used, .setting = kRefuses, .kubelet = kFails}), "E",
        "refuses to run"}});
  EXPECT_THAT(SwapDevices("Filename Type Size Used Priority\n"), testing::IsEmpty());
  EXPECT_THAT(SwapDevices("Filename\n/dev/sda2 partition 1 0 -2\n"),
              testing::ElementsAre("/dev/sda2"));
  EXPECT_THAT(SwapDevices(""), testing::IsEmpty()) << "no such file";
}

TEST(Judgements, JudgeTheKubernetesVersion) {
  Expect({{"the same", JudgeKubernetesVersion("v1.36.3", kKubeadm), "", ""},
          {"a later patch", JudgeKubernetesVersion("v1.36.99", kKubeadm), "", ""},
          {"older", JudgeKubernetesVersion("v1.35.0", kKubeadm), "", ""},
          {"the next", JudgeKubernetesVersion("v1.37.0", kKubeadm), "W", "1.37.0"},
          {"its first alpha", JudgeKubernetesVersion("v1.37.0-alpha.0", kKubeadm), "W", "alpha.0"},
          {"the next major", JudgeKubernetesVersion("v2.0.0", kKubeadm), "W", "2.0.0"},
          {"garbage", JudgeKubernetesVersion("latest", kKubeadm), "E", "\"latest\""},
          {"a kubeadm without version", JudgeKubernetesVersion("v1.37.0", {0, 0, 0, "master", "x"}),
           "", ""}});
}

TEST(Judgements, JudgeKernelSwitches) {
  const std::string path = "/proc/sys/net/ipv4/ip_forward";
  Expect({{"on", JudgeSwitch(path, "1\n"), "", ""},
          {"off", JudgeSwitch(path, "0\n"), "E", "sysctl -w net.ipv4.ip_forward=1"},
          {"empty", JudgeSwitch(path, ""), "E", path},
          {"missing", JudgeSwitch(path, std::nullopt), "E", "does not exist"},
          {"elsewhere", JudgeSwitch("/x", "0"), "E", "/x"}});
}

TEST(Judgements, JudgeTheHostname) {
  const Lookup found = std::vector<std::string>{"192.0.2.1"};
  const Lookup nothing = std::vector<std::string>{};
  const Lookup failed = std::unexpected("no such host");
  Expect({{"good", JudgeHostname("cp-one", found), "", ""},
          {"without address", JudgeHostname("cp-one", nothing), "W", "could not be reached"},
          {"unknown", JudgeHostname("cp-one", failed), "WW", "could not be reached"},
          {"bad name", JudgeHostname("-x", found), "W", "letter or digit"},
          {"bad and unknown", JudgeHostname("-x", failed), "WWW", ""}});
  EXPECT_THAT(JudgeHostname("cp-one", failed).at(1).what, HasSubstr("no such host"));
}

TEST(Judgements, QualifiedNames) {
  const std::pair<std::string, std::size_t> cases[] = {{"a", 0},
                                                       {"A.b_c-9", 0},
                                                       {"x.y/name", 0},
                                                       {"", 1},
                                                       {"-a", 1},
                                                       {"a.", 1},
                                                       {"a b", 1},
                                                       {"X/name", 1},
                                                       {"x/", 1},
                                                       {"a/b/c", 1},
                                                       {std::string(63, 'a'), 0},
                                                       {std::string(64, 'a'), 1},
                                                       {std::string(64, '-'), 2}};
  for (const auto& [name, problems] : cases) {
    EXPECT_EQ(QualifiedNameProblems(name).size(), problems) << name;
  }
}

TEST(Judgements, KubeletVersion) {
  const base::Version minimum{1, 33, 0, "", ""};
  const auto judge = [&](const char* kubelet, const std::optional<base::Version>& kubernetes) {
    return JudgeKubeletVersion(*base::Version::Parse(kubelet), minimum, kubernetes);
  };
  Expect({{"the same", judge("1.36.3", kKubeadm), "", ""},
          {"a later patch", judge("1.36.9", kKubeadm), "", ""},
          {"three older", judge("1.33.0", kKubeadm), "", ""},
          {"four older", judge("1.32.9", kKubeadm), "E", "1.32.9"},
          {"a pre-release of the oldest", judge("1.33.0-beta.0", kKubeadm), "E", "lower"},
          {"newer", judge("1.37.0", kKubeadm), "E", "higher"},
          {"newer major", judge("2.0.0", kKubeadm), "E", "higher"},
          {"newer, control plane unknown", judge("1.37.0", std::nullopt), "", ""},
          {"not known", JudgeKubeletVersion(std::unexpected("no kubelet"), minimum, kKubeadm), "E",
           "no kubelet"}});
}

TEST(JudgeClusterKeys, RefusesAVersionThatCannotUseThem) {
  const base::Version v1_37{.major = 1, .minor = 37, .patch = 2};
  const base::Version v1_38{.major = 1, .minor = 38};
  const Findings refused = JudgeClusterKeys("ML-DSA-65", v1_37);
  ASSERT_THAT(refused, testing::SizeIs(1));
  EXPECT_THAT(refused[0].what, testing::HasSubstr("the components of v1.37.2 cannot use"));
  EXPECT_FALSE(refused[0].ignorable) << "by --force";
  EXPECT_THAT(JudgeClusterKeys("ML-DSA-65", v1_38), testing::IsEmpty());
  EXPECT_THAT(JudgeClusterKeys("RSA-2048", v1_37), testing::IsEmpty());
}

TEST(JudgeKubeletKeys, RefusesMlDsaThatTheKubeletCannotUse) {
  const auto judge = [](const char* cluster, const char* kubelet, const char* serving = "",
                        const char* oldest_tls = "") {
    return JudgeKubeletKeys({.cluster = cluster,
                             .kubelet = *base::Version::Parse(kubelet),
                             .serving = serving,
                             .oldest_tls = oldest_tls});
  };
  Expect({{"other keys", judge("RSA-2048", "1.37.2"), "", ""},
          {"a kubelet before v1.38", judge("ML-DSA-65", "1.37.2"), "E",
           "the kubelet (v1.37.2) cannot use keys of ML-DSA-65"},
          {"a kubelet of v1.38", judge("ML-DSA-65", "1.38.0-beta.0"), "", ""},
          {"a kubelet of a later patch", judge("ML-DSA-65", "1.38.1"), "", ""},
          {"a server of TLS 1.2", judge("RSA-2048", "1.38.0", "ML-DSA-44"), "E",
           "serverCertificateKeyAlgorithm ML-DSA-44 and tlsMinVersion \"\": set"},
          {"a named TLS 1.2", judge("", "1.38.0", "ML-DSA-87", "VersionTLS12"), "E",
           "tlsMinVersion \"VersionTLS12\""},
          {"a server of TLS 1.3", judge("", "1.38.0", "ML-DSA-87", "VersionTLS13"), "", ""},
          {"a field that an older kubelet ignores", judge("", "1.37.2", "ML-DSA-87"), "", ""},
          {"no kubelet",
           JudgeKubeletKeys({.cluster = "ML-DSA-44", .kubelet = std::unexpected("none")}), "", ""},
          {"requests that the API server refuses",
           JudgeKubeletKeys({.cluster = "RSA-2048",
                             .kubelet = base::Version{.major = 1, .minor = 38},
                             .refused_requests = {"clientCertificateKeyAlgorithm"}}),
           "E", "which clientCertificateKeyAlgorithm of the KubeletConfiguration causes"},
          {"a field with an unknown algorithm",
           JudgeKubeletKeys({.cluster = "RSA-2048",
                             .kubelet = base::Version{.major = 1, .minor = 38},
                             .serving = "ML-DSA-99",
                             .unknown = {"serverCertificateKeyAlgorithm: unknown"}}),
           "E", "this KubeletConfiguration: serverCertificateKeyAlgorithm: unknown"}});
}

TEST(Judgements, WarnOfProxies) {
  Expect({{"none", JudgeProxy("https://10.0.0.1", {}), "", ""},
          {"one", JudgeProxy("https://10.0.0.1", "http://p:1"), "W", "http://p:1"},
          {"none for a network", JudgeCidrProxy("10.96.0.0/12", {}), "", ""},
          {"one for a network", JudgeCidrProxy("10.96.0.0/12", "p:1"), "W", "10.96.0.0/12"}});
}

TEST(Judgements, HidePasswordsOfProxies) {
  struct Row {
    std::string proxy;
    std::string shown;
  };
  for (const auto& [proxy, shown] : std::initializer_list<Row>{
           {"http://user:secret@p:1/x@y", "proxy http://p:1/x@y"},
           {"user:secret@p:1", "proxy p:1"},
           {"http://u:p@secret@proxy:3128", "proxy http://proxy:3128"},
           {"socks5://secret@[fd00::1]:1080", "proxy socks5://[fd00::1]:1080"},
           {"http://u:a/secret@proxy:3128", "proxy (not shown: it is not a URL)"},
           {"http:///secret@proxy", "proxy (not shown: it is not a URL)"},
           {"http://p/a@b", "proxy http://p/a@b"}}) {
    for (const Findings& findings :
         {JudgeProxy("https://a", proxy), JudgeCidrProxy("10.0.0.0/8", proxy)}) {
      EXPECT_THAT(findings.at(0).what, AllOf(HasSubstr(shown), Not(HasSubstr("secret")))) << proxy;
    }
  }
}

TEST(Judgements, JudgeTheEtcdVersion) {
  const base::Version minimum = *base::Version::Parse("3.5.24-0");
  const auto judge = [&](const char* body) {
    return JudgeEtcdVersion("https://e:2379", body, minimum);
  };
  Expect({{"new", judge(R"({"etcdserver":"3.6.8","etcdcluster":"3.6.0"})"), "", ""},
          {"the oldest", judge(R"({"etcdserver":"3.5.24"})"), "", ""},
          {"too old", judge(R"({"etcdserver":"3.5.23"})"), "E", "3.5.23"},
          {"no version", judge(R"({"etcdserver":"new"})"), "E", "\"new\""},
          {"another answer", judge(R"({})"), "E", "https://e:2379"},
          {"no JSON", judge("<html>"), "E", "https://e:2379"}});
}

}  // namespace
}  // namespace preflight
