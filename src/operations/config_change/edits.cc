// SPDX-License-Identifier: Apache-2.0
#include "config_change/edits.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

// Returns the base name of the component's file. For a component that is a file, this is its name
// ("kubelet"); for an object ("Deployment kube-system/coredns"), its kind and name
// ("deployment-coredns").
std::string FileNameOf(const Component& component) {
  const std::size_t blank = component.place.find(' ');
  if (blank == std::string::npos) {
    return component.name;
  }
  const std::string name = component.place.substr(component.place.find_last_of(" /") + 1);
  return base::ReplaceAll(
      fmt::format("{}-{}", base::ToLower(component.place.substr(0, blank)), name), ":", "-");
}

// Returns an unused path. Two components can have the same name, because one ConfigMap has several
// documents.
host::fs::path FreePath(const host::fs::path& directory, const std::string& name,
                        const host::Files& files) {
  host::fs::path path = directory / (name + ".yaml");
  for (int number = 2; files.Exists(path); ++number) {
    path = directory / fmt::format("{}-{}.yaml", name, number);
  }
  return path;
}

// Removes deleted objects: an upgrade recreates them, and no value is lost.
std::vector<Component> Existing(std::vector<Component> components) {
  std::erase_if(components, [](const Component& component) { return component.deleted; });
  return components;
}

}  // namespace

Drift DriftOf(const Gathered& gathered) {
  Drift drift = DriftOf(gathered.components);
  drift.notes = gathered.notes;
  drift.unseen = gathered.unseen;
  return drift;
}

Gathered CollectAll(const Sources& sources) {
  Gathered gathered = CollectNode(sources);
  Gathered others = CollectOthers(sources, gathered);
  std::ranges::move(others.components, std::back_inserter(gathered.components));
  std::ranges::move(others.notes, std::back_inserter(gathered.notes));
  std::ranges::move(others.unseen, std::back_inserter(gathered.unseen));
  return gathered;
}

std::vector<Difference> EditsOf(const std::vector<Component>& components) {
  std::vector<Difference> edits = DriftOf(components).differences;
  std::erase_if(edits, [](const Difference& difference) { return !IsEdit(difference); });
  return edits;
}

std::vector<Difference> LostBy(const std::vector<Component>& components) {
  std::vector<Difference> edits = EditsOf(Existing(components));
  std::erase_if(edits, [](const Difference& each) { return each.outcome != Outcome::kLost; });
  return edits;
}

void LeaveOut(std::vector<Difference>& edits, const std::vector<Difference>& others) {
  std::erase_if(edits, [&](const Difference& edit) {
    return std::ranges::none_of(others, [&](const Difference& other) {
      return other.component == edit.component && other.field == edit.field;
    });
  });
}

void KeepInForce(const std::vector<Component>& components, const host::fs::path& directory,
                 host::Files& files) {
  for (const Component& component : components) {
    const std::optional<json::Value>& in_force = component.disk ? component.disk : component.runs;
    if (in_force && !LostBy({component}).empty()) {
      files.Write(FreePath(directory, FileNameOf(component), files), yaml::Emit(*in_force),
                  {.mode = 0600});
    }
  }
}

void RequireNoEdits(const Gathered& gathered) {
  const std::vector<Component> components = Existing(gathered.components);
  if (!HasEdits(DriftOf(components))) {
    return;
  }
  std::string lines;
  for (const Difference& edit : EditsOf(components)) {
    lines += "\n" + Line(edit);
  }
  throw base::Error(
      fmt::format("nothing was changed: this would undo manual changes. Keep them with "
                  "'kubeadm drift --adopt', or discard them with --discard-drift:{}",
                  lines));
}

std::optional<node_input::PatchSet> AdoptedPatches(const host::Files& files) {
  return files.Exists(kAdoptedPatches)
             ? std::optional(node_input::ReadPatches(files, kAdoptedPatches))
             : std::nullopt;
}

std::vector<host::fs::path> WritePatches(std::span<const NewPatch> patches,
                                         const host::fs::path& directory, host::Files& files) {
  std::vector<std::string> names;
  if (files.Exists(directory)) {
    names = files.List(directory);
  }
  std::vector<host::fs::path> written;
  for (const NewPatch& patch : patches) {
    names.push_back(PatchFileName(patch, names));
    written.push_back(directory / names.back());
    files.Write(written.back(), yaml::Emit(patch.document), {.mode = 0600, .directory_mode = 0700});
  }
  return written;
}

}  // namespace config_change
