// SPDX-License-Identifier: Apache-2.0
#include "addons/apply.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "json/value.h"

namespace addons {
namespace {

constexpr kube::Resource kDefinition{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                     "CustomResourceDefinition", false};
constexpr kube::Resource kNetworkPolicy{"networking.k8s.io", "v1", "networkpolicies",
                                        "NetworkPolicy"};

struct KindRow {
  const kube::Resource& resource;
  bool is_state = false;  // objects of this kind are the program's state
};
constexpr std::array<KindRow, 11> kKinds = {{{kube::resources::kNamespace},
                                             {kDefinition},
                                             {kube::resources::kServiceAccount},
                                             {kube::resources::kClusterRole},
                                             {kube::resources::kClusterRoleBinding},
                                             {kube::resources::kRole},
                                             {kube::resources::kRoleBinding},
                                             {kube::resources::kDeployment},
                                             {kNetworkPolicy},
                                             {kube::resources::kLease, true},
                                             {kube::resources::kConfigMap, true}}};

const KindRow& RowOf(const json::Value& object) {
  const std::string kind = json::TextAt(object, {"kind"});
  const auto found = std::ranges::find_if(
      kKinds, [&kind](const KindRow& row) { return row.resource.kind == kind; });
  if (found == kKinds.end()) {
    throw base::Error(fmt::format("no addon has an object of kind \"{}\"", kind));
  }
  return *found;
}

// Copies the members of `object` into an existing object. Keeps the other metadata of the existing
// object, because the API server refuses an update without it.
void Merge(const json::Value& object, json::Value& existing) {
  for (const auto& [name, value] : object.items()) {
    if (name != "metadata") {
      existing[name] = value;
    }
  }
  const json::Value& labels = json::At(object, {"metadata", "labels"});
  if (labels.is_object()) {
    existing["metadata"]["labels"].update(labels);
  }
}

}  // namespace

void ApplyManifests(kube::Client& client, const std::vector<json::Value>& manifests) {
  for (const json::Value& object : manifests) {
    const auto& [resource, is_state] = RowOf(object);
    if (is_state) {
      client.CreateOrRetain(resource, object);
    } else {
      client.CreateOrMutate(resource, object,
                            [&object](json::Value& existing) { Merge(object, existing); });
    }
  }
}

}  // namespace addons
