// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/component_configs.h"
#include "config/defaults.h"
#include "config/extension.h"
#include "config/schema.h"
#include "config/validation.h"
#include "config/versions.h"
#include "json/field_path.h"

namespace config {
namespace {

using base::Error;

constexpr std::string_view kInitKind = "InitConfiguration";
constexpr std::string_view kJoinKind = "JoinConfiguration";
constexpr std::string_view kResetKind = "ResetConfiguration";
constexpr std::string_view kUpgradeKind = "UpgradeConfiguration";
constexpr std::string_view kClusterKind = "ClusterConfiguration";

Error Invalid(std::string message) { return Error(Error::Kind::kInvalid, std::move(message)); }

// ConformEnvs checks environment variables, which the field tables pass through as they are.
void ConformEnvs(std::vector<json::Value>& envs, const std::string& path,
                 json::DecodeProblems& problems) {
  for (std::size_t i = 0; i < envs.size(); ++i) {
    envs[i] = Conform(envs[i], "EnvVar", json::ElementPath(path, i), problems);
  }
}

void Check(const json::Value&, ClusterConfiguration& cluster, json::DecodeProblems& problems) {
  ConformEnvs(cluster.api_server.component.extra_envs, "apiServer.extraEnvs", problems);
  ConformEnvs(cluster.controller_manager.extra_envs, "controllerManager.extraEnvs", problems);
  ConformEnvs(cluster.scheduler.extra_envs, "scheduler.extraEnvs", problems);
  if (cluster.etcd.local) {
    ConformEnvs(cluster.etcd.local->extra_envs, "etcd.local.extraEnvs", problems);
  }
}

// Checks the tokens of a document. A malformed token is an error, because Kubernetes' API has a
// type for tokens and cannot convert it. An empty string is malformed, too; only a missing token is
// generated afterwards.
void Check(const json::Value& body, InitConfiguration& init, json::DecodeProblems& problems) {
  for (std::size_t i = 0; i < init.bootstrap_tokens.size(); ++i) {
    const std::string& token = init.bootstrap_tokens[i].token;
    const json::Value& written = json::At(body["bootstrapTokens"][i], {"token"});
    if (written.is_string() && !IsToken(token)) {
      problems.errors.Add(json::ElementPath("bootstrapTokens", i) + ".token",
                          fmt::format("the bootstrap token {} does not have the form "
                                      "[a-z0-9]{{6}}.[a-z0-9]{{16}}",
                                      base::Quoted(token)));
    }
  }
}

template <typename T>
void Check(const json::Value&, T&, json::DecodeProblems&) {}

template <typename T>
void SetBlank(T&, json::Versions) {}

// The decoding of one document.
struct Decoding {
  const Source& source;
  const Document& document;
  UnknownFields unknown_fields;
};

template <typename T>
T Decode(const Decoding& decoding) {
  const GroupVersionKind& gvk = decoding.document.gvk;
  const json::Versions version = KubeadmVersionBit(gvk);
  if (version == 0 || !IsKnown(gvk)) {
    throw Invalid(
        fmt::format("no kind \"{}\" is known in version \"{}\"", gvk.kind, gvk.ApiVersion()));
  }
  RequireJson(decoding.source, decoding.document);
  T value;
  SetBlank(value, version);
  json::Value body = decoding.document.yaml.value;
  body.erase("apiVersion");
  body.erase("kind");
  json::DecodeProblems problems;
  json::Decode(body, value, version, problems);
  Check(body, value, problems);
  ReportProblems(decoding.source, decoding.document, problems, decoding.unknown_fields);
  return value;
}

void CheckVersion(const GroupVersionKind& gvk, const LoadOptions& options) {
  RequireCurrentVersion(gvk);
  if (options.experimental == ExperimentalVersions::kRefuse) {
    RequireStableVersion(gvk);
  }
  if (KubeadmVersionBit(gvk) == kV1beta3 && IsKnown(gvk) &&
      options.deprecated == DeprecatedVersions::kWarn) {
    base::LogWarning(
        "the configuration has a deprecated API version: \"{}\" (kind: \"{}\"); turn it into a "
        "newer one by 'kubeadm config migrate --old-config OLD --new-config NEW'",
        gvk.ApiVersion(), gvk.kind);
  }
}

struct Component {
  std::string_view api_version;
  std::string_view kind;
};
constexpr Component kKubelet{kKubeletApiVersion, kKubeletKind};
constexpr Component kKubeProxy{kKubeProxyApiVersion, kKubeProxyKind};

bool IsGroupOf(const GroupVersionKind& gvk, const Component& component) {
  return component.api_version.starts_with(gvk.group + "/");
}

// Checks a component configuration and returns it as the user wrote it. kubeadm's own values are
// added afterwards, when all values of the cluster are known.
ComponentConfig TakeComponent(const Decoding& decoding, const Component& component) {
  const GroupVersionKind& gvk = decoding.document.gvk;
  if (gvk.ApiVersion() != component.api_version) {
    throw Invalid(
        fmt::format("unsupported apiVersion \"{}\", you may have to do manual conversion "
                    "to \"{}\" and run kubeadm again",
                    gvk.ApiVersion(), component.api_version));
  }
  if (gvk.kind != component.kind) {
    throw Invalid(
        fmt::format("no kind \"{}\" is known in version \"{}\"", gvk.kind, gvk.ApiVersion()));
  }
  RequireJson(decoding.source, decoding.document);
  json::Value body = decoding.document.yaml.value;
  body.erase("apiVersion");
  body.erase("kind");
  json::DecodeProblems problems;
  Conform(body, component.kind, "", problems);
  ReportProblems(decoding.source, decoding.document, problems, decoding.unknown_fields);
  return {.value = std::move(body), .user_supplied = true};
}

void DecodeAny(const Decoding& decoding) {
  const GroupVersionKind& gvk = decoding.document.gvk;
  if (IsGroupOf(gvk, kKubelet)) {
    TakeComponent(decoding, kKubelet);
  } else if (IsGroupOf(gvk, kKubeProxy)) {
    TakeComponent(decoding, kKubeProxy);
  } else if (gvk.kind == kInitKind) {
    Decode<InitConfiguration>(decoding);
  } else if (gvk.kind == kClusterKind) {
    Decode<ClusterConfiguration>(decoding);
  } else if (gvk.kind == kJoinKind) {
    Decode<JoinConfiguration>(decoding);
  } else if (gvk.kind == kResetKind) {
    Decode<ResetConfiguration>(decoding);
  } else if (gvk.kind == kUpgradeKind) {
    Decode<UpgradeConfiguration>(decoding);
  }
}

// Warns of a document that this command ignores, and of the errors in the document.
void Ignore(const Source& source, const Document& document, const LoadOptions& options) {
  const GroupVersionKind& gvk = document.gvk;
  if (options.others == OtherDocuments::kAccept || IsExtension(gvk)) {
    return;
  }
  const bool of_ours =
      gvk.group == kKubeadmGroup || IsGroupOf(gvk, kKubelet) || IsGroupOf(gvk, kKubeProxy);
  if (of_ours && !IsKnown(gvk)) {
    base::LogWarning("kubeadm knows no configuration document {}: its settings have no effect",
                     gvk.Text());
    return;
  }
  base::LogWarning("ignoring a configuration document that is not needed here: {}", gvk.Text());
  if (!IsKnown(gvk)) {
    return;
  }
  try {
    DecodeAny({source, document, UnknownFields::kWarn});
  } catch (const base::Error& error) {
    base::LogWarning("{}", error.message());
  }
}

struct InitDocuments {
  const Document* init = nullptr;
  const Document* cluster = nullptr;
  const Document* kubelet = nullptr;
  const Document* kube_proxy = nullptr;
};

InitDocuments Sort(const Source& source, std::span<const Document> documents,
                   const LoadOptions& options) {
  InitDocuments sorted;
  for (const Document& document : documents) {
    const GroupVersionKind& gvk = document.gvk;
    CheckVersion(gvk, options);
    if (gvk.kind == kInitKind) {  // of any group: Decode refuses other groups
      sorted.init = &document;
    } else if (gvk.kind == kClusterKind) {
      sorted.cluster = &document;
    } else if (IsGroupOf(gvk, kKubelet) && sorted.kubelet == nullptr) {  // the first counts
      sorted.kubelet = &document;
    } else if (IsGroupOf(gvk, kKubeProxy) && sorted.kube_proxy == nullptr) {
      sorted.kube_proxy = &document;
    } else {
      Ignore(source, document, options);
    }
  }
  return sorted;
}

// Returns the document of the one kind that a command reads.
const Document& FindWanted(const Source& source, std::span<const Document> documents,
                           std::string_view kind, const LoadOptions& options) {
  const Document* wanted = FindDocument(documents, kind);
  for (const Document& document : documents) {
    if (&document != wanted) {
      Ignore(source, document, options);
    }
  }
  if (wanted == nullptr) {
    throw Invalid(fmt::format("no {} found in the configuration given", kind));
  }
  CheckVersion(wanted->gvk, options);
  return *wanted;
}

// The object with a cluster's configuration, for errors.
constexpr const char* kClusterMap = "ConfigMap \"kubeadm-config\"";
constexpr const char* kKubeletMap = "ConfigMap \"kubelet-config\"";
constexpr const char* kKubeProxyMap = "ConfigMap \"kube-proxy\"";

// Parses the one object in a ConfigMap.
Document StoredDocument(const std::string& text, std::string_view what) {
  auto documents = ReadDocuments({.text = text, .name = std::string(what)});
  if (documents.size() != 1) {
    throw Invalid(fmt::format("{} holds {} objects, not one", what, documents.size()));
  }
  return std::move(documents.front());
}

ComponentConfig LoadStoredComponent(const std::optional<StoredComponent>& stored,
                                    const Component& component, UnknownFields unknown_fields) {
  if (!stored) {
    return {};
  }
  const Source source{.text = stored->text, .name = std::string(component.kind)};
  const Document document = StoredDocument(stored->text, component.kind);
  if (stored->generated && document.gvk.ApiVersion() != component.api_version) {
    return {};
  }
  ComponentConfig config = TakeComponent({source, document, unknown_fields}, component);
  config.user_supplied = !stored->generated;
  return config;
}

Init Finish(Init config, const Facts& facts, CriSocketChoice cri_socket) {
  MoveTimeouts(config.cluster, config.init);
  SetDynamicDefaults(config, facts, cri_socket);
  Validate(config).ThrowIfAny();
  DropUnknownToRelease(config.cluster);
  // The address of the DNS Service is computed from the subnet, which must be valid.
  SetComponentDefaults(config.cluster, config.init.local_api_endpoint.advertise_address);
  return config;
}

bool Exists(const Facts& facts, const std::string& path) {
  return facts.file_exists && facts.file_exists(path);
}

}  // namespace

Init CompleteInit(Init config, const Facts& facts, CriSocketChoice cri_socket) {
  SetDefaults(config.init);
  SetDefaults(config.cluster);
  return Finish(std::move(config), facts, cri_socket);
}

JoinConfiguration CompleteJoin(JoinConfiguration join, const Facts& facts,
                               CriSocketChoice cri_socket) {
  SetDefaults(join);
  MoveTimeouts(join);
  SetDynamicDefaults(join, facts, cri_socket);
  Validate(join, [&](const std::string& path) { return Exists(facts, path); }).ThrowIfAny();
  return join;
}

ResetConfiguration CompleteReset(ResetConfiguration reset, const Facts& facts,
                                 CriSocketChoice cri_socket) {
  SetDefaults(reset);
  SetDynamicDefaults(reset, facts, cri_socket);
  Validate(reset).ThrowIfAny();
  return reset;
}

UpgradeConfiguration CompleteUpgrade(UpgradeConfiguration upgrade) {
  SetDefaults(upgrade);
  Validate(upgrade).ThrowIfAny();
  return upgrade;
}

Init LoadInit(const Source& source, const Facts& facts, const LoadOptions& options) {
  const std::vector<Document> documents = ReadDocuments(source);
  const InitDocuments sorted = Sort(source, documents, options);
  if (sorted.init == nullptr && sorted.cluster == nullptr) {
    throw Invalid(
        "no InitConfiguration or ClusterConfiguration kind was found in the configuration file");
  }
  const auto decoding = [&](const Document* document) {
    return Decoding{source, *document, options.unknown_fields};
  };
  Init config;
  if (sorted.init != nullptr) {
    config.init = Decode<InitConfiguration>(decoding(sorted.init));
  }
  if (sorted.cluster != nullptr) {
    config.cluster = Decode<ClusterConfiguration>(decoding(sorted.cluster));
  }
  if (sorted.kubelet != nullptr) {
    config.cluster.kubelet = TakeComponent(decoding(sorted.kubelet), kKubelet);
  }
  if (sorted.kube_proxy != nullptr) {
    config.cluster.kube_proxy = TakeComponent(decoding(sorted.kube_proxy), kKubeProxy);
  }
  return CompleteInit(std::move(config), facts, options.cri_socket);
}

JoinConfiguration LoadJoin(const Source& source, const Facts& facts, const LoadOptions& options) {
  const std::vector<Document> documents = ReadDocuments(source);
  const Document& document = FindWanted(source, documents, kJoinKind, options);
  return CompleteJoin(Decode<JoinConfiguration>({source, document, options.unknown_fields}), facts,
                      options.cri_socket);
}

ResetConfiguration LoadReset(const Source& source, const Facts& facts, const LoadOptions& options) {
  const std::vector<Document> documents = ReadDocuments(source);
  const Document& document = FindWanted(source, documents, kResetKind, options);
  return CompleteReset(Decode<ResetConfiguration>({source, document, options.unknown_fields}),
                       facts, options.cri_socket);
}

UpgradeConfiguration LoadUpgrade(const Source& source, const LoadOptions& options) {
  const std::vector<Document> documents = ReadDocuments(source);
  const Document& document = FindWanted(source, documents, kUpgradeKind, options);
  return CompleteUpgrade(Decode<UpgradeConfiguration>({source, document, options.unknown_fields}));
}

ClusterConfiguration DecodeCluster(const std::string& text) {
  const Source source{.text = text, .name = std::string(kClusterKind)};
  const Document document = StoredDocument(text, kClusterKind);
  if (document.gvk.group != kKubeadmGroup || document.gvk.kind != kClusterKind) {
    throw Invalid("not a ClusterConfiguration: " + document.gvk.Text());
  }
  RequireCurrentVersion(document.gvk);
  auto cluster = Decode<ClusterConfiguration>({source, document, UnknownFields::kWarn});
  SetDefaults(cluster);
  return cluster;
}

Init LoadStored(const StoredConfig& stored, InitConfiguration node, const Facts& facts,
                const LoadOptions& options) {
  Init config{.init = std::move(node), .cluster = base::WithContext(kClusterMap, [&] {
                                         return DecodeCluster(stored.cluster);
                                       })};
  if (!options.kubernetes_version.empty()) {
    config.cluster.kubernetes_version = options.kubernetes_version;
  }
  config.cluster.kubelet = base::WithContext(kKubeletMap, [&] {
    return LoadStoredComponent(stored.kubelet, kKubelet, options.unknown_fields);
  });
  config.cluster.kube_proxy = base::WithContext(kKubeProxyMap, [&] {
    return LoadStoredComponent(stored.kube_proxy, kKubeProxy, options.unknown_fields);
  });
  SetDefaults(config.init);
  MoveTimeouts(config.cluster, config.init);
  const std::string given_address = config.init.local_api_endpoint.advertise_address;
  SetNodeDynamicDefaults(config.init, facts, options.cri_socket);
  if (options.advertise_address == AdvertiseAddress::kChoose) {
    SetAddressDynamicDefault(config.init.local_api_endpoint, facts);
  }
  base::WithContext(kClusterMap, [&] {
    SetClusterDynamicDefaults(config.cluster, config.init.local_api_endpoint, facts);
    DropUnknownToRelease(config.cluster);
    SetComponentDefaults(config.cluster, given_address);
  });
  return config;
}

}  // namespace config
