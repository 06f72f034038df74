// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubelet/flags.h"
#include "upgrade/record.h"
#include "upgrade/running.h"
#include "yaml/yaml.h"

namespace upgrade_path {
namespace {

constexpr std::string_view kGatesArgument = "feature-gates";
constexpr std::string_view kMetric = "apiserver_requested_deprecated_apis{";
constexpr std::array kKubeletEnvironments = {"/etc/default/kubelet", "/etc/sysconfig/kubelet"};
constexpr kube::Resource kDefinition{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                     "CustomResourceDefinition", false};

// A cluster that does not answer a question about trouble has, for the plan, none of it.
void Try(std::string_view what, const std::function<void()>& ask) {
  try {
    ask();
  } catch (const base::Error& error) {
    base::LogWarning("{} cannot be looked at, and what it would break is not known: {}", what,
                     error.message());
  }
}

// The value of a label in `{a="b",c="d"}`; "" when it is not there.
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
  for (const config::Arg& arg : args) {
    if (arg.name == kGatesArgument) {
      Add(gates, GatesOf(where, arg.value));
    }
  }
}

void AddComponent(std::vector<Setting>& gates, const std::string& where,
                  const json::Value& config) {
  const json::Value& values = json::At(config, {"featureGates"});
  if (!values.is_object()) {
    return;
  }
  for (const auto& [name, value] : values.items()) {
    gates.push_back({.where = where, .name = name, .value = value == true ? "true" : "false"});
  }
}

std::vector<Setting> Gates(const config::ClusterConfiguration& cluster, const host::Files& files) {
  std::vector<Setting> gates;
  AddArgs(gates, "apiServer.extraArgs", cluster.api_server.component.extra_args);
  AddArgs(gates, "controllerManager.extraArgs", cluster.controller_manager.extra_args);
  AddArgs(gates, "scheduler.extraArgs", cluster.scheduler.extra_args);
  AddComponent(gates, "ConfigMap \"kubelet-config\"", cluster.kubelet.value);
  AddComponent(gates, "ConfigMap \"kube-proxy\"", cluster.kube_proxy.value);
  if (const auto text = files.Find(kubelet::kFlagsFile)) {
    for (const Setting& argument : ArgumentsOf(std::string(kubelet::kFlagsFile), *text)) {
      if (argument.name == kGatesArgument) {
        Add(gates, GatesOf(argument.where, argument.value));
      }
    }
  }
  return gates;
}

std::vector<Setting> EtcdArguments(const config::ClusterConfiguration& cluster) {
  std::vector<Setting> arguments;
  if (cluster.etcd.local) {
    for (const config::Arg& arg : cluster.etcd.local->extra_args) {
      arguments.push_back({.where = "etcd.local.extraArgs", .name = arg.name, .value = arg.value});
    }
  }
  return arguments;
}

std::vector<Setting> KubeletArguments(const host::Files& files) {
  std::vector<Setting> arguments;
  for (const char* file : kKubeletEnvironments) {
    if (const auto text = files.Find(file)) {
      Add(arguments, ArgumentsOf(file, *text));
    }
  }
  return arguments;
}

bool IsListed(const json::Value& resource) {
  const json::Value& verbs = json::At(resource, {"verbs"});
  return verbs.is_array() && std::ranges::contains(verbs, json::Value("list")) &&
         !json::TextAt(resource, {"name"}).contains('/');
}

// The objects of one API version that the cluster serves; none when it does not.
std::vector<StoredObjects> ObjectsOf(const releases::ApiVersion& api, kube::Client& client) {
  std::string served;
  try {
    served = client.transport().GetPath(fmt::format("/apis/{}/{}", api.group, api.version), {});
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
      }
    }
  });
  return hidden;
}

std::optional<base::Version> CutOff(const host::Files& files) {
  const std::optional<upgrade::Record> record = upgrade::LoadRecord(files);
  return record && record->command == "apply" && !record->complete
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

std::vector<Setting> GatesOf(const std::string& where, std::string_view value) {
  std::vector<Setting> gates;
  for (const std::string& pair : base::Split(value, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals != std::string::npos) {
      // Components take what Go's strconv.ParseBool takes; what begins otherwise than these is off.
      const std::string_view word = base::Trim(std::string_view(pair).substr(equals + 1));
      const bool on = word == "1" || word.starts_with('t') || word.starts_with('T');
      gates.push_back({.where = where,
                       .name = std::string(base::Trim(pair.substr(0, equals))),
                       .value = on ? "true" : "false"});
    }
  }
  return gates;
}

std::vector<Setting> ArgumentsOf(const std::string& where, std::string_view text) {
  std::vector<Setting> arguments;
  for (const std::string& line : base::Lines(text)) {
    if (line.starts_with('#')) {
      continue;
    }
    for (std::size_t at = line.find("--"); at != std::string::npos; at = line.find("--", at + 2)) {
      const std::string word = line.substr(at + 2, line.find_first_of(" \t\"'", at) - at - 2);
      const std::size_t equals = word.find('=');
      arguments.push_back({.where = where,
                           .name = word.substr(0, equals),
                           .value = equals == std::string::npos ? "" : word.substr(equals + 1)});
    }
  }
  return arguments;
}

PathFacts GatherPathFacts(const GatherRequest& request) {
  const host::Files& files = request.host.files;
  upgrade::Running running = upgrade::GatherRunning(request.client);
  PathFacts facts{.node = request.config.init.node_registration.name,
                  .wanted = request.wanted,
                  .cluster = running.cluster,
                  .servers = std::move(running.static_pods[std::string(config::kApiServer)]),
                  .kubelets = std::move(running.kubelets)};
  facts.cut_off = CutOff(files);
  facts.stored_api = json::TextAt(yaml::Parse(request.stored.cluster).value, {"apiVersion"});
  facts.etcd_arguments = EtcdArguments(request.config.cluster);
  facts.gates = Gates(request.config.cluster, files);
  facts.kubelet_arguments = KubeletArguments(files);
  facts.own_kubelets = request.own_kubelets;
  facts.kubelet_command = request.kubelet_command;
  Try("the API server's /metrics",
      [&] { facts.requested = RequestedApis(request.client.transport().GetPath("/metrics", {})); });
  Try("objects of APIs that go", [&] { facts.objects = Objects(facts, request.client); });
  Try("the definitions of custom resources",
      [&] { facts.hidden = HiddenVersions(request.client); });
  return facts;
}

}  // namespace upgrade_path
