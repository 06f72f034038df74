// SPDX-License-Identifier: Apache-2.0
#include "kube/in_cluster.h"

#include <fmt/core.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "net/host_port.h"

namespace kube {
namespace {

using base::Error;
using Time = std::chrono::steady_clock::time_point;

constexpr std::string_view kPodDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::chrono::minutes kFresh{5};
// The minimum age of a connection before a failure replaces it. Otherwise an overloaded server
// would get a TLS handshake with each request that it refuses.
constexpr std::chrono::seconds kSettled{10};

// Reconnects from time to time, to use the present credentials.
class FreshTransport : public Transport {
 public:
  using Make = std::function<std::unique_ptr<Transport>()>;
  FreshTransport(Make make, const host::Clock& clock)
      : make_(std::move(make)), clock_(clock), inner_(make_()), made_(clock.Steady()) {}

  json::Value Do(const Call& call, std::stop_token stop) override {
    return Try([&](Transport& inner) { return inner.Do(call, stop); });
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return Try([&](Transport& inner) { return inner.GetPath(path, stop); });
  }
  void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override {
    Try([&](Transport& inner) { inner.Watch(call, resource_version, on_event, stop); });
  }

 private:
  template <typename Action>
  std::invoke_result_t<Action, Transport&> Try(Action action) {
    const std::shared_ptr<Transport> inner = Current();
    try {
      return action(*inner);
    } catch (const Error& error) {
      Reconsider(inner, error.kind());
      throw;
    }
  }

  // Makes the next call reconnect if the cause of the failure may be the connection.
  void Reconsider(const std::shared_ptr<Transport>& failed, Error::Kind kind) {
    const std::lock_guard lock(mutex_);
    const bool settled = made_ && clock_.Steady() - *made_ >= kSettled;
    if (failed == inner_ &&
        (kind == Error::Kind::kUnauthorized || (kind == Error::Kind::kUnavailable && settled))) {
      made_.reset();
    }
  }

  std::shared_ptr<Transport> Current() {
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
  std::shared_ptr<Transport> inner_;  // guarded by mutex_
  std::optional<Time> made_;          // guarded by mutex_; std::nullopt: the next call reconnects
};

}  // namespace

Kubeconfig PodConfig(const host::Host& host, std::string_view remedy) {
  const std::string address = host.environment.Get("KUBERNETES_SERVICE_HOST");
  const std::string port = host.environment.Get("KUBERNETES_SERVICE_PORT");
  if (address.empty() || port.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("this is not a Pod (KUBERNETES_SERVICE_HOST is not set): {}", remedy));
  }
  Kubeconfig config;
  config.clusters["pod"].server = "https://" + net::HostPort{.host = address, .port = port}.Text();
  config.clusters["pod"].certificate_authority = fmt::format("{}/ca.crt", kPodDirectory);
  config.users["pod"].token_file = fmt::format("{}/token", kPodDirectory);
  config.contexts["pod"].cluster = "pod";
  config.contexts["pod"].user = "pod";
  config.current_context = "pod";
  return config;
}

std::shared_ptr<Transport> MakeFreshTransport(std::function<std::unique_ptr<Transport>()> make,
                                              const host::Clock& clock) {
  return std::make_shared<FreshTransport>(std::move(make), clock);
}

}  // namespace kube
