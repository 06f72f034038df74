// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/environment.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/strings.h"
#include "json/value.h"
#include "kubelet/extra_args.h"
#include "kubelet/flags.h"

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

// Parses the kubelet's lines "kubelet:65536:65536" of a file (subuid(5)).
void AddRanges(std::vector<IdRange>& ranges, const std::string& file, const host::Files& files) {
  for (const std::string& line : base::Lines(files.Find(file).value_or(""))) {
    const std::vector<std::string> parts = base::Split(line, ':');
    const auto start = parts.size() == 3 ? NumberOf(parts[1]) : std::nullopt;
    const auto count = parts.size() == 3 ? NumberOf(base::Trim(parts[2])) : std::nullopt;
    if (start && count && parts[0] == kUser) {
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

std::vector<Setting> GodebugOfUnit(const std::string& where, std::string_view text) {
  constexpr std::string_view kEnds = " \t\"'";
  const std::string assignment = std::string(kGodebug) + "=";
  std::vector<Setting> settings;
  for (const std::string& line : base::Lines(text)) {
    const std::string_view trimmed = base::Trim(line);
    if (trimmed.starts_with('#') || trimmed.starts_with(';')) {
      continue;
    }
    for (std::size_t at = trimmed.find(assignment); at != std::string_view::npos;
         at = trimmed.find(assignment, at + 1)) {
      const bool whole = at == 0 || kEnds.contains(trimmed[at - 1]) || trimmed[at - 1] == '=';
      std::string_view value = trimmed.substr(at + assignment.size());
      value.remove_prefix(value.starts_with('"') || value.starts_with('\'') ? 1 : 0);
      if (whole) {
        Add(settings, GodebugOf(where, value.substr(0, value.find_first_of(kEnds))));
      }
    }
  }
  return settings;
}

void CollectEnvironment(const config::ClusterConfiguration& cluster, const host::Files& files,
                        PathFacts& facts) {
  std::vector<Setting>& control_plane = facts.control_plane_godebug;
  AddEnvs(control_plane, "apiServer.extraEnvs", cluster.api_server.component.extra_envs);
  AddEnvs(control_plane, "controllerManager.extraEnvs", cluster.controller_manager.extra_envs);
  AddEnvs(control_plane, "scheduler.extraEnvs", cluster.scheduler.extra_envs);
  std::vector<host::fs::path> unit = kubelet::FilesOfUsers(files);
  unit.emplace_back(kubelet::kFlagsFile);
  for (const host::fs::path& file : unit) {
    Add(facts.kubelet_godebug, GodebugOfUnit(file.string(), files.Find(file).value_or("")));
  }
  for (const char* file : {"/etc/subuid", "/etc/subgid"}) {
    AddRanges(facts.id_ranges, file, files);
  }
}

}  // namespace upgrade_path
