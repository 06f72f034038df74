// SPDX-License-Identifier: Apache-2.0
// Tests with one table each: arguments, feature gates, tokens, taints and quantities.
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
  EXPECT_EQ(base::MessageOf([&] { RequireUnmixedArguments(given); }),
            "can not mix '--config' with arguments [cri-socket token]");
}

TEST(Arguments, AllowsAnyFlagsWithoutAConfiguration) {
  const std::vector<std::string> given{"token", "cri-socket"};
  EXPECT_THAT(MixedArguments(given), IsEmpty());
}

TEST(Arguments, AllowsFlagsThatCanBeCombinedWithAConfiguration) {
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

TEST(Arguments, MergesIgnoredChecksOfFlagAndConfiguration) {
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

TEST(FeatureGates, RefusesMalformedGates) {
  EXPECT_EQ(base::MessageOf([] { ParseFeatureGates("X=true", "v1.37.2"); }),
            "unrecognized feature-gate key: X");
  EXPECT_EQ(base::MessageOf([] { ParseFeatureGates("PublicKeysECDSA=true", "v1.37.2"); }),
            "unrecognized feature-gate key: PublicKeysECDSA");
  EXPECT_EQ(base::MessageOf([] { ParseFeatureGates("RootlessControlPlane", "v1.37.2"); }),
            "missing bool value for feature-gate key:RootlessControlPlane");
  EXPECT_THAT(base::MessageOf([] { ParseFeatureGates("RootlessControlPlane=yes", "v1.37.2"); }),
              HasSubstr("invalid value yes"));
}

TEST(FeatureGates, AreKnownByTheTargetRelease) {
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

std::vector<std::string> Shown(const std::vector<ComponentGate>& gates) {
  std::vector<std::string> shown;
  for (const ComponentGate& gate : gates) {
    shown.push_back(gate.name + (gate.on ? " on" : " off"));
  }
  return shown;
}

TEST(ComponentGates, AreParsedLikeKubernetesComponents) {
  const auto parsed = [](const std::vector<std::string>& values) {
    return Shown(ParseComponentGates(values));
  };
  EXPECT_THAT(parsed({"A=true, B=F,C = 1 ,D,,E=tru"}),
              ElementsAre("A on", "B off", "C on", "E off"));
  EXPECT_THAT(parsed({"kube:A=true, kube: B =false"}), ElementsAre("A on", "B off"));
  EXPECT_THAT(parsed({}), IsEmpty());
}

TEST(ComponentGates, UseTheLastValue) {
  EXPECT_THAT(Shown(ParseComponentGates(std::vector<std::string>{"A=true,B=true,A=false"})),
              ElementsAre("A off", "B on"));
  const Args args = {{.name = "feature-gates", .value = "A=false,B=true"},
                     {.name = "v", .value = "C=true"},
                     {.name = "feature-gates", .value = "A=true"}};
  EXPECT_THAT(Shown(ComponentGates(args)), ElementsAre("A on", "B on"));
}

TEST(ComponentGates, AcceptAnUnderscoreInTheArgument) {
  const Args args = {{.name = "feature-gates", .value = "A=false"},
                     {.name = "feature_gates", .value = "A=true"}};
  EXPECT_THAT(Shown(ComponentGates(args)), ElementsAre("A on"));
}

TEST(ComponentGates, DefaultToAllAlphaAndAllBeta) {
  using releases::GateStage;
  const auto find = [](const std::string& value, GateStage stage) {
    return FindComponentGate(ParseComponentGates({&value, 1}), "A", stage);
  };
  EXPECT_EQ(find("AllBeta=true", GateStage::kBeta), true);
  EXPECT_EQ(find("AllBeta=true,A=false", GateStage::kBeta), false);
  EXPECT_EQ(find("A=true,AllBeta=false", GateStage::kBeta), true);
  EXPECT_EQ(find("AllAlpha=true", GateStage::kBeta), std::nullopt);
  EXPECT_EQ(find("AllAlpha=true", GateStage::kAlpha), true);
  EXPECT_EQ(find("AllAlpha=true,AllBeta=true", GateStage::kGeneral), std::nullopt);
  EXPECT_EQ(find("B=true", GateStage::kBeta), std::nullopt);
}

TEST(FeatureGates, ChooseWhereTheRuntimeSocketIsStored) {
  ClusterConfiguration cluster{.kubernetes_version = "v1.36.3"};
  EXPECT_TRUE(SocketIsLocal(cluster));
  cluster.feature_gates = {{"NodeLocalCRISocket", false}};
  EXPECT_FALSE(SocketIsLocal(cluster));
  cluster.kubernetes_version = "v1.37.2";
  EXPECT_TRUE(SocketIsLocal(cluster));
}

TEST(FeatureGates, LetKubeletsUseTheLocalApiServerUnlessTheGateIsOff) {
  ClusterConfiguration cluster{.kubernetes_version = "v1.34.4"};
  EXPECT_TRUE(KubeletAsksOwnServer(cluster));
  cluster.feature_gates = {{"ControlPlaneKubeletLocalMode", false}};
  EXPECT_FALSE(KubeletAsksOwnServer(cluster));
  for (const char* version : {"v1.35.4", "v1.36.3", "v1.37.2"}) {
    cluster.kubernetes_version = version;
    EXPECT_TRUE(KubeletAsksOwnServer(cluster)) << version;
  }
}

TEST(FeatureGates, ShowStagesInHelp) {
  EXPECT_THAT(FeatureGateHelp(),
              ElementsAre("RootlessControlPlane=true|false (ALPHA - default=false)"));
}

TEST(Token, HasUniformlyRandomCharacters) {
  // Bytes of 252 and more would favour the first letters of the alphabet, so they are skipped.
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

TEST(Token, RefusesOtherFormats) {
  for (const std::string text :
       {"", "abc.def", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcde",
        "abcdef.0123456789abcdefg", "abcdef-0123456789abcdef", " abcdef.0123456789abcdef"}) {
    EXPECT_FALSE(IsToken(text)) << text;
  }
}

TEST(Token, RequiresThePrefixOfGroups) {
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

// Each row has the observed output of upstream's programs, except the last row: upstream's programs
// write 1 for it.
TEST(Quantity, IsWrittenInTheCanonicalForm) {
  struct Case {
    std::string text, want;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"0", "0"},
                                   {"-0.0", "0"},
                                   {"0Mi", "0"},
                                   {".", "0"},
                                   {"+", "0"},
                                   {".e3", "0"},
                                   {"k", "0"},
                                   {"7", "7"},
                                   {" 7 ", "7"},
                                   {"-2", "-2"},
                                   {"1.5", "1500m"},
                                   {"-.5", "-500m"},
                                   {"5.0", "5"},
                                   {"1000m", "1"},
                                   {"1000", "1k"},
                                   {"+1000", "1k"},
                                   {"1024", "1024"},
                                   {"0.5k", "500"},
                                   {"1.5E", "1500P"},
                                   {"1500E", "1500E"},
                                   {"10000000000000000000", "10E"},
                                   {"9223372036854775808", "9223372036854775808"},
                                   {"12345678901234567890123k", "12345678901234567890123k"},
                                   // finer than a billionth
                                   {"0.1n", "1n"},
                                   {"1.5n", "2n"},
                                   {"-1.00000000001", "-1000000001n"},
                                   {"0.9999999999", "1"},
                                   {"1e-10", "1e-9"},
                                   {"123e-11", "2e-9"},
                                   {"1.5e-400", "1e-9"},
                                   // exponents
                                   {"12e6", "12e6"},
                                   {"1e4", "10e3"},
                                   {"1E4", "10e3"},
                                   {"1e1", "10"},
                                   {"0.01e2", "1"},
                                   {"15e-1", "1500e-3"},
                                   {"1000e3", "1e6"},
                                   {"1e400", "10e399"},
                                   {"1e010", "10e9"},
                                   // binary suffixes
                                   {"1024Ki", "1Mi"},
                                   {"1024.Ki", "1Mi"},
                                   {"1000Mi", "1000Mi"},
                                   {"1.5Gi", "1536Mi"},
                                   {"1.5Ki", "1536"},
                                   {"0.5Ki", "512"},
                                   {"0.9765625Ki", "1k"},
                                   {"0.9Ki", "921600m"},
                                   {"1.2345Ki", "1264128m"},
                                   {"0.1Gi", "107374182400m"},
                                   {"0.0000000000000000000001Ei", "115293n"},
                                   {"7.5Ei", "7680Pi"},
                                   {"8Ei", "9223372036854775807"},
                                   {"-9Ei", "-9223372036854775807"},
                                   {"8796093022207Mi", "8796093022207Mi"},
                                   {"8796093022208Mi", "9223372036854775807"},
                                   {"9223372036854775807.5Ki", "9223372036854775807"},
                                   {"7.9999999999999999999999Ei", "9223372036854775807"},
                                   {"7.99999999999999999Ei", "9223372036854775796470784954n"},
                                   // spellings that stay
                                   {"+5k", "+5k"},
                                   {"05", "05"},
                                   {"5.", "5."},
                                   {"1.500", "1.500"},
                                   {"0.500", "500m"},
                                   {"1.999999999", "1.999999999"},
                                   {"1.999999999999", "2"},
                                   {"1E3", "1E3"},
                                   {"1e+00", "1e+00"},
                                   {"+5Gi", "+5Gi"},
                                   {"+16Gi", "16Gi"},
                                   {"+5Pi", "5Pi"},
                                   {"+123456789012345678", "+123456789012345678"},
                                   {"+1234567890123456789", "1234567890123456789"},
                                   {"1e4294967296", "1e4294967296"},
                                   {std::string(1001, '1') + "Ei", std::string(1001, '1') + "Ei"},
                                   {"1000E", "1000E"}}) {
    EXPECT_EQ(CanonicalQuantity(c.text), c.want) << c.text;
  }
}

TEST(Quantity, RefusesMalformedText) {
  for (const std::string text :
       {"", " ", "1.2.3", "5Q", "five", "--1", "1e", "1e+", "1E-", "1e--3", "1e+-3", "1K", "1ki",
        "1 k", "1k+", "1e3k", "1e9223372036854775808"}) {
    EXPECT_EQ(CanonicalQuantity(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace config
