// SPDX-License-Identifier: Apache-2.0
// Static Pods: their files, what kubeadm wrote into them, what runs.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "doctor/parts.h"
#include "pki/crypto.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

using components::Component;

constexpr const char* kJournals = "/var/lib/slipway";
constexpr std::array<std::string_view, 2> kOfJoinedMembers{"--initial-cluster",
                                                           "--initial-cluster-state"};
constexpr std::size_t kShownLength = 120;

// Words "--name=value" by name; a word without a value, or given twice, keeps all of it.
std::map<std::string, std::string> FlagsOf(const std::vector<std::string>& words) {
  std::map<std::string, std::string> flags;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t sign = words[i].find('=');
    const std::string name = words[i].substr(0, sign);
    const std::string value = sign == std::string::npos ? "(set)" : words[i].substr(sign + 1);
    std::string& kept = flags[name];
    kept += (kept.empty() ? "" : " ") + (value.empty() ? std::string("\"\"") : value);
  }
  return flags;
}

std::vector<std::string> Words(const json::Value& list) {
  std::vector<std::string> words;
  for (const json::Value& word : list.is_array() ? list : json::Value::array()) {
    if (word.is_string()) {
      words.push_back(word.get<std::string>());
    }
  }
  return words;
}

const json::Value& FirstContainer(const json::Value& pod) {
  static const json::Value kNothing = json::Value::object();
  const json::Value& containers = json::At(pod, {"spec", "containers"});
  return containers.is_array() && !containers.empty() ? containers[0] : kNothing;
}

std::vector<std::string> CommandOf(const json::Value& pod) {
  std::vector<std::string> words = Words(json::At(FirstContainer(pod), {"command"}));
  std::ranges::copy(Words(json::At(FirstContainer(pod), {"args"})), std::back_inserter(words));
  return words;
}

std::string Shown(const json::Value& value) {
  if (value.is_null()) {
    return "";
  }
  const std::string text = value.is_string() ? value.get<std::string>() : json::Compact(value);
  return text.size() <= kShownLength ? text : text.substr(0, kShownLength) + "…";
}

void CompareField(const std::string& where, const json::Value& wanted, const json::Value& found,
                  std::vector<Difference>& differences) {
  if (wanted != found) {
    differences.push_back({.where = where, .wanted = Shown(wanted), .found = Shown(found)});
  }
}

// Volumes and mounts are lists in no order that matters.
void CompareNamed(const std::string& where, const json::Value& wanted, const json::Value& found,
                  std::vector<Difference>& differences) {
  const auto by_name = [](const json::Value& list) {
    std::map<std::string, json::Value> named;
    for (const json::Value& item : list.is_array() ? list : json::Value::array()) {
      named[json::TextAt(item, {"name"})] = item;
    }
    return named;
  };
  const std::map<std::string, json::Value> left = by_name(wanted);
  std::map<std::string, json::Value> right = by_name(found);
  for (const auto& [name, item] : left) {
    CompareField(where + " " + name, item, right[name], differences);
    right.erase(name);
  }
  for (const auto& [name, item] : right) {
    CompareField(where + " " + name, json::Value(), item, differences);
  }
}

// What journals of previous runs say of a file: every hash that was recorded.
std::vector<std::string> RecordedHashes(const host::Files& files, const fs::path& path) {
  std::vector<std::string> hashes;
  if (!files.Exists(kJournals)) {
    return hashes;
  }
  for (const std::string& name : files.List(kJournals)) {
    if (!name.starts_with("journal-")) {
      continue;
    }
    try {
      const json::Value journal = json::Parse(files.Read(fs::path(kJournals) / name));
      const std::string hash = json::TextAt(journal, {"files", path.string(), "sha256"});
      if (!hash.empty()) {
        hashes.push_back(hash);
      }
    } catch (const base::Error&) {
      continue;  // no journal, or not for this user
    }
  }
  return hashes;
}

// Command lines of this machine's processes by their program's name.
std::map<std::string, std::vector<std::string>> RunningCommands(const host::Files& files) {
  std::map<std::string, std::vector<std::string>> commands;
  if (!files.Exists("/proc")) {
    return commands;
  }
  for (const std::string& name : files.List("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    try {
      const std::string line = files.Find(fs::path("/proc") / name / "cmdline").value_or("");
      std::vector<std::string> words = base::Split(line, '\0');
      if (!words.empty() && words.back().empty()) {
        words.pop_back();
      }
      if (!words.empty()) {
        commands[fs::path(words.front()).filename()] = words;
      }
    } catch (const base::Error&) {
      continue;  // it has ended meanwhile
    }
  }
  return commands;
}

