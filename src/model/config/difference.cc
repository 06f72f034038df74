// SPDX-License-Identifier: Apache-2.0
#include "config/difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "config/component_configs.h"
#include "config/versions.h"
#include "json/field_path.h"

namespace config {
namespace {

constexpr std::string_view kCluster = "ClusterConfiguration";
constexpr const char* kName = "name";

// Arguments, environment variables and volumes: lists whose elements have a name.
bool IsNamedList(const json::Value& list) {
  return list.is_array() && !list.empty() &&
         std::ranges::all_of(list, [](const json::Value& element) {
           return element.is_object() && json::At(element, {kName}).is_string();
         });
}

bool IsEmptyList(const json::Value& list) {
  return list.is_null() || (list.is_array() && list.empty());
}

bool AreNamedLists(const json::Value& one, const json::Value& other) {
  return (IsNamedList(one) && (IsNamedList(other) || IsEmptyList(other))) ||
         (IsEmptyList(one) && IsNamedList(other));
}

// Groups the elements of a list by name. A group contains the other fields of its elements, in the
// order of the list, because the order of repeated arguments matters.
json::Value ByName(const json::Value& list) {
  json::Value names = json::Value::object();
  for (const json::Value& element : list) {
    json::Value rest = element;
    rest.erase(kName);
    const bool is_plain = rest.empty() || (rest.size() == 1 && rest.contains("value"));
    names[json::TextAt(element, {kName})].push_back(
        is_plain ? json::Value(json::TextAt(rest, {"value"})) : std::move(rest));
  }
  return names;
}

std::set<std::string> NamesOf(const json::Value& one, const json::Value& other) {
  std::set<std::string> names;
  for (const json::Value* side : {&one, &other}) {
    for (const auto& [name, value] : side->items()) {
      names.insert(name);
    }
  }
  return names;
}

class Comparison {
 public:
  Comparison(std::string_view kind, std::vector<Difference>& found) : kind_(kind), found_(found) {}

  void Compare(const json::Value& cluster, const json::Value& file, const std::string& path) {
    if (cluster == file) {
      return;
    }
    if (kind_ == kCluster && AreNamedLists(cluster, file)) {
      CompareNamed(ByName(cluster), ByName(file), path);
    } else if (cluster.is_object() && file.is_object()) {
      CompareMembers(cluster, file, path);
    } else if (cluster.is_array() && file.is_array() && cluster.size() == file.size()) {
      for (std::size_t i = 0; i < cluster.size(); ++i) {
        Compare(cluster[i], file[i], json::ElementPath(path, i));
      }
    } else {
      Add(cluster, file, path);
    }
  }

 private:
  void Add(const json::Value& cluster, const json::Value& file, const std::string& path) {
    found_.push_back({.kind = std::string(kind_), .path = path, .cluster = cluster, .file = file});
  }

  void CompareNamed(const json::Value& cluster, const json::Value& file, const std::string& path) {
    for (const std::string& name : NamesOf(cluster, file)) {
      const json::Value& before = json::At(cluster, {name});
      const json::Value& after = json::At(file, {name});
      const std::string element = json::MemberPath(path, name);
      if (before.size() <= 1 && after.size() <= 1) {
        const auto only = [](const json::Value& list) {
          return list.is_null() ? json::Value() : list.front();
        };
        Compare(only(before), only(after), element);
      } else if (before != after) {
        Add(before, after, element);
      }
    }
  }

  void CompareMembers(const json::Value& cluster, const json::Value& file,
                      const std::string& path) {
    for (const std::string& name : NamesOf(cluster, file)) {
      Compare(json::At(cluster, {name}), json::At(file, {name}), json::MemberPath(path, name));
    }
  }

  std::string_view kind_;
  std::vector<Difference>& found_;
};

// Escapes the path, because a key in it may contain line ends.
std::string Line(char sign, const std::string& path, const json::Value& value) {
  return fmt::format("{}{}: {}\n", sign, base::Visible(path), json::Compact(value));
}

}  // namespace

std::vector<Difference> Differences(const ClusterConfiguration& cluster,
                                    const ClusterConfiguration& file) {
  std::vector<Difference> found;
  Comparison(kCluster, found)
      .Compare(json::Encode(cluster, kV1beta4), json::Encode(file, kV1beta4), "");
  const struct {
    std::string_view kind;
    const ComponentConfig& cluster;
    const ComponentConfig& file;
  } components[] = {{kKubeletKind, cluster.kubelet, file.kubelet},
                    {kKubeProxyKind, cluster.kube_proxy, file.kube_proxy}};
  for (const auto& component : components) {
    if (component.file.user_supplied) {
      Comparison(component.kind, found).Compare(component.cluster.value, component.file.value, "");
    }
  }
  return found;
}

std::string TextOf(const std::vector<Difference>& all) {
  if (all.empty()) {
    return "The cluster is configured as the file says\n";
  }
  std::string text = "--- cluster\n+++ file\n";
  std::string kind;
  for (const Difference& difference : all) {
    if (difference.kind != kind) {
      kind = difference.kind;
      text += fmt::format("@@ {} @@\n", kind);
    }
    if (!difference.cluster.is_null()) {
      text += Line('-', difference.path, difference.cluster);
    }
    if (!difference.file.is_null()) {
      text += Line('+', difference.path, difference.file);
    }
  }
  return text;
}

json::Ordered ObjectOf(const std::vector<Difference>& all) {
  json::Ordered list = json::Ordered::array();
  for (const Difference& difference : all) {
    list.push_back({{"ofKind", difference.kind},
                    {"path", difference.path},
                    {"cluster", difference.cluster},
                    {"file", difference.file}});
  }
  return {{"kind", "ConfigurationDifference"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"differences", std::move(list)}};
}

}  // namespace config
