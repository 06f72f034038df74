// SPDX-License-Identifier: Apache-2.0
// The kubelet: its files and its running settings.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/feature_gates.h"
#include "config_change/parts.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "kubelet/unit.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;

// The wanted settings are the unchanged text of the ConfigMap and the node's additions.
Component SettingsHere(const Sources& sources, const stored_config::FetchedConfig& fetched) {
  const std::string& node = fetched.config.init.node_registration.name;
  Component kubelet{.name = "kubelet",
                    .node = node,
                    .place = std::string(kubelet::kConfigFile),
                    .kind = Kind::kSettings,
                    .chosen = !fetched.stored.kubelet->generated};
  const auto use = config::SocketIsLocal(fetched.config.cluster) ? kubelet::UseInstanceConfig::kYes
                                                                 : kubelet::UseInstanceConfig::kNo;
  kubelet.should =
      kubelet::MakeNodeConfig(sources.host, yaml::Parse(fetched.stored.kubelet->text).value,
                              sources.patches, use)
          .value;
  if (const auto text = sources.host.files.Find(kubelet::kConfigFile)) {
    kubelet.disk = base::WithContext(kubelet.place, [&] { return yaml::Parse(*text).value; });
  }
  return kubelet;
}

std::vector<std::string> WordsOf(const config::Args& arguments) {
  std::vector<std::string> words;
  for (const config::Arg& argument : arguments) {
    words.push_back(fmt::format("--{}={}", argument.name, argument.value));
  }
  return words;
}

json::Value Arguments(const std::vector<std::string>& words) { return {{"args", words}}; }

std::vector<std::string> ArgumentsOnDisk(const host::Files& files, const std::string& text) {
  const kubelet::ParsedFlags parsed = kubelet::ParseFlagsFile(text);
  std::vector<std::string> words = WordsOf(parsed.flags);
  std::ranges::copy(parsed.dropped, std::back_inserter(words));
  const kubelet::Unit unit = kubelet::ReadUnit(files);
  for (const kubelet::Word& word : unit.arguments) {
    if (std::ranges::contains(kubelet::kExtraArgsFiles, word.file)) {
      words.push_back(word.text);
    }
  }
  return words;
}

// The wanted arguments are kubeadm's own, because kubeletExtraArgs are stored only in the file.
std::optional<Component> ArgumentsHere(const Sources& sources, const config::Init& config) {
  const host::Files& files = sources.host.files;
  const std::optional<std::string> text = files.Find(kubelet::kFlagsFile);
  if (!text) {
    return std::nullopt;
  }
  Component kubelet{.name = "kubelet",
                    .node = config.init.node_registration.name,
                    .place = std::string(kubelet::kFlagsFile),
                    .kind = Kind::kArguments,
                    .at_upgrade = AtUpgrade::kLeft};
  kubelet.should = Arguments(
      WordsOf(kubelet::Flags({.registration = config.init.node_registration,
                              .hostname = sources.host.machine.Hostname(),
                              .cri_socket = config::SocketIsLocal(config.cluster)
                                                ? kubelet::FlagsInput::CriSocket::kInInstanceConfig
                                                : kubelet::FlagsInput::CriSocket::kByFlag,
                              .pod_infra_image = kubelet::PodInfraImage(config.cluster)})));
  kubelet.disk =
      base::WithContext(kubelet.place, [&] { return Arguments(ArgumentsOnDisk(files, *text)); });
  if (!sources.running) {
    return kubelet;
  }
  if (auto words = kubelet::FindCommandLine(sources.host)) {
    words->erase(words->begin());
    kubelet.runs = Arguments(*words);
  }
  return kubelet;
}

}  // namespace

void AddRunningKubelet(kube::Client& client, Component& kubelet, std::vector<std::string>& unseen) {
  try {
    const std::string text =
        client.GetPath(fmt::format("/api/v1/nodes/{}/proxy/configz", kubelet.node));
    kubelet.runs = json::At(json::Parse(text), {"kubeletconfig"});
    kubelet.seen = Seen::kSettings;
  } catch (const Error& error) {
    unseen.push_back(
        fmt::format("the settings with which the kubelet of {} "
                    "runs: {}",
                    kubelet.node, error.message()));
  }
}

void AddKubelet(const Sources& sources, const stored_config::FetchedConfig& fetched,
                Gathered& gathered) {
  Component settings = SettingsHere(sources, fetched);
  if (sources.running) {
    AddRunningKubelet(sources.client, settings, gathered.unseen);
  }
  gathered.components.push_back(std::move(settings));
  try {
    if (auto arguments = ArgumentsHere(sources, fetched.config)) {
      if (sources.running && !arguments->runs) {
        gathered.unseen.emplace_back(
            "the arguments of the running kubelet: its service names no kubelet that root runs");
      }
      gathered.components.push_back(*std::move(arguments));
    }
  } catch (const Error& error) {
    gathered.unseen.push_back("the kubelet's arguments: " + error.message());
  }
}

}  // namespace config_change
