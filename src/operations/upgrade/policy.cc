// SPDX-License-Identifier: Apache-2.0
#include "upgrade/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "config/version.h"
#include "json/value.h"
#include "releases/releases.h"

namespace upgrade {
namespace {

constexpr int kMostMinorsUp = 1;
constexpr int kMostMinorsDown = 1;
constexpr int kMostKubeletMinorsBehind = 3;

using checks::Findings;

std::vector<std::string> TooOld(const std::vector<control_plane::NodeVersion>& kubelets,
                                const base::Version& wanted) {
  std::vector<std::string> old;
  for (const control_plane::NodeVersion& kubelet : kubelets) {
    const auto version = base::Version::ParseGeneric(kubelet.version);
    if (version && *version < releases::OldestKubelet(wanted)) {
      old.push_back(kubelet.node + " (" + kubelet.version + ")");
    }
  }
  return old;
}

// Returns whether this kubeadm knows only pre-releases of the version's minor version.
bool IsOfPreReleaseRow(const base::Version& wanted) {
  return releases::NewestKnown().minor > releases::Newest().minor && releases::Covers(wanted) &&
         wanted.minor == releases::NewestKnown().minor;
}

// Returns the flags that allow this pre-release and are missing; "" if none is missing.
std::string MissingFlags(const std::string& pre_release, const Unstable& allowed) {
  const bool candidate = pre_release.starts_with("rc");
  if (pre_release.empty() || allowed.experimental || (candidate && allowed.release_candidates)) {
    return "";
  }
  return candidate ? "--allow-release-candidate-upgrades or --allow-experimental-upgrades"
                   : "--allow-experimental-upgrades";
}

// Judges the versions without further facts. For a pre-release, --force overrides some findings
// that it does not override for a release.
Findings JudgeVersions(const base::Version& wanted, const base::Version& server,
                       const base::Version& kubeadm) {
  const bool pre_release = !wanted.pre_release.empty();
  const std::string name = wanted.TextWithV();
  Findings findings;
  const auto refuse = [&](bool ignorable, std::string what) {
    findings.push_back({.what = std::move(what), .ignorable = ignorable});
  };
  if (wanted < releases::OldestSupported()) {
    refuse(false, fmt::format("{} is too old: this kubeadm, {}, brings control planes to {}", name,
                              kubeadm.TextWithV(), releases::SupportedRange()));
  }
  if (wanted.minor > server.minor + kMostMinorsUp) {
    refuse(pre_release,
           fmt::format("{} is more than {} minor version above the cluster's {}; upgrade to v{}.{} "
                       "first",
                       name, kMostMinorsUp, server.TextWithV(), server.major,
                       server.minor + kMostMinorsUp));
  }
  if (wanted.minor < server.minor - kMostMinorsDown) {
    refuse(pre_release, fmt::format("{} is more than {} minor version below the cluster's {}", name,
                                    kMostMinorsDown, server.TextWithV()));
  }
  const auto last = base::Version::Parse(releases::NewestKnown().version).value();
  if (IsOfPreReleaseRow(wanted)) {
    if (last < wanted) {
      refuse(true, fmt::format("{} is newer than {}, the newest version of that minor that this "
                               "kubeadm was tested against; install a newer kubeadm first",
                               name, last.TextWithV()));
    }
  } else if (kubeadm < wanted && wanted.minor > kubeadm.minor) {
    refuse(pre_release,
           fmt::format("{} belongs to a newer minor version than this kubeadm, {}; install kubeadm "
                       "of v{}.{} first",
                       name, kubeadm.TextWithV(), wanted.major, wanted.minor));
  } else if (kubeadm < wanted) {
    refuse(true, fmt::format("{} is newer than this kubeadm, {}; install kubeadm {} first", name,
                             kubeadm.TextWithV(), name));
  }
  return findings;
}

}  // namespace

Findings JudgeVersion(const PolicyFacts& facts) {
  if (!facts.api_server) {
    return {
        {.what = "the version of the API server cannot be learned: " + facts.api_server.error()}};
  }
  Findings findings;
  if (!facts.kubelets) {
    findings.push_back(
        checks::Refuse("the nodes cannot be listed, so it is unknown whether their kubelets are "
                       "new enough: " +
                       facts.kubelets.error()));
  }
  checks::Append(findings, JudgeVersions(facts.wanted, *facts.api_server, facts.kubeadm));
  if (const auto flags = MissingFlags(facts.wanted.pre_release, facts.allowed); !flags.empty()) {
    findings.push_back(checks::Refuse(
        fmt::format("{} is not a release; allow it with {}", facts.wanted.TextWithV(), flags)));
  }
  const auto old =
      TooOld(facts.kubelets.value_or(std::vector<control_plane::NodeVersion>{}), facts.wanted);
  if (!old.empty()) {
    findings.push_back(checks::Refuse(fmt::format(
        "these kubelets are more than {} minor versions behind {}; upgrade them first: {}",
        kMostKubeletMinorsBehind, facts.wanted.TextWithV(), base::Join(old, ", "))));
  }
  return findings;
}

PolicyFacts CollectPolicyFacts(kube::Client& client, const base::Version& wanted,
                               const Unstable& allowed) {
  PolicyFacts facts{.wanted = wanted,
                    .api_server = std::unexpected(std::string()),
                    .kubeadm = config::KubeadmVersion(),
                    .kubelets = std::unexpected(std::string()),
                    .allowed = allowed};
  try {
    facts.api_server = control_plane::CollectApiServerVersion(client);
  } catch (const base::Error& error) {
    facts.api_server = std::unexpected(error.message());
  }
  try {
    facts.kubelets = control_plane::CollectKubeletVersions(client);
  } catch (const base::Error& error) {
    facts.kubelets = std::unexpected(error.message());
  }
  return facts;
}

std::string ListComplaints(const Findings& findings) {
  std::string text;
  for (const checks::Finding& finding : findings) {
    text += fmt::format("\t- {}\n", finding.what);
  }
  return text;
}

void RequireAllowed(const Findings& findings, const std::string& version, Force force) {
  Findings mandatory = findings;
  std::erase_if(mandatory, &checks::Finding::ignorable);
  if (!mandatory.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("this cluster cannot be upgraded to {}:\n{}",
                                  base::Quoted(version), ListComplaints(mandatory)));
  }
  if (!findings.empty() && force == Force::kNo) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("this cluster should not be upgraded to {}; --force upgrades it anyway:\n{}",
                    base::Quoted(version), ListComplaints(findings)));
  }
}

}  // namespace upgrade
