// SPDX-License-Identifier: Apache-2.0
#include "upgrade/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

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

// The effect of --force on a finding.
enum class Weight { kMandatory, kSkippable };
Findings Complaint(Weight weight, std::string what) {
  return {{.what = std::move(what), .ignorable = weight == Weight::kSkippable}};
}

// Facts whose API server is known.
struct Known {
  const PolicyFacts& facts;
  const base::Version& wanted;
  const base::Version& server;
  const base::Version& kubeadm;
};

// A pre-release may pass with --force where a release may not.
Weight UnlessPreRelease(const base::Version& wanted) {
  return wanted.pre_release.empty() ? Weight::kMandatory : Weight::kSkippable;
}

Findings NodesAreKnown(const Known& known) {
  if (known.facts.kubelets) {
    return {};
  }
  return Complaint(Weight::kSkippable,
                   "the nodes cannot be listed, so nobody knows whether their "
                   "kubelets are new enough: " +
                       known.facts.kubelets.error());
}

Findings NotOlderThanKubeadmSupports(const Known& known) {
  if (!(known.wanted < releases::OldestSupported())) {
    return {};
  }
  return Complaint(
      Weight::kMandatory,
      fmt::format("{} is too old: this kubeadm, {}, brings control planes to {}",
                  known.wanted.TextWithV(), known.kubeadm.TextWithV(), releases::SupportedRange()));
}

Findings NotTooFarUp(const Known& known) {
  if (known.wanted.minor <= known.server.minor + kMostMinorsUp) {
    return {};
  }
  return Complaint(
      UnlessPreRelease(known.wanted),
      fmt::format("{} is more than {} minor version above the cluster's {}; upgrade to "
                  "v{}.{} first",
                  known.wanted.TextWithV(), kMostMinorsUp, known.server.TextWithV(),
                  known.server.major, known.server.minor + kMostMinorsUp));
}

Findings NotTooFarDown(const Known& known) {
  if (known.wanted.minor >= known.server.minor - kMostMinorsDown) {
    return {};
  }
  return Complaint(
      UnlessPreRelease(known.wanted),
      fmt::format("{} is more than {} minor version below the cluster's {}",
                  known.wanted.TextWithV(), kMostMinorsDown, known.server.TextWithV()));
}

// IsOfPreReleaseRow tells whether the version is of a minor that this kubeadm knows by a
// pre-release alone, without being that version itself.
bool IsOfPreReleaseRow(const base::Version& wanted) {
  return releases::NewestKnown().minor > releases::Newest().minor && releases::Covers(wanted) &&
         wanted.minor == releases::NewestKnown().minor;
}

Findings IsNewerThanPreReleaseRow(const Known& known) {
  const base::Version last = base::Version::Parse(releases::NewestKnown().version).value();
  if (!(last < known.wanted)) {
    return {};
  }
  return Complaint(Weight::kSkippable,
                   fmt::format("{} is newer than {}, the newest version of that minor that this "
                               "kubeadm was tested against; install a newer kubeadm first",
                               known.wanted.TextWithV(), last.TextWithV()));
}

Findings KubeadmIsNewEnough(const Known& known) {
  if (IsOfPreReleaseRow(known.wanted)) {
    return IsNewerThanPreReleaseRow(known);
  }
  if (!(known.kubeadm < known.wanted)) {
    return {};
  }
  if (known.wanted.minor > known.kubeadm.minor) {
    return Complaint(UnlessPreRelease(known.wanted),
                     fmt::format("{} belongs to a newer minor version than this kubeadm, {}; "
                                 "install kubeadm of v{}.{} first",
                                 known.wanted.TextWithV(), known.kubeadm.TextWithV(),
                                 known.wanted.major, known.wanted.minor));
  }
  return Complaint(
      Weight::kSkippable,
      fmt::format("{} is newer than this kubeadm, {}; install kubeadm {} first",
                  known.wanted.TextWithV(), known.kubeadm.TextWithV(), known.wanted.TextWithV()));
}

