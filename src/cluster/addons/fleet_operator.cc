// SPDX-License-Identifier: Apache-2.0
#include "addons/fleet_operator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "addons/texts.h"
#include "base/error.h"
#include "json/value.h"
#include "yaml/yaml.h"

namespace addons {
namespace {

using base::Error;

constexpr std::string_view kImageArgument = "--image=";

constexpr kube::Resource kDefinition{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                     "CustomResourceDefinition", false};
constexpr kube::Resource kNetworkPolicy{"networking.k8s.io", "v1", "networkpolicies",
                                        "NetworkPolicy"};
constexpr std::array<const kube::Resource*, 9> kResources = {&kube::resources::kNamespace,
                                                             &kDefinition,
                                                             &kube::resources::kServiceAccount,
                                                             &kube::resources::kClusterRole,
                                                             &kube::resources::kClusterRoleBinding,
                                                             &kube::resources::kRole,
                                                             &kube::resources::kRoleBinding,
                                                             &kube::resources::kDeployment,
                                                             &kNetworkPolicy};

const kube::Resource& ResourceOf(const json::Value& object) {
  const std::string kind = json::TextAt(object, {"kind"});
  const auto found = std::ranges::find(kResources, kind, &kube::Resource::kind);
  if (found == kResources.end()) {
    throw Error(fmt::format("deploy/fleet has an object of kind \"{}\"", kind));
  }
  return **found;
}

void SetImages(const FleetImages& images, json::Value& deployment) {
  for (json::Value& container : deployment["spec"]["template"]["spec"]["containers"]) {
    container["image"] = images.slipway_operator;
    for (json::Value& argument : container["args"]) {
      if (argument.get_ref<const std::string&>().starts_with(kImageArgument)) {
        argument = std::string(kImageArgument) + images.kubeadm;
      }
    }
  }
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

FleetImages RequireFleetImages(const config::Fleet& fleet) {
  if (fleet.image.empty() || fleet.kubeadm_image.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the operator of ClusterOperations needs two images: name them with "
                            "--fleet-image (it has slipway-operator) and --fleet-kubeadm-image (it "
                            "has kubeadm), or in fleet.image and fleet.kubeadmImage of an {}",
                            config::kExtensionKind));
  }
  return {.slipway_operator = fleet.image, .kubeadm = fleet.kubeadm_image};
}

std::vector<json::Value> FleetManifests(const FleetImages& images) {
  std::vector<json::Value> manifests;
  const json::Value kustomization = yaml::Parse(Text("kustomization")).value;
  for (const json::Value& file : kustomization.at("resources")) {
    const std::string name = std::filesystem::path(file.get<std::string>()).stem();
    for (const yaml::Piece& piece : yaml::Split(Text(name))) {
      if (!yaml::HasContent(piece)) {
        continue;
      }
      manifests.push_back(yaml::Parse(piece.text).value);
      if (json::TextAt(manifests.back(), {"kind"}) == kube::resources::kDeployment.kind) {
        SetImages(images, manifests.back());
      }
    }
  }
  return manifests;
}

void ApplyFleet(kube::Client& client, const FleetImages& images) {
  for (const json::Value& object : FleetManifests(images)) {
    client.CreateOrMutate(ResourceOf(object), object,
                          [&object](json::Value& existing) { Merge(object, existing); });
  }
}

}  // namespace addons
