// SPDX-License-Identifier: Apache-2.0
#include "backup/retention.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

namespace backup {
namespace {

constexpr std::string_view kEnding = ".tar.zst";
constexpr std::string_view kEncrypted = ".age";
constexpr std::size_t kTimeLength = std::string_view("20261129T073608Z").size();

}  // namespace

std::optional<std::chrono::sys_seconds> TimeInName(std::string_view name) {
  if (name.ends_with(kEncrypted)) {
    name.remove_suffix(kEncrypted.size());
  }
  if (!name.starts_with("kubeadm-") || !name.ends_with(kEnding) ||
      name.size() < kTimeLength + kEnding.size()) {
    return std::nullopt;
  }
  name.remove_suffix(kEnding.size());
  std::chrono::sys_seconds time;
  std::istringstream text(std::string(name.substr(name.size() - kTimeLength)));
  text >> std::chrono::parse("%Y%m%dT%H%M%SZ", time);
  return text.fail() ? std::nullopt : std::optional(time);
}

std::optional<std::chrono::sys_seconds> TimeInName(std::string_view name, std::string_view node) {
  return TimeInName(name).and_then([&](std::chrono::sys_seconds time) {
    const std::string expected = fmt::format("kubeadm-{}-{:%Y%m%dT%H%M%SZ}{}", node, time, kEnding);
    const bool same = name == expected || name == expected + std::string(kEncrypted);
    return same ? std::optional(time) : std::nullopt;
  });
}

std::vector<std::string> ChooseExpired(const std::vector<std::string>& names, std::string_view node,
                                       const Retention& retention, std::chrono::sys_seconds now) {
  std::vector<std::pair<std::chrono::sys_seconds, std::string>> backups;
  for (const std::string& name : names) {
    if (const auto time = TimeInName(name, node); time && *time <= now) {
      backups.emplace_back(*time, name);
    }
  }
  std::ranges::sort(backups, std::greater());
  std::vector<std::string> expired;
  for (std::size_t i = 1; i < backups.size(); ++i) {
    const auto& [time, name] = backups[i];
    const bool surplus = std::cmp_greater_equal(i, retention.count);
    if (surplus || (retention.within && now - time > *retention.within)) {
      expired.push_back(name);
    }
  }
  return expired;
}

}  // namespace backup
