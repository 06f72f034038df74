// SPDX-License-Identifier: Apache-2.0
#include "doctor/before_init.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>

#include "base/error.h"
#include "config/images.h"
#include "config_input/load.h"
#include "cri/runtime.h"
#include "doctor/suitability.h"
#include "preflight/checks.h"

namespace doctor {
namespace {

constexpr std::chrono::seconds kRuntimePatience{8};

std::vector<preflight::Check> Checks(host::Host& host, const config::Init& config) {
  std::vector<preflight::Check> checks = preflight::RootChecks(host);
  const preflight::Sources sources{.host = host, .connect = [](const std::string& endpoint) {
                                     return cri::Connect(endpoint, kRuntimePatience);
                                   }};
  std::ranges::move(preflight::InitChecks(sources, config), std::back_inserter(checks));
  return checks;
}

std::vector<diagnosis::Finding> SuitabilityFindings(host::Host& host, const config::Init& config) {
  const std::string& socket = config.init.node_registration.cri_socket;
  return JudgeSuitability(
      LookAtSuitability({.host = host,
                         .connect_runtime = [&] { return cri::Connect(socket, kRuntimePatience); },
                         .pause_image = config::PauseImage(config.cluster)}));
}

// What to do about a check, by the beginning of its name; docs/errors.md has more of each.
struct Remedy {
  std::string_view check;
  std::string_view text;
};
constexpr Remedy kRemedies[] = {
    {"CRI",
     "start the container runtime: systemctl status containerd; or name its socket by "
     "--cri-socket"},
    {"ContainerRuntimeVersion",
     "start the container runtime, or upgrade it: containerd 2.0, CRI-O 1.28 or newer"},
    {"DirAvailable-", "look whether a cluster's data are in there, then kubeadm reset"},
    {"FileAvailable-", "kubeadm reset, when the machine was a node; or move the file away"},
    {"FileContent--proc-sys-net-ipv4-ip_forward",
     "sysctl -w net.ipv4.ip_forward=1, and \"net.ipv4.ip_forward = 1\" in "
     "/etc/sysctl.d/kubernetes.conf"},
    {"FileContent--proc-sys-net-ipv6",
     "sysctl -w net.ipv6.conf.default.forwarding=1, and the same in /etc/sysctl.d/kubernetes.conf"},
    {"FileExisting-", "install the package that has it"},
    {"Firewalld",
     "firewall-cmd --permanent --add-port=PORT/tcp for each, then firewall-cmd --reload"},
    {"Hostname", "an entry in /etc/hosts, or --node-name"},
    {"HTTPProxy", "add the address or network to NO_PROXY"},
    {"IsPrivilegedUser", "run it as root"},
    {"KubeletVersion",
     "install a kubelet of the control plane's version, or up to three minors older"},
    {"Mem", "a larger machine"},
    {"NumCPU", "a larger machine"},
    {"Port-", "see who listens: ss -ltnp; what an earlier run left: kubeadm reset"},
    {"Service-kubelet", "systemctl enable kubelet"},
    {"Swap", "swapoff -a, and take it out of /etc/fstab; or failSwapOn: false for the kubelet"},
    {"SystemVerification",
     "what it names: a kubelet, or a kernel of a supported distribution, with cgroups v2"},
};

std::string RemedyFor(const std::string& check) {
  const auto row = std::ranges::find_if(
      kRemedies, [&](const Remedy& remedy) { return check.starts_with(remedy.check); });
  const std::string more = fmt::format("see \"{}\" in docs/errors.md", check);
  return row == std::end(kRemedies) ? more : fmt::format("{} ({})", row->text, more);
}

}  // namespace

diagnosis::Finding FindingOf(const preflight::Finding& complaint) {
  const bool refuses = complaint.severity == preflight::Severity::kError;
  return {.id = "before-init",
          .severity = refuses ? diagnosis::Severity::kWarning : diagnosis::Severity::kNote,
          .culprit = complaint.check,
          .what = fmt::format("init would {} {}: {}", refuses ? "refuse, for" : "warn of",
                              complaint.check, complaint.text),
          .remedy = RemedyFor(complaint.check)};
}

std::vector<diagnosis::Finding> FindingsBeforeInit(host::Host& host) try {
  const config::Init config =
      config_input::LoadInit(host, "", {}, config::CriSocketChoice::kDetect);
  std::vector<diagnosis::Finding> findings = SuitabilityFindings(host, config);
  for (const preflight::Finding& complaint : preflight::RunChecks(Checks(host, config)).findings) {
    findings.push_back(FindingOf(complaint));
  }
  std::ranges::stable_sort(findings, std::ranges::greater{}, &diagnosis::Finding::severity);
  return findings;
} catch (const base::Error& error) {
  return {{.id = "before-init",
           .severity = diagnosis::Severity::kWarning,
           .culprit = "defaults of init",
           .what = "init would not begin: " + error.message(),
           .remedy = "give what is missing by a flag or a configuration file of init"}};
}

}  // namespace doctor
