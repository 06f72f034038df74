// SPDX-License-Identifier: Apache-2.0
// /var/lib/kubelet/kubeadm-flags.env: the arguments that systemd hands to the kubelet
// (EnvironmentFile= of the packages' drop-in; reference: kubelet.md §2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "host/files.h"

namespace kubelet {

inline constexpr std::string_view kFlagsFile = "/var/lib/kubelet/kubeadm-flags.env";

// FlagsInput is what the arguments depend on.
struct FlagsInput {
  const config::NodeRegistration& registration;
  std::string hostname;  // the machine's, as the kernel has it
  // A worker registers its taints by itself; those of a control-plane node are set through the API.
  enum class Taints { kByApi, kByFlag } taints = Taints::kByApi;
  // Where the kubelet learns the socket: feature gate NodeLocalCRISocket.
  enum class CriSocket { kInInstanceConfig, kByFlag } cri_socket = CriSocket::kInInstanceConfig;
  std::string pod_infra_image =
      {};  // for kubelets that still take their pause image by an argument
};

// PodInfraImage is the pause image that kubelets of the cluster's release are told by an argument;
// "" for those that are not.
std::string PodInfraImage(const config::ClusterConfiguration& cluster);

// Flags lists what is to be passed: our own arguments sorted by name, without those that
// kubeletExtraArgs repeat, then these in the order given.
config::Args Flags(const FlagsInput& input);

// FlagsFileText is the file's one line, in Go's %q quoting: KUBELET_KUBEADM_ARGS="--a=b --c=d".
std::string FlagsFileText(const config::Args& flags);

// WriteFlagsFile writes it with mode 0644; the directory is made with 0700 when missing.
void WriteFlagsFile(host::Files& files, const config::Args& flags);

// ParsedFlags is a file as it was found. Words are cut at blanks, quotes inside are not
// understood, as upstream has it.
struct ParsedFlags {
  config::Args flags;                // "--a b" is read as "--a=b"
  std::vector<std::string> dropped;  // words that are not an argument with a value
};

// ParseFlagsFile throws base::Error(kInvalid) when the text is no such line.
ParsedFlags ParseFlagsFile(std::string_view text);

// Arguments that have another place, or none, since a release.
inline constexpr std::string_view kRuntimeEndpointFlag = "container-runtime-endpoint";
inline constexpr std::string_view kPodInfraImageFlag = "pod-infra-container-image";

// TakenFlag is a flags file from which one argument was taken out.
struct TakenFlag {
  std::string value;
  config::Args rest;  // sorted by name
  std::vector<std::string> dropped;
};

// TakeFlag returns nothing when the file has no such argument and can stay as it is.
std::optional<TakenFlag> TakeFlag(std::string_view text, std::string_view name);

}  // namespace kubelet
