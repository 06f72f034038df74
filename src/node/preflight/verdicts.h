// SPDX-License-Identifier: Apache-2.0
// The judgements of the checks: facts in, verdict out (reference: preflight.md §3).
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
#include "host/files.h"
#include "preflight/report.h"

namespace preflight {

inline constexpr unsigned kMinimumProcessors = 2;
inline constexpr std::uint64_t kMinimumMemoryMib = 1700;

Verdict JudgePrivileges(unsigned effective_user);
Verdict JudgeProcessors(unsigned processors);
Verdict JudgeMemory(std::uint64_t bytes);

// JudgeKubernetesVersion warns of a control plane that is newer than `kubeadm` knows.
Verdict JudgeKubernetesVersion(const std::string& requested, const base::Version& kubeadm);

// JudgeFirewalld: `ports` are those that must be open.
Verdict JudgeFirewalld(bool active, std::span<const int> ports);

// JudgePort: `problem` is why nothing can listen there; nothing when something can.
Verdict JudgePort(int port, const std::optional<std::string>& problem);

Verdict JudgeAbsentFile(const std::string& path, bool exists);
Verdict JudgePresentFile(const std::string& path, bool exists);

// JudgeEmptyDirectory: the path may be missing or an empty directory. `entries` of a directory.
Verdict JudgeEmptyDirectory(const std::string& path,
                            const std::optional<host::FileInfo::Kind>& kind, std::size_t entries);

// JudgeSwitch: the file of /proc/sys begins with '1'. Nothing: it cannot be read.
Verdict JudgeSwitch(const std::string& path, const std::optional<std::string>& content);

Verdict JudgeExecutable(const std::string& name, bool found);
// JudgeGetent warns: without it, kubelets since v1.38 ignore the user kubelet's range of IDs.
Verdict JudgeGetent(bool found);

// KubeletSwap: the kubelet's setting for a host with swap (failSwapOn).
enum class KubeletSwap { kRefuses, kTolerates, kUnknown };
// JudgeSwap: content of /proc/swaps; std::nullopt when there is no such file.
Verdict JudgeSwap(const std::optional<std::string>& proc_swaps, KubeletSwap kubelet);

// JudgeFamilies warns of an API server whose address is not of the family of the first network of
// Services, and of Services of a family that no network of Pods has.
Verdict JudgeFamilies(const std::string& api_server, std::span<const std::string> services,
                      std::span<const std::string> pods);

// JudgeEtcdKeyAlgorithm refuses ML-DSA keys for etcd: its image is built with a Go before 1.27,
// which cannot read them. `certificates` are the files that are, or would be, for such keys.
Verdict JudgeEtcdKeyAlgorithm(const std::string& algorithm, const std::string& image,
                              const std::vector<std::string>& certificates);
// JudgeSigningCertificate: how many certificates the file has with which the controller manager
// signs. Since it takes one, it would end again and again.
Verdict JudgeSigningCertificate(const std::string& path, std::size_t certificates);

// Lookup is the result of resolving a name: its addresses, or why that failed.
using Lookup = std::expected<std::vector<std::string>, std::string>;
Verdict JudgeHostname(const std::string& name, const Lookup& lookup);

// QualifiedNameProblems says what keeps a name from being a qualified name (the names of labels and
// Nodes: [prefix/]name, name of at most 63 letters, digits, '-', '_', '.').
std::vector<std::string> QualifiedNameProblems(std::string_view name);

// KubeletVersion is the version of the kubelet's program, or why it is not known.
using KubeletVersion = std::expected<base::Version, std::string>;
// ParseKubeletVersion reads the output of `kubelet --version`.
KubeletVersion ParseKubeletVersion(std::string_view output);
// JudgeKubeletVersion: `kubernetes` is the control plane's version; not set: not known.
Verdict JudgeKubeletVersion(const KubeletVersion& kubelet, const base::Version& minimum,
                            const std::optional<base::Version>& kubernetes);

// ServiceFacts are what the service manager says.
struct ServiceFacts {
  bool exists = false;
  bool enabled = false;
  std::string enable_command;
};
Verdict JudgeService(const std::string& name, const ServiceFacts& facts);
inline constexpr std::string_view kNoInitSystem =
    "no supported init system (systemd, OpenRC) was found, so services were not checked";

// JudgeProxy and JudgeCidrProxy: `proxy` is the proxy that is used for the target, if any.
// A password in it is not shown.
Verdict JudgeProxy(const std::string& url, const std::optional<std::string>& proxy);
Verdict JudgeCidrProxy(const std::string& cidr, const std::optional<std::string>& proxy);

// JudgeEtcdVersion: `body` is the answer to GET <endpoint>/version.
Verdict JudgeEtcdVersion(const std::string& endpoint, std::string_view body,
                         const base::Version& minimum);

}  // namespace preflight
