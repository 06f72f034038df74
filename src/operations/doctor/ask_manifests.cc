// SPDX-License-Identifier: Apache-2.0
// Static Pods: their files, the manifests that kubeadm wrote, and the running processes.
#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/rows.h"
#include "base/strings.h"
#include "config_change/compare.h"
#include "doctor/parts.h"
#include "pki/crypto.h"
#include "static_pods/restart.h"
#include "workflow/state_file.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

using components::Component;

constexpr std::size_t kShownLength = 120;

std::string Shown(const std::optional<json::Value>& value) {
  if (!value) {
    return "";
  }
  const std::string text = value->is_string() ? value->get<std::string>() : json::Compact(*value);
  return text.size() <= kShownLength ? text : text.substr(0, kShownLength) + "…";
}

// Returns the edits as differences: of the file from the wanted Pod, or of the process from the
// file.
std::vector<PodDifference> Edits(const config_change::Component& component) {
  std::vector<PodDifference> differences;
  for (const config_change::Difference& found : config_change::Compare(component)) {
    if (config_change::IsEdit(found)) {
      const bool of_file = component.should.has_value();
      differences.push_back({.where = found.field,
                             .wanted = Shown(of_file ? found.should : found.disk),
                             .found = Shown(of_file ? found.disk : found.runs)});
    }
  }
  return differences;
}

// Returns a component for the comparison of the file with the process.
config_change::Component Started(const ManifestFact& fact, json::Value pod,
                                 const std::vector<std::string>& words) {
  return {.name = fact.component,
          .node = "",
          .place = fact.path,
          .disk = std::move(pod),
          .runs = config_change::PodOfCommand(words),
          .seen = config_change::Seen::kArguments};
}

// The command lines of running components, according to the container runtime.
struct Running {
  std::map<Component, std::vector<std::string>> lines;
  std::optional<std::string> unseen;  // why the command lines are unknown
};

Running AskRunning(const DoctorSources& sources) {
  try {
    const std::unique_ptr<cri::Runtime> runtime = sources.connect_runtime(sources.cri_socket());
    return {.lines = static_pods::FindCommandLines(components::kComponents, *runtime),
            .unseen = std::nullopt};
  } catch (const base::Error& error) {
    return {.lines = {},
            .unseen =
                "the arguments with which the static Pods "
                "run: " +
                error.message()};
  }
}

bool HasCommand(const json::Value& pod) {
  const json::Value& containers = json::At(pod, {"spec", "containers"});
  return containers.is_array() && !containers.empty() &&
         (json::At(containers[0], {"command"}).is_array() ||
          json::At(containers[0], {"args"}).is_array());
}

// Returns every hash that the journals of earlier runs have recorded for the file.
std::vector<std::string> RecordedHashes(const host::Files& files, const fs::path& path) {
  std::vector<std::string> hashes;
  if (!files.Exists(workflow::kDirectory)) {
    return hashes;
  }
  for (const std::string& name : files.List(workflow::kDirectory)) {
    if (!name.starts_with("journal-")) {
      continue;
    }
    try {
      const json::Value journal = json::Parse(files.Read(fs::path(workflow::kDirectory) / name));
      const std::string hash = json::TextAt(journal, {"files", path.string(), "sha256"});
      if (!hash.empty()) {
        hashes.push_back(hash);
      }
    } catch (const base::Error&) {
      continue;  // the file is not a journal, or this user may not read it
    }
  }
  return hashes;
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
  if (!pod || !HasCommand(*pod)) {
    fact.problem = "it is not a Pod with a container and its command";
  }
}

}  // namespace

Answer CollectManifests(const DoctorSources& sources) {
  const host::Files& files = sources.host.files;
  const Running running = AskRunning(sources);
  std::vector<ManifestFact> all;
  for (const Component component : components::kComponents) {
    ManifestFact fact{.component = std::string(components::Name(component)),
                      .path = components::ManifestPath(component).string()};
    try {
      ReadOne(files, component, fact);
      const auto words = running.lines.find(component);
      if (words != running.lines.end() && !fact.missing && !fact.problem) {
        fact.not_running_yet = Edits(
            Started(fact, static_pods::ReadManifest(files, component).value(), words->second));
      }
    } catch (const base::Error& error) {
      if (IsForbidden(error)) {
        throw;
      }
      fact.problem = error.message();
    }
    all.push_back(std::move(fact));
  }
  return [all, strays = components::FindStrays(files), unseen = running.unseen](Facts& facts) {
    facts.manifests = all;
    facts.strays = strays;
    // The facts of etcd were collected before.
    facts.manifests.front().expected = !facts.etcd.external;
    facts.looked_at.emplace_back("static Pods: manifests, records of kubeadm, command lines");
    if (unseen) {
      facts.unseen.push_back(*unseen);
    }
  };
}

void AddRendered(const std::map<std::string, json::Value>& rendered, const host::Files& files,
                 Facts& facts) {
  for (ManifestFact& manifest : facts.manifests) {
    const auto wanted = rendered.find(manifest.component);
    if (wanted == rendered.end() || manifest.missing || manifest.problem) {
      continue;
    }
    const std::optional<json::Value> pod = static_pods::ReadManifest(
        files, base::RowOf(components::kComponents, manifest.component, &components::Name));
    if (!pod) {
      continue;
    }
    try {
      manifest.differences = Edits({.name = manifest.component,
                                    .node = "",
                                    .place = manifest.path,
                                    .should = wanted->second,
                                    .disk = static_pods::Normalized(*pod)});
      manifest.rendered = true;
    } catch (const base::Error& error) {
      manifest.problem = error.message();
    }
  }
}

}  // namespace doctor
