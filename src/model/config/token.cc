// SPDX-License-Identifier: Apache-2.0
#include "config/token.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "json/value.h"

namespace config {
namespace {

constexpr std::size_t kIdLength = 6;
constexpr std::size_t kSecretLength = 16;
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kGroupPrefix = "system:bootstrappers:";

bool IsLowerAlnum(char c) { return kAlphabet.find(c) != std::string_view::npos; }

std::string ListShown(const std::vector<std::string>& list) {
  return json::Compact(json::Value(list));
}

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

void ValidateUsages(const BootstrapToken& token, const std::string& path,
                    base::Problems& problems) {
  std::vector<std::string> unknown;
  for (const std::string& usage : token.usages) {
    if (usage != kUsageSigning && usage != kUsageAuthentication && !Contains(unknown, usage)) {
      unknown.push_back(usage);
    }
  }
  if (!unknown.empty()) {
    std::ranges::sort(unknown);
    problems.Add(path + ".usages",
                 base::InvalidValue(
                     ListShown(token.usages),
                     fmt::format("no usage of a bootstrap token: {}; there are {} "
                                 "and {}",
                                 base::Join(unknown, ","), kUsageSigning, kUsageAuthentication)));
  }
}

void ValidateGroups(const BootstrapToken& token, const std::string& path,
                    base::Problems& problems) {
  if (token.groups.empty()) {
    return;
  }
  if (!Contains(token.usages, kUsageAuthentication)) {
    problems.Add(path + ".groups",
                 base::InvalidValue(ListShown(token.groups),
                                    "groups make sense only with the usage \"authentication\""));
  }
  for (const std::string& group : token.groups) {
    if (!IsTokenGroup(group)) {
      problems.Add(path + ".groups",
                   base::InvalidValue(ListShown(token.groups),
                                      fmt::format("group \"{}\" must have the form "
                                                  "system:bootstrappers:[a-z0-9:-]{{0,255}}"
                                                  "[a-z0-9]",
                                                  group)));
    }
  }
}

}  // namespace

std::string NewToken(const RandomBytes& random) {
  // Skips bytes above the largest multiple of the alphabet's size, which would favour its first
  // letters.
  const std::size_t fair = 256 - 256 % kAlphabet.size();
  std::string letters;
  while (letters.size() < kIdLength + kSecretLength) {
    for (const char c : random(kIdLength + kSecretLength)) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < fair && letters.size() < kIdLength + kSecretLength) {
        letters += kAlphabet[byte % kAlphabet.size()];
      }
    }
  }
  return letters.insert(kIdLength, ".");
}

bool IsTokenId(std::string_view text) {
  return text.size() == kIdLength && std::ranges::all_of(text, IsLowerAlnum);
}

bool IsToken(std::string_view text) {
  return text.size() == kIdLength + 1 + kSecretLength && text[kIdLength] == '.' &&
         IsTokenId(text.substr(0, kIdLength)) &&
         std::ranges::all_of(text.substr(kIdLength + 1), IsLowerAlnum);
}

std::string TokenId(std::string_view token) {
  return std::string(token.substr(0, token.find('.')));
}

std::string TokenSecret(std::string_view token) {
  const auto dot = token.find('.');
  return dot == std::string_view::npos ? "" : std::string(token.substr(dot + 1));
}

bool IsTokenGroup(std::string_view text) {
  constexpr std::size_t kLongest = 256;
  if (!text.starts_with(kGroupPrefix)) {
    return false;
  }
  const std::string_view rest = text.substr(kGroupPrefix.size());
  return !rest.empty() && rest.size() <= kLongest && IsLowerAlnum(rest.back()) &&
         std::ranges::all_of(rest, [](char c) { return IsLowerAlnum(c) || c == ':' || c == '-'; });
}

bool IsCaCertHash(std::string_view text) {
  constexpr std::string_view kFormat = "sha256:";
  constexpr std::size_t kDigits = 64;
  const std::string lower = base::ToLower(text);
  return lower.starts_with(kFormat) && lower.size() == kFormat.size() + kDigits &&
         lower.find_first_not_of("0123456789abcdef", kFormat.size()) == std::string::npos;
}

void ValidateToken(const BootstrapToken& token, const std::string& path, base::Problems& problems) {
  ValidateUsages(token, path, problems);
  ValidateGroups(token, path, problems);
  if (token.ttl && token.expires) {
    problems.Add(path, base::InvalidValue("\"\"", "ttl and expires are mutually exclusive"));
  }
}

}  // namespace config
