// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/connect.h"

#include <fmt/core.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "net/host_port.h"

namespace machine_approver {
namespace {

using base::Error;
using Time = std::chrono::steady_clock::time_point;

constexpr std::string_view kPodDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";
// Tokens of service accounts are replaced long before they expire.
constexpr std::chrono::minutes kFresh{5};

// Reconnects from time to time, to use the present credentials.
class FreshTransport : public kube::Transport {
 public:
  using Make = std::function<std::unique_ptr<kube::Transport>()>;
  FreshTransport(Make make, const host::Clock& clock)
      : make_(std::move(make)), clock_(clock), inner_(make_()), made_(clock.Steady()) {}

  json::Value Do(const kube::Call& call, std::stop_token stop) override {
    return Try([&](kube::Transport& inner) { return inner.Do(call, stop); });
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return Try([&](kube::Transport& inner) { return inner.GetPath(path, stop); });
  }
  void Watch(const kube::Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override {
    Try([&](kube::Transport& inner) { inner.Watch(call, resource_version, on_event, stop); });
  }

 private:
  template <typename Action>
  std::invoke_result_t<Action, kube::Transport&> Try(Action action) {
    const std::shared_ptr<kube::Transport> inner = Current();
    try {
      return action(*inner);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kUnauthorized) {
        const std::lock_guard lock(mutex_);
        made_.reset();  // the next one is new
      }
      throw;
    }
  }

  std::shared_ptr<kube::Transport> Current() {
    const std::lock_guard lock(mutex_);
    const Time now = clock_.Steady();
    if (!made_ || now - *made_ > kFresh) {
      inner_ = make_();
      made_ = now;
    }
    return inner_;
  }

  const Make make_;
  const host::Clock& clock_;
  std::mutex mutex_;
  std::shared_ptr<kube::Transport> inner_;  // guarded by mutex_
  std::optional<Time> made_;                // guarded by mutex_; nothing: refused by the server
};

kube::Kubeconfig ConfigAt(host::Host& host, const std::string& path) {
  if (path.empty()) {
    return PodConfig(host);
  }
  return base::WithContext("kubeconfig " + path, [&] {
    kube::Kubeconfig config = kube::Kubeconfig::Parse(host.files.Read(path));
    kube::LocateFiles(config, host::fs::path(path).parent_path());
    return config;
  });
}

std::shared_ptr<kube::Transport> Connect(host::Host& host, const std::string& path) {
  const auto make = [&host, path] {
    return kube::MakeHttpTransport(
        ConfigAt(host, path),
        {.server_override = {},
         .read_file = [&host](const std::string& file) { return host.files.Find(file); }});
  };
  return std::make_shared<FreshTransport>(make, host.clock);
}

// Adds the URL of the API server in a kubeconfig, if it has one.
void AddServer(host::Host& host, const std::string& path, std::vector<std::string>& servers) {
  const kube::Kubeconfig config = ConfigAt(host, path);
  if (const kube::KubeconfigCluster* cluster = config.CurrentCluster()) {
    servers.push_back(cluster->server);
  }
}

}  // namespace

kube::Kubeconfig PodConfig(const host::Host& host) {
  const std::string address = host.environment.Get("KUBERNETES_SERVICE_HOST");
  const std::string port = host.environment.Get("KUBERNETES_SERVICE_PORT");
  if (address.empty() || port.empty()) {
    throw Error(Error::Kind::kInvalid,
                "this is not a Pod (KUBERNETES_SERVICE_HOST is not set): give "
                "--workload-cluster-kubeconfig and --management-cluster-kubeconfig");
  }
  kube::Kubeconfig config;
  config.clusters["pod"].server = "https://" + net::HostPort{.host = address, .port = port}.Text();
  config.clusters["pod"].certificate_authority = fmt::format("{}/ca.crt", kPodDirectory);
  config.users["pod"].token_file = fmt::format("{}/token", kPodDirectory);
  config.contexts["pod"].cluster = "pod";
  config.contexts["pod"].user = "pod";
  config.current_context = "pod";
  return config;
}

controller::Clusters ConnectAll(host::Host& host, const cli::Parsed& flags) {
  const std::string& management = flags.Text("management-cluster-kubeconfig");
  const std::string& workload = flags.Text("workload-cluster-kubeconfig");
  controller::Clusters clusters;
  clusters.workload = Connect(host, workload);
  clusters.management = management == workload ? clusters.workload : Connect(host, management);
  AddServer(host, workload, clusters.servers);
  AddServer(host, management, clusters.servers);
  return clusters;
}

}  // namespace machine_approver
