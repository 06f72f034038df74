// SPDX-License-Identifier: Apache-2.0
#include "releases/releases.h"

#include <fmt/format.h>

#include <algorithm>

#include "releases/table.h"

namespace releases {
namespace {

constexpr int kMajor = 1;
constexpr int kMostKubeletMinorsBehind = 3;

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
    return version.major < kMajor ? kReleases.front() : kReleases.back();
  }
  const int minor = std::clamp(version.minor, kReleases.front().minor, kReleases.back().minor);
  return *std::ranges::find(kReleases, minor, &Release::minor);
}

const Release& For(std::string_view version) {
  const auto parsed = base::Version::ParseGeneric(version);
  return parsed ? For(*parsed) : Newest();
}

bool Covers(const base::Version& version) {
  return version.major == kMajor && For(version).minor == version.minor;
}

base::Version OldestSupported() { return {.major = kMajor, .minor = kReleases.front().minor}; }

base::Version OldestKubelet(const base::Version& control_plane) {
  return {.major = control_plane.major, .minor = control_plane.minor - kMostKubeletMinorsBehind};
}

std::string SupportedRange() {
  return fmt::format("v{}.{} to v{}.{}", kMajor, kReleases.front().minor, kMajor,
                     kReleases.back().minor);
}

}  // namespace releases
