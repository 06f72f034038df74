// SPDX-License-Identifier: Apache-2.0
// The judgements of the checks: facts in, findings out (reference: preflight.md §3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "checks/finding.h"
#include "host/files.h"
#include "json/fwd.h"

namespace preflight {

using checks::Findings;

inline constexpr unsigned kMinimumProcessors = 2;
inline constexpr std::uint64_t kMinimumMemoryMib = 1700;

Findings JudgePrivileges(unsigned effective_user);
Findings JudgeProcessors(unsigned processors);
Findings JudgeMemory(std::uint64_t bytes);

// JudgeKubernetesVersion warns of a control plane that is newer than `kubeadm` knows.
Findings JudgeKubernetesVersion(const std::string& requested, const base::Version& kubeadm);

// JudgeFirewalld: `ports` are those that must be open.
Findings JudgeFirewalld(bool active, std::span<const int> ports);

// JudgePort: `problem` is why nothing can listen there; nothing when something can.
Findings JudgePort(int port, const std::optional<std::string>& problem);

Findings JudgeAbsentFile(const std::string& path, bool exists);
Findings JudgePresentFile(const std::string& path, bool exists);

// JudgeEmptyDirectory: the path may be missing or an empty directory. `entries` of a directory.
Findings JudgeEmptyDirectory(const std::string& path,
                             const std::optional<host::FileInfo::Kind>& kind, std::size_t entries);

// SysctlName is the sysctl of a path below /proc/sys ("net.ipv4.ip_forward"), else an empty string.
// SysctlRemedy sets it to 1, now and at the next boot.
std::string SysctlName(std::string_view path);
std::string SysctlRemedy(std::string_view path);
// JudgeSwitch: the file begins with '1'. std::nullopt: it cannot be read.
Findings JudgeSwitch(const std::string& path, const std::optional<std::string>& content);

Findings JudgeExecutable(const std::string& name, bool found);

// JudgeGetent warns: without it, kubelets since v1.38 ignore the user kubelet's range of IDs.
Findings JudgeGetent(bool found);

// KubeletSwap: the kubelet's setting for a host with swap (failSwapOn).
enum class KubeletSwap { kRefuses, kTolerates, kUnknown };
// SwapSetting is that of a KubeletConfiguration.
KubeletSwap SwapSetting(const json::Value& config);
// SwapFacts are the swap of a host, and the kubelet that runs there or will.
struct SwapFacts {
  std::vector<std::string> devices;
  KubeletSwap setting = KubeletSwap::kUnknown;
  enum class Kubelet { kToCome, kRuns, kFails } kubelet = Kubelet::kToCome;
};
// SwapDevices reads /proc/swaps.
std::vector<std::string> SwapDevices(std::string_view proc_swaps);
Findings JudgeSwap(const SwapFacts& facts);

// JudgeFamilies warns of an API server whose address is not of the family of the first network of
// Services, and of Services of a family that no network of Pods has.
Findings JudgeFamilies(const std::string& api_server, std::span<const std::string> services,
                       std::span<const std::string> pods);

// JudgeSigningCertificate: how many certificates the file has with which the controller manager
// signs. Since it takes one, it would end again and again.
Findings JudgeSigningCertificate(const std::string& path, std::size_t certificates);

// JudgeEtcdKeyAlgorithm refuses ML-DSA keys for etcd: its image is built with a Go before 1.27,
// which cannot read them. `certificates` are the files that are, or would be, for such keys.
Findings JudgeEtcdKeyAlgorithm(const std::string& algorithm, const std::string& image,
                               const std::vector<std::string>& certificates);

// Lookup is the result of resolving a name: its addresses, or why that failed.
using Lookup = std::expected<std::vector<std::string>, std::string>;
Findings JudgeHostname(const std::string& name, const Lookup& lookup);

// QualifiedNameProblems says what keeps a name from being a qualified name (the names of labels and
// Nodes: [prefix/]name, name of at most 63 letters, digits, '-', '_', '.').
std::vector<std::string> QualifiedNameProblems(std::string_view name);

// KubeletVersion is the version of the kubelet's program, or why it is not known.
using KubeletVersion = std::expected<base::Version, std::string>;
// ParseKubeletVersion reads the output of `kubelet --version`.
KubeletVersion ParseKubeletVersion(std::string_view output);
// JudgeKubeletVersion: `kubernetes` is the control plane's version; not set: not known.
Findings JudgeKubeletVersion(const KubeletVersion& kubelet, const base::Version& minimum,
                             const std::optional<base::Version>& kubernetes);

// ServiceFacts are what the service manager says.
struct ServiceFacts {
  bool exists = false;
  bool enabled = false;
  std::string enable_command;
};
Findings JudgeService(const std::string& name, const ServiceFacts& facts);
inline constexpr std::string_view kNoInitSystem =
    "no supported init system (systemd, OpenRC) was found, so services were not checked";

// JudgeProxy and JudgeCidrProxy: `proxy` is the proxy that is used for the target, if any.
// A password in it is not shown.
Findings JudgeProxy(const std::string& url, const std::optional<std::string>& proxy);
Findings JudgeCidrProxy(const std::string& cidr, const std::optional<std::string>& proxy);

// JudgeEtcdVersion: `body` is the answer to GET <endpoint>/version.
Findings JudgeEtcdVersion(const std::string& endpoint, std::string_view body,
                          const base::Version& minimum);

}  // namespace preflight
