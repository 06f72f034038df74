// SPDX-License-Identifier: Apache-2.0
// Documents: a configuration file taken apart into its API objects (reference: config-api.md §2).
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

// Source is the text of a configuration and what messages call it.
struct Source {
  std::string text;
  std::string name;  // a file name; "" when it came from a cluster
};

// GroupVersionKind is what apiVersion and kind say.
struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  std::string ApiVersion() const { return group + "/" + version; }
  // "kubeadm.k8s.io/v1beta4, Kind=InitConfiguration"
  std::string Text() const { return ApiVersion() + ", Kind=" + kind; }
  bool operator==(const GroupVersionKind&) const = default;
};

// Document is one of a YAML stream.
struct Document {
  GroupVersionKind gvk;
  yaml::Document yaml;
  std::optional<std::string> json;  // its text when that begins with a brace
};

// ReadDocuments leaves out pieces without content (yaml::HasContent) beside others. Throws
// base::Error(kInvalid), with file and line, for text that is not YAML, a piece that is not an
// object, or one without group, version and kind, a text of comments or separators alone, and when
// a kind is specified twice.
std::vector<Document> ReadDocuments(const Source& source);

// RequireJson throws base::Error(kInvalid) for a document that begins as JSON and is not JSON,
// though it may be YAML: Kubernetes decodes it as JSON. Documents that are not decoded may be
// either.
void RequireJson(const Source& source, const Document& document);

// FindDocument is the document of that kind in group kubeadm.k8s.io, null when the stream has no
// such document.
const Document* FindDocument(std::span<const Document> documents, std::string_view kind);

// KubeadmVersionBit is the bit of a readable version of group kubeadm.k8s.io; 0 for others.
json::Versions KubeadmVersionBit(const GroupVersionKind& gvk);

// RefuseOldVersion throws base::Error(kInvalid) for a version of group kubeadm.k8s.io that this
// kubeadm no longer reads, naming the release that can migrate it.
void RefuseOldVersion(const GroupVersionKind& gvk);
// IsOldVersion tells whether it would.
bool IsOldVersion(const GroupVersionKind& gvk);

// RefuseExperimentalVersion throws base::Error(kInvalid) for the experimental version of group
// kubeadm.k8s.io, naming where it may be used.
void RefuseExperimentalVersion(const GroupVersionKind& gvk);

// IsKnown tells whether this kubeadm can decode such an object.
bool IsKnown(const GroupVersionKind& gvk);

// Where is "kubeadm.yaml:3:5", the place of a field in the source.
std::string Where(const Source& source, const Document& document, std::string_view path);

// UnknownFields is what to do with fields that the version does not have.
enum class UnknownFields { kWarn, kRefuse };

// ReportProblems throws base::Error(kInvalid) for wrong types, each with its place, and says or
// throws what is unknown or given twice.
void ReportProblems(const Source& source, const Document& document,
                    const json::DecodeProblems& problems, UnknownFields unknown_fields);

}  // namespace config
