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

// Warns of a control plane that is newer than `kubeadm` knows.
Verdict JudgeKubernetesVersion(const std::string& requested, const base::Version& kubeadm);

// `ports` must be open.
Verdict JudgeFirewalld(bool active, std::span<const int> ports);

// `problem` is why the port cannot be listened on; std::nullopt if it can.
Verdict JudgePort(int port, const std::optional<std::string>& problem);

Verdict JudgeAbsentFile(const std::string& path, bool exists);
Verdict JudgePresentFile(const std::string& path, bool exists);

// The path may be missing or an empty directory. `entries` of a directory.
Verdict JudgeEmptyDirectory(const std::string& path,
                            const std::optional<host::FileInfo::Kind>& kind, std::size_t entries);

// The file of /proc/sys must begin with '1'. std::nullopt: unreadable.
Verdict JudgeSwitch(const std::string& path, const std::optional<std::string>& content);

Verdict JudgeExecutable(const std::string& name, bool found);
// Warns: without getent, kubelets since v1.38 ignore the user kubelet's range of IDs.
Verdict JudgeGetent(bool found);

// The kubelet's setting for a host with swap (failSwapOn).
enum class KubeletSwap { kRefuses, kTolerates, kUnknown };
// Takes the content of /proc/swaps; std::nullopt if the file does not exist.
Verdict JudgeSwap(const std::optional<std::string>& proc_swaps, KubeletSwap kubelet);

// Warns of an API server whose address and the first network of Services have different families.
// Also warns of Services of a family without a network of Pods.
Verdict JudgeFamilies(const std::string& api_server, std::span<const std::string> services,
                      std::span<const std::string> pods);

// Refuses ML-DSA keys for etcd: its image is built with a Go before 1.27, which cannot read them.
// `certificates` are the files that are, or would be, for such keys.
Verdict JudgeEtcdKeyAlgorithm(const std::string& algorithm, const std::string& image,
                              const std::vector<std::string>& certificates);
// Takes the number of certificates in the controller manager's signing file. It accepts only one,
// and would crash-loop with more.
Verdict JudgeSigningCertificate(const std::string& path, std::size_t certificates);

// The result of resolving a name: its addresses, or the error.
using Lookup = std::expected<std::vector<std::string>, std::string>;
Verdict JudgeHostname(const std::string& name, const Lookup& lookup);

// Returns why a name is not a qualified name (the names of labels and Nodes: [prefix/]name, name of
// at most 63 letters, digits, '-', '_', '.').
std::vector<std::string> QualifiedNameProblems(std::string_view name);

// The version of the kubelet's program, or why it is unknown.
using KubeletVersion = std::expected<base::Version, std::string>;
// Parses the output of `kubelet --version`.
KubeletVersion ParseKubeletVersion(std::string_view output);
// `kubernetes` is the control plane's version; not set: unknown.
Verdict JudgeKubeletVersion(const KubeletVersion& kubelet, const base::Version& minimum,
                            const std::optional<base::Version>& kubernetes);

// The facts of the service manager.
struct ServiceFacts {
  bool exists = false;
  bool enabled = false;
  std::string enable_command;
};
Verdict JudgeService(const std::string& name, const ServiceFacts& facts);
inline constexpr std::string_view kNoInitSystem =
    "no supported init system (systemd, OpenRC) was found, so services were not checked";

// `proxy` is the proxy that is used for the target, if any. A password in it is not shown.
Verdict JudgeProxy(const std::string& url, const std::optional<std::string>& proxy);
Verdict JudgeCidrProxy(const std::string& cidr, const std::optional<std::string>& proxy);

// `body` is the answer to GET <endpoint>/version.
Verdict JudgeEtcdVersion(const std::string& endpoint, std::string_view body,
                         const base::Version& minimum);

}  // namespace preflight
