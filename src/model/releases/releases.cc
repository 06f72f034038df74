// SPDX-License-Identifier: Apache-2.0
#include "releases/releases.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "releases/table.h"

namespace releases {
namespace {

constexpr int kMajor = 1;
constexpr int kMostKubeletMinorsBehind = 3;

// Returns whether the last row is a pre-release and applies to the version. It applies from that
// pre-release to the following X.Y.0 release. Earlier pre-releases differ from it. Later patches
// need a new row, which is added after the release.
bool IsPreview(const base::Version& version) {
  const Release& last = kReleases.back();
  return !IsPublished(last) && version.minor == last.minor && version.patch == 0 &&
         !(version < base::Version::Parse(last.version).value());
}

// Returns the first version of a row: X.Y.0 ("v1.37.0") if the row's version is a release.
std::string FirstOf(const Release& release) {
  return IsPublished(release) ? fmt::format("v{}.{}.0", kMajor, release.minor)
                              : std::string(release.version);
}

}  // namespace

const FeatureGate* Release::FindGate(std::string_view name) const {
  const auto found = std::ranges::find(gates, name, &FeatureGate::name);
  return found == gates.end() ? nullptr : &*found;
}

std::span<const Release> All() { return kReleases; }

const Release& Newest() { return kProgram; }

const Release& NewestKnown() { return kReleases.back(); }

const Release& For(const base::Version& version) {
  if (version.major != kMajor) {
    return version.major < kMajor ? kReleases.front() : kProgram;
  }
  if (IsPreview(version)) {
    return kReleases.back();
  }
  const int minor = std::clamp(version.minor, kReleases.front().minor, kProgram.minor);
  return base::RowOf(kReleases, minor, &Release::minor);
}

const Release& For(std::string_view version) {
  // ParseGeneric accepts more versions, but drops the pre-release part.
  const auto exact = base::Version::Parse(version);
  const auto parsed = exact ? exact : base::Version::ParseGeneric(version);
  return parsed ? For(*parsed) : Newest();
}

bool Covers(const base::Version& version) {
  return version.major == kMajor && For(version).minor == version.minor;
}

bool KnowsMlDsa(const base::Version& version) {
  return !(version < base::Version::Parse(OldestMlDsa()).value());
}

std::string OldestMlDsa() { return FirstOf(*std::ranges::find(kReleases, true, &Release::ml_dsa)); }

base::Version OldestSupported() { return {.major = kMajor, .minor = kReleases.front().minor}; }

base::Version OldestKubelet(const base::Version& control_plane) {
  return {.major = control_plane.major, .minor = control_plane.minor - kMostKubeletMinorsBehind};
}

std::string SupportedRange() {
  const Release& last = kReleases.back();
  return fmt::format("v{}.{} to v{}.{}{}", kMajor, kReleases.front().minor, kMajor, kProgram.minor,
                     IsPublished(last) ? ""
                                       : fmt::format(", and v{}.{}.0 from {} on", kMajor,
                                                     last.minor, last.version));
}

}  // namespace releases
