// SPDX-License-Identifier: Apache-2.0
#include "config/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/component_configs.h"
#include "config/extension.h"
#include "config/versions.h"

namespace config {
namespace {

using base::Error;

// An API version that is no longer read, with the last kubeadm that reads it.
struct OldVersion {
  std::string_view version;
  std::string_view kubeadm;
};
constexpr std::array<OldVersion, 5> kOldVersions{{{"v1beta2", "v1.22"},
                                                  {"v1beta1", "v1.15"},
                                                  {"v1alpha3", "v1.14"},
                                                  {"v1alpha2", "v1.12"},
                                                  {"v1alpha1", "v1.11"}}};

struct KnownKind {
  std::string_view api_version;
  std::string_view kind;
};
constexpr std::array<KnownKind, 18> kKnownKinds{{
    {kKubeadmApiVersion, "InitConfiguration"},
    {kKubeadmApiVersion, "ClusterConfiguration"},
    {kKubeadmApiVersion, "JoinConfiguration"},
    {kKubeadmApiVersion, "ResetConfiguration"},
    {kKubeadmApiVersion, "UpgradeConfiguration"},
    {kExperimentalApiVersion, "InitConfiguration"},
    {kExperimentalApiVersion, "ClusterConfiguration"},
    {kExperimentalApiVersion, "JoinConfiguration"},
    {kExperimentalApiVersion, "ResetConfiguration"},
    {kExperimentalApiVersion, "UpgradeConfiguration"},
    {"kubeadm.k8s.io/v1beta3", "InitConfiguration"},
    {"kubeadm.k8s.io/v1beta3", "ClusterConfiguration"},
    {"kubeadm.k8s.io/v1beta3", "JoinConfiguration"},
    {kKubeletApiVersion, kKubeletKind},
    {kKubeletApiVersion, "CredentialProviderConfig"},
    {kKubeletApiVersion, "SerializedNodeConfigSource"},
    {kKubeProxyApiVersion, kKubeProxyKind},
    {kExtensionApiVersion, kExtensionKind},
}};

// Reads apiVersion or kind as Go's encoding/json does. Keys are case-insensitive, and the last of
// several spellings, in sorted order, applies. Any scalar is converted to a string.
std::string ScalarText(const json::Value& value, std::string_view key) {
  std::string text;
  for (const auto& [name, found] : value.items()) {
    if (found.is_null() || base::ToLower(name) != base::ToLower(key)) {
      continue;
    }
    if (found.is_structured()) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("cannot unmarshal {}: expected a string, got a {}", key,
                              found.is_array() ? "list" : "map"));
    }
    text = found.is_string() ? found.get<std::string>() : json::Compact(found);
  }
  return text;
}

GroupVersionKind ReadGvk(const json::Value& value) {
  if (!value.is_object() && !value.is_null()) {
    throw Error(
        Error::Kind::kInvalid,
        "cannot unmarshal: a configuration document must be a map with apiVersion and kind");
  }
  GroupVersionKind gvk;
  if (value.is_object()) {
    const std::string api_version = ScalarText(value, "apiVersion");
    const auto slash = api_version.find('/');
    if (slash != std::string::npos && api_version.find('/', slash + 1) != std::string::npos) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("unexpected apiVersion {}: there is one slash in it, between group "
                              "and version",
                              base::Quoted(api_version)));
    }
    gvk.group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    gvk.version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    gvk.kind = ScalarText(value, "kind");
  }
  if (gvk.group.empty() || gvk.version.empty() || gvk.kind.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("invalid configuration for {}: kind and apiVersion is mandatory "
                            "information that must be specified",
                            gvk.Text()));
  }
  return gvk;
}

// Returns the name of a source for messages.
std::string NameOf(const Source& source) {
  return source.name.empty() ? "the configuration" : source.name;
}

GroupVersionKind ReadGvk(const Source& source, int line, const json::Value& value) {
  return base::WithContext(fmt::format("{}:{}", NameOf(source), line),
                           [&] { return ReadGvk(value); });
}

// Kubernetes reads input that begins with a brace as JSON, never as YAML.
bool LooksLikeJson(std::string_view text) { return base::Trim(text).starts_with('{'); }

Document ReadDocument(const Source& source, const yaml::Piece& piece, json::Budget& budget) {
  Document document;
  document.yaml = base::WithContext(fmt::format("cannot read {} as YAML", NameOf(source)), [&] {
    return yaml::Parse(piece.text, piece.first_line, budget);
  });
  document.gvk = ReadGvk(source, piece.first_line, document.yaml.value);
  if (LooksLikeJson(piece.text)) {
    document.json = piece.text;
  }
  return document;
}

void RefuseSecondKinds(std::span<const Document> documents) {
  std::set<std::string> seen;
  base::Problems problems;
  for (const Document& document : documents) {
    if (!seen.insert(document.gvk.kind).second) {
      problems.Add("", fmt::format("invalid configuration: kind \"{}\" is specified twice",
                                   document.gvk.kind));
    }
  }
  problems.ThrowIfAny();
}

