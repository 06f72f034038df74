// SPDX-License-Identifier: Apache-2.0
#include "config/feature_gates.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/version.h"
#include "releases/releases.h"

namespace config {
namespace {

using releases::FeatureGate;
using releases::GateStage;

constexpr std::string_view kOfKubernetes = "kube:";  // a component's gates may have this prefix

std::string_view StageText(GateStage stage) {
  switch (stage) {
    case GateStage::kAlpha:
      return "ALPHA - ";
    case GateStage::kBeta:
      return "BETA - ";
    case GateStage::kDeprecated:
      return "DEPRECATED - ";
    case GateStage::kGeneral:
      break;
  }
  return "";
}

// Accepts the input of Go's strconv.ParseBool.
std::optional<bool> BooleanWord(std::string_view word) {
  constexpr std::array<std::string_view, 6> kTrue{"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kTrue, word) != kTrue.end()) {
    return true;
  }
  if (std::ranges::find(kFalse, word) != kFalse.end()) {
    return false;
  }
  return std::nullopt;
}

base::Error Usage(std::string message) {
  return base::Error(base::Error::Kind::kUsage, std::move(message));
}

// An entry of "A=true,B=false".
struct Entry {
  std::string name;
  std::optional<std::string> word;  // after "="
};

std::vector<Entry> SplitEntries(std::string_view text) {
  std::vector<Entry> entries;
  for (const std::string& part : base::Split(text, ',')) {
    const std::string_view pair = base::Trim(part);
    const auto equals = pair.find('=');
    if (!pair.empty()) {
      entries.push_back({.name = std::string(base::Trim(pair.substr(0, equals)))});
    }
    if (equals != std::string_view::npos) {
      entries.back().word = base::Trim(pair.substr(equals + 1));
    }
  }
  return entries;
}

void ParseOne(const Entry& entry, const releases::Release& release,
              std::map<std::string, bool>& gates) {
  const std::string& name = entry.name;
  if (!entry.word) {
    throw Usage("missing bool value for feature-gate key:" + name);
  }
  const FeatureGate* gate = release.FindGate(name);
  if (gate == nullptr) {
    throw Usage("unrecognized feature-gate key: " + name);
  }
  const std::string& word = *entry.word;
  if (gate->stage == GateStage::kDeprecated) {
    base::LogWarning("feature gate {}={} is deprecated and will go in a later release", name, word);
  }
  const auto value = BooleanWord(word);
  if (!value) {
    throw Usage(
        fmt::format("invalid value {} for feature-gate key: {}, use true|false", word, name));
  }
  gates[name] = *value;
}

const releases::Release& ReleaseOf(std::string_view version) {
  if (base::Version::ParseGeneric(version)) {
    return releases::For(version);
  }
  const std::size_t dash = version.rfind('-');
  return releases::For(version.substr(dash == std::string_view::npos ? 0 : dash + 1));
}

// Returns the cluster's value, or the default.
bool ValueOf(const FeatureGate& gate, const ClusterConfiguration& cluster) {
  const auto chosen = cluster.feature_gates.find(std::string(gate.name));
  return chosen == cluster.feature_gates.end() ? gate.default_value : chosen->second;
}

}  // namespace

bool SocketIsLocal(const ClusterConfiguration& cluster) {
  const FeatureGate* gate =
      releases::For(cluster.kubernetes_version).FindGate(releases::kNodeLocalCriSocket);
  return gate == nullptr || ValueOf(*gate, cluster);
}

bool KubeletAsksOwnServer(const ClusterConfiguration& cluster) {
  const FeatureGate* gate =
      releases::For(cluster.kubernetes_version).FindGate(releases::kControlPlaneKubeletLocalMode);
  return gate == nullptr || gate->stage == GateStage::kGeneral || ValueOf(*gate, cluster);
}

std::map<std::string, bool> ParseFeatureGates(std::string_view text, std::string_view version) {
  const releases::Release& release = ReleaseOf(version);
  std::map<std::string, bool> gates;
  for (const Entry& entry : SplitEntries(text)) {
    ParseOne(entry, release, gates);
  }
  return gates;
}

std::vector<ComponentGate> ParseComponentGates(std::span<const std::string> values) {
  std::vector<ComponentGate> gates;
  for (const std::string& value : values) {
    for (const Entry& entry : SplitEntries(value)) {
      if (!entry.word) {
        continue;
      }
      std::string_view name = entry.name;
      if (name.starts_with(kOfKubernetes)) {
        name = base::Trim(name.substr(kOfKubernetes.size()));
      }
      const bool on = BooleanWord(*entry.word).value_or(false);
      const auto found = std::ranges::find(gates, name, &ComponentGate::name);
      if (found == gates.end()) {
        gates.push_back({.name = std::string(name), .on = on});
      } else {
        found->on = on;
      }
    }
  }
  return gates;
}

std::string NormalizedFlag(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

std::vector<ComponentGate> ComponentGates(const Args& args) {
  std::vector<std::string> values;
  for (const Arg& arg : args) {
    if (NormalizedFlag(arg.name) == kFeatureGatesArgument) {
      values.push_back(arg.value);
    }
  }
  return ParseComponentGates(values);
}

std::optional<bool> FindComponentGate(std::span<const ComponentGate> gates, std::string_view name,
                                      GateStage stage) {
  const auto value_of = [&](std::string_view wanted) {
    const auto found = std::ranges::find(gates, wanted, &ComponentGate::name);
    return found == gates.end() ? std::nullopt : std::optional(found->on);
  };
  const std::optional<bool> own = value_of(name);
  if (!own && stage == GateStage::kAlpha) {
    return value_of("AllAlpha");
  }
  return !own && stage == GateStage::kBeta ? value_of("AllBeta") : own;
}

std::vector<std::string> FeatureGateHelp() {
  std::vector<std::string> lines;
  for (const FeatureGate& gate : releases::Newest().gates) {
    lines.push_back(fmt::format("{}=true|false ({}default={})", gate.name, StageText(gate.stage),
                                gate.default_value));
  }
  return lines;
}

}  // namespace config
