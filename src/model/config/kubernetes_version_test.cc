// SPDX-License-Identifier: Apache-2.0
#include "config/kubernetes_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "config/version.h"

namespace config {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Returns a fetch function with fixed answers.
Fetch Server(const std::map<std::string, std::string>& bodies) {
  return [bodies](const std::string& url) {
    const auto found = bodies.find(url);
    if (found == bodies.end()) {
      throw base::Error("404 for " + url);
    }
    return found->second;
  };
}

TEST(KubernetesVersion, KeepsVersionsUnchanged) {
  struct Case {
    std::string text, version, ci_version;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"v1.36.3", "v1.36.3", ""},
           {"1.36.0", "v1.36.0", ""},
           {"v1.36.2+vendor.1", "v1.36.2+vendor.1", ""},
           {"release/v1.36.0", "v1.36.0", ""},
           {"ci/v1.37.0-alpha.0.12+0a", "v1.37.0-alpha.0.12+0a", "ci/v1.37.0-alpha.0.12+0a"}}) {
    const ResolvedVersion got = ResolveVersion(c.text, Server({}), KubeadmVersion());
    EXPECT_EQ(got.version, c.version) << c.text;
    EXPECT_EQ(got.ci_version, c.ci_version) << c.text;
  }
}

TEST(KubernetesVersion, ResolvesLabelsFromTheNetwork) {
  const Fetch server =
      Server({{"https://dl.k8s.io/release/stable-1.36.txt", "v1.36.9\n"},
              {"https://storage.googleapis.com/k8s-release-dev/ci/latest.txt", "v1.39.0-alpha.1"}});
  EXPECT_EQ(ResolveVersion("stable-1.36", server, KubeadmVersion()).version, "v1.36.9");
  EXPECT_EQ(ResolveVersion("release/stable-1.36", server, KubeadmVersion()).version, "v1.36.9");
  EXPECT_EQ(ResolveVersion("ci/latest", server, KubeadmVersion()).ci_version, "ci/v1.39.0-alpha.1");
}

TEST(KubernetesVersion, StaysWithinItsOwnMinorVersion) {
  const Fetch server = Server({{"https://dl.k8s.io/release/stable-1.txt", "v1.99.0"},
                               {"https://dl.k8s.io/release/stable-1.37.txt", "v1.37.9"}});
  EXPECT_EQ(ResolveVersion("stable-1", server, KubeadmVersion()).version, "v1.37.9");
  const Fetch liar = [](const std::string&) { return std::string("v1.99.0"); };
  EXPECT_EQ(ResolveVersion("stable-1", liar, KubeadmVersion()).version,
            KubeadmVersion().TextWithV());
}

TEST(KubernetesVersion, FallsBackToAPublishedVersion) {
  struct Case {
    std::string kubeadm, want;
  };
  for (const Case& c : std::initializer_list<Case>{{"v1.36.3", "v1.36.3"},
                                                   {"v1.36.3+dirty", "v1.36.3"},
                                                   {"v1.36.4-beta.0", "v1.36.3"},
                                                   {"v1.37.0-alpha", "v1.37.0-alpha.0"},
                                                   {"v1.37.0-alpha.1.12+x", "v1.37.0-alpha.1"},
                                                   {"v1.37.0-rc.0", "v1.37.0-rc.0"}}) {
    EXPECT_EQ(ResolveVersion("stable-1", Server({}), *base::Version::Parse(c.kubeadm)).version,
              c.want)
        << c.kubeadm;
  }
}

TEST(KubernetesVersion, FallsBackAfterAnInvalidAnswer) {
  const Fetch server = Server({{"https://dl.k8s.io/release/stable.txt", "<html>"}});
  EXPECT_EQ(ResolveVersion("stable", server, KubeadmVersion()).version, kKubeadmVersion);
}

TEST(KubernetesVersion, RefusesOtherStrings) {
  for (const std::string text : {"newest", "v1.36", "v1.036.0", "stable-1.370", "stable-0",
                                 "foo/v1.36.0", " v1.36.0", "", "ci/", "latest-1.0", "stable-"}) {
    EXPECT_THAT(base::MessageOf([&] { ResolveVersion(text, Server({}), KubeadmVersion()); }),
                HasSubstr("version"))
        << text;
  }
}

TEST(KubernetesVersion, MustBeASupportedVersion) {
  for (const std::string version : {"v1.34.0", "v1.36.3", "v1.38.0-rc.1", "v2.0.0"}) {
    EXPECT_EQ(base::MessageOf([&] { CheckControlPlaneVersion(version); }), "") << version;
  }
  for (const std::string version : {"v1.33.99", "v1.34.0-rc.1"}) {
    EXPECT_THAT(base::MessageOf([&] { CheckControlPlaneVersion(version); }),
                AllOf(HasSubstr(version), HasSubstr("v1.34 to v1.37")));
  }
  EXPECT_NE(base::MessageOf([&] { CheckControlPlaneVersion("v1.36.3-rc.1.2_3"); }), "");
}

}  // namespace
}  // namespace config
