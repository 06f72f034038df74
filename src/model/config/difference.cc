// SPDX-License-Identifier: Apache-2.0
#include "config/difference.h"

#include <fmt/core.h>

#include <set>

#include "config/component_configs.h"
#include "config/versions.h"
#include "json/field_path.h"

namespace config {
namespace {

class Comparison {
 public:
  Comparison(std::string_view kind, std::vector<Difference>& found) : kind_(kind), found_(found) {}

  void Compare(const json::Value& cluster, const json::Value& file, const std::string& path) {
    if (cluster == file) {
      return;
    }
    if (cluster.is_object() && file.is_object()) {
      CompareMembers(cluster, file, path);
    } else if (cluster.is_array() && file.is_array() && cluster.size() == file.size()) {
      for (std::size_t i = 0; i < cluster.size(); ++i) {
        Compare(cluster[i], file[i], json::ElementPath(path, i));
      }
    } else {
      found_.push_back(
          {.kind = std::string(kind_), .path = path, .cluster = cluster, .file = file});
    }
  }

 private:
  void CompareMembers(const json::Value& cluster, const json::Value& file,
                      const std::string& path) {
    std::set<std::string> names;
    for (const json::Value* side : {&cluster, &file}) {
      for (const auto& [name, value] : side->items()) {
        names.insert(name);
      }
    }
    for (const std::string& name : names) {
      Compare(json::At(cluster, {name}), json::At(file, {name}), json::MemberPath(path, name));
    }
  }

  std::string_view kind_;
  std::vector<Difference>& found_;
};

}  // namespace

std::vector<Difference> Differences(const ClusterConfiguration& cluster,
                                    const ClusterConfiguration& file) {
  std::vector<Difference> found;
  Comparison("ClusterConfiguration", found)
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
      text += fmt::format("-{}: {}\n", difference.path, json::Compact(difference.cluster));
    }
    if (!difference.file.is_null()) {
      text += fmt::format("+{}: {}\n", difference.path, json::Compact(difference.file));
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
