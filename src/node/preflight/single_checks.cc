// SPDX-License-Identifier: Apache-2.0
#include "preflight/single_checks.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "components/strays.h"
#include "config/version.h"
#include "host/init_system.h"
#include "http/proxy.h"
#include "net/cidr.h"
#include "net/host_port.h"
#include "preflight/etcd_version.h"
#include "preflight/system_verification.h"
#include "releases/releases.h"

namespace preflight {
namespace {

// Creates a check whose query needs no stop token.
Check Simple(std::string name, std::function<Verdict()> question) {
  return {.name = std::move(name),
          .run = [question = std::move(question)](const std::stop_token&) { return question(); }};
}

// Judges with the service manager; without one there is a warning.
Verdict WithInitSystem(host::Host& host,
                       const std::function<Verdict(host::InitSystem&)>& question) {
  std::unique_ptr<host::InitSystem> init_system;
  try {
    init_system = host::DetectInitSystem(host);
  } catch (const base::Error& error) {
    return Verdict::Warning(error.message());
  }
  return init_system ? question(*init_system) : Verdict::Warning(std::string(kNoInitSystem));
}

// Returns the proxy for a URL; one with an invalid address is not used, as in Go.
std::optional<std::string> ProxyOf(const host::Host& host, const std::string& url) {
  try {
    return http::ProxyFor([&](std::string_view name) { return host.environment.Get(name); }, url)
        .transform([](const http::Proxy& proxy) { return proxy.url; });
  } catch (const base::Error& error) {
    base::LogWarning("the proxy of the environment cannot be used: {}", error.what());
    return std::nullopt;
  }
}

std::string UrlOf(const std::string& host_name) {
  // The port is irrelevant, but required after brackets.
  const auto address = net::IpAddress::ParseSloppy(host_name);
  return "https://" +
         (address && address->IsIpv6() ? net::JoinHostPort(host_name, 1234) : host_name);
}

}  // namespace

KubeletVersion KubeletProgram::Version() {
  std::call_once(asked_, [&] {
    try {
      const host::RunResult result =
          host_.processes.Run({"kubelet", "--version"}, {.effect = host::Effect::kAsks});
      version_ =
          result.Succeeded()
              ? ParseKubeletVersion(result.out)
              : std::unexpected(fmt::format("`kubelet --version` failed with {}: {}",
                                            result.exit_code, base::Trim(result.Combined())));
    } catch (const base::Error& error) {
      version_ =
          std::unexpected(error.kind() == base::Error::Kind::kNotFound
                              ? "the kubelet is not installed: there is no \"kubelet\" in PATH"
                              : error.message());
    }
  });
  return version_;
}

Check ProcessorsCheck(host::Host& host) {
  return Simple("NumCPU", [&host] { return JudgeProcessors(host.machine.Processors()); });
}

Check MemoryCheck(host::Host& host) {
  return Simple("Mem", [&host] { return JudgeMemory(host.machine.MemoryBytes()); });
}

Check KubernetesVersionCheck(const std::string& requested) {
  return Simple("KubernetesVersion", [requested] {
    return JudgeKubernetesVersion(requested, config::KubeadmVersion());
  });
}

Check FirewalldCheck(host::Host& host, std::vector<int> ports) {
  return Simple("Firewalld", [&host, ports = std::move(ports)] {
    return WithInitSystem(host, [&](host::InitSystem& init_system) {
      const bool active = init_system.Exists("firewalld") && init_system.IsActive("firewalld");
      return JudgeFirewalld(active, ports);
    });
  });
}

Check PortCheck(host::Host& host, const std::string& address, int port) {
  return Simple(fmt::format("Port-{}", port), [&host, address, port] {
    return JudgePort(port, host.network.PortProblem(address, static_cast<std::uint16_t>(port)));
  });
}

Check FileAvailableCheck(host::Host& host, const std::string& path) {
  return Simple("FileAvailable-" + PathName(path),
                [&host, path] { return JudgeAbsentFile(path, host.files.Exists(path)); });
}

Check StrayManifestsCheck(host::Host& host, Severity severity) {
  return Simple("StrayManifests", [&host, severity] {
    Verdict verdict;
    std::vector<std::string>& texts =
        severity == Severity::kError ? verdict.errors : verdict.warnings;
    for (const components::Stray& stray : components::FindStrays(host.files)) {
      texts.push_back(components::StrayText(stray));
    }
    return verdict;
  });
}

Check DirAvailableCheck(host::Host& host, const std::string& path) {
  return Simple("DirAvailable-" + PathName(path), [&host, path] {
    std::optional<host::FileInfo> info = host.files.Stat(path);
    if (info && info->kind == host::FileInfo::Kind::kLink) {
      info = host.files.Stat(path + "/.");  // the directory that it points to
    }
    const auto kind = info ? std::optional(info->kind) : std::nullopt;
    const bool directory = kind == host::FileInfo::Kind::kDirectory;
    std::vector<std::string> entries =
        directory ? host.files.List(path) : std::vector<std::string>();
    std::erase(entries, host::kLostAndFound);
    return JudgeEmptyDirectory(path, kind, entries.size());
  });
}

Check FileExistsCheck(host::Host& host, const std::string& name, const std::string& path) {
  return Simple(name, [&host, path] { return JudgePresentFile(path, host.files.Exists(path)); });
}

Check SwitchCheck(host::Host& host, const std::string& path) {
  return Simple("FileContent-" + PathName(path),
                [&host, path] { return JudgeSwitch(path, host.files.Find(path)); });
}

Check ExecutableCheck(host::Host& host, const std::string& name) {
  return Simple("FileExisting-" + name, [&host, name] {
    return JudgeExecutable(name, host.processes.FindExecutable(name).has_value());
  });
}

Check GetentCheck(host::Host& host, FindRelease release) {
  return Simple("FileExisting-getent", [&host, release = std::move(release)] {
    return release().wants_getent ? JudgeGetent(host.processes.FindExecutable("getent").has_value())
                                  : Verdict{};
  });
}

Check ProxyCheck(host::Host& host, const std::string& host_name) {
  return Simple("HTTPProxy",
                [&host, url = UrlOf(host_name)] { return JudgeProxy(url, ProxyOf(host, url)); });
}

Check CidrProxyCheck(host::Host& host, const std::string& cidr) {
  return Simple("HTTPProxyCIDR", [&host, cidr] {
    const auto network = net::Cidr::ParseSloppy(cidr);
    const auto first = network ? network->Nth(1) : std::nullopt;
    if (!first) {
      return Verdict::Error(fmt::format("{} is not a network with a first address", cidr));
    }
    const std::string url = fmt::format("https://{}/", net::JoinHostPort(first->Text(), 1234));
    return JudgeCidrProxy(cidr, ProxyOf(host, url));
  });
}

Check RuntimeCheck(const Sources& sources, const std::string& endpoint) {
  return Simple("CRI", [connect = sources.connect, endpoint] {
    // Ignores the readiness of the network, which is installed after init.
    const cri::RuntimeStatus status = connect(endpoint)->Status();
    return status.runtime_ready
               ? Verdict{}
               : Verdict::Error(fmt::format("the container runtime at {} is not ready: {}",
                                            endpoint, status.runtime_message));
  });
}

Check RuntimeVersionCheck(const Sources& sources, const std::string& endpoint,
                          FindRelease release) {
  return Simple("ContainerRuntimeVersion", [connect = sources.connect, endpoint,
                                            release = std::move(release)] {
    const std::string_view needing = release().needs_runtime_config;
    if (needing.empty() || connect(endpoint)->PreferredCgroupDriver()) {
      return Verdict{};
    }
    return Verdict::Warning(fmt::format(
        "the container runtime at {} does not implement the RuntimeConfig call, which the kubelet "
        "of {} needs; upgrade it (containerd 2.0, CRI-O 1.28 or newer)",
        endpoint, needing));
  });
}

Check SwapCheck(host::Host& host, KubeletSwap kubelet) {
  return Simple("Swap",
                [&host, kubelet] { return JudgeSwap(host.files.Find("/proc/swaps"), kubelet); });
}

Check SystemCheck(host::Host& host, KubeletProgramPtr kubelet, const std::string& upgraded_to) {
  return Simple("SystemVerification", [&host, kubelet = std::move(kubelet), upgraded_to] {
    const KubeletVersion version = kubelet->Version();
    if (!version) {
      return Verdict::Error(fmt::format("couldn't get kubelet version: {}", version.error()));
    }
    base::Version counted = *version;
    if (const auto target = base::Version::ParseGeneric(upgraded_to)) {
      counted.minor = std::max(counted.minor, std::min(counted.minor + 1, target->minor));
    }
    return JudgeSystem(GatherSystem(host, counted));
  });
}

Check HostnameCheck(host::Host& host, const std::string& name) {
  return Simple("Hostname", [&host, name] {
    try {
      return JudgeHostname(name, host.network.Resolve(name));
    } catch (const base::Error& error) {
      return JudgeHostname(name, std::unexpected(error.message()));
    }
  });
}

Check KubeletVersionCheck(KubeletProgramPtr kubelet, const std::string& kubernetes) {
  return Simple("KubeletVersion", [kubelet = std::move(kubelet), kubernetes] {
    const auto version = base::Version::Parse(kubernetes);
    return JudgeKubeletVersion(
        kubelet->Version(), releases::OldestKubelet(version.value_or(releases::OldestSupported())),
        version);
  });
}

Check ServiceCheck(host::Host& host, const std::string& name) {
  return Simple("Service-" + name, [&host, name] {
    return WithInitSystem(host, [&](host::InitSystem& init_system) {
      const bool exists = init_system.Exists(name);
      return JudgeService(name, {.exists = exists,
                                 .enabled = exists && init_system.IsEnabled(name),
                                 .enable_command = init_system.EnableCommand(name)});
    });
  });
}

Check ExternalEtcdCheck(host::Host& host, const config::ExternalEtcd& etcd) {
  return {.name = "ExternalEtcdVersion", .run = [&host, etcd](std::stop_token stop) {
            return CheckExternalEtcd(host, etcd, std::move(stop));
          }};
}

}  // namespace preflight
