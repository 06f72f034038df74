// SPDX-License-Identifier: Apache-2.0
#include "upgrade/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubelet/node_config.h"
#include "pki/crypto.h"
#include "state_files/state_file.h"
#include "yaml/yaml.h"

namespace upgrade {
namespace {

// The fields of the first format.
constexpr std::array kFirstFields = {"command",   "from",    "to",       "complete",
                                     "manifests", "serving", "etcdData", "kubeletConfig"};

// Completes the record of a program that did not write all fields yet.
Record FromJson(const json::Value& json, std::string_view file) {
  Record record = json::DecodeStrictly<Record>(json);
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
  record.file = file;
  return record;
}

// The copies that a rollback restores.
std::vector<host::fs::path> CopiesOf(const Record& record) {
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

// Returns the digest of a manifest; of a missing one that of an empty text.
std::string DigestOf(const host::Files& files, const std::string& component) {
  const host::fs::path path = host::fs::path(config::kManifestsDir) / (component + ".yaml");
  return base::HexEncode(pki::Sha256(files.Find(path).value_or("")));
}

}  // namespace

std::span<const json::Field> Record::Fields() {
  static const json::Field fields[] = {
      json::Describe<&Record::command>("command").Always(),
      json::Describe<&Record::from>("from").Always(),
      json::Describe<&Record::to>("to").Always(),
      json::Describe<&Record::complete>("complete").Always(),
      json::Describe<&Record::manifests>("manifests").Always(),
      json::Describe<&Record::under_way>("underWay").Always(),
      json::Describe<&Record::written>("written").Always(),
      json::Describe<&Record::serving>("serving").Always(),
      json::Describe<&Record::restarting>("restarting").Always(),
      json::Describe<&Record::etcd_data>("etcdData").Always(),
      json::Describe<&Record::restoring_data>("restoringData").Always(),
      json::Describe<&Record::kubelet_config>("kubeletConfig").Always(),
      json::Describe<&Record::writes_kubelet>("writesKubelet").Always(),
      json::Describe<&Record::patches>("patches").Always(),
  };
  return fields;
}

std::optional<Record> LoadRecord(const host::Files& files, std::string_view file) {
  return state_files::LoadStateFile(
      files,
      state_files::StateFile{.path = file,
                             .refusal = "{} is not a record of an upgrade: {}; remove it if there "
                                        "is no upgrade of this node to continue or undo"},
      [file](const json::Value& json) { return FromJson(json, file); });
}

void SaveRecord(host::Files& files, const Record& record) {
  state_files::SaveStateFile(files, record.file, json::Encode(record));
}

void RemoveRecord(host::Files& files) { files.Remove(host::fs::path(kRecordFile)); }

void NoteWritten(const host::Files& files, Record& record) {
  record.written.clear();
  for (const auto& [component, directory] : record.manifests) {
    record.written.emplace(component, DigestOf(files, component));
  }
}

std::vector<std::string> ChangedSince(const host::Files& files, const Record& record) {
  std::vector<std::string> changed;
  for (const auto& [component, digest] : record.written) {
    if (DigestOf(files, component) != digest) {
      changed.push_back(component);
    }
  }
  return changed;
}

Record BeginRecord(const std::optional<Record>& last, const Record& wanted) {
  if (!last || last->command != wanted.command || last->to != wanted.to) {
    return wanted;
  }
  Record record = *last;
  if (record.complete) {
    record.complete = false;
    record.under_way.clear();
    record.writes_kubelet = false;
  }
  return record;
}

std::optional<json::Value> KeptPod(const host::Files& files, const Record& record,
                                   components::Component component) {
  const auto kept = record.manifests.find(std::string(components::Name(component)));
  if (kept == record.manifests.end()) {
    return std::nullopt;
  }
  const auto text =
      files.Find(host::fs::path(kept->second) / components::ManifestPath(component).filename());
  return text ? std::optional(yaml::Parse(*text).value) : std::nullopt;
}

Record LastUpgrade(const host::Files& files) {
  std::optional<Record> record = LoadRecord(files);
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

bool IsReplacing(const Record& record) {
  return !record.complete && (!record.restarting.empty() ||
                              std::ranges::any_of(record.under_way, [&](const auto& replaced) {
                                return !record.serving.contains(replaced.first);
                              }));
}

bool IsUnderWay(const Record& record) {
  return !record.complete && (!record.under_way.empty() || record.writes_kubelet);
}

bool WasCutOff(const host::Files& files, const std::string& version) {
  const std::optional<Record> record = LoadRecord(files);
  return record && record->command == "apply" && record->to == version && IsUnderWay(*record);
}

}  // namespace upgrade