const OldVersion* FindOldVersion(const GroupVersionKind& gvk) {
  const auto* found = std::ranges::find(kOldVersions, gvk.version, &OldVersion::version);
  return gvk.group == kKubeadmGroup && found != kOldVersions.end() ? found : nullptr;
}

}  // namespace

std::vector<Document> ReadDocuments(const Source& source) {
  std::vector<Document> documents;
  auto pieces = base::WithContext(NameOf(source), [&] { return yaml::Split(source.text); });
  const bool is_blank = pieces.empty() && base::Trim(source.text).empty();
  std::erase_if(pieces, [](const yaml::Piece& piece) { return !yaml::HasContent(piece); });
  if (pieces.empty() && !is_blank) {
    ReadGvk(source, 1, nullptr);  // reports the missing kind
  }
  json::Budget budget;  // for all documents together, because all are kept
  for (const yaml::Piece& piece : pieces) {
    documents.push_back(ReadDocument(source, piece, budget));
  }
  RefuseSecondKinds(documents);
  return documents;
}

void RequireJson(const Source& source, const Document& document) {
  base::WithContext(fmt::format("cannot read {} as JSON", NameOf(source)), [&] {
    if (document.json) {
      json::Parse(*document.json);
    }
  });
}

const Document* FindDocument(std::span<const Document> documents, std::string_view kind) {
  const auto found = std::ranges::find_if(documents, [&](const Document& document) {
    return document.gvk.group == kKubeadmGroup && document.gvk.kind == kind;
  });
  return found == documents.end() ? nullptr : &*found;
}

json::Versions KubeadmVersionBit(const GroupVersionKind& gvk) {
  if (gvk.group != kKubeadmGroup) {
    return 0;
  }
  constexpr std::array<std::pair<std::string_view, json::Versions>, 3> kBits{
      {{"v1beta3", kV1beta3}, {"v1beta4", kV1beta4}, {"v1", kV1}}};
  const auto found =
      std::ranges::find(kBits, gvk.version, [](const auto& bit) { return bit.first; });
  return found == kBits.end() ? 0 : found->second;
}

bool IsOldVersion(const GroupVersionKind& gvk) { return FindOldVersion(gvk) != nullptr; }

void RequireCurrentVersion(const GroupVersionKind& gvk) {
  if (const OldVersion* old = FindOldVersion(gvk)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the configuration has an old API version: \"{}\" (kind: \"{}\"); let "
                            "kubeadm {} turn it into a newer one: 'kubeadm config migrate "
                            "--old-config OLD --new-config NEW'",
                            gvk.ApiVersion(), gvk.kind, old->kubeadm));
  }
}

void RequireStableVersion(const GroupVersionKind& gvk) {
  if (KubeadmVersionBit(gvk) == kV1) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("experimental API spec: \"{}\" (kind: \"{}\") is not allowed; write it "
                            "as {} ('kubeadm config migrate --allow-experimental-api' does). Only "
                            "'config validate' and 'config migrate' read it, with flag "
                            "--allow-experimental-api",
                            gvk.ApiVersion(), gvk.kind, kKubeadmApiVersion));
  }
}

bool IsKnown(const GroupVersionKind& gvk) {
  return std::ranges::any_of(kKnownKinds, [&](const KnownKind& known) {
    return known.api_version == gvk.ApiVersion() && known.kind == gvk.kind;
  });
}

std::string Where(const Source& source, const Document& document, std::string_view path) {
  const yaml::Position position = yaml::PositionOf(document.yaml, path);
  return source.name.empty() ? fmt::format("line {}:{}", position.line, position.column)
                             : fmt::format("{}:{}:{}", source.name, position.line, position.column);
}

void ReportProblems(const Source& source, const Document& document,
                    const json::DecodeProblems& problems, UnknownFields unknown_fields) {
  const std::string what = "error decoding " + document.gvk.Text();
  base::Problems errors;
  for (const base::Problem& problem : problems.errors.list()) {
    errors.Add("", Where(source, document, problem.path) + ": " + problem.Text());
  }
  base::WithContext(what, [&] { errors.ThrowIfAny(); });

  base::Problems unknown;
  for (const base::Problem& duplicate : document.yaml.duplicates.list()) {
    unknown.Add("", duplicate.Text());
  }
  for (const base::Problem& problem : problems.unknown.list()) {
    unknown.Add("", Where(source, document, problem.path) + ": " + problem.message);
  }
  if (unknown_fields == UnknownFields::kRefuse) {
    base::WithContext(what, [&] { unknown.ThrowIfAny(); });
  } else if (!unknown.empty()) {
    base::LogWarning("{}: {}", what, unknown.Text());
  }
}

}  // namespace config
