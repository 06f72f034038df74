// SPDX-License-Identifier: Apache-2.0
// Versions of Kubernetes components: semantic versions (semver.org 2.0.0), with or without "v".
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// Version is "major.minor.patch[-pre_release][+build]".
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  std::string pre_release;  // "alpha.1", "rc.0"; empty for a release
  std::string build;        // never compared

  // Parses "[v]X.Y.Z[-pre][+build]". Returns std::nullopt for any other string.
  static std::optional<Version> Parse(std::string_view text);
  // Accepts the input of Parse, a prefix such as "v1.36", and text after X.Y.Z, as in the versions
  // of kernels and runtimes.
  static std::optional<Version> ParseGeneric(std::string_view text);

  std::string Text() const;  // "1.36.3-rc.0+build"
  std::string TextWithV() const { return "v" + Text(); }

  Version WithoutPreRelease() const { return {major, minor, patch, "", ""}; }
};

// Order by precedence as semver §11: a pre-release comes before its release.
std::strong_ordering operator<=>(const Version& a, const Version& b);
bool operator==(const Version& a, const Version& b);

}  // namespace base
