// SPDX-License-Identifier: Apache-2.0
#include "upgrade/offers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "config/version.h"

namespace upgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

base::Version V(std::string_view text) { return base::Version::Parse(text).value(); }

// A row: the published versions, and the expected offers as "description version kubeadm".
struct Row {
  std::string name;
  std::string cluster = "v1.35.4";
  Unstable allowed = {};
  Published published = {};
  std::vector<std::string> offers = {};
};

class OffersOf : public testing::TestWithParam<Row> {};

TEST_P(OffersOf, OffersThePublishedVersions) {
  const Row& row = GetParam();
  std::vector<std::string> found;
  const OfferRequest request{
      .cluster = V(row.cluster), .kubeadm = V("v1.36.3"), .allowed = row.allowed};
  for (const Offer& offer : Offers(request, row.published)) {
    found.push_back(offer.description + " " + offer.version + " " + offer.kubeadm);
  }
  EXPECT_EQ(found, row.offers);
}

constexpr Unstable kAny{.experimental = true, .release_candidates = true};

const Row kRows[] = {
    {.name = "PatchAndStable",
     .published = {.stable = "v1.36.3", .patch = "v1.35.7"},
     .offers = {"version in the v1.35 series v1.35.7 v1.36.3", "stable version v1.36.3 v1.36.3"}},
    {.name = "NewestPatchAlready",
     .published = {.stable = "v1.36.5", .patch = "v1.35.4"},
     .offers = {"stable version v1.36.5 v1.36.5"}},
    {.name = "NothingNewer",
     .cluster = "v1.36.3",
     .published = {.stable = "v1.36.3", .patch = "v1.36.3"}},
    {.name = "Older", .published = {.stable = "v1.30.2", .patch = "v1.30.2"}},
    {.name = "PatchNewerThanKubeadm",
     .cluster = "v1.36.3",
     .published = {.stable = "v1.36.9", .patch = "v1.36.9"},
     .offers = {"version in the v1.36 series v1.36.9 v1.36.9"}},
    {.name = "OneVersionForAll",
     .published = {.stable = "v1.36.3", .patch = "v1.36.3"},
     .offers = {"version in the v1.35 series v1.36.3 v1.36.3"}},
    {.name = "NothingKnown", .published = {}, .offers = {"stable version v1.36.3 v1.36.3"}},
    {.name = "UnstableOnlyWhenAllowed",
     .published = {.stable = "v1.35.4",
                   .patch = "v1.35.4",
                   .latest = "v1.37.0-alpha.2",
                   .previous = "v1.36.0-rc.1"}},
    {.name = "CandidateAndExperimental",
     .allowed = kAny,
     .published = {.stable = "v1.35.4",
                   .patch = "v1.35.4",
                   .latest = "v1.37.0-alpha.2",
                   .previous = "v1.36.0-rc.1"},
     .offers = {"release candidate version v1.36.0-rc.1 v1.36.0-rc.1",
                "experimental version v1.37.0-alpha.2 v1.37.0-alpha.2"}},
    {.name = "FirstAlphaIsEmpty",
     .allowed = {.experimental = true},
     .published = {.stable = "v1.35.4",
                   .patch = "v1.35.4",
                   .latest = "v1.37.0-alpha.0",
                   .previous = "v1.36.0-beta.1"},
     .offers = {"experimental version v1.36.0-beta.1 v1.36.0-beta.1"}},
    {.name = "PreviousIsNoCandidate",
     .allowed = {.release_candidates = true},
     .published = {.stable = "v1.35.4",
                   .patch = "v1.35.4",
                   .latest = "v1.37.0-alpha.2",
                   .previous = "v1.36.0"}},
};

