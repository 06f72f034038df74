// SPDX-License-Identifier: Apache-2.0
#include "config_change/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/component_configs.h"
#include "config/field_tree.h"
#include "config/marshal.h"
#include "config_change/node_fields.h"
#include "json/value.h"
#include "node_input/config_facts.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;

constexpr std::array<std::string_view, 2> kNamedLists{"extraArgs", "extraEnvs"};

bool IsNamedList(const std::string& member) {
  return std::ranges::find(kNamedLists, member) != kNamedLists.end();
}

// A parsed argument "path=value".
struct Setting {
  std::string kind;  // "ClusterConfiguration"
  // The elements of the path. The last one may contain dots if it is the name of an argument.
  std::vector<std::string> path;
  std::string value;  // "" removes the field
};

// Returns whether the field's elements have names, which may contain dots: the keys of a map, or
// the names in a list of arguments.
bool HasNames(const std::string& member, const config::FieldNode& field) {
  return IsNamedList(member) || (!field.containers.empty() &&
                                 field.containers.front() == config::FieldNode::Container::kMap);
}

// Joins the path elements after a field with named elements (HasNames) into one name. Throws
// base::Error(kUsage) for an unknown field.
void Resolve(Setting& setting, const std::string& word) {
  std::string path = setting.kind;
  for (auto member = setting.path.begin(); member != setting.path.end(); ++member) {
    path += "." + *member;
    const std::vector<config::FoundField> found = config::FindFields(path);
    if (found.empty()) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("{}: there is no field {}; see 'kubeadm config explain {}'",
                              base::Quoted(word), path, setting.kind));
    }
    const auto rest = std::next(member);
    if (rest != setting.path.end() && HasNames(*member, *found.front().node)) {
      std::string name = base::Join(std::span(rest, setting.path.end()), ".");
      setting.path.erase(rest, setting.path.end());
      setting.path.push_back(std::move(name));
      return;
    }
  }
}

Setting ReadSetting(const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign == std::string::npos || sign == 0) {
    throw Error(
        Error::Kind::kUsage,
        fmt::format("{} is not a setting such as apiServer.extraArgs.v=4", base::Quoted(word)));
  }
  Setting setting{.kind = "ClusterConfiguration",
                  .path = base::Split(word.substr(0, sign), '.'),
                  .value = word.substr(sign + 1)};
  if (setting.path.front() == "kubelet" || setting.path.front() == "kubeProxy") {
    setting.kind =
        setting.path.front() == "kubelet" ? config::kKubeletKind : config::kKubeProxyKind;
    setting.path.erase(setting.path.begin());
  }
  if (setting.path.empty()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{} names no field; see 'kubeadm config explain {}'",
                            base::Quoted(word), setting.kind));
  }
  Resolve(setting, word);
  return setting;
}

// Removes the elements "name: NAME" from the list. Unless `value` is empty, appends a new element;
// the last element with a name takes effect.
void SetNamed(json::Value& list, const std::string& name, const std::string& value) {
  if (!list.is_array()) {
    list = json::Value::array();
  }
  std::erase_if(list.get_ref<json::Value::array_t&>(),
                [&](const json::Value& item) { return json::TextAt(item, {"name"}) == name; });
  if (!value.empty()) {
    list.push_back({{"name", name}, {"value", value}});
  }
}

void Set(json::Value& root, const Setting& setting) {
  if (!root.is_object()) {
    throw Error(Error::Kind::kInvalid, fmt::format("the stored {} is a {}, not an object",
                                                   setting.kind, json::KindOf(root)));
  }
  json::Value* at = &root;
  for (std::size_t i = 0; i + 1 < setting.path.size(); ++i) {
    const std::string& member = setting.path[i];
    at = &(*at)[member];
    if (IsNamedList(member)) {
      SetNamed(*at, setting.path.back(), setting.value);
      return;
    }
    if (!at->is_object() && !at->is_null()) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("{} is not an object: set it as a whole, {}=VALUE", member, member));
    }
  }
  if (!setting.value.empty()) {
    (*at)[setting.path.back()] = yaml::Parse(setting.value).value;
  } else if (at->is_object()) {
    at->erase(setting.path.back());
  }
}

