// SPDX-License-Identifier: Apache-2.0
#include "node_input/patches.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "config/schema.h"
#include "yaml/yaml.h"

namespace node_input {
namespace {

using base::Error;
using Kind = PatchFileName::Kind;
using Reason = PatchSet::Ignored::Reason;

struct TypeRow {
  PatchType type;
  std::string_view name;  // after "+"
  std::string_view mime;
};
constexpr std::array<TypeRow, 3> kTypes{{
    {PatchType::kJson, "json", "application/json-patch+json"},
    {PatchType::kMerge, "merge", "application/merge-patch+json"},
    {PatchType::kStrategic, "strategic", "application/strategic-merge-patch+json"},
}};

// Splits a file into its YAML documents and drops empty documents. Trims white space at both ends
// of each document. As a result, a block scalar at the end of a document loses its final newline,
// and the first key is never indented.
std::vector<yaml::Piece> Documents(const std::string& text) {
  std::vector<yaml::Piece> pieces = yaml::Split(text);
  for (yaml::Piece& piece : pieces) {
    const std::string_view trimmed = base::Trim(piece.text);
    const auto before = std::string_view(piece.text).substr(0, piece.text.find(trimmed));
    piece.first_line += static_cast<int>(std::ranges::count(before, '\n'));
    piece.text = std::string(trimmed);
  }
  std::erase_if(pieces, [](const yaml::Piece& piece) { return piece.text.empty(); });
  return pieces;
}

void ReadFile(const host::Files& files, const fs::path& path, PatchSet& set) {
  const std::string name = path.filename().string();
  const PatchFileName parsed = ParsePatchFileName(name);
  switch (parsed.kind) {
    case Kind::kWrongExtension:
      set.ignored.push_back({Reason::kWrongExtension, name});
      return;
    case Kind::kUnknownTarget:
      set.ignored.push_back({Reason::kUnknownTarget, name});
      return;
    case Kind::kUnknownType:
      throw Error(Error::Kind::kInvalid,
                  fmt::format("{}: unknown or missing patch type after '+', must be one of "
                              "[json merge strategic]",
                              path.string()));
    case Kind::kPatch:
      break;
  }
  const std::string text = files.Read(path);
  if (text.empty()) {
    set.ignored.push_back({Reason::kEmpty, name});
    return;
  }
  base::WithContext(path.string(), [&] {
    json::Budget budget;
    for (const yaml::Piece& piece : Documents(text)) {
      set.patches.push_back({.target = parsed.target,
                             .type = parsed.type,
                             .document = yaml::Parse(piece.text, piece.first_line, budget).value});
    }
  });
  set.found.push_back(name);
}

void Walk(const host::Files& files, const fs::path& directory, PatchSet& set) {
  for (const std::string& name : files.List(directory)) {
    const fs::path path = directory / name;
    const auto info = files.Stat(path);
    if (info && info->kind == host::FileInfo::Kind::kDirectory) {
      Walk(files, path, set);
    } else {
      ReadFile(files, path, set);
    }
  }
}

// Returns a patch as messages quote it: truncated if it is too long to read.
std::string Shown(const json::Value& document) {
  constexpr std::size_t kMost = 4096;
  const std::string text = json::Compact(document);
  return text.size() <= kMost ? text : json::WithValidUtf8(text.substr(0, kMost)) + "…";
}

json::Value ApplyOne(const PatchSet::Patch& patch, const json::Value& value, patch::Schema schema) {
  const json::Value& document = patch.document;
  const bool json = patch.type == PatchType::kJson;
  // A document of only comments changes nothing. In a merge patch it is refused, because null would
  // replace the whole target.
  if (document.is_null() && patch.type != PatchType::kMerge) {
    return value;
  }
  if (json ? !document.is_array() : !document.is_object()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the patch is a {}, not {}", json::KindOf(document),
                            json ? "a list of operations" : "an object"));
  }
  switch (patch.type) {
    case PatchType::kJson:
      return patch::ApplyJsonPatch(value, document);
    case PatchType::kMerge:
      return patch::ApplyMergePatch(value, document);
    case PatchType::kStrategic:
      break;
  }
  return patch::ApplyStrategicPatch(value, document, schema);
}

}  // namespace

std::string_view MimeType(PatchType type) {
  return std::ranges::find(kTypes, type, &TypeRow::type)->mime;
}

const std::vector<std::string>& PatchTargets() {
  static const std::vector<std::string> targets = {std::string(config::kEtcd),
                                                   std::string(config::kApiServer),
                                                   std::string(config::kControllerManager),
                                                   std::string(config::kScheduler),
                                                   std::string(kKubeletConfigurationTarget),
                                                   std::string(kCoreDnsDeploymentTarget),
                                                   std::string(kKubeProxyDaemonSetTarget)};
  return targets;
}

const std::vector<std::string>& PatchExtensions() {
  static const std::vector<std::string> extensions = {"json", "yaml"};
  return extensions;
}

PatchFileName ParsePatchFileName(std::string_view base_name) {
  const std::size_t dot = base_name.rfind('.');
  const std::string extension(dot == std::string_view::npos ? "" : base_name.substr(dot + 1));
  if (std::ranges::find(PatchExtensions(), extension) == PatchExtensions().end()) {
    return {.kind = Kind::kWrongExtension};
  }
  const auto target = std::ranges::find_if(
      PatchTargets(), [&](const std::string& name) { return base_name.starts_with(name); });
  if (target == PatchTargets().end()) {
    return {.kind = Kind::kUnknownTarget};
  }
  // The part between target and "+" or "." only orders the files.
  const std::size_t mark = base_name.find_first_of(".+", target->size());
  if (base_name[mark] == '.') {
    return {.target = *target};
  }
  const std::string_view rest = base_name.substr(mark + 1);
  const auto row = std::ranges::find_if(
      kTypes, [&](const TypeRow& type) { return rest.starts_with(type.name); });
  if (row == kTypes.end()) {
    return {.kind = Kind::kUnknownType, .target = *target};
  }
  return {.target = *target, .type = row->type};
}

PatchSet ReadPatches(const host::Files& files, const fs::path& directory) {
  const auto info = files.Stat(directory);
  if (!info) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("{}: no such file or directory", directory.string()));
  }
  if (info->kind != host::FileInfo::Kind::kDirectory) {
    throw Error(Error::Kind::kInvalid, fmt::format("{}: not a directory", directory.string()));
  }
  PatchSet set{.directory = directory};
  Walk(files, directory, set);
  return set;
}

json::Value Decoded(const json::Value& object, std::string_view api_version,
                    std::string_view kind) {
  if (json::TextAt(object, {"apiVersion"}) != api_version ||
      json::TextAt(object, {"kind"}) != kind) {
    throw Error(Error::Kind::kInvalid, fmt::format("the patched object is not a {}", kind));
  }
  json::DecodeProblems problems;
  json::Value decoded = config::Conform(object, kind, "", problems);
  problems.errors.ThrowIfAny();
  return decoded;
}

Patched ApplyPatches(const PatchSet& patches, std::string_view target, json::Value value,
                     patch::Schema schema) {
  Patched patched{.value = std::move(value)};
  for (const PatchSet::Patch& patch : patches.patches) {
    if (patch.target != target) {
      continue;
    }
    const std::string what =
        fmt::format("could not apply the following patch of type \"{}\" to target \"{}\":\n{}\n",
                    MimeType(patch.type), target, Shown(patch.document));
    patched.value = base::WithContext(what, [&] { return ApplyOne(patch, patched.value, schema); });
    patched.applied.push_back({patch.type, patch.target});
  }
  return patched;
}

}  // namespace node_input