INSTANTIATE_TEST_SUITE_P(Rules, OffersOf, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

// Answers by label; other labels fail. Counts calls.
struct FakeSite {
  std::map<std::string, std::string> labels;
  std::vector<std::string> asked = {};
  config::Fetch Fetch() {
    return [this](const std::string& url) {
      const std::string label = url.substr(url.rfind('/') + 1, url.rfind('.') - url.rfind('/') - 1);
      asked.push_back(label);
      if (!labels.contains(label)) {
        throw base::Error(base::Error::Kind::kUnavailable, "no route");
      }
      return labels[label];
    };
  }
};

const OfferRequest kRequest{.cluster = V("v1.35.4"), .kubeadm = V("v1.36.3")};

TEST(Publications, AreTheVersionsOfThePublishedLabels) {
  FakeSite site{.labels = {{"stable", "v1.36.1"}, {"stable-1.35", "v1.35.8"}}};
  const Published published = FindPublished(kRequest, site.Fetch());
  EXPECT_EQ(published.stable, "v1.36.1");
  EXPECT_EQ(published.patch, "v1.35.8");
  EXPECT_EQ(published.latest, std::nullopt);
  EXPECT_THAT(published.warnings, IsEmpty());
}

TEST(Publications, UnstableVersionsFollowTheLatest) {
  FakeSite site{.labels = {{"stable", "v1.36.1"},
                           {"stable-1.35", "v1.35.8"},
                           {"latest", "v1.36.4-rc.0"},
                           {"latest-1.35", "v1.35.9-rc.0"}}};
  OfferRequest request = kRequest;
  request.allowed = kAny;
  const Published published = FindPublished(request, site.Fetch());
  EXPECT_EQ(published.latest, "v1.36.4-rc.0");
  EXPECT_EQ(published.previous, "v1.35.9-rc.0");
}

TEST(Publications, FallBackToThisKubeadmsAfterOneAttempt) {
  FakeSite site{.labels = {}};
  OfferRequest request = kRequest;
  request.allowed = kAny;
  const Published published = FindPublished(request, site.Fetch());
  EXPECT_EQ(published.stable, "v1.36.3");
  EXPECT_EQ(published.patch, "v1.36.3");
  EXPECT_EQ(published.previous, "v1.36.3");
  EXPECT_THAT(site.asked, ElementsAre("stable"));
}

TEST(Publications, AGivenVersionNeedsNoNetwork) {
  FakeSite site{.labels = {}};
  OfferRequest request = kRequest;
  request.wanted = "1.36.2";
  const Published published = FindPublished(request, site.Fetch());
  EXPECT_EQ(published.stable, "1.36.2");
  EXPECT_EQ(published.patch, "1.36.2");
  EXPECT_THAT(site.asked, IsEmpty());
}

TEST(Publications, ReportsInvalidVersions) {
  FakeSite site{.labels = {}};
  OfferRequest request = kRequest;
  request.wanted = "newest";
  const Published published = FindPublished(request, site.Fetch());
  EXPECT_EQ(published.stable, std::nullopt);
  EXPECT_EQ(published.patch, std::nullopt);
  EXPECT_THAT(published.warnings, ElementsAre(HasSubstr("\"newest\""), HasSubstr("v1.36.3"),
                                              HasSubstr("the v1.35 series")));
}

TEST(Offer, TellsWhichFlagItNeeds) {
  const OfferRequest request{.cluster = V("v1.35.4"), .kubeadm = V("v1.36.3")};
  const auto needs = [&](const std::string& version) {
    return Offers(request, {.stable = version, .patch = version}).at(0).needs;
  };
  EXPECT_TRUE(needs("v1.36.4-rc.0").release_candidates);
  EXPECT_TRUE(needs("v1.36.4-beta.1").experimental);
  EXPECT_FALSE(needs("v1.36.4").experimental || needs("v1.36.4").release_candidates);
}

control_plane::Running TwoNodes() {
  return {.cluster = V("v1.35.4"),
          .kubelets = {{"b", "v1.34.1"}, {"a", "v1.35.4"}},
          .static_pods = {{"kube-apiserver", {{"a", "v1.35.3"}, {"b", "v1.35.4"}}},
                          {"kube-scheduler", {{"a", "v1.35.4"}}},
                          {"etcd", {{"a", "3.6.5-0"}}}},
          .core_dns = "v1.11.3"};
}

std::vector<std::string> Texts(const std::vector<ComponentUpgrade>& rows) {
  std::vector<std::string> texts;
  for (const ComponentUpgrade& row : rows) {
    texts.push_back(row.name + "|" + row.node + "|" + row.current + "|" + row.target);
  }
  return texts;
}

TEST(Components, HaveAFixedOrderInAnOffer) {
  const Offer offer{.description = "", .version = "v1.36.3", .kubeadm = "v1.36.3"};
  EXPECT_THAT(Texts(ComponentUpgrades(offer, TwoNodes(), "v1.36.0", EtcdUpgrade::kYes)),
              ElementsAre("kubelet|b|v1.34.1|v1.36.3", "kubelet|a|v1.35.4|v1.36.3",
                          "kube-apiserver|a|v1.35.3|v1.36.3", "kube-apiserver|b|v1.35.4|v1.36.3",
                          "kube-scheduler|a|v1.35.4|v1.36.3", "kube-proxy||1.35.4|v1.36.3",
                          "CoreDNS||v1.11.3|v1.14.2", "kubeadm||v1.36.0|v1.36.3",
                          "etcd|a|3.6.5-0|3.6.8-0"));
}

TEST(Components, OmitEtcdOnRequestAndKubeletsOfTheTargetVersion) {
  const Offer offer{.description = "", .version = "v1.36.3", .kubeadm = "v1.36.3"};
  control_plane::Running running = TwoNodes();
  running.kubelets = {{"a", "v1.36.3"}, {"b", "v1.36.3"}};
  const auto rows = ComponentUpgrades(offer, running, "v1.36.3", EtcdUpgrade::kNo);
  EXPECT_EQ(rows.front().name, "kube-apiserver");
  EXPECT_EQ(rows.back().name, "kubeadm");
}

TEST(Components, ShowAllKubeletsWhenOneIsBehind) {
  const Offer offer{.description = "", .version = "v1.36.3", .kubeadm = "v1.36.3"};
  control_plane::Running running = TwoNodes();
  running.kubelets = {{"a", "v1.35.4"}, {"b", "v1.36.3"}};
  const auto rows = ComponentUpgrades(offer, running, "v1.36.3", EtcdUpgrade::kNo);
  EXPECT_EQ(rows[1].name, "kubelet");
  EXPECT_EQ(rows[1].current, "v1.36.3");
}

}  // namespace
}  // namespace upgrade
