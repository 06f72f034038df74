// SPDX-License-Identifier: Apache-2.0
// Documents: a configuration file split into its API objects (reference: config-api.md §2).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"
#include "yaml/yaml.h"

namespace config {

inline constexpr std::string_view kKubeadmGroup = "kubeadm.k8s.io";
inline constexpr std::string_view kKubeadmApiVersion = "kubeadm.k8s.io/v1beta4";
inline constexpr std::string_view kExperimentalApiVersion = "kubeadm.k8s.io/v1";

// The content of a configuration and its name in messages.
struct Source {
  std::string text;
  std::string name;  // a file name; "" for a stored configuration
};

// The values of apiVersion and kind.
struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  std::string ApiVersion() const { return group + "/" + version; }
  // "kubeadm.k8s.io/v1beta4, Kind=InitConfiguration"
  std::string Text() const { return ApiVersion() + ", Kind=" + kind; }
  bool operator==(const GroupVersionKind&) const = default;
};

// One document of a YAML stream.
struct Document {
  GroupVersionKind gvk;
  yaml::Document yaml;
  std::optional<std::string> json;  // the content, if it begins with a brace
};

// Splits a source into documents. Drops empty documents (yaml::HasContent) if there are others.
// Throws base::Error(kInvalid), with file and line, for malformed YAML, a duplicate kind, and a
// source without any content. Throws kInvalid for a document that is not an object, or lacks group,
// version or kind.
std::vector<Document> ReadDocuments(const Source& source);

// Throws base::Error(kInvalid) for a document that begins as JSON and is not valid JSON. Kubernetes
// decodes such a document as JSON, even if it is valid YAML. Call it only for documents that are
// decoded.
void RequireJson(const Source& source, const Document& document);

// Returns the document of that kind in group kubeadm.k8s.io; nullptr if the stream lacks it.
const Document* FindDocument(std::span<const Document> documents, std::string_view kind);

// Returns the bit of a readable version of group kubeadm.k8s.io; 0 for others.
json::Versions KubeadmVersionBit(const GroupVersionKind& gvk);

// Throws base::Error(kInvalid) for a version of group kubeadm.k8s.io that this kubeadm no longer
// reads. The error names the kubeadm release that can migrate the document.
void RequireCurrentVersion(const GroupVersionKind& gvk);
// Returns whether RequireCurrentVersion would throw.
bool IsOldVersion(const GroupVersionKind& gvk);

// Throws base::Error(kInvalid) for the experimental version of group kubeadm.k8s.io. The error says
// where this version may be used.
void RequireStableVersion(const GroupVersionKind& gvk);

// Returns whether this kubeadm can decode such an object.
bool IsKnown(const GroupVersionKind& gvk);

// Returns "kubeadm.yaml:3:5", the position of a field in the source.
std::string Where(const Source& source, const Document& document, std::string_view path);

// The treatment of fields that the version lacks.
enum class UnknownFields { kWarn, kRefuse };

// Throws base::Error(kInvalid) for fields of wrong types, each with its position. `unknown_fields`
// decides whether unknown and duplicate fields cause a warning or an error.
void ReportProblems(const Source& source, const Document& document,
                    const json::DecodeProblems& problems, UnknownFields unknown_fields);

}  // namespace config
