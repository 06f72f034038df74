// SPDX-License-Identifier: Apache-2.0
#include "kubelet/wait.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/number.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"
#include "kube/wait.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "kubelet/unit.h"
#include "net/host_port.h"
#include "yaml/yaml.h"

namespace kubelet {
namespace {

// The time that a running kubelet may take to answer.
constexpr std::chrono::milliseconds kRunningLimit{60'000};

constexpr std::int64_t kDefaultHealthzPort = 10248;

// Port 0 turns the health check off. With an invalid port number, the kubelet does not start.
std::optional<std::string> UrlOf(const std::string& address, std::int64_t port) {
  constexpr std::int64_t kLastPort = 65535;
  if (port < 1 || port > kLastPort) {
    return std::nullopt;
  }
  return fmt::format("http://{}/healthz", net::JoinHostPort(address.empty() ? "127.0.0.1" : address,
                                                            static_cast<int>(port)));
}

// Ignores a malformed file: the kubelet reports it, and may run with its earlier content.
json::Value ConfigOnDisk(const host::Files& files) {
  try {
    return yaml::Parse(files.Find(kConfigFile).value_or("{}")).value;
  } catch (const base::Error&) {
    return json::Value::object();
  }
}

}  // namespace

std::optional<std::string> HealthzUrl(const json::Value& kubelet_config) {
  const json::Value& port = json::At(kubelet_config, {"healthzPort"});
  return UrlOf(json::TextAt(kubelet_config, {"healthzBindAddress"}),
               port.is_number_integer() ? port.get<std::int64_t>() : kDefaultHealthzPort);
}

std::optional<std::string> HealthzUrlHere(const host::Files& files,
                                          const json::Value& kubelet_config) {
  const Unit unit = ReadUnit(files);
  json::Value config = kubelet_config.is_object() ? kubelet_config : json::Value::object();
  if (const auto port =
          base::ParseNumber(FindArgument(unit.arguments, "healthz-port").value_or(""))) {
    config["healthzPort"] = *port;
  }
  if (const auto address = FindArgument(unit.arguments, "healthz-bind-address")) {
    config["healthzBindAddress"] = *address;
  }
  return HealthzUrl(config);
}

void RequireRunning(host::Host& host, const std::stop_token& stop) {
  const std::optional<std::string> url = HealthzUrlHere(host.files, ConfigOnDisk(host.files));
  if (!url) {
    return;
  }
  base::WithContext(fmt::format("the kubelet of this node does not answer at {}", *url), [&] {
    return kube::WaitUntil(kube::UrlProbe(*url),
                           {.clock = host.clock,
                            .limit = kRunningLimit,
                            .stop = stop,
                            .culprit = KubeletCulprit(host, host.clock.Now())});
  });
}

bool IsClientConfig(std::string_view kubeconfig) {
  try {
    const kube::Kubeconfig config = kube::Kubeconfig::Parse(kubeconfig);
    const kube::KubeconfigCluster* cluster = config.CurrentCluster();
    const kube::KubeconfigUser* user = config.CurrentUser();
    return cluster != nullptr && !cluster->server.empty() && user != nullptr &&
           user->HasCredentials();
  } catch (const base::Error&) {
    return false;
  }
}

namespace {

using Culprit = std::function<std::optional<base::Error>()>;

// Waits for the wanted state of `path`, unless the culprit is found first.
host::WaitResult WaitFor(const host::Files& files, const std::filesystem::path& path,
                         const std::function<bool(const std::string& text)>& wished,
                         const host::WaitLimits& limits, const Culprit& culprit) {
  const auto happened = [&] {
    const std::optional<std::string> text = files.Find(path);
    if (text && wished(*text)) {
      return true;
    }
    if (std::optional<base::Error> found = culprit ? culprit() : std::nullopt) {
      throw base::Error(*found);
    }
    return false;
  };
  return host::WaitForFile(files, path, happened, limits);
}

}  // namespace

host::WaitResult WaitForBootstrap(const host::Files& files, const host::WaitLimits& limits,
                                  const Culprit& culprit) {
  const std::filesystem::path path =
      std::filesystem::path(config::kKubernetesDir) / config::kKubeletConf;
  const host::WaitResult result = WaitFor(files, path, IsClientConfig, limits, culprit);
  if (result != host::WaitResult::kHappened) {
    return result;
  }
  const kube::Kubeconfig config = kube::Kubeconfig::Parse(files.Read(path));
  const std::string& certificate = config.CurrentUser()->client_certificate;
  if (certificate.empty()) {
    return result;
  }
  return WaitFor(
      files, certificate, [](const std::string& text) { return !text.empty(); }, limits, culprit);
}

bool IsBootstrapped(const Bootstrapping& wait) {
  host::Clock& clock = wait.host.clock;
  const host::WaitResult result = WaitForBootstrap(
      wait.host.files,
      {.clock = clock,
       .deadline =
           clock.Steady() + std::chrono::duration_cast<std::chrono::nanoseconds>(wait.limit),
       .stop = wait.stop},
      KubeletCulprit(wait.host, wait.since));
  if (result == host::WaitResult::kStopped) {
    throw base::Interrupted("interrupted while waiting for the kubelet's bootstrap");
  }
  return result == host::WaitResult::kHappened;
}

void RequireBootstrap(const Bootstrapping& wait) {
  if (!IsBootstrapped(wait)) {
    throw base::Error(
        base::Error::Kind::kTimeout,
        fmt::format(
            "the kubelet did not get a client certificate within {}: {}/{} is not there or cannot "
            "be "
            "used; see \"journalctl -u kubelet\" here, and \"kubectl get csr\" on the control "
            "plane for requests that are not approved",
            base::FormatDuration(wait.limit), config::kKubernetesDir, config::kKubeletConf));
  }
}

}  // namespace kubelet
