// SPDX-License-Identifier: Apache-2.0
// `kubeadm config migrate` and `kubeadm config validate`: every kind of one file.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/component_configs.h"
#include "config/extension.h"
#include "config/marshal.h"
#include "yaml/yaml.h"

namespace config {
namespace {

base::Error Invalid(std::string message) {
  return base::Error(base::Error::Kind::kInvalid, std::move(message));
}

// Ignores old versions: they get an error that says how to migrate them.
void RefuseUnknownKinds(std::span<const Document> documents) {
  std::vector<std::string> unknown;
  for (const Document& document : documents) {
    if (!IsKnown(document.gvk) && !IsOldVersion(document.gvk)) {
      unknown.push_back(document.gvk.Text());
    }
  }
  if (!unknown.empty()) {
    std::ranges::sort(unknown);
    throw Invalid(fmt::format("unknown configuration APIs: [{}]", base::Join(unknown, "; ")));
  }
}

struct Kinds {
  bool init = false;  // has InitConfiguration or ClusterConfiguration
  bool join = false;
  bool reset = false;
  bool upgrade = false;
};

Kinds FindKinds(const Source& source, ExperimentalVersions experimental) {
  const std::vector<Document> documents = ReadDocuments(source);
  RefuseUnknownKinds(documents);
  if (experimental == ExperimentalVersions::kRefuse) {
    for (const Document& document : documents) {
      RequireStableVersion(document.gvk);
    }
  }
  return {.init = FindDocument(documents, "InitConfiguration") != nullptr ||
                  FindDocument(documents, "ClusterConfiguration") != nullptr,
          .join = FindDocument(documents, "JoinConfiguration") != nullptr,
          .reset = FindDocument(documents, "ResetConfiguration") != nullptr,
          .upgrade = FindDocument(documents, "UpgradeConfiguration") != nullptr};
}

// Migration writes only kinds of group kubeadm.k8s.io, as upstream's does.
void WarnOfLeftOut(const Source& source, const Document& document) {
  base::LogWarning(
      "{}: {} is left out of the new configuration. Append this document to it unchanged to keep "
      "its settings",
      Where(source, document, "kind"), document.gvk.Text());
}

}  // namespace

std::string Migrate(const Source& source, const Facts& facts, ExperimentalVersions experimental) {
  const Kinds kinds = FindKinds(source, experimental);
  const LoadOptions options{.unknown_fields = UnknownFields::kRefuse,
                            .deprecated = DeprecatedVersions::kAccept,
                            .experimental = experimental,
                            .others = OtherDocuments::kAccept,
                            .cri_socket = CriSocketChoice::kAssume};
  std::vector<std::string> texts;
  if (kinds.init) {
    const Init config = LoadInit(source, facts, options);
    WarnOfLostMergeMethods(config.init);
    WarnOfLostMergeMethods(config.cluster);
    texts.push_back(Marshal(config.init));
    texts.push_back(Marshal(config.cluster));
  }
  if (kinds.join) {
    const JoinConfiguration join = LoadJoin(source, facts, options);
    WarnOfLostMergeMethods(join);
    texts.push_back(Marshal(join));
  }
  if (kinds.reset) {
    texts.push_back(Marshal(LoadReset(source, facts, options)));
  }
  if (kinds.upgrade) {
    texts.push_back(Marshal(LoadUpgrade(source, options)));
  }
  ReadExtension(source);
  for (const Document& document : ReadDocuments(source)) {
    if (IsExtension(document.gvk)) {
      texts.push_back(yaml::Emit(document.yaml.value));
    } else if (document.gvk.group != kKubeadmGroup) {
      WarnOfLeftOut(source, document);
    }
  }
  return base::Join(texts, "---\n");
}

namespace {

// Names the documents that validation skips.
void WarnOfSkipped(const Source& source, const Kinds& kinds) {
  for (const Document& document : ReadDocuments(source)) {
    const GroupVersionKind& gvk = document.gvk;
    const bool component = gvk.kind == kKubeletKind || gvk.kind == kKubeProxyKind;
    if (gvk.group == kKubeadmGroup || IsExtension(gvk) || (component && kinds.init)) {
      continue;
    }
    base::LogWarning("{} was not validated: {}", gvk.Text(),
                     component ? "its validation needs a ClusterConfiguration or InitConfiguration "
                                 "in the same file"
                               : "it is not a configuration of kubeadm's");
  }
}

}  // namespace

void ValidateFile(const Source& source, const Facts& facts, DeprecatedVersions deprecated,
                  ExperimentalVersions experimental) {
  const Kinds kinds = FindKinds(source, experimental);
  const LoadOptions options{.unknown_fields = UnknownFields::kRefuse,
                            .deprecated = deprecated,
                            .experimental = experimental,
                            .others = OtherDocuments::kAccept,
                            .cri_socket = CriSocketChoice::kAssume};
  ReadExtension(source);
  if (kinds.init) {
    LoadInit(source, facts, options);
  }
  if (kinds.join) {
    LoadJoin(source, facts, options);
  }
  if (kinds.reset) {
    LoadReset(source, facts, options);
  }
  if (kinds.upgrade) {
    LoadUpgrade(source, options);
  }
  WarnOfSkipped(source, kinds);
}

}  // namespace config
