// SPDX-License-Identifier: Apache-2.0
#include "machine_update/node_operation.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "base/strings.h"
#include "json/texts.h"
#include "machine_update/rules.h"
#include "pki/crypto.h"

namespace machine_update {
namespace {

constexpr std::size_t kIdDigits = 10;
constexpr std::size_t kStateDigits = 12;

std::string HashOf(const std::string& text, std::size_t digits) {
  return base::HexEncode(pki::Sha256(text)).substr(0, digits);
}

// Returns the checks that the Machine's creator wants to be warnings, for init or for join.
std::vector<std::string> IgnoredChecks(const json::Value& config) {
  for (const char* part : {"joinConfiguration", "initConfiguration"}) {
    std::vector<std::string> names =
        json::TextsIn(json::At(config, {part, "nodeRegistration", "ignorePreflightErrors"}));
    if (!names.empty()) {
      return names;
    }
  }
  return {};
}

}  // namespace

std::string OperationNameOf(const UpdatedMachine& machine) {
  const json::Value state = {{"uid", machine.uid},
                             {"version", machine.version},
                             {"generation", machine.generation},
                             {"configGeneration", machine.config_generation},
                             {"config", RuledValues(machine.config)}};
  return fmt::format("machine-{}-{}", HashOf(machine.uid, kIdDigits),
                     HashOf(json::Compact(state), kStateDigits));
}

json::Value OperationFor(const UpdatedMachine& machine, const UpdatedNode& node,
                         const KubeletSource& kubelets) {
  json::Value upgrade = {{"version", machine.version}, {"nodesOnly", true}};
  if (!kubelets.image.empty()) {
    upgrade["kubeletImage"] = kubelets.image;
  }
  if (!kubelets.command.empty()) {
    upgrade["kubeletCommand"] = kubelets.command;
  }
  if (const std::vector<std::string> checks = IgnoredChecks(machine.config); !checks.empty()) {
    upgrade["ignorePreflightErrors"] = checks;
  }
  return {{"apiVersion", "operations.slipway/v1alpha1"},
          {"kind", "ClusterOperation"},
          {"metadata",
           {{"name", OperationNameOf(machine)},
            {"annotations",
             {{"operations.slipway/machine",
               fmt::format("{}/{}", machine.name_space, machine.name)}}}}},
          {"spec",
           {{"upgrade", std::move(upgrade)},
            {"nodeSelector", {{"kubernetes.io/hostname", node.hostname}}},
            {"drain", {{"enabled", node.kubelet_version != machine.version}}}}}};
}

}  // namespace machine_update
