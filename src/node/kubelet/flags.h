// SPDX-License-Identifier: Apache-2.0
// /var/lib/kubelet/kubeadm-flags.env: the arguments that systemd passes to the kubelet
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

// The inputs of the arguments.
struct FlagsInput {
  const config::NodeRegistration& registration;
  std::string hostname;  // host name that the kernel reports
  // The kubelet of a worker registers its taints. Those of a control-plane node are set through the
  // API.
  enum class Taints { kByApi, kByFlag } taints = Taints::kByApi;
  // The source from which the kubelet reads the socket (feature gate NodeLocalCRISocket).
  enum class CriSocket { kInInstanceConfig, kByFlag } cri_socket = CriSocket::kInInstanceConfig;
  std::string pod_infra_image = {};  // for kubelets that still get their pause image by an argument
};

// Returns the pause image that the kubelets of this cluster's release need as an argument; "" for
// releases whose kubelets need none.
std::string PodInfraImage(const config::ClusterConfiguration& cluster);

// Returns kubeadm's arguments sorted by name, then kubeletExtraArgs in the given order. An argument
// of kubeadm that kubeletExtraArgs sets is left out.
config::Args Flags(const FlagsInput& input);

// Returns the file's one line, in Go's %q quoting: KUBELET_KUBEADM_ARGS="--a=b --c=d".
std::string FlagsFileText(const config::Args& flags);

// Writes the flags file with mode 0644; creates a missing directory with 0700.
void WriteFlagsFile(host::Files& files, const config::Args& flags);

// A parsed file. As in upstream's parser, arguments are split at blanks, and quotes inside of them
// are not interpreted.
struct ParsedFlags {
  config::Args flags;                // "--a b" is read as "--a=b"
  std::vector<std::string> dropped;  // words that are not an argument with a value
};

// Throws base::Error(kInvalid) if the input is not such a line.
ParsedFlags ParseFlagsFile(std::string_view text);

// Arguments that a release has moved or removed.
inline constexpr std::string_view kRuntimeEndpointFlag = "container-runtime-endpoint";
inline constexpr std::string_view kPodInfraImageFlag = "pod-infra-container-image";

// The value of one argument, and the flags file without this argument.
struct TakenFlag {
  std::string value;
  config::Args rest;  // sorted by name
  std::vector<std::string> dropped;
};

// Returns std::nullopt if the file lacks the argument and can stay as it is.
std::optional<TakenFlag> TakeFlag(std::string_view text, std::string_view name);

}  // namespace kubelet
