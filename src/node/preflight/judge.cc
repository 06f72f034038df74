// SPDX-License-Identifier: Apache-2.0
#include "preflight/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "base/error.h"
#include "base/strings.h"
#include "http/proxy.h"
#include "json/value.h"
#include "pki/key.h"
#include "releases/releases.h"

namespace preflight {
namespace {

using checks::Finding;
using checks::Refuse;
using checks::Severity;
using checks::Warn;

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

Findings JudgeKubernetesVersion(const std::string& requested, const base::Version& kubeadm) {
  // A build without a version cannot tell which versions are newer.
  if (kubeadm.WithoutPreRelease() == base::Version{}) {
    return {};
  }
  const std::optional<base::Version> version = base::Version::Parse(requested);
  if (!version) {
    return {Refuse(fmt::format("couldn't parse Kubernetes version {}", base::Quoted(requested)))};
  }
  // "0" sorts before every other pre-release.
  const base::Version too_new{kubeadm.major, kubeadm.minor + 1, 0, "0", ""};
  if (*version < too_new) {
    return {};
  }
  return {Warn(
      fmt::format("Kubernetes {} is newer than v{}.{}, the newest minor version that this kubeadm "
                  "supports; of the next one it supports a preview at most (docs/support.md)",
                  version->Text(), kubeadm.major, kubeadm.minor))};
}

std::string SysctlName(std::string_view path) {
  constexpr std::string_view kSysctls = "/proc/sys/";
  return path.starts_with(kSysctls)
             ? base::ReplaceAll(std::string(path.substr(kSysctls.size())), "/", ".")
             : "";
}

std::string SysctlRemedy(std::string_view path) {
  return fmt::format("sysctl -w {0}=1, and a line \"{0} = 1\" in /etc/sysctl.d/kubernetes.conf",
                     SysctlName(path));
}

bool IsSwitchedOn(std::string_view content) { return content.starts_with('1'); }

Findings JudgeSwitch(const std::string& path, const std::optional<std::string>& content) {
  if (!content) {
    return {Refuse(fmt::format("{} does not exist", path))};
  }
  if (IsSwitchedOn(*content)) {
    return {};
  }
  const std::string name = SysctlName(path);
  return {Refuse(name.empty() ? fmt::format("{} does not begin with 1", path)
                              : fmt::format("{} is not set to 1; `sysctl -w {}=1` does so until "
                                            "the next boot",
                                            path, name))};
}

KubeletSwap SwapSetting(const json::Value& config) {
  return json::At(config, {"failSwapOn"}) == json::Value(false) ? KubeletSwap::kTolerates
                                                                : KubeletSwap::kRefuses;
}

std::vector<std::string> SwapDevices(std::string_view proc_swaps) {
  std::vector<std::string> devices;
  for (const std::string& line : base::Lines(proc_swaps) | std::views::drop(1)) {  // the header
    if (const std::vector<std::string> fields = base::Fields(line); !fields.empty()) {
      devices.push_back(fields.front());
    }
  }
  return devices;
}

Findings JudgeSwap(const SwapFacts& facts) {
  if (facts.devices.empty() || facts.setting == KubeletSwap::kTolerates) {
    return {};
  }
  Finding finding{.severity = Severity::kWarning,
                  .subject = "swap",
                  .evidence = "/proc/swaps lists " + base::Join(facts.devices, ", "),
                  .remedy =
                      "swapoff -a, and take it out of /etc/fstab; or set failSwapOn: false "
                      "in the KubeletConfiguration"};
  switch (facts.kubelet) {
    case SwapFacts::Kubelet::kToCome:
      finding.what =
          facts.setting == KubeletSwap::kRefuses
              ? "swap is in use; turn it off (swapoff -a) or let the kubelet tolerate it "
                "(failSwapOn: false in its configuration)"
              : "swap is in use; turn it off (swapoff -a), unless the cluster's kubelets "
                "tolerate it (failSwapOn: false in their configuration)";
      break;
    case SwapFacts::Kubelet::kRuns:
      finding.what = "swap is on: the kubelet will not start again with it";
      break;
    case SwapFacts::Kubelet::kFails:
      finding.severity = Severity::kError;
      finding.what = "swap is on, and the kubelet refuses to run with it";
      break;
  }
  return {finding};
}

Findings JudgeHostname(const std::string& name, const Lookup& lookup) {
  Findings findings;
  for (const std::string& problem : QualifiedNameProblems(name)) {
    findings.push_back(
        Warn(fmt::format("hostname {} is not a good name: {}", base::Quoted(name), problem)));
  }
  if (!lookup || lookup->empty()) {
    findings.push_back(Warn(
        fmt::format("hostname {} could not be reached; give it an address in DNS or /etc/hosts",
                    base::Quoted(name))));
  }
  if (!lookup) {
    findings.push_back(Warn(fmt::format("hostname {}: {}", base::Quoted(name), lookup.error())));
  }
  return findings;
}

std::vector<std::string> QualifiedNameProblems(std::string_view name) {
  constexpr std::size_t kMaxLength = 63;
  std::vector<std::string> problems;
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    if (!base::IsDns1123Subdomain(name.substr(0, slash))) {
      problems.emplace_back("the part before '/' must be a DNS subdomain");
    }
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) {
    problems.emplace_back("it is empty");
    return problems;
  }
  if (name.size() > kMaxLength) {
    problems.push_back(fmt::format("it is longer than {} characters", kMaxLength));
  }
  const bool inside = std::ranges::all_of(
      name, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
  if (!inside || !IsAlphanumeric(name.front()) || !IsAlphanumeric(name.back())) {
    problems.emplace_back(
        "it must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or "
        "digit");
  }
  return problems;
}

Findings JudgeKubeletVersion(const kubelet::ProgramVersion& kubelet, const base::Version& minimum,
                             const std::optional<base::Version>& kubernetes) {
  if (!kubelet) {
    return {Refuse(fmt::format("couldn't get kubelet version: {}", kubelet.error()))};
  }
  if (*kubelet < minimum) {
    return {Refuse(
        fmt::format("the kubelet's version {} is lower than {}, the oldest that this kubeadm "
                    "supports; upgrade the kubelet",
                    kubelet->Text(), minimum.Text()))};
  }
  if (kubernetes && (kubelet->major > kubernetes->major || kubelet->minor > kubernetes->minor)) {
    return {Refuse(fmt::format(
        "the kubelet's version {} is higher than the control plane's {}, which Kubernetes does not "
        "support; install an older kubelet or choose a newer --kubernetes-version",
        kubelet->Text(), kubernetes->Text()))};
  }
  return {};
}

Findings JudgeClusterKeys(const std::string& algorithm, const base::Version& wanted) {
  if (!pki::IsMlDsa(algorithm) || releases::KnowsMlDsa(wanted)) {
    return {};
  }
  Finding finding = Refuse(
      fmt::format("the cluster's certificates have keys of {}, which the components of {} cannot "
                  "use: they would not start",
                  algorithm, wanted.TextWithV()));
  finding.ignorable = false;
  return {finding};
}

Findings JudgeKubeletKeys(const KubeletKeys& keys) {
  constexpr std::string_view kTls13 = "VersionTLS13";
  if (!keys.kubelet) {
    return {};
  }
  Findings findings;
  const bool knows = releases::KnowsMlDsa(*keys.kubelet);
  if (!knows && pki::IsMlDsa(keys.cluster)) {
    findings.push_back(Refuse(fmt::format(
        "the kubelet ({}) cannot use keys of {}, which the cluster's certificates have: it would "
        "not reach the API server. Install a kubelet of the control plane's version",
        keys.kubelet->TextWithV(), keys.cluster)));
  }
  if (knows && !keys.unknown.empty()) {
    findings.push_back(
        Refuse(fmt::format("the kubelet does not start with this KubeletConfiguration: {}",
                           base::Join(keys.unknown, "; "))));
  } else if (knows && pki::IsMlDsa(keys.serving) && keys.oldest_tls != kTls13) {
    findings.push_back(Refuse(fmt::format(
        "the kubelet does not start with serverCertificateKeyAlgorithm {} and tlsMinVersion {}: "
        "set tlsMinVersion to {} in the KubeletConfiguration",
        keys.serving, base::Quoted(keys.oldest_tls), kTls13)));
  }
  if (knows && !keys.refused_requests.empty()) {
    findings.push_back(Refuse(fmt::format(
        "the API server refuses certificate signing requests for ML-DSA keys, which {} of the "
        "KubeletConfiguration causes: set feature-gates with CertificateSigningRequestMLDSA=true "
        "in apiServer.extraArgs",
        base::Join(keys.refused_requests, " and "))));
  }
  return findings;
}

Findings JudgeProxy(const std::string& url, const std::optional<std::string>& proxy) {
  if (!proxy) {
    return {};
  }
  return {Warn(
      fmt::format("connections to {} use the proxy {}; unless that is intended, add the host to "
                  "NO_PROXY",
                  url, http::WithoutUser(*proxy)))};
}

Findings JudgeCidrProxy(const std::string& cidr, const std::optional<std::string>& proxy) {
  if (!proxy) {
    return {};
  }
  return {Warn(
      fmt::format("connections to the network {} use the proxy {}, which may break the cluster; "
                  "add the networks of Pods and Services to NO_PROXY",
                  cidr, http::WithoutUser(*proxy)))};
}

Findings JudgeEtcdVersion(const std::string& endpoint, std::string_view body,
                          const base::Version& minimum) {
  std::string text;
  try {
    text = json::TextAt(json::Parse(body), {"etcdserver"});
  } catch (const base::Error& error) {
    return {Refuse(fmt::format("{} does not answer as etcd does: {}", endpoint, error.message()))};
  }
  const std::optional<base::Version> version = base::Version::Parse(text);
  if (!version) {
    return {Refuse(
        fmt::format("couldn't parse the etcd version {} of {}", base::Quoted(text), endpoint))};
  }
  if (*version < minimum) {
    return {
        Refuse(fmt::format("the etcd version {} of {} is lower than the minimum {}; upgrade etcd",
                           version->Text(), endpoint, minimum.Text()))};
  }
  return {};
}

}  // namespace preflight
