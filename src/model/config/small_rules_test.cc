// SPDX-License-Identifier: Apache-2.0
// Arguments, feature gates, tokens, taints, quantities: one table each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "config/arguments.h"
#include "config/fake_facts.h"
#include "config/feature_gates.h"
#include "config/quantity.h"
#include "config/taints.h"
#include "config/token.h"

namespace config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Arguments, NamesFlagsThatExcludeAConfiguration) {
  const std::vector<std::string> given{"token", "config", "v", "skip-phases", "cri-socket"};
  EXPECT_THAT(MixedArguments(given), ElementsAre("cri-socket", "token"));
  EXPECT_EQ(base::MessageOf([&] { RefuseMixedArguments(given); }),
            "can not mix '--config' with arguments [cri-socket token]");
}

TEST(Arguments, AnyFlagsGoWithoutAConfiguration) {
  const std::vector<std::string> given{"token", "cri-socket"};
  EXPECT_THAT(MixedArguments(given), IsEmpty());
}

TEST(Arguments, AllowsWhatStandsBesideAConfiguration) {
  const std::vector<std::string> given{"config",
                                       "ignore-preflight-errors",
                                       "dry-run",
                                       "kubeconfig",
                                       "node-name",
                                       "kubeconfig-dir",
                                       "upload-certs",
                                       "print-manifest",
                                       "allow-missing-template-keys",
                                       "output",
                                       "show-managed-fields",
                                       "print-join-command",
                                       "rootfs",
                                       "v",
                                       "log-file",
                                       "yes",
                                       "skip-token-print",
                                       "skip-certificate-key-print"};
  EXPECT_THAT(MixedArguments(given), IsEmpty());
}

TEST(Arguments, JoinsIgnoredChecks) {
  const std::vector<std::string> flag{"Swap"};
  const std::vector<std::string> configured{"NumCPU", "swap"};
  EXPECT_THAT(IgnoredPreflightErrors(flag, configured), ElementsAre("numcpu", "swap"));
  const std::vector<std::string> all{"ALL"};
  EXPECT_THAT(IgnoredPreflightErrors(all, {}), ElementsAre("all"));
  EXPECT_THAT(base::MessageOf([&] { IgnoredPreflightErrors(flag, all); }),
              HasSubstr("ignore-preflight-errors"));
}

TEST(FeatureGates, ReadsPairs) {
  EXPECT_THAT(ParseFeatureGates(" RootlessControlPlane = T ,", "v1.37.2"),
              ElementsAre(Pair("RootlessControlPlane", true)));
  EXPECT_THAT(ParseFeatureGates(",", "v1.37.2"), IsEmpty());
}

TEST(FeatureGates, RefusesWhatItCannotRead) {
  EXPECT_EQ(base::MessageOf([] { ParseFeatureGates("X=true", "v1.37.2"); }),
            "unrecognized feature-gate key: X");
  EXPECT_EQ(base::MessageOf([] { ParseFeatureGates("PublicKeysECDSA=true", "v1.37.2"); }),
            "unrecognized feature-gate key: PublicKeysECDSA");
  EXPECT_EQ(base::MessageOf([] { ParseFeatureGates("RootlessControlPlane", "v1.37.2"); }),
            "missing bool value for feature-gate key:RootlessControlPlane");
  EXPECT_THAT(base::MessageOf([] { ParseFeatureGates("RootlessControlPlane=yes", "v1.37.2"); }),
              HasSubstr("invalid value yes"));
}

TEST(FeatureGates, AreThoseOfTheReleaseThatIsToBe) {
  constexpr const char* kGate = "NodeLocalCRISocket=false";
  for (const char* version : {"v1.34.4", "1.36.0", "stable-1.35", "latest-1.36"}) {
    EXPECT_THAT(ParseFeatureGates(kGate, version), ElementsAre(Pair("NodeLocalCRISocket", false)))
        << version;
  }
  for (const char* version : {"v1.37.2", "v1.38.0", "stable-1", "latest", ""}) {
    EXPECT_EQ(base::MessageOf([&] { ParseFeatureGates(kGate, version); }),
              "unrecognized feature-gate key: NodeLocalCRISocket")
        << version;
  }
}

