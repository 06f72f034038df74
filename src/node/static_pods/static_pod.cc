// SPDX-License-Identifier: Apache-2.0
#include "static_pods/static_pod.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/strings.h"
#include "config/merged_args.h"
#include "config/paths.h"
#include "json/texts.h"
#include "kube/shape.h"
#include "node_input/patches.h"
#include "static_pods/pod_parts.h"
#include "yaml/yaml.h"

namespace static_pods {

namespace fs = std::filesystem;

using components::Component;

std::map<std::string, std::string> ProxyEnvironment(const std::map<std::string, std::string>& all) {
  std::map<std::string, std::string> proxies;
  for (const auto& [name, value] : all) {
    if (!value.empty() && base::ToLower(name).ends_with("_proxy")) {
      proxies.emplace(name, value);
    }
  }
  return proxies;
}

HostFacts CollectFacts(const host::Host& host, const config::ClusterConfiguration& cluster) {
  HostFacts facts;
  for (const std::string_view path : kExtraCaDirectories) {
    const auto info = host.files.Stat(path);
    if (info) {
      facts.ca_directories.emplace(path);
    }
  }
  facts.proxy_environment = ProxyEnvironment(host.environment.All());
  const fs::path pki = cluster.certificates_dir;
  facts.external_ca = host.files.Exists(pki / "ca.crt") && !host.files.Exists(pki / "ca.key");
  facts.rotates_ca = host.files.Exists(pki / config::kSigningCertificate);
  return facts;
}

json::Value StaticPod(Component component, const config::Init& config, const HostFacts& facts) {
  switch (component) {
    case Component::kEtcd:
      return EtcdPod(config);
    case Component::kApiServer:
      return ApiServerPod(config, facts);
    case Component::kControllerManager:
      return ControllerManagerPod(config, facts);
    case Component::kScheduler:
      break;
  }
  return SchedulerPod(config, facts);
}

AdvertisedEndpoint AdvertisedEndpointOf(const json::Value& pod) {
  return {.text = json::TextAt(pod, {"metadata", "annotations", kApiServerEndpointAnnotation})};
}

json::Value Normalized(const json::Value& pod) { return node_input::Decoded(pod, "v1", "Pod"); }

std::string Text(const json::Value& pod) { return yaml::Emit(pod); }

void WriteManifest(host::Files& files, Component component, const json::Value& pod) {
  files.Write(ManifestPath(component), Text(pod), {.mode = 0600, .directory_mode = 0700});
}

std::optional<json::Value> ReadManifest(const host::Files& files, Component component) {
  const fs::path path = ManifestPath(component);
  const auto text = files.Find(path);
  if (!text) {
    return std::nullopt;
  }
  json::Value pod = base::WithContext(path.string(), [&] { return yaml::Parse(*text).value; });
  if (!pod.is_object()) {
    throw base::Error(base::Error::Kind::kInvalid, fmt::format("{}: this is a YAML {}, not a Pod",
                                                               path.string(), json::KindOf(pod)));
  }
  base::WithContext(path.string(), [&] { kube::RequireShape(kube::resources::kPod, pod); });
  return pod;
}

std::vector<std::string> CommandLine(std::string_view program, const config::Args& defaults,
                                     const config::Args& extra) {
  std::vector<std::string> command = {std::string(program)};
  for (const config::Arg& arg : config::MergedArgs(defaults, extra)) {
    command.push_back(fmt::format("--{}={}", arg.name, arg.value));
  }
  return command;
}

std::optional<std::string> FirstImage(const json::Value& pod) {
  const json::Value& containers = json::At(pod, {"spec", "containers"});
  return containers.is_array() && !containers.empty()
             ? std::optional(json::TextAt(containers[0], {"image"}))
             : std::nullopt;
}

std::vector<std::string> WholeCommand(const json::Value& pod, std::string_view container) {
  std::vector<std::string> words;
  for (const json::Value& each : json::At(pod, {"spec", "containers"})) {
    if (json::TextAt(each, {"name"}) != container || json::At(each, {"command"}).empty()) {
      continue;
    }
    for (const char* field : {"command", "args"}) {
      std::ranges::move(json::TextsIn(json::At(each, {field})), std::back_inserter(words));
    }
  }
  return words;
}

std::optional<std::string> CommandArg(const json::Value& pod, std::string_view name) {
  const json::Value& containers = json::At(pod, {"spec", "containers"});
  if (!containers.is_array() || containers.empty()) {
    return std::nullopt;
  }
  const std::string prefix = fmt::format("--{}=", name);
  std::optional<std::string> value;
  for (const json::Value& word : json::At(containers[0], {"command"})) {
    if (word.is_string() && word.get_ref<const std::string&>().starts_with(prefix)) {
      value = word.get<std::string>().substr(prefix.size());
    }
  }
  return value;
}

}  // namespace static_pods
