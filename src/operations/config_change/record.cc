// SPDX-License-Identifier: Apache-2.0
#include "config_change/record.h"

#include <array>

#include "json/fields.h"
#include "json/value.h"
#include "state_files/state_file.h"

namespace config_change {
namespace {

constexpr state_files::StateFile kFile{
    .path = kChangeFile,
    .refusal =
        "{} is not a journal of a change: {}; remove it if no change of this node's "
        "configuration is to be taken back"};

constexpr std::array<std::string_view, 3> kStates{"applying", "trying", "kept"};

json::Value ToJson(const std::optional<config::StoredComponent>& component) {
  return component ? json::Value{{"text", component->text}, {"generated", component->generated}}
                   : json::Value();
}

std::optional<config::StoredComponent> ComponentIn(const json::Value& value) {
  return value.is_null() ? std::nullopt
                         : std::optional(config::StoredComponent{
                               .text = value.at("text").get<std::string>(),
                               .generated = value.at("generated").get<bool>()});
}

json::Value ToJson(const Change& change) {
  return {{"state", kStates[static_cast<std::size_t>(change.state)]},
          {"id", change.id},
          {"cluster", change.before.cluster},
          {"kubeletConfiguration", ToJson(change.before.kubelet)},
          {"kubeProxyConfiguration", ToJson(change.before.kube_proxy)},
          {"node", json::Encode(change.node)},
          {"stored", change.stored},
          {"directory", change.directory},
          {"certificates", change.certificates},
          {"kubelet", change.kubelet},
          {"coreDns", change.core_dns},
          {"kubeProxy", change.kube_proxy},
          {"putBack", change.put_back},
          {"storedAs", change.stored_as},
          {"written", change.written},
          {"until", change.until ? change.until->time_since_epoch().count() : 0}};
}

Change FromJson(const json::Value& json) {
  Change change{.id = json.value("id", std::string()),
                .before = {.cluster = json.at("cluster").get<std::string>(),
                           .kubelet = ComponentIn(json.at("kubeletConfiguration")),
                           .kube_proxy = ComponentIn(json.at("kubeProxyConfiguration"))},
                .stored = json.at("stored").get<bool>(),
                .directory = json.at("directory").get<std::string>(),
                .certificates = json.at("certificates").get<std::vector<std::string>>(),
                .kubelet = json.at("kubelet").get<bool>(),
                .core_dns = json.at("coreDns").get<bool>(),
                .kube_proxy = json.at("kubeProxy").get<bool>(),
                .put_back = json.value("putBack", false),
                .stored_as = json.value("storedAs", std::string()),
                .written = json.value("written", std::map<std::string, std::string>())};
  json::DecodeProblems problems;
  json::Decode(json.at("node"), change.node, json::kAllVersions, problems);
  problems.errors.ThrowIfAny();
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (json.at("state") == kStates[i]) {
      change.state = static_cast<Change::State>(i);
    }
  }
  if (const auto until = json.at("until").get<std::int64_t>(); until != 0) {
    change.until = std::chrono::sys_seconds(std::chrono::seconds(until));
  }
  return change;
}

}  // namespace

std::optional<Change> LoadChange(const host::Files& files) {
  return state_files::LoadStateFile(files, kFile, FromJson);
}

void SaveChange(host::Files& files, const Change& change) {
  state_files::SaveStateFile(files, kChangeFile, ToJson(change));
}

void RemoveChange(host::Files& files) {
  // After a kill between the two, the file remains that lets the command continue.
  files.Remove(host::fs::path(kTakenBackFile));
  files.Remove(host::fs::path(kPodsFile));
  files.Remove(host::fs::path(kChangeFile));
}

upgrade::Record NewRecord(const config::Init& to) {
  return {.command = "config apply",
          .from = to.cluster.kubernetes_version,
          .to = to.cluster.kubernetes_version,
          .complete = false,
          .manifests = {},
          .serving = {},
          .etcd_data = "",
          .kubelet_config = "",
          .file = std::string(kPodsFile)};
}

}  // namespace config_change
