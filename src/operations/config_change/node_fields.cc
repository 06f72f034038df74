// SPDX-License-Identifier: Apache-2.0
#include "config_change/node_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/addresses.h"
#include "kubelet/flags.h"
#include "kubelet/local_runtime.h"
#include "static_pods/static_pod.h"
#include "stored_config/this_node.h"

namespace config_change {
namespace {

using json::Value;

constexpr std::string_view kOfTheRun = "of the run of 'init' or 'join'";
constexpr std::string_view kGroup = "kubeadm.k8s.io";

constexpr std::array kRows = std::to_array<NodeField>({
    {"bootstrapTokens", "'kubeadm token' makes and deletes them"},
    {"certificateKey", "'kubeadm init phase upload-certs' makes another one"},
    {"localAPIEndpoint.advertiseAddress", "'kubeadm node readdress'"},
    {"localAPIEndpoint.bindPort",
     "every kubeconfig file of the node names it; set it at 'init' and 'join'"},
    {"nodeRegistration.name", "on a worker 'kubeadm node rename'"},
    {"nodeRegistration.criSocket",
     "the kubelet: '/var/lib/kubelet/instance-config.yaml', then 'kubeadm config apply node'; "
     "drain "
     "the node first"},
    {"nodeRegistration.taints", "'kubectl taint node'"},
    {"nodeRegistration.kubeletExtraArgs",
     "the kubelet: '/var/lib/kubelet/kubeadm-flags.env', which upgrades leave alone"},
    {"nodeRegistration.imagePullPolicy", kOfTheRun},
    {"nodeRegistration.imagePullSerial", kOfTheRun},
    {"nodeRegistration.ignorePreflightErrors", kOfTheRun},
    {"patches.directory", "'kubeadm config apply node --patches', and the same at each upgrade"},
    {"dryRun", kOfTheRun},
    {"skipPhases", kOfTheRun},
    {"timeouts", kOfTheRun},
});

Value At(const Value& document, std::string_view path) {
  Value found = document;
  for (const std::string& member : base::Split(std::string(path), '.')) {
    found = Value(json::At(found, {member}));
  }
  return found;
}

bool SaysNothing(const Value& value) {
  return value.is_null() || (value.is_structured() && value.empty()) || value == Value("") ||
         value == Value(false);
}

// Returns the result of `read`. Returns "" if the node's files are unreadable; then the value of
// the configuration file is reported as a difference.
template <typename Read>
std::string Known(const Read& read) {
  try {
    return read();
  } catch (const base::Error&) {
    return "";
  }
}

std::string EndpointHere(const host::Files& files) {
  const auto pod = static_pods::ReadManifest(files, components::Component::kApiServer);
  return pod ? static_pods::AdvertisedEndpointOf(*pod).text : "";
}

// Reads arguments: a map in older API versions, a list of names and values in newer ones.
config::Args ArgsIn(const Value& value) {
  config::Args args;
  for (const auto& [name, each] : value.items()) {
    if (value.is_object()) {
      args.push_back({.name = name, .value = each.is_string() ? each.get<std::string>() : ""});
    } else {
      args.push_back(
          {.name = json::TextAt(each, {"name"}), .value = json::TextAt(each, {"value"})});
    }
  }
  return args;
}

bool KubeletHas(const Value& value, const host::Files& files) {
  const auto text = files.Find(kubelet::kFlagsFile);
  const config::Args here = text ? kubelet::ParseFlagsFile(*text).flags : config::Args();
  return value.is_structured() && std::ranges::all_of(ArgsIn(value), [&](const config::Arg& arg) {
           return std::ranges::any_of(here, [&](const config::Arg& each) {
             return each.name == arg.name && each.value == arg.value;
           });
         });
}

bool IsHere(std::string_view path, const Value& value, const host::Host& host) {
  const host::Files& files = host.files;
  if (path == "nodeRegistration.name") {
    return value ==
           Value(Known([&] { return stored_config::NodeName(files, host.machine.Hostname()); }));
  }
  if (path == "nodeRegistration.criSocket") {
    return value == Value(Known([&] { return kubelet::CriSocketOnDisk(files).value_or(""); }));
  }
  if (path == "nodeRegistration.kubeletExtraArgs") {
    return KubeletHas(value, files);
  }
  if (path.starts_with("localAPIEndpoint.")) {
    const std::string here = Known([&] { return EndpointHere(files); });
    if (here.empty()) {
      return false;
    }
    const auto parts = config::ReadEndpoint(here);
    return path.ends_with("bindPort") ? value == Value(parts.PortNumber().value_or(0))
                                      : value == Value(parts.host);
  }
  return false;
}

}  // namespace

std::span<const NodeField> NodeFields() { return kRows; }

std::vector<std::string> NotTaken(const config::Source& file, const host::Host& host) {
  std::vector<std::string> lines;
  for (const config::Document& document : config::ReadDocuments(file)) {
    const std::string& kind = document.gvk.kind;
    if (document.gvk.group != kGroup || kind == "ClusterConfiguration") {
      continue;
    }
    if (kind != "InitConfiguration") {
      lines.push_back(fmt::format("{} is not taken: it is about one run", kind));
      continue;
    }
    for (const NodeField& row : kRows) {
      const Value value = At(document.yaml.value, row.path);
      if (!SaysNothing(value) && !IsHere(row.path, value, host)) {
        lines.push_back(fmt::format("InitConfiguration {} is not taken: {}", row.path, row.where));
      }
    }
  }
  return lines;
}

}  // namespace config_change