Findings IsReleaseOrAllowed(const Known& known) {
  const std::string& pre = known.wanted.pre_release;
  const Unstable& allowed = known.facts.allowed;
  const bool candidate = pre.starts_with("rc");
  if (pre.empty() || allowed.experimental || (candidate && allowed.release_candidates)) {
    return {};
  }
  return Complaint(Weight::kSkippable,
                   fmt::format("{} is not a release; allow it with {}", known.wanted.TextWithV(),
                               candidate ? "--allow-release-candidate-upgrades or "
                                           "--allow-experimental-upgrades"
                                         : "--allow-experimental-upgrades"));
}

bool IsTooOld(const NodeVersion& kubelet, const base::Version& wanted) {
  const auto version = base::Version::ParseGeneric(kubelet.version);
  return version && *version < releases::OldestKubelet(wanted);
}

Findings KubeletsAreNewEnough(const Known& known) {
  std::vector<std::string> old;
  for (const NodeVersion& kubelet : known.facts.kubelets.value_or(std::vector<NodeVersion>{})) {
    if (IsTooOld(kubelet, known.wanted)) {
      old.push_back(kubelet.node + " (" + kubelet.version + ")");
    }
  }
  if (old.empty()) {
    return {};
  }
  return Complaint(
      Weight::kSkippable,
      fmt::format("these kubelets are more than {} minor versions behind {}; upgrade "
                  "them first: {}",
                  kMostKubeletMinorsBehind, known.wanted.TextWithV(), base::Join(old, ", ")));
}

using Rule = Findings (*)(const Known&);
constexpr Rule kRules[] = {NodesAreKnown,       NotOlderThanKubeadmSupports, NotTooFarUp,
                           NotTooFarDown,       KubeadmIsNewEnough,          IsReleaseOrAllowed,
                           KubeletsAreNewEnough};

}  // namespace

Findings JudgeVersion(const PolicyFacts& facts) {
  if (!facts.api_server) {
    return Complaint(Weight::kMandatory, "the version of the API server cannot be learned: " +
                                             facts.api_server.error());
  }
  const Known known{facts, facts.wanted, *facts.api_server, facts.kubeadm};
  Findings findings;
  for (const Rule rule : kRules) {
    checks::Append(findings, rule(known));
  }
  return findings;
}

base::Version ApiServerVersion(kube::Client& client) {
  const std::string body = client.GetPath("/version");
  const std::string text = json::TextAt(json::Parse(body), {"gitVersion"});
  const auto version = base::Version::ParseGeneric(text);
  if (!version) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("the API server says that its version is {}, which cannot be read",
                    base::Quoted(text)));
  }
  return *version;
}

std::vector<NodeVersion> Kubelets(kube::Client& client) {
  std::vector<NodeVersion> all;
  for (const json::Value& node : client.List(kube::resources::kNode, "")) {
    all.push_back({.node = json::TextAt(node, {"metadata", "name"}),
                   .version = json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"})});
  }
  std::ranges::sort(all, {}, &NodeVersion::node);
  return all;
}

PolicyFacts GatherPolicyFacts(kube::Client& client, const base::Version& wanted,
                              const Unstable& allowed) {
  PolicyFacts facts{.wanted = wanted,
                    .api_server = std::unexpected(std::string()),
                    .kubeadm = config::KubeadmVersion(),
                    .kubelets = std::unexpected(std::string()),
                    .allowed = allowed};
  try {
    facts.api_server = ApiServerVersion(client);
  } catch (const base::Error& error) {
    facts.api_server = std::unexpected(error.message());
  }
  try {
    facts.kubelets = Kubelets(client);
  } catch (const base::Error& error) {
    facts.kubelets = std::unexpected(error.message());
  }
  return facts;
}

Findings Ignorable(const Findings& findings) {
  Findings ignorable;
  std::ranges::copy_if(findings, std::back_inserter(ignorable), &checks::Finding::ignorable);
  return ignorable;
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
        fmt::format("this cluster should not be upgraded to {}; --force does it all the same:\n{}",
                    base::Quoted(version), ListComplaints(findings)));
  }
}

}  // namespace upgrade
