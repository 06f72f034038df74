// SPDX-License-Identifier: Apache-2.0
#include "config_change/edits.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.h"
#include "yaml/yaml.h"

namespace config_change {

Drift DriftOf(const Gathered& gathered) {
  Drift drift = DriftOf(gathered.components);
  drift.notes = gathered.notes;
  drift.unseen = gathered.unseen;
  return drift;
}

Gathered GatherAll(const Sources& sources) {
  Gathered gathered = GatherNode(sources);
  Gathered others = GatherOthers(sources, gathered);
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

void RequireNoEdits(const Gathered& gathered) {
  if (!HasEdits(DriftOf(gathered.components))) {
    return;
  }
  std::string lines;
  for (const Difference& edit : EditsOf(gathered.components)) {
    lines += "\n" + Line(edit);
  }
  throw base::Error(
      fmt::format("nothing was changed: this would take back what was changed by hand. "
                  "Keep it by 'kubeadm drift --adopt', or say --discard-drift:{}",
                  lines));
}

std::optional<patches::PatchSet> AdoptedPatches(const host::Files& files) {
  return files.Exists(kAdoptedPatches) ? std::optional(patches::ReadPatches(files, kAdoptedPatches))
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
