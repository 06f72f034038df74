// `kubeadm config migrate` and `kubeadm config validate`: every kind of one file.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "config/extension.h"
#include "config/marshal.h"
#include "yaml/yaml.h"

namespace config {
namespace {

base::Error Invalid(std::string message) {
  return base::Error(base::Error::Kind::kInvalid, std::move(message));
}

// RefuseUnknownKinds leaves old versions alone: they get an error that says how to migrate them.
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
  bool init = false;  // or ClusterConfiguration
  bool join = false;
  bool reset = false;
  bool upgrade = false;
};

Kinds FindKinds(const Source& source) {
  const std::vector<Document> documents = ReadDocuments(source);
  RefuseUnknownKinds(documents);
  return {.init = FindDocument(documents, "InitConfiguration") != nullptr ||
                  FindDocument(documents, "ClusterConfiguration") != nullptr,
          .join = FindDocument(documents, "JoinConfiguration") != nullptr,
          .reset = FindDocument(documents, "ResetConfiguration") != nullptr,
          .upgrade = FindDocument(documents, "UpgradeConfiguration") != nullptr};
}

}  // namespace

std::string Migrate(const Source& source, const Facts& facts) {
  const Kinds kinds = FindKinds(source);
  const LoadOptions options{.unknown_fields = UnknownFields::kRefuse,
                            .deprecated = DeprecatedVersions::kAccept,
                            .others = OtherDocuments::kAccept};
  std::vector<std::string> texts;
  if (kinds.init) {
    Init config = LoadInit(source, facts, options);
    // Upstream's way: the timeout of v1beta3's API server is carried over whatever the document's
    // version is, so a v1beta4 document loses its own.
    config.init.timeouts->control_plane_component_health_check =
        config.cluster.api_server.timeout_for_control_plane;
    texts.push_back(Marshal(config.init));
    texts.push_back(Marshal(config.cluster));
  }
  if (kinds.join) {
    texts.push_back(Marshal(LoadJoin(source, facts, options)));
  }
  if (kinds.reset) {
    texts.push_back(Marshal(LoadReset(source, facts, options)));
  }
  if (kinds.upgrade) {
    LoadUpgrade(source, options);
    throw Invalid(
        "could not find a mutator for UpgradeConfiguration: there is no older version of it to "
        "migrate");
  }
  ReadExtension(source);
  for (const Document& document : ReadDocuments(source)) {
    if (IsExtension(document.gvk)) {
      texts.push_back(yaml::Emit(document.yaml.value));
    }
  }
  return base::Join(texts, "---\n");
}

void ValidateFile(const Source& source, const Facts& facts, DeprecatedVersions deprecated) {
  const Kinds kinds = FindKinds(source);
  const LoadOptions options{.unknown_fields = UnknownFields::kRefuse,
                            .deprecated = deprecated,
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
}

}  // namespace config
