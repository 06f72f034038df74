#include "kubelet/wait.h"

#include <fmt/core.h>

#include "base/error.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"

namespace kubelet {

std::string HealthzUrl(const data::Json& kubelet_config) {
  const data::Json& port_value = data::At(kubelet_config, {"healthzPort"});
  const std::int64_t port =
      port_value.is_number_integer() ? port_value.get<std::int64_t>() : std::int64_t{10248};
  if (port == 0) {
    return "";
  }
  std::string address = data::TextAt(kubelet_config, {"healthzBindAddress"});
  if (address.empty()) {
    address = "127.0.0.1";
  }
  return fmt::format("http://{}/healthz", config::JoinHostPort(address, std::to_string(port)));
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

host::WaitResult WaitForBootstrap(const host::Files& files, const host::WaitLimits& limits,
                                  const std::function<std::optional<base::Error>()>& culprit) {
  const std::filesystem::path path =
      std::filesystem::path(config::kKubernetesDir) / config::kKubeletConf;
  const auto happened = [&] {
    const std::optional<std::string> text = files.Find(path);
    if (text && IsClientConfig(*text)) {
      return true;
    }
    if (culprit) {
      if (std::optional<base::Error> found = culprit()) {
        throw base::Error(*found);
      }
    }
    return false;
  };
  return host::WaitForFile(files, path, happened, limits);
}

}  // namespace kubelet
