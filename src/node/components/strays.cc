// SPDX-License-Identifier: Apache-2.0
#include "components/strays.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "json/texts.h"
#include "json/value.h"
#include "yaml/yaml.h"

namespace components {
namespace {

using base::Error;
using Words = std::vector<std::string>;

// The kubelet reads no larger file.
constexpr std::uint64_t kLargestManifest = 10ULL << 20U;

// Parses the Pod of a manifest. Returns std::nullopt for a file that is not a Pod: the kubelet logs
// an error for such a file and ignores it.
std::optional<json::Value> ParsePod(const std::string& text) {
  try {
    json::Value pod = yaml::Parse(text).value;
    return json::TextAt(pod, {"kind"}) == "Pod" ? std::optional(std::move(pod)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Returns the command lines of the Pod's containers.
std::vector<Words> Commands(const json::Value& pod) {
  std::vector<Words> commands;
  const json::Value& containers = json::At(pod, {"spec", "containers"});
  if (!containers.is_array()) {
    return commands;
  }
  for (const json::Value& container : containers) {
    Words words = json::TextsIn(json::At(container, {"command"}));
    const Words arguments = json::TextsIn(json::At(container, {"args"}));
    words.insert(words.end(), arguments.begin(), arguments.end());
    commands.push_back(std::move(words));
  }
  return commands;
}

bool Runs(const Words& command, Component component) {
  return !command.empty() && fs::path(command.front()).filename() == Name(component);
}

std::string DataDirectory(const json::Value& pod) {
  constexpr std::string_view kFlag = "--data-dir";
  std::string directory;
  for (const Words& command : Commands(pod)) {
    for (std::size_t i = 0; i < command.size(); ++i) {
      if (command[i] == kFlag && i + 1 < command.size()) {
        directory = command[i + 1];
      } else if (command[i].starts_with(std::string(kFlag) + "=")) {
        directory = command[i].substr(kFlag.size() + 1);
      }
    }
  }
  return fs::path(directory + "/").lexically_normal().string();
}

bool IsNamed(const json::Value& pod, Component component) {
  const auto label = [&](std::string_view name) {
    return json::TextAt(pod, {"metadata", "labels", name});
  };
  return json::TextAt(pod, {"metadata", "name"}) == Name(component) ||
         (label("component") == Name(component) && label("tier") == "control-plane");
}

// `own` is the Pod of the component's own manifest, or null.
bool IsOf(const json::Value& pod, Component component, const json::Value& own) {
  if (IsNamed(pod, component)) {
    return true;
  }
  const bool runs = std::ranges::any_of(
      Commands(pod), [&](const Words& command) { return Runs(command, component); });
  if (!runs || json::At(pod, {"spec", "hostNetwork"}) != true) {
    return false;
  }
  return component != Component::kEtcd || DataDirectory(pod) == DataDirectory(own);
}

bool IsFile(const host::Files& files, const fs::path& path) {
  const auto info = files.Stat(path);
  return info && info->size <= kLargestManifest &&
         (info->kind == host::FileInfo::Kind::kFile || info->kind == host::FileInfo::Kind::kLink);
}

bool IsOwnManifest(const fs::path& path) {
  return std::ranges::any_of(kComponents,
                             [&](Component component) { return ManifestPath(component) == path; });
}

json::Value OwnPod(const host::Files& files, Component component) {
  return ParsePod(files.Find(ManifestPath(component)).value_or("")).value_or(json::Value());
}

}  // namespace

std::vector<Stray> FindStrays(const host::Files& files) {
  std::vector<Stray> strays;
  if (!files.Exists(config::kManifestsDir)) {
    return strays;
  }
  for (const std::string& name : files.List(config::kManifestsDir)) {
    const fs::path path = fs::path(config::kManifestsDir) / name;
    if (name.starts_with('.') || IsOwnManifest(path) || !IsFile(files, path)) {
      continue;
    }
    const std::optional<json::Value> pod = ParsePod(files.Find(path).value_or(""));
    const auto* const component = std::ranges::find_if(
        kComponents, [&](Component each) { return pod && IsOf(*pod, each, OwnPod(files, each)); });
    if (component != kComponents.end()) {
      strays.push_back({path, *component});
    }
  }
  return strays;
}

checks::Finding JudgeStray(const Stray& stray) {
  return {.severity = checks::Severity::kWarning,
          .subject = stray.path.string(),
          .what = fmt::format("{} is a second Pod of {}", base::Quoted(stray.path.string()),
                              Name(stray.component)),
          .evidence =
              "the kubelet runs every file of that directory whose name does not begin with "
              "a dot",
          .remedy = "move the file to another directory"};
}

std::string StrayText(const Stray& stray) {
  const checks::Finding finding = JudgeStray(stray);
  return fmt::format("{}: {}. M{}", finding.what, finding.evidence, finding.remedy.substr(1));
}

void RequireNoStrays(const host::Files& files) {
  std::vector<std::string> texts;
  for (const Stray& stray : FindStrays(files)) {
    texts.push_back(StrayText(stray));
  }
  if (!texts.empty()) {
    throw Error(Error::Kind::kConflict, base::Join(texts, "; "));
  }
}

}  // namespace components
