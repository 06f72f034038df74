// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "components/strays.h"
#include "config/paths.h"
#include "control_plane/record.h"
#include "control_plane/running.h"
#include "json/value.h"
#include "kubelet/flags.h"
#include "kubelet/unit.h"
#include "upgrade/core_dns_checks.h"
#include "upgrade_path/environment.h"
#include "upgrade_path/patched.h"
#include "yaml/yaml.h"

namespace upgrade_path {
namespace {

constexpr std::string_view kEtcd = "etcd";
constexpr std::string_view kMetric = "apiserver_requested_deprecated_apis{";
constexpr kube::Resource kDefinition{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                     "CustomResourceDefinition", false};

// Runs a query. Records its failure in `facts.unseen`, because the missing facts may hide a
// problem.
void Try(std::string_view what, PathFacts& facts, const std::function<void()>& ask) {
  try {
    ask();
  } catch (const base::Error& error) {
    facts.unseen.push_back(fmt::format("{}: {}", what, error.message()));
  }
}

// Returns the value of a label in `{a="b",c="d"}`; "" if the label is missing.
std::string Label(std::string_view line, std::string_view name) {
  const std::string start = fmt::format("{}=\"", name);
  for (std::size_t at = line.find(start); at != std::string_view::npos;
       at = line.find(start, at + 1)) {
    if (at > 0 && (line[at - 1] == '{' || line[at - 1] == ',')) {
      const std::string_view rest = line.substr(at + start.size());
      return std::string(rest.substr(0, rest.find('"')));
    }
  }
  return "";
}

std::optional<int> MinorOf(std::string_view release) {
  int minor = 0;
  const std::string_view digits = release.substr(std::min(release.size(), release.find('.') + 1));
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  return problem == std::errc() && release.starts_with("1.") ? std::optional(minor) : std::nullopt;
}

void Add(std::vector<Setting>& settings, std::vector<Setting> more) {
  std::ranges::move(more, std::back_inserter(settings));
}

void AddArgs(std::vector<Setting>& gates, const std::string& where, const config::Args& args) {
  Add(gates, GateSettings(where, config::ComponentGates(args)));
}

std::vector<Setting> Gates(const config::ClusterConfiguration& cluster) {
  std::vector<Setting> gates;
  AddArgs(gates, "apiServer.extraArgs", cluster.api_server.component.extra_args);
  AddArgs(gates, "controllerManager.extraArgs", cluster.controller_manager.extra_args);
  AddArgs(gates, "scheduler.extraArgs", cluster.scheduler.extra_args);
  Add(gates, GatesOfConfig("ConfigMap \"kube-proxy\"", cluster.kube_proxy.value));
  return gates;
}

std::vector<Setting> Settings(const std::string& where, const config::Args& args) {
  std::vector<Setting> settings;
  for (const config::Arg& arg : args) {
    settings.push_back({.where = where, .name = arg.name, .value = arg.value});
  }
  return settings;
}

// Returns the arguments except those in the file that an upgrade rewrites.
std::vector<Setting> KeptArguments(std::vector<Setting> arguments) {
  std::erase_if(arguments,
                [](const Setting& argument) { return argument.where == kubelet::kFlagsFile; });
  return arguments;
}

// Returns the gates of the kubelets' configuration, then those of this node's arguments. As in the
// kubelet, all arguments are combined, and the last value of a gate counts.
std::vector<Setting> KubeletGates(const config::ClusterConfiguration& cluster,
                                  const std::vector<Setting>& arguments) {
  std::vector<Setting> own;
  for (const Setting& argument : arguments) {
    if (argument.name != config::kFeatureGatesArgument) {
      continue;
    }
    for (Setting& gate :
         GateSettings(argument.where, config::ParseComponentGates({&argument.value, 1}))) {
      std::erase_if(own, [&](const Setting& earlier) { return earlier.name == gate.name; });
      own.push_back(std::move(gate));
    }
  }
  std::vector<Setting> gates = GatesOfConfig("ConfigMap \"kubelet-config\"", cluster.kubelet.value);
  Add(gates, std::move(own));
  return gates;
}

// Returns the tag of this node's etcd. If this node has no etcd, returns the oldest tag in the
// cluster.
std::string EtcdTag(const control_plane::Running& running, const std::string& node) {
  const auto found = running.static_pods.find(kEtcd);
  if (found == running.static_pods.end() || found->second.empty()) {
    return "";
  }
  const auto own = std::ranges::find(found->second, node, &control_plane::NodeVersion::node);
  return own == found->second.end() ? found->second.front().version : own->version;
}

Companion EtcdOf(const CollectRequest& request, const control_plane::Running& running) {
  const config::ClusterConfiguration& cluster = request.config.cluster;
  if (!cluster.etcd.local) {
    return {.left = "external"};
  }
  return {.pinned = cluster.etcd.local->image_tag,
          .runs = EtcdTag(running, request.config.init.node_registration.name),
          .left = request.upgrades_etcd ? "" : "stays"};
}

Companion CoreDnsOf(const config::ClusterConfiguration& cluster,
                    const control_plane::Running& running) {
  return {.pinned = cluster.dns.image_tag,
          .runs = running.core_dns.value_or(""),
          .left = cluster.dns.disabled ? "disabled" : ""};
}

void GiveValue(Setting* argument, const std::string& word) {
  if (argument != nullptr && !word.starts_with('-')) {
    argument->value = word;
  }
}

bool IsListed(const json::Value& resource) {
  const json::Value& verbs = json::At(resource, {"verbs"});
  return verbs.is_array() && std::ranges::contains(verbs, json::Value("list")) &&
         !json::TextAt(resource, {"name"}).contains('/');
}

// Returns the stored objects of one API version; an empty list if the cluster does not serve it.
std::vector<StoredObjects> ObjectsOf(const releases::ApiVersion& api, kube::Client& client) {
  std::string served;
  try {
    served = client.GetPath(fmt::format("/apis/{}/{}", api.group, api.version));
  } catch (const base::Error& error) {
    if (error.kind() == base::Error::Kind::kNotFound) {
      return {};
    }
    throw;
  }
  std::vector<StoredObjects> found;
  const json::Value list = json::Parse(served);
  for (const json::Value& resource : json::At(list, {"resources"})) {
    const std::string name = json::TextAt(resource, {"name"});
    if (!IsListed(resource)) {
      continue;
    }
    const json::Value some = client.Raw(
        {.verb = kube::Verb::kList, .resource = {api.group, api.version, name, ""}, .limit = 1});
    if (const std::size_t count = json::At(some, {"items"}).size(); count > 0) {
      found.push_back({.resource = name, .api = api, .count = count});
    }
  }
  return found;
}

std::vector<StoredObjects> Objects(const PathFacts& facts, kube::Client& client) {
  std::vector<StoredObjects> all;
  for (const releases::Dropped& row : releases::AllDropped()) {
    if (row.minor <= facts.cluster.minor || row.minor > facts.wanted.minor) {
      continue;
    }
    for (const releases::ApiVersion& api : row.stored_apis) {
      std::ranges::move(ObjectsOf(api, client), std::back_inserter(all));
    }
  }
  return all;
}

std::vector<HiddenVersion> HiddenVersions(kube::Client& client) {
  std::vector<HiddenVersion> hidden;
  client.ForEach(kDefinition, "", [&](const json::Value& definition) {
    std::size_t kept = 0;
    std::set<std::string> unserved;
    for (const json::Value& version : json::At(definition, {"spec", "versions"})) {
      if (json::At(version, {"served"}) == false) {
        unserved.insert(json::TextAt(version, {"name"}));
      }
    }
    for (const json::Value& stored : json::At(definition, {"status", "storedVersions"})) {
      if (stored.is_string() && unserved.contains(stored.get<std::string>())) {
        hidden.push_back({.definition = json::TextAt(definition, {"metadata", "name"}),
                          .version = stored.get<std::string>()});
        kept +=
            sizeof(HiddenVersion) + hidden.back().definition.size() + hidden.back().version.size();
      }
    }
    return kept;
  });
  return hidden;
}

std::optional<base::Version> CutOff(const host::Files& files) {
  const std::optional<control_plane::UpgradeRecord> record = control_plane::LoadRecord(files);
  return record && record->command == "apply" && control_plane::IsUnderWay(*record)
             ? base::Version::ParseGeneric(record->to)
             : std::nullopt;
}

}  // namespace

std::vector<RequestedApi> RequestedApis(std::string_view metrics) {
  std::vector<RequestedApi> requested;
  for (const std::string& line : base::Lines(metrics)) {
    const auto minor =
        line.starts_with(kMetric) ? MinorOf(Label(line, "removed_release")) : std::nullopt;
    if (minor && !line.ends_with(" 0")) {
      requested.push_back({.resource = fmt::format("{}.{}/{}", Label(line, "resource"),
                                                   Label(line, "group"), Label(line, "version")),
                           .removed_minor = *minor});
    }
  }
  return requested;
}

std::vector<Setting> GateSettings(const std::string& where,
                                  std::span<const config::ComponentGate> gates) {
  std::vector<Setting> settings;
  for (const config::ComponentGate& gate : gates) {
    settings.push_back({.where = where, .name = gate.name, .value = gate.on ? "true" : "false"});
  }
  return settings;
}

std::vector<Setting> GatesOfConfig(const std::string& where, const json::Value& config) {
  std::vector<Setting> gates;
  const json::Value& values = json::At(config, {"featureGates"});
  if (values.is_object()) {
    for (const auto& [name, value] : values.items()) {
      gates.push_back({.where = where, .name = name, .value = value == true ? "true" : "false"});
    }
  }
  return gates;
}

std::vector<Setting> ArgumentsOf(std::span<const kubelet::Word> words) {
  constexpr std::string_view kDashes = "--";
  std::vector<Setting> arguments;
  Setting* open = nullptr;  // the previous argument, if it has no value yet
  for (const kubelet::Word& word : words) {
    if (!word.text.starts_with(kDashes)) {
      GiveValue(open, word.text);
      open = nullptr;
      continue;
    }
    const std::string argument = word.text.substr(kDashes.size());
    const std::size_t equals = argument.find('=');
    arguments.push_back({.where = word.file,
                         .name = config::NormalizedFlag(argument.substr(0, equals)),
                         .value = equals == std::string::npos ? "" : argument.substr(equals + 1)});
    open = equals == std::string::npos ? &arguments.back() : nullptr;
  }
  return arguments;
}

void CollectSettings(const config::ClusterConfiguration& cluster, const host::Files& files,
                     PathFacts& facts) {
  facts.api_server_arguments =
      Settings("apiServer.extraArgs", cluster.api_server.component.extra_args);
  for (Setting& argument : facts.api_server_arguments) {
    argument.name = config::NormalizedFlag(argument.name);
  }
  if (cluster.etcd.local) {
    facts.etcd_arguments = Settings("etcd.local.extraArgs", cluster.etcd.local->extra_args);
  }
  facts.gates = Gates(cluster);
  const kubelet::Unit unit = kubelet::ReadUnit(files);
  const std::vector<Setting> arguments = ArgumentsOf(unit.arguments);
  facts.kubelet_gates = KubeletGates(cluster, arguments);
  facts.kubelet_arguments = KeptArguments(arguments);
  CollectEnvironment(cluster, unit, facts);
  CollectIdRanges(files, facts);
}

PathFacts CollectPathFacts(const CollectRequest& request) {
  const host::Files& files = request.host.files;
  const config::ClusterConfiguration& cluster = request.config.cluster;
  control_plane::Running running = control_plane::CollectRunning(request.client);
  PathFacts facts{.node = request.config.init.node_registration.name,
                  .wanted = request.wanted,
                  .cluster = running.cluster,
                  .servers = std::move(running.static_pods[std::string(config::kApiServer)]),
                  .kubelets = std::move(running.kubelets)};
  facts.cut_off = CutOff(files);
  facts.stored_api = json::TextAt(yaml::Parse(request.stored.cluster).value, {"apiVersion"});
  facts.etcd = EtcdOf(request, running);
  facts.core_dns = CoreDnsOf(cluster, running);
  if (const auto members = running.static_pods.find(kEtcd); members != running.static_pods.end()) {
    facts.etcd_members = members->second;
  }
  CollectSettings(cluster, files, facts);
  Try(fmt::format("the patches in {}", request.patches.string()), facts, [&] {
    CollectPatched({.host = request.host,
                    .config = request.config,
                    .directory = request.patches,
                    .wanted = request.wanted},
                   facts);
  });
  facts.own_kubelets = request.own_kubelets;
  facts.kubelet_command = request.kubelet_command;
  facts.renewed_keys = request.renews_certificates ? cluster.encryption_algorithm : "";
  Try("the kubelet's manifests", facts, [&] { facts.strays = components::FindStrays(files); });
  Try("the Corefile of CoreDNS", facts,
      [&] { facts.corefile = upgrade::CollectCoreDns(request.client).corefile; });
  Try("the API server's /metrics", facts,
      [&] { facts.requested = RequestedApis(request.client.GetPath("/metrics")); });
  Try("objects of APIs that go", facts, [&] { facts.objects = Objects(facts, request.client); });
  Try("the definitions of custom resources", facts,
      [&] { facts.hidden = HiddenVersions(request.client); });
  return facts;
}

}  // namespace upgrade_path
