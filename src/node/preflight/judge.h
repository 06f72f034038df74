// SPDX-License-Identifier: Apache-2.0
// Pure judgements, from facts to findings: judgements with many cases, and those that doctor also
// uses (reference: preflight.md §3).
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
#include "config/types.h"
#include "host/files.h"
#include "json/fwd.h"
#include "kubelet/version.h"

namespace preflight {

using checks::Findings;

// Warns if the control plane's version is newer than those that kubeadm of version `kubeadm` knows.
Findings JudgeKubernetesVersion(const std::string& requested, const base::Version& kubeadm);

// SysctlName returns the sysctl of a path below /proc/sys ("net.ipv4.ip_forward"), "" for another
// path. SysctlRemedy returns the command that sets it to 1, now and at each boot.
std::string SysctlName(std::string_view path);
std::string SysctlRemedy(std::string_view path);
// Returns whether the content of a file below /proc/sys turns a switch on: it begins with '1'.
bool IsSwitchedOn(std::string_view content);
// Refuses a file whose switch is off. `content` is std::nullopt if the file is unreadable.
Findings JudgeSwitch(const std::string& path, const std::optional<std::string>& content);

// KubeletSwap: the kubelet's setting for a host with swap (failSwapOn).
enum class KubeletSwap { kRefuses, kTolerates, kUnknown };
// Returns the setting of a KubeletConfiguration.
KubeletSwap SwapSetting(const json::Value& config);
// The swap of a host, and its present or future kubelet.
struct SwapFacts {
  std::vector<std::string> devices;
  KubeletSwap setting = KubeletSwap::kUnknown;
  enum class Kubelet { kToCome, kRuns, kFails } kubelet = Kubelet::kToCome;
};
// Parses /proc/swaps.
std::vector<std::string> SwapDevices(std::string_view proc_swaps);
Findings JudgeSwap(const SwapFacts& facts);

// Warns if the address family of the API server differs from the family of the first Service
// network. Also warns if a family has a Service network but no Pod network.
Findings JudgeFamilies(const std::string& api_server, std::span<const std::string> services,
                       std::span<const std::string> pods);

// Judges the number of certificates in the controller manager's signing file. The controller
// manager accepts exactly one certificate. It crash-loops if the file contains several.
Findings JudgeSigningCertificate(const std::string& path, std::size_t certificates);

// Refuses ML-DSA keys for etcd. etcd's image is built with Go older than 1.27, which cannot read
// such keys. `certificates` are the files that have, or will get, ML-DSA keys.
Findings JudgeEtcdKeyAlgorithm(const std::string& image,
                               const std::vector<std::string>& certificates);

// The result of resolving a name: its addresses, or the error.
using Lookup = std::expected<std::vector<std::string>, std::string>;
Findings JudgeHostname(const std::string& name, const Lookup& lookup);

// Returns the reasons why a name is not a qualified name, the syntax of label keys: [prefix/]name,
// where name has at most 63 letters, digits, '-', '_' and '.'.
std::vector<std::string> QualifiedNameProblems(std::string_view name);

// Compares the kubelet's version with the oldest allowed version and with the control plane's
// version. If `kubernetes` is not set, the control plane's version is unknown.
Findings JudgeKubeletVersion(const kubelet::ProgramVersion& kubelet, const base::Version& minimum,
                             const std::optional<base::Version>& kubernetes);

// Returns the algorithm of the cluster's certificates: that of the CA's key if it is ML-DSA
// ("ML-DSA-65"), or else the configured one. `ca_pem` is the CA's certificate; "" if it is unknown.
std::string ClusterKeyAlgorithm(const std::string& ca_pem,
                                const config::ClusterConfiguration& cluster);
// Takes the CA's certificate from the certificates directory, if it exists there.
std::string ClusterKeyAlgorithm(const host::Files& files,
                                const config::ClusterConfiguration& cluster);

// Refuses an API server and a controller manager that would not start with an ML-DSA key for the
// tokens of ServiceAccounts.
Findings JudgeTokenKeyAlgorithm(const config::ClusterConfiguration& cluster);

// Refuses a version whose components cannot use keys of the cluster's algorithm.
Findings JudgeClusterKeys(const std::string& algorithm, const base::Version& wanted);

// A kubelet, its KubeletConfiguration, and the algorithm of the cluster's keys.
struct KubeletKeys {
  std::string cluster;  // encryptionAlgorithm: "ML-DSA-65"
  kubelet::ProgramVersion kubelet;
  std::string serving;     // serverCertificateKeyAlgorithm; "" if it is not set
  std::string oldest_tls;  // tlsMinVersion; "" if it is not set
  // The fields by which it requests certificates for ML-DSA keys, if the API server refuses them.
  std::vector<std::string> refused_requests = {};
  // The problems of fields whose algorithm no kubelet knows.
  std::vector<std::string> unknown = {};
};
// Refuses key algorithms that would prevent the kubelet from starting, from getting its
// certificates, or from connecting to the API server. Returns an empty list if the kubelet's
// version is unknown, which JudgeKubeletVersion reports.
Findings JudgeKubeletKeys(const KubeletKeys& keys);

// `proxy` is the proxy for the target, if any. A finding does not contain the proxy's password.
Findings JudgeProxy(const std::string& url, const std::optional<std::string>& proxy);
Findings JudgeCidrProxy(const std::string& cidr, const std::optional<std::string>& proxy);

// `body` is the answer to GET <endpoint>/version.
Findings JudgeEtcdVersion(const std::string& endpoint, std::string_view body,
                          const base::Version& minimum);

}  // namespace preflight