TEST(FeatureGates, TheSocketsPlaceCanBeChosenWhereTheGateExists) {
  ClusterConfiguration cluster{.kubernetes_version = "v1.36.3"};
  EXPECT_TRUE(SocketIsLocal(cluster));
  cluster.feature_gates = {{"NodeLocalCRISocket", false}};
  EXPECT_FALSE(SocketIsLocal(cluster));
  cluster.kubernetes_version = "v1.37.2";
  EXPECT_TRUE(SocketIsLocal(cluster));
}

TEST(FeatureGates, KubeletsAskTheirOwnServerWhereTheGateIsNotABetaOneThatIsOff) {
  ClusterConfiguration cluster{.kubernetes_version = "v1.34.4"};
  EXPECT_TRUE(KubeletAsksOwnServer(cluster));
  cluster.feature_gates = {{"ControlPlaneKubeletLocalMode", false}};
  EXPECT_FALSE(KubeletAsksOwnServer(cluster));
  for (const char* version : {"v1.35.4", "v1.36.3", "v1.37.2"}) {
    cluster.kubernetes_version = version;
    EXPECT_TRUE(KubeletAsksOwnServer(cluster)) << version;
  }
}

TEST(FeatureGates, HelpShowsStages) {
  EXPECT_THAT(FeatureGateHelp(),
              ElementsAre("RootlessControlPlane=true|false (ALPHA - default=false)"));
}

TEST(Token, IsMadeOfFairLetters) {
  // 252 and more would favour the first letters, so they are skipped.
  int calls = 0;
  const auto random = [&](std::size_t count) {
    return std::string(count, ++calls == 1 ? '\xff' : '\x1a');
  };
  const std::string token = NewToken(random);
  EXPECT_EQ(token, "000000.0000000000000000");
  EXPECT_TRUE(IsToken(token));
  EXPECT_EQ(TokenId(token), "000000");
  EXPECT_EQ(TokenSecret(token), "0000000000000000");
}

TEST(Token, HasOneForm) {
  for (const std::string text :
       {"", "abc.def", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcde",
        "abcdef.0123456789abcdefg", "abcdef-0123456789abcdef", " abcdef.0123456789abcdef"}) {
    EXPECT_FALSE(IsToken(text)) << text;
  }
}

TEST(Token, GroupsHaveAPrefix) {
  EXPECT_TRUE(IsTokenGroup("system:bootstrappers:a:b-c9"));
  for (const std::string text : {"admins", "system:bootstrappers:", "system:bootstrappers:-",
                                 "system:bootstrappers:A", "system:bootstrappers:a:"}) {
    EXPECT_FALSE(IsTokenGroup(text)) << text;
  }
  EXPECT_TRUE(IsTokenGroup("system:bootstrappers:" + std::string(256, 'a')));
  EXPECT_FALSE(IsTokenGroup("system:bootstrappers:" + std::string(257, 'a')));
}

TEST(Taints, AreWrittenForTheKubelet) {
  EXPECT_EQ(TaintText(ControlPlaneTaint()), "node-role.kubernetes.io/control-plane:NoSchedule");
  EXPECT_EQ(TaintText({.key = "a", .value = "b", .effect = "NoExecute"}), "a=b:NoExecute");
  EXPECT_EQ(TaintText({.key = "a", .value = "b"}), "a=b:");
  EXPECT_EQ(TaintText({.key = "a"}), "a") << "as the API's types write it";
}

TEST(Quantity, HasOneCanonicalForm) {
  struct Case {
    std::string text, want;
  };
  for (const Case& c : std::initializer_list<Case>{{"0", "0"},
                                                   {"1.5", "1500m"},
                                                   {"1000m", "1"},
                                                   {"1000", "1k"},
                                                   {"1024", "1024"},
                                                   {"1024Ki", "1Mi"},
                                                   {"1.5Gi", "1536Mi"},
                                                   {"1000Mi", "1000Mi"},
                                                   {"-2", "-2"},
                                                   {"+100M", "100M"},
                                                   {"0.5", "500m"},
                                                   {"12e6", "12e6"},
                                                   {"0Mi", "0"},
                                                   {"0.1n", "0.1n"},
                                                   {"7", "7"},
                                                   {"1000E", "1000E"}}) {
    EXPECT_EQ(CanonicalQuantity(c.text), c.want) << c.text;
  }
  for (const std::string text : {"", "Mi", "1.2.3", "5Q", "five", "--1", "1e"}) {
    EXPECT_EQ(CanonicalQuantity(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace config
