// SPDX-License-Identifier: Apache-2.0
#include "addons/fleet_operator.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>

#include "addons/apply.h"
#include "addons/texts.h"
#include "base/error.h"
#include "json/value.h"
#include "yaml/yaml.h"

namespace addons {
namespace {

using base::Error;

constexpr std::string_view kImageArgument = "--image=";

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
  ApplyManifests(client, FleetManifests(images));
}

}  // namespace addons
