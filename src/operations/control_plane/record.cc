// SPDX-License-Identifier: Apache-2.0
#include "control_plane/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubelet/node_config.h"
#include "pki/crypto.h"
#include "workflow/state_file.h"
#include "yaml/yaml.h"

namespace control_plane {
namespace {

// The fields of the first format.
constexpr std::array kFirstFields = {"command",   "from",    "to",           "complete",
                                     "manifests", "serving", "kubeletConfig"};

// The field for the directory of a copy of etcd's data. Earlier releases made such a copy instead
// of a backup.
constexpr std::string_view kFormerCopy = "etcdData";

// Completes the record of an older release, which did not write all fields.
UpgradeRecord FromJson(json::Value json) {
  json.erase(kFormerCopy);
  auto record = json::DecodeStrictly<UpgradeRecord>(json);
  for (const char* field : kFirstFields) {
    if (!json.contains(field)) {
      throw base::Error(fmt::format("it has no field \"{}\"", field));
    }
  }
  if (!record.complete && !json.contains("underWay")) {
    record.under_way = record.manifests;
  }
  if (!record.complete && !json.contains("writesKubelet")) {
    record.writes_kubelet = !record.kubelet_config.empty();
  }
  return record;
}

// Returns the copies of files that a rollback restores.
std::vector<host::fs::path> CopiesOf(const UpgradeRecord& record) {
  std::vector<host::fs::path> copies;
  for (const auto& [component, directory] : record.manifests) {
    copies.push_back(host::fs::path(directory) / (component + ".yaml"));
  }
  if (!record.kubelet_config.empty()) {
    copies.push_back(host::fs::path(record.kubelet_config) /
                     host::fs::path(kubelet::kConfigFile).filename());
  }
  return copies;
}

// Returns the digest of a manifest. For a missing manifest, returns the digest of an empty string.
std::string DigestOf(const host::Files& files, const std::string& component) {
  const host::fs::path path = host::fs::path(config::kManifestsDir) / (component + ".yaml");
  return base::HexEncode(pki::Sha256(files.Find(path).value_or("")));
}

}  // namespace

std::span<const json::Field> UpgradeRecord::Fields() {
  static const json::Field fields[] = {
      json::Describe<&UpgradeRecord::command>("command").Always(),
      json::Describe<&UpgradeRecord::from>("from").Always(),
      json::Describe<&UpgradeRecord::to>("to").Always(),
      json::Describe<&UpgradeRecord::complete>("complete").Always(),
      json::Describe<&UpgradeRecord::manifests>("manifests").Always(),
      json::Describe<&UpgradeRecord::under_way>("underWay").Always(),
      json::Describe<&UpgradeRecord::written>("written").Always(),
      json::Describe<&UpgradeRecord::serving>("serving").Always(),
      json::Describe<&UpgradeRecord::restarting>("restarting").Always(),
      json::Describe<&UpgradeRecord::backup>("backup").Always(),
      json::Describe<&UpgradeRecord::backup_under_way>("backupUnderWay").Always(),
      json::Describe<&UpgradeRecord::restoring_data>("restoringData").Always(),
      json::Describe<&UpgradeRecord::data_restored>("dataRestored").Always(),
      json::Describe<&UpgradeRecord::kubelet_config>("kubeletConfig").Always(),
      json::Describe<&UpgradeRecord::writes_kubelet>("writesKubelet").Always(),
      json::Describe<&UpgradeRecord::patches>("patches").Always(),
  };
  return fields;
}

std::optional<UpgradeRecord> LoadRecord(const host::Files& files) {
  return workflow::LoadStateFile(
      files,
      workflow::StateFile{.path = kRecordFile,
                          .refusal = "{} is not a record of an upgrade: {}; remove it if there "
                                     "is no upgrade of this node to continue or undo"},
      FromJson);
}

void SaveRecord(host::Files& files, const UpgradeRecord& record) {
  workflow::SaveStateFile(files, kRecordFile, json::Encode(record));
}

void RemoveRecord(host::Files& files) { files.Remove(host::fs::path(kRecordFile)); }

void NoteWritten(const host::Files& files, UpgradeRecord& record) {
  record.written.clear();
  for (const auto& [component, directory] : record.manifests) {
    record.written.emplace(component, DigestOf(files, component));
  }
}

std::vector<std::string> ChangedSince(const host::Files& files, const UpgradeRecord& record) {
  std::vector<std::string> changed;
  for (const auto& [component, digest] : record.written) {
    if (DigestOf(files, component) != digest) {
      changed.push_back(component);
    }
  }
  return changed;
}

UpgradeRecord BeginRecord(const std::optional<UpgradeRecord>& last, const UpgradeRecord& wanted) {
  if (!last || last->command != wanted.command || last->to != wanted.to) {
    return wanted;
  }
  UpgradeRecord record = *last;
  if (record.complete) {
    record.complete = false;
    record.under_way.clear();
    record.backup_under_way.clear();
    record.writes_kubelet = false;
  }
  return record;
}

std::optional<json::Value> KeptPod(const host::Files& files, const UpgradeRecord& record,
                                   components::Component component) {
  const auto kept = record.manifests.find(std::string(components::Name(component)));
  if (kept == record.manifests.end()) {
    return std::nullopt;
  }
  const auto text =
      files.Find(host::fs::path(kept->second) / components::ManifestPath(component).filename());
  return text ? std::optional(yaml::Parse(*text).value) : std::nullopt;
}

UpgradeRecord LastUpgrade(const host::Files& files) {
  std::optional<UpgradeRecord> record = LoadRecord(files);
  if (!record) {
    throw base::Error(
        base::Error::Kind::kNotFound,
        fmt::format("there is no upgrade of this node to undo: {} does not exist", kRecordFile));
  }
  for (const host::fs::path& copy : CopiesOf(*record)) {
    if (!files.Exists(copy)) {
      throw base::Error(base::Error::Kind::kNotFound,
                        fmt::format("the upgrade of this node to {} cannot be undone: the backup "
                                    "{} is missing; restore it first",
                                    record->to, copy.string()));
    }
  }
  return *record;
}

bool IsReplacing(const UpgradeRecord& record) {
  return !record.complete && (!record.restarting.empty() ||
                              std::ranges::any_of(record.under_way, [&](const auto& replaced) {
                                return !record.serving.contains(replaced.first);
                              }));
}

bool IsUnderWay(const UpgradeRecord& record) {
  return !record.complete && (!record.under_way.empty() || record.writes_kubelet);
}

bool WasCutOff(const host::Files& files, const std::string& version) {
  const std::optional<UpgradeRecord> record = LoadRecord(files);
  return record && record->command == "apply" && record->to == version && IsUnderWay(*record);
}

}  // namespace control_plane