// Returns the stored text of a kind; null if the cluster has none.
std::string* TextOfKind(std::string_view kind, config::StoredConfig& stored) {
  if (kind == config::kKubeletKind) {
    return stored.kubelet ? &stored.kubelet->text : nullptr;
  }
  if (kind == config::kKubeProxyKind) {
    return stored.kube_proxy ? &stored.kube_proxy->text : nullptr;
  }
  return &stored.cluster;
}

// Marks a component's configuration as the user's own, because the user has set a value in it.
void MarkOwn(std::string_view kind, config::StoredConfig& stored) {
  if (kind == config::kKubeletKind && stored.kubelet) {
    stored.kubelet->generated = false;
  }
  if (kind == config::kKubeProxyKind && stored.kube_proxy) {
    stored.kube_proxy->generated = false;
  }
}

void Put(std::string_view kind, const json::Value& value, config::StoredConfig& stored) {
  if (std::string* text = TextOfKind(kind, stored)) {
    *text = yaml::Emit(value);
    MarkOwn(kind, stored);
  }
}

}  // namespace

config::StoredConfig ApplySettings(config::StoredConfig stored,
                                   std::span<const std::string> words) {
  for (const std::string& word : words) {
    const Setting setting = ReadSetting(word);
    const std::string* text = TextOfKind(setting.kind, stored);
    if (text == nullptr) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("{}: the cluster stores no {}", base::Quoted(word), setting.kind));
    }
    json::Value value = yaml::Parse(*text).value;
    Set(value, setting);
    Put(setting.kind, value, stored);
  }
  return stored;
}

void CheckSettings(std::span<const std::string> words) {
  std::ranges::for_each(words, ReadSetting);
}

config::StoredConfig TakeFile(config::StoredConfig stored, const config::Source& file) {
  bool any = false;
  const json::Value old = yaml::Parse(stored.cluster).value;
  for (const config::Document& document : config::ReadDocuments(file)) {
    const std::string& kind = document.gvk.kind;
    if (kind != "ClusterConfiguration" && kind != config::kKubeletKind &&
        kind != config::kKubeProxyKind) {
      continue;
    }
    any = true;
    json::Value value = document.yaml.value;
    if (kind == "ClusterConfiguration" && json::At(value, {"kubernetesVersion"}).is_null()) {
      value["kubernetesVersion"] = json::At(old, {"kubernetesVersion"});
    }
    Put(kind, value, stored);
  }
  if (!any) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} has neither a ClusterConfiguration nor a KubeletConfiguration nor "
                            "a KubeProxyConfiguration",
                            file.name));
  }
  return stored;
}

config::StoredConfig TakeFile(config::StoredConfig stored, host::Host& host,
                              const std::string& path) {
  const config::Source source = node_input::ReadSource(host, path);
  config::Facts facts = node_input::CollectFacts(host);
  // If the file has no version, the cluster's version is used: the newest version is not looked up.
  facts.fetch = [version = json::TextAt(yaml::Parse(stored.cluster).value, {"kubernetesVersion"})](
                    const std::string&) { return version; };
  config::ValidateFile(source, facts, config::DeprecatedVersions::kWarn);
  for (const std::string& line : NotTaken(source, host)) {
    base::LogWarning("{}: {}", path, line);
  }
  return TakeFile(std::move(stored), source);
}

config::Init Complete(const config::StoredConfig& stored, const config::InitConfiguration& node,
                      const config::Facts& facts) {
  return config::LoadStored(stored, node, facts,
                            {.unknown_fields = config::UnknownFields::kRefuse,
                             .cri_socket = config::CriSocketChoice::kAssume,
                             .advertise_address = config::AdvertiseAddress::kKeep});
}

}  // namespace config_change