void ReadOne(const host::Files& files, Component component, ManifestFact& fact) {
  const std::optional<std::string> text = files.Find(fact.path);
  fact.missing = !text;
  if (!text) {
    return;
  }
  const std::vector<std::string> hashes = RecordedHashes(files, fact.path);
  if (!hashes.empty()) {
    const std::string now = base::HexEncode(pki::Sha256(*text));
    fact.as_written = std::ranges::find(hashes, now) != hashes.end();
  }
  const std::optional<json::Value> pod = static_pods::ReadManifest(files, component);
  if (!pod || CommandOf(*pod).empty()) {
    fact.problem = "it is no Pod with a container and its command";
  }
}

}  // namespace

std::vector<Difference> FlagDifferences(const std::vector<std::string>& wanted,
                                        const std::vector<std::string>& found) {
  std::vector<Difference> differences;
  const std::map<std::string, std::string> left = FlagsOf(wanted);
  std::map<std::string, std::string> right = FlagsOf(found);
  for (const auto& [name, value] : left) {
    if (right[name] != value) {
      differences.push_back({.where = name, .wanted = value, .found = right[name]});
    }
    right.erase(name);
  }
  for (const auto& [name, value] : right) {
    differences.push_back({.where = name, .wanted = "", .found = value});
  }
  return differences;
}

std::vector<Difference> DifferencesOf(const json::Value& wanted, const json::Value& found) {
  std::vector<Difference> differences = FlagDifferences(CommandOf(wanted), CommandOf(found));
  std::erase_if(differences, [](const Difference& difference) {
    return std::ranges::find(kOfJoinedMembers, difference.where) != kOfJoinedMembers.end();
  });
  const json::Value& left = FirstContainer(wanted);
  const json::Value& right = FirstContainer(found);
  for (const char* field : {"image", "livenessProbe", "readinessProbe", "resources"}) {
    CompareField(field, json::At(left, {field}), json::At(right, {field}), differences);
  }
  CompareNamed("volumeMount", json::At(left, {"volumeMounts"}), json::At(right, {"volumeMounts"}),
               differences);
  CompareNamed("volume", json::At(wanted, {"spec", "volumes"}),
               json::At(found, {"spec", "volumes"}), differences);
  for (const char* field : {"hostNetwork", "priorityClassName", "dnsPolicy"}) {
    CompareField(field, json::At(wanted, {"spec", field}), json::At(found, {"spec", field}),
                 differences);
  }
  return differences;
}

Answer AskManifests(const Sources& sources) {
  const host::Files& files = sources.host.files;
  const std::map<std::string, std::vector<std::string>> running = RunningCommands(files);
  std::vector<ManifestFact> all;
  for (const Component component : components::kComponents) {
    ManifestFact fact{.component = std::string(components::Name(component)),
                      .path = components::ManifestPath(component).string()};
    try {
      ReadOne(files, component, fact);
      const auto process = running.find(fact.component);
      fact.seen_running = process != running.end();
      if (fact.seen_running && !fact.missing && !fact.problem) {
        fact.not_running_yet = FlagDifferences(
            CommandOf(static_pods::ReadManifest(files, component).value()), process->second);
      }
    } catch (const base::Error& error) {
      if (IsForbidden(error)) {
        throw;
      }
      fact.problem = error.message();
    }
    all.push_back(std::move(fact));
  }
  return [all](Facts& facts) {
    facts.manifests = all;
    // etcd's part has been answered before.
    facts.manifests.front().expected = !facts.etcd.external;
    facts.looked_at.emplace_back("static Pods: manifests, records of kubeadm, processes");
  };
}

void AddRendered(const std::map<std::string, json::Value>& rendered, const host::Files& files,
                 Facts& facts) {
  for (ManifestFact& manifest : facts.manifests) {
    const auto wanted = rendered.find(manifest.component);
    if (wanted == rendered.end() || manifest.missing || manifest.problem) {
      continue;
    }
    const auto component =
        std::ranges::find(components::kComponents, manifest.component, &components::Name);
    const std::optional<json::Value> pod = static_pods::ReadManifest(files, *component);
    if (pod) {
      manifest.rendered = true;
      manifest.differences = DifferencesOf(wanted->second, *pod);
    }
  }
}

}  // namespace doctor
