// kubeadm's own feature gates (reference: manifests.md §9, config-api.md §8).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// GateStage is how mature a feature is (Kubernetes documentation, "Feature stages").
enum class GateStage { kAlpha, kBeta, kGeneral, kDeprecated };

// FeatureGate is one row of the table of gates; its name is a literal.
struct FeatureGate {
  std::string_view name;
  bool default_value;
  GateStage stage;
};

inline constexpr std::string_view kNodeLocalCriSocket = "NodeLocalCRISocket";
inline constexpr std::string_view kPublicKeysEcdsa = "PublicKeysECDSA";
inline constexpr std::string_view kRootlessControlPlane = "RootlessControlPlane";

// FeatureGates lists the gates of this release, sorted by name.
std::span<const FeatureGate> FeatureGates();

// FindFeatureGate is null for a name that this release does not know.
const FeatureGate* FindFeatureGate(std::string_view name);

// GateEnabled is the chosen value, or the default one. Unknown names are off.
bool GateEnabled(const std::map<std::string, bool>& chosen, std::string_view name);

// ParseFeatureGates reads "A=true,B=false" (Go's boolean words). Warns of deprecated gates; throws
// base::Error(kUsage) for unknown names and values that are no boolean.
std::map<std::string, bool> ParseFeatureGates(std::string_view text);

// FeatureGateHelp has one "Name=true|false (STAGE - default=bool)" line for each gate.
std::vector<std::string> FeatureGateHelp();

}  // namespace config
