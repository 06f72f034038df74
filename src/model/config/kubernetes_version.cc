// SPDX-License-Identifier: Apache-2.0
#include "config/kubernetes_version.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "releases/releases.h"

namespace config {
namespace {

constexpr std::string_view kReleaseUrl = "https://dl.k8s.io/release";
constexpr std::string_view kCiUrl = "https://storage.googleapis.com/k8s-release-dev/ci";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsPositiveDigit(char c) { return c >= '1' && c <= '9'; }

// [-\w.+], the characters after the patch number or in a label.
bool IsVersionCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == '+';
}

// EatNumber removes a decimal number without leading zeros from the front.
bool EatNumber(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, IsDigit);
  const auto length = static_cast<std::size_t>(end - text.begin());
  if (length == 0 || (length > 1 && text[0] == '0')) {
    return false;
  }
  text.remove_prefix(length);
  return true;
}

bool Eat(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// IsVersion: ^v?N.N.N[-\w.+]*$
bool IsVersion(std::string_view text) {
  Eat(text, "v");
  return EatNumber(text) && Eat(text, ".") && EatNumber(text) && Eat(text, ".") &&
         EatNumber(text) && std::ranges::all_of(text, IsVersionCharacter);
}

// IsLabel: ^(latest|stable)+(-[1-9](\.[1-9]\d?)?)?$
bool IsLabel(std::string_view text) {
  bool word = false;
  while (Eat(text, "latest") || Eat(text, "stable")) {
    word = true;
  }
  if (!word || text.empty()) {
    return word;
  }
  if (text.size() < 2 || text[0] != '-' || !IsPositiveDigit(text[1])) {
    return false;
  }
  const std::string_view minor = text.substr(2);
  return minor.empty() || (minor[0] == '.' && minor.size() >= 2 && minor.size() <= 3 &&
                           IsPositiveDigit(minor[1]) && (minor.size() == 2 || IsDigit(minor[2])));
}

std::string WithV(std::string_view version) {
  return version.starts_with('v') ? std::string(version) : "v" + std::string(version);
}

base::Error Invalid(std::string message) {
  return base::Error(base::Error::Kind::kInvalid, std::move(message));
}

// Returns the newest version that is certainly published. A pre-release of kubeadm may be used
// before the images of the same version exist.
std::string FallbackVersion(const base::Version& kubeadm) {
  if (kubeadm.pre_release.empty()) {
    return kubeadm.WithoutPreRelease().TextWithV();
  }
  if (kubeadm.patch > 0) {
    base::Version previous = kubeadm.WithoutPreRelease();
    --previous.patch;
    return previous.TextWithV();
  }
  const auto parts = base::Split(kubeadm.pre_release, '.');
  return fmt::format("{}-{}.{}", kubeadm.WithoutPreRelease().TextWithV(), parts[0],
                     parts.size() > 1 ? parts[1] : "0");
}

// The location at which the labels of one kind of build are published.
struct Source {
  std::string_view url;
  std::string label;
};

std::optional<std::string> FetchLabel(const Source& source, const Fetch& fetch) {
  try {
    const std::string url = fmt::format("{}/{}.txt", source.url, source.label);
    const std::string body = fetch(url);
    return std::string(base::Trim(body));
  } catch (const base::Error& error) {
    base::LogWarning("could not fetch a Kubernetes version from the internet: {}", error.message());
    return std::nullopt;
  }
}

bool IsNewerMinor(const base::Version& remote, const base::Version& kubeadm) {
  return remote.major != kubeadm.major ? remote.major > kubeadm.major
                                       : remote.minor > kubeadm.minor;
}

std::string ResolveLabel(const Source& source, const Fetch& fetch, const base::Version& kubeadm) {
  const std::optional<std::string> body = FetchLabel(source, fetch);
  const auto remote = body ? base::Version::Parse(*body) : std::nullopt;
  if (!remote) {
    if (body) {
      base::LogWarning("{} does not name a version: {}", source.label, base::Quoted(*body));
    }
    const std::string own = FallbackVersion(kubeadm);
    base::LogWarning("falling back to the local client version: {}", own);
    return own;
  }
  const std::string own_label = fmt::format("stable-{}.{}", kubeadm.major, kubeadm.minor);
  const bool newer = source.url == kReleaseUrl && IsNewerMinor(*remote, kubeadm);
  if (newer && source.label == own_label) {
    const std::string own = FallbackVersion(kubeadm);
    base::LogWarning(
        "{} names {}, which is not of that minor; falling back to the local client version: {}",
        own_label, *body, own);
    return own;
  }
  if (newer) {
    base::LogInfo(0, "remote version is much newer: {}; falling back to: {}", *body, own_label);
    return ResolveLabel({.url = kReleaseUrl, .label = own_label}, fetch, kubeadm);
  }
  return WithV(*body);
}

}  // namespace

ResolvedVersion ResolveVersion(const std::string& text, const Fetch& fetch,
                               const base::Version& kubeadm) {
  std::string_view rest = text;
  const bool ci = Eat(rest, "ci/");
  if (!ci) {
    Eat(rest, "release/");
  }
  if (rest.empty() || !std::ranges::all_of(rest, IsVersionCharacter)) {
    throw Invalid(fmt::format("invalid version {}", base::Quoted(text)));
  }
  std::string version;
  if (IsVersion(rest)) {
    version = WithV(rest);
  } else if (IsLabel(rest)) {
    version = ResolveLabel({.url = ci ? kCiUrl : kReleaseUrl, .label = std::string(rest)}, fetch,
                           kubeadm);
  } else {
    throw Invalid(fmt::format(
        "version {} is neither a semantic version nor a label such as stable or latest-1.{}",
        base::Quoted(text), releases::Newest().minor));
  }
  return {.version = version, .ci_version = ci ? "ci/" + version : ""};
}

void CheckControlPlaneVersion(const std::string& version) {
  const auto parsed = base::Version::Parse(version);
  if (!parsed) {
    throw Invalid(fmt::format("cannot read the Kubernetes version {}", base::Quoted(version)));
  }
  if (*parsed < releases::OldestSupported()) {
    throw Invalid(
        fmt::format("{} is too old: this kubeadm deploys control planes of {}; choose one of them "
                    "(--kubernetes-version, or kubernetesVersion in the configuration)",
                    version, releases::SupportedRange()));
  }
}

}  // namespace config
