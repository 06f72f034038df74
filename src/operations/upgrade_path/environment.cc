// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/environment.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/strings.h"
#include "json/value.h"

namespace upgrade_path {
namespace {

constexpr std::string_view kGodebug = "GODEBUG";
constexpr std::string_view kUser = "kubelet";

void Add(std::vector<Setting>& settings, std::vector<Setting> more) {
  std::ranges::move(more, std::back_inserter(settings));
}

template <typename Envs>
void AddEnvs(std::vector<Setting>& settings, const std::string& where, const Envs& envs) {
  for (const json::Value& env : envs) {
    if (json::TextAt(env, {"name"}) == kGodebug) {
      Add(settings, GodebugOf(where, json::TextAt(env, {"value"})));
    }
  }
}

std::optional<std::uint64_t> NumberOf(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

// Returns the user ID of user kubelet (passwd(5)); std::nullopt without such a user.
std::optional<std::string> UidOfUser(const host::Files& files) {
  constexpr std::size_t kUid = 2;  // "kubelet:x:997:…"
  for (const std::string& line : base::Lines(files.Find("/etc/passwd").value_or(""))) {
    const std::vector<std::string> parts = base::Split(line, ':');
    if (parts.size() > kUid && parts[0] == kUser) {
      return parts[kUid];
    }
  }
  return std::nullopt;
}

// Adds the ID ranges of the user "kubelet" in a file with the format of subuid(5). The lines name
// the user or its UID: "kubelet:65536:65536" or "997:65536:65536".
void AddRanges(std::vector<IdRange>& ranges, const std::string& file, std::string_view uid,
               const host::Files& files) {
  for (const std::string& line : base::Lines(files.Find(file).value_or(""))) {
    const std::vector<std::string> parts = base::Split(line, ':');
    const auto start = parts.size() == 3 ? NumberOf(parts[1]) : std::nullopt;
    const auto count = parts.size() == 3 ? NumberOf(base::Trim(parts[2])) : std::nullopt;
    if (start && count && (parts[0] == kUser || parts[0] == uid)) {
      ranges.push_back({.where = file, .start = *start, .count = *count});
    }
  }
}

}  // namespace

std::vector<Setting> GodebugOf(const std::string& where, std::string_view value) {
  std::vector<Setting> settings;
  for (const std::string& pair : base::Split(value, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals != std::string::npos) {
      settings.push_back(
          {.where = where, .name = pair.substr(0, equals), .value = pair.substr(equals + 1)});
    }
  }
  return settings;
}

std::vector<Setting> GodebugOfContainer(const json::Value& container, const std::string& where) {
  std::vector<Setting> settings;
  AddEnvs(settings, where, json::At(container, {"env"}));
  return settings;
}

void CollectEnvironment(const config::ClusterConfiguration& cluster, const kubelet::Unit& unit,
                        PathFacts& facts) {
  std::vector<Setting>& control_plane = facts.control_plane_godebug;
  AddEnvs(control_plane, "apiServer.extraEnvs", cluster.api_server.component.extra_envs);
  AddEnvs(control_plane, "controllerManager.extraEnvs", cluster.controller_manager.extra_envs);
  AddEnvs(control_plane, "scheduler.extraEnvs", cluster.scheduler.extra_envs);
  for (const kubelet::Assignment& set : unit.environment) {
    if (set.name == kGodebug) {
      Add(facts.kubelet_godebug, GodebugOf(set.file, set.value));
    }
  }
}

void CollectIdRanges(const host::Files& files, PathFacts& facts) {
  const std::optional<std::string> uid = UidOfUser(files);
  if (!uid) {
    return;
  }
  for (const char* file : {"/etc/subuid", "/etc/subgid"}) {
    AddRanges(facts.id_ranges, file, *uid, files);
  }
}

}  // namespace upgrade_path
