// SPDX-License-Identifier: Apache-2.0
#include "upgrade/core_dns_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "addons/corefile.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace upgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kNew = "1.14.2";
constexpr const char* kStrange = ".:53 {\n  errors\n  frobnicate\n}\n";

auto Refuses(const char* what) {
  return testing::AllOf(testing::Field(&checks::Finding::what, HasSubstr(what)),
                        testing::Field(&checks::Finding::ignorable, true));
}

TEST(CoreDnsJudgements, AreEmptyIfNothingIsMigrated) {
  for (const checks::Findings& findings :
       {JudgePlugins({"1.14.2", kNew}, kStrange), JudgeMigration({"1.14.2", kNew}, "}"),
        JudgePlugins({"1.11.3", kNew}, std::nullopt),
        JudgeMigration({"9.9.9", kNew}, std::nullopt)}) {
    EXPECT_THAT(findings, IsEmpty());
  }
}

TEST(CoreDnsJudgements, NameUnsupportedParts) {
  EXPECT_THAT(JudgePlugins({"1.11.3", kNew}, kStrange),
              ElementsAre(Refuses("from 1.11.3 to 1.14.2: plugin \"frobnicate\"")));
  EXPECT_THAT(JudgePlugins({"1.11.3", kNew}, addons::DefaultCorefile("cluster.local")), IsEmpty());
}

TEST(CoreDnsJudgements, RefuseUnknownVersionsAndMalformedCorefiles) {
  for (const auto& [version, text, word] :
       {std::tuple{std::optional<std::string>("1.99.3"), kStrange, "'1.99.3' not supported"},
        {std::nullopt, kStrange, "no Deployment"},
        {"1.11.3", ".:53 {\n errors\n", "no '}'"}}) {
    EXPECT_THAT(JudgeMigration({version, kNew}, text), ElementsAre(Refuses(word)))
        << version.value_or("none");
  }
  EXPECT_THAT(JudgeMigration({"1.11.3", kNew}, kStrange), IsEmpty());
}

class CoreDnsChecksTest : public testing::Test {
 protected:
  checks::Findings Run() { return checks::RunChecks(CoreDnsChecks(client_, kNew)); }
  void PutCorefile(const std::string& text) {
    server_.Put(kube::resources::kConfigMap,
                {{"metadata", {{"name", "coredns"}, {"namespace", "kube-system"}}},
                 {"data", {{"Corefile", text}}}});
  }
  void PutDeployment(const std::string& name, const std::string& image) {
    const json::Value pod = {{"containers", json::Value::array({{{"image", image}}})}};
    server_.Put(
        kube::resources::kDeployment,
        {{"metadata",
          {{"name", name}, {"namespace", "kube-system"}, {"labels", {{"k8s-app", "kube-dns"}}}}},
         {"spec", {{"template", {{"spec", pod}}}}}});
  }
  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {.limit = std::chrono::milliseconds(50)}};
};

TEST(CoreDnsToCome, IsTheVersionOfTheRequestedOrTheNextMinor) {
  const base::Version cluster{1, 34, 4, "", ""};
  config::ClusterConfiguration config;
  EXPECT_EQ(CoreDnsToCome(config, cluster, "v1.36.3"), "1.14.2");
  EXPECT_EQ(CoreDnsToCome(config, cluster, ""), "1.13.1");
  EXPECT_EQ(CoreDnsToCome(config, {1, 37, 2, "", ""}, ""), "1.14.6") << "not of a pre-release";
  EXPECT_EQ(CoreDnsToCome(config, {1, 38, 0, "", ""}, ""), "1.15.0");
}

TEST(CoreDnsToCome, PrefersTheVersionOfTheConfiguration) {
  config::ClusterConfiguration config;
  config.dns.image_tag = "v1.11.3";
  EXPECT_EQ(CoreDnsToCome(config, {1, 36, 3, "", ""}, "v1.37.2"), "1.11.3");
  config.dns.image_tag = "vv1-custom";
  EXPECT_EQ(CoreDnsToCome(config, {1, 36, 3, "", ""}, ""), "v1-custom");
}

TEST_F(CoreDnsChecksTest, PassWithoutACorefile) {
  PutDeployment("coredns", "reg/coredns:v1.99.0");
  EXPECT_THAT(Run(), IsEmpty());
}

TEST_F(CoreDnsChecksTest, JudgeTheRunningCoreDns) {
  PutCorefile(kStrange);
  PutDeployment("coredns", "reg/coredns:v1.11.3");
  const auto findings = Run();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "CoreDNSUnsupportedPlugins");
}

TEST_F(CoreDnsChecksTest, BothFailIfTheConfigMapHasNoCorefile) {
  server_.Put(kube::resources::kConfigMap,
              {{"metadata", {{"name", "coredns"}, {"namespace", "kube-system"}}},
               {"data", {{"other", "x"}}}});
  const auto findings = Run();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].what, HasSubstr("no key \"Corefile\""));
}

TEST_F(CoreDnsChecksTest, BothFailWhenTwoDeploymentsServeDns) {
  PutCorefile(kStrange);
  PutDeployment("one", "reg/coredns:v1.11.3");
  PutDeployment("two", "reg/coredns:v1.11.3");
  const auto findings = Run();
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[1].what, HasSubstr("one two"));
}

}  // namespace
}  // namespace upgrade
