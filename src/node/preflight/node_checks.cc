// SPDX-License-Identifier: Apache-2.0
// Checks of every node: container runtime, kernel, name, kubelet.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "base/strings.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubelet/flags.h"
#include "kubelet/unit.h"
#include "kubelet/version.h"
#include "pki/key.h"
#include "preflight/checks.h"
#include "preflight/judge.h"
#include "preflight/lists.h"
#include "preflight/system_verification.h"
#include "releases/releases.h"

namespace preflight {
namespace {

using checks::Refuse;
using checks::Warn;

// Runs `kubelet --version` once, however many checks need it.
class KubeletProgram {
 public:
  explicit KubeletProgram(host::Host& host) : host_(host) {}
  const kubelet::ProgramVersion& Version();

 private:
  host::Host& host_;
  std::once_flag asked_;
  kubelet::ProgramVersion version_;
};
// Shared: the checks of one list use it from different threads and outlive the list's builder.
using KubeletPtr = std::shared_ptr<KubeletProgram>;

const kubelet::ProgramVersion& KubeletProgram::Version() {
  std::call_once(asked_, [&] { version_ = kubelet::CollectVersion(host_); });
  return version_;
}

Check RuntimeCheck(const Input& input) {
  return {.id = "CRI",
          .when = kNewNode,
          .remedy =
              "start the container runtime: systemctl status containerd; or name its socket "
              "by --cri-socket",
          .judge = [connect = input.sources.connect,
                    endpoint = input.node.cri_socket](Stop) -> Findings {
            // Ignores the state of the network, because a network plugin is installed only after
            // init.
            const cri::RuntimeStatus status = connect(endpoint)->Status();
            if (status.runtime_ready) {
              return {};
            }
            return {Refuse(fmt::format("the container runtime at {} is not ready: {}", endpoint,
                                       status.runtime_message))};
          }};
}

// Returns the release that applies to the node's checks: the release of the cluster's version. If
// the cluster's version is unknown, uses the kubelet's version; without a kubelet, the newest
// release.
const releases::Release& ReleaseOf(const std::string& kubernetes_version, KubeletProgram& kubelet) {
  if (!kubernetes_version.empty()) {
    return releases::For(kubernetes_version);
  }
  const kubelet::ProgramVersion version = kubelet.Version();
  return version ? releases::For(*version) : releases::Newest();
}

// The runtime is not queried for a release without this requirement.
Check RuntimeVersionCheck(unsigned when, const Input& input, const KubeletPtr& kubelet) {
  return {.id = "ContainerRuntimeVersion",
          .when = when,
          .remedy =
              "start the container runtime, or upgrade it: containerd 2.0, CRI-O 1.28 or "
              "newer",
          .judge = [connect = input.sources.connect, endpoint = input.node.cri_socket,
                    version = input.kubernetes_version, kubelet](Stop) -> Findings {
            const std::string_view needing = ReleaseOf(version, *kubelet).needs_runtime_config;
            if (needing.empty() || connect(endpoint)->PreferredCgroupDriver()) {
              return {};
            }
            return {Warn(fmt::format(
                "the container runtime at {} does not implement the RuntimeConfig call, which the "
                "kubelet of {} needs; upgrade it (containerd 2.0, CRI-O 1.28 or newer)",
                endpoint, needing))};
          }};
}

constexpr std::string_view kFailSwapOn = "fail-swap-on";

// Returns the kubelet's swap setting. Reads the kubelet's arguments from the user's configuration
// and from the files of the kubelet's service. These arguments override `config`, the
// KubeletConfiguration, which only `init` knows in advance.
KubeletSwap SettingOf(const config::Args& args, const host::Files& files,
                      const std::optional<json::Value>& config) {
  std::vector<kubelet::Word> words = kubelet::ReadUnit(files).arguments;
  std::erase_if(words, [](const kubelet::Word& word) {
    return word.file == kubelet::kFlagsFile;  // kubeadm wrote this file in an earlier run
  });
  const auto fails = kubelet::FindArgument(words, kFailSwapOn).or_else([&] {
    return config::FindArg(args, kFailSwapOn);
  });
  if (fails) {
    return fails->ends_with("false") ? KubeletSwap::kTolerates : KubeletSwap::kRefuses;
  }
  return config ? SwapSetting(*config) : KubeletSwap::kUnknown;
}

Check SwapCheck(const Input& input) {
  return {.id = "Swap",
          .when = kNewNode,
          .judge = [&files = input.sources.host.files, args = input.node.kubelet_extra_args,
                    config = input.init.transform([](const config::Init& init) {
                      return init.cluster.kubelet.value;
                    })](Stop) {
            return JudgeSwap({.devices = SwapDevices(files.Find("/proc/swaps").value_or("")),
                              .setting = SettingOf(args, files, config)});
          }};
}

Check ExecutableCheck(host::Host& host, const std::string& name) {
  return {.id = "FileExisting-" + name,
          .when = kNewNode,
          .remedy = "install the package that has it",
          .judge = [&host, name](Stop) -> Findings {
            if (host.processes.FindExecutable(name)) {
              return {};
            }
            return {Refuse(fmt::format("{} not found in system path; install it", name))};
          }};
}

// Without getent, kubelets since v1.38 ignore the IDs of user kubelet.
Check GetentCheck(const Input& input, const KubeletPtr& kubelet) {
  return {
      .id = "FileExisting-getent",
      .when = kNewNode,
      .remedy = "install the package that has it (glibc or libc-bin)",
      .judge = [&host = input.sources.host, version = input.kubernetes_version,
                kubelet](Stop) -> Findings {
        if (!ReleaseOf(version, *kubelet).wants_getent || host.processes.FindExecutable("getent")) {
          return {};
        }
        return {
            Warn("getent not found in system path: the kubelet takes its default range of IDs for "
                 "user namespaces, whatever /etc/subuid says; install it (package glibc or "
                 "libc-bin)")};
      }};
}

// During an upgrade, the kubelet is treated as one minor version newer than it is, but not newer
// than its control plane.
Check SystemCheck(const Input& input, const KubeletPtr& kubelet) {
  return {.id = "SystemVerification",
          .when = kNewNode | checks::kBeforeUpgrade,
          .remedy =
              "install the part that it names: a kubelet, or a kernel of a supported distribution, "
              "with cgroups v2",
          .judge = [&host = input.sources.host, kubelet,
                    upgraded_to = input.upgraded_to](Stop) -> Findings {
            const kubelet::ProgramVersion version = kubelet->Version();
            if (!version) {
              return {Refuse(fmt::format("couldn't get kubelet version: {}", version.error()))};
            }
            base::Version counted = *version;
            if (const auto target = base::Version::ParseGeneric(upgraded_to)) {
              counted.minor = std::max(counted.minor, std::min(counted.minor + 1, target->minor));
            }
            return JudgeSystem(CollectSystem(host, counted));
          }};
}

Check HostnameCheck(host::Host& host, const std::string& name) {
  return {.id = "Hostname",
          .when = kNewNode,
          .remedy = "an entry in /etc/hosts, or --node-name",
          .judge = [&host, name](Stop) {
            try {
              return JudgeHostname(name, host.network.Resolve(name));
            } catch (const base::Error& error) {
              return JudgeHostname(name, std::unexpected(error.message()));
            }
          }};
}

Check KubeletVersionCheck(const Input& input, const KubeletPtr& kubelet) {
  return {.id = "KubeletVersion",
          .when = kNewNode,
          .remedy = "install a kubelet of the control plane's version, or up to three minors older",
          .judge = [kubelet, kubernetes = input.kubernetes_version](Stop) {
            const auto version = base::Version::Parse(kubernetes);
            return JudgeKubeletVersion(
                kubelet->Version(),
                releases::OldestKubelet(version.value_or(releases::OldestSupported())), version);
          }};
}

// Fields of a KubeletConfiguration.
constexpr const char* kClientAlgorithm = "clientCertificateKeyAlgorithm";
constexpr const char* kServingAlgorithm = "serverCertificateKeyAlgorithm";

// Returns a string field of a KubeletConfiguration, or "" if it is not set.
std::string FieldOf(const json::Value& config, std::string_view name) {
  const auto found = config.is_object() ? config.find(name) : config.end();
  return found != config.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns the fields by which kubelets request certificates for ML-DSA keys, if the API server
// refuses such requests.
std::vector<std::string> RefusedRequests(const config::ClusterConfiguration& cluster) {
  const json::Value& kubelet = cluster.kubelet.value;
  std::vector<std::string> fields;
  if (AcceptsMlDsaRequests(cluster)) {
    return fields;
  }
  if (pki::IsMlDsa(FieldOf(kubelet, kClientAlgorithm))) {
    fields.emplace_back(kClientAlgorithm);
  }
  if (pki::IsMlDsa(FieldOf(kubelet, kServingAlgorithm)) &&
      json::At(kubelet, {"serverTLSBootstrap"}) == json::Value(true)) {
    fields.emplace_back(kServingAlgorithm);
  }
  return fields;
}

// Returns what is wrong with each field whose algorithm no kubelet knows.
std::vector<std::string> UnknownAlgorithms(const config::ClusterConfiguration& cluster) {
  std::vector<std::string> unknown;
  for (const char* field : {kClientAlgorithm, kServingAlgorithm}) {
    const std::string value = FieldOf(cluster.kubelet.value, field);
    try {
      if (!value.empty()) {
        pki::ParseAlgorithm(value);
      }
    } catch (const base::Error& error) {
      unknown.push_back(fmt::format("{}: {}", field, error.message()));
    }
  }
  return unknown;
}

// Returns the check if the cluster or its kubelets have ML-DSA keys, or if their configuration has
// an unknown algorithm; else an empty list.
Checks KubeletKeysChecks(const std::string& algorithm, const config::ClusterConfiguration& cluster,
                         const KubeletPtr& kubelet) {
  const KubeletKeys keys{.cluster = algorithm,
                         .kubelet = std::unexpected(""),
                         .serving = FieldOf(cluster.kubelet.value, kServingAlgorithm),
                         .oldest_tls = FieldOf(cluster.kubelet.value, "tlsMinVersion"),
                         .refused_requests = RefusedRequests(cluster),
                         .unknown = UnknownAlgorithms(cluster)};
  if (!pki::IsMlDsa(keys.cluster) && !pki::IsMlDsa(keys.serving) && keys.refused_requests.empty() &&
      keys.unknown.empty()) {
    return {};
  }
  return {{.id = "KubeletKeyAlgorithm",
           .when = checks::kBeforeInit,
           .remedy = "install a kubelet of the control plane's version, correct the fields of the "
                     "KubeletConfiguration, and switch the API server's feature gate on",
           .judge = [kubelet, keys](Stop) {
             KubeletKeys judged = keys;
             judged.kubelet = kubelet->Version();
             return JudgeKubeletKeys(judged);
           }}};
}

Findings JudgeKubeletService(host::InitSystem& init_system) {
  if (!init_system.Exists("kubelet")) {
    return {Warn("kubelet service does not exist")};
  }
  if (!init_system.IsEnabled("kubelet")) {
    return {Warn(fmt::format("kubelet service is not enabled, please run '{}'",
                             init_system.EnableCommand("kubelet")))};
  }
  return {};
}

}  // namespace

Checks JoinClusterChecks(host::Host& host, const config::ClusterConfiguration& cluster,
                         const std::string& ca_pem) {
  return KubeletKeysChecks(ClusterKeyAlgorithm(ca_pem, cluster), cluster,
                           std::make_shared<KubeletProgram>(host));
}

Checks NodeChecks(const Input& input) {
  host::Host& host = input.sources.host;
  const auto kubelet = std::make_shared<KubeletProgram>(host);
  Checks checks{RuntimeCheck(input),
                RuntimeVersionCheck(kNewNode, input, kubelet),
                SwapCheck(input),
                ExecutableCheck(host, "losetup"),
                ExecutableCheck(host, "mount"),
                GetentCheck(input, kubelet),
                ExecutableCheck(host, "cp"),
                SystemCheck(input, kubelet),
                RuntimeVersionCheck(checks::kBeforeUpgrade, input, kubelet),
                HostnameCheck(host, input.node.name),
                KubeletVersionCheck(input, kubelet),
                {.id = "Service-kubelet",
                 .when = kNewNode,
                 .remedy = "systemctl enable kubelet",
                 .judge = [&host](Stop) { return JudgeByInitSystem(host, JudgeKubeletService); }},
                PortCheck(kNewNode, host, "", config::kKubeletPort)};
  if (input.init) {
    std::ranges::move(KubeletKeysChecks(ClusterKeyAlgorithm(host.files, input.init->cluster),
                                        input.init->cluster, kubelet),
                      std::back_inserter(checks));
  }
  return checks;
}

}  // namespace preflight
