// SPDX-License-Identifier: Apache-2.0
// The transport of a user who logs in with a program.
#include <atomic>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "kube/connection.h"
#include "kube/exec_plugin.h"
#include "kube/http_transport.h"

namespace kube {
namespace {

using base::Error;

KubeconfigUser With(const Login& login, KubeconfigUser user) {
  user.token = login.token;
  user.client_certificate_data = login.certificate_pem;
  user.client_key_data = login.key_pem;
  user.rest = {};
  return user;
}

// The connection with the credentials that one run of the program returned.
struct Session {
  std::unique_ptr<Transport> transport;
  std::optional<std::chrono::system_clock::time_point> expires;
  std::atomic<bool> refused = false;  // the server rejects our credentials
};

class PluginTransport : public Transport {
 public:
  PluginTransport(Plugin plugin, KubeconfigCluster cluster, KubeconfigUser user,
                  ConnectOptions options, PluginHost host)
      : plugin_(std::move(plugin)),
        cluster_(std::move(cluster)),
        user_(std::move(user)),
        options_(std::move(options)),
        host_(std::move(host)) {
    ConnectionOf(cluster_, user_,
                 options_);  // its errors are reported before any login
  }

  json::Value Do(const Call& call, std::stop_token stop) override {
    return LoggedIn([&](Transport& transport) { return transport.Do(call, stop); }, stop);
  }

  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return LoggedIn([&](Transport& transport) { return transport.GetPath(path, stop); }, stop);
  }

  void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override {
    LoggedIn([&](Transport& transport) { transport.Watch(call, resource_version, on_event, stop); },
             stop);
  }

 private:
  // Repeats the call once, with a new login, if the server rejects the first login.
  template <typename Ask>
  std::invoke_result_t<Ask, Transport&> LoggedIn(const Ask& ask, const std::stop_token& stop) {
    const std::shared_ptr<Session> first = Current(stop);
    try {
      return ask(*first->transport);
    } catch (const Error&) {
      if (!first->refused) {
        throw;
      }
    }
    return ask(*Current(stop)->transport);
  }

  // Only one program runs at a time: concurrent callers wait for its answer.
  std::shared_ptr<Session> Current(const std::stop_token& stop) {
    const std::scoped_lock lock(mutex_);
    const bool usable =
        current_ && !current_->refused && !(current_->expires && host_.now() >= *current_->expires);
    if (!usable) {
      current_ = LogIn(stop);
    }
    return current_;
  }

  std::shared_ptr<Session> LogIn(const std::stop_token& stop) const {
    KubeconfigCluster shown = cluster_;
    if (!options_.server_override.empty()) {
      shown.server = options_.server_override;
    }
    // The program gets the content of the CA, also if the kubeconfig names a CA file.
    shown.certificate_authority_data = ConnectionOf(cluster_, user_, options_).tls.ca_pem;
    const Login login = RunPlugin(plugin_, shown, host_, stop);
    const KubeconfigUser user = With(login, user_);
    auto session = std::make_shared<Session>();
    session->expires = login.expires;
    session->transport =
        NewHttpTransport(ConnectionOf(cluster_, user, options_), options_.request_timeout,
                         [known = std::weak_ptr(session)] {
                           if (const auto refused = known.lock()) {
                             refused->refused = true;
                           }
                         });
    return session;
  }

  const Plugin plugin_;
  const KubeconfigCluster cluster_;
  const KubeconfigUser user_;  // without its exec entry
  const ConnectOptions options_;
  const PluginHost host_;
  std::mutex mutex_;
  std::shared_ptr<Session> current_;  // guarded by mutex_
};

}  // namespace

std::optional<Plugin> NeededPlugin(const KubeconfigUser& user) {
  std::optional<Plugin> plugin = PluginOf(user);
  const bool known = !user.token.empty() || !user.token_file.empty() || !user.username.empty() ||
                     !user.client_certificate.empty() || !user.client_certificate_data.empty();
  return known ? std::nullopt : std::move(plugin);
}

Kubeconfig LoggedIn(Kubeconfig config, const PluginHost& host, std::stop_token stop) {
  const KubeconfigCluster* cluster = config.CurrentCluster();
  const KubeconfigUser* user = config.CurrentUser();
  if (cluster == nullptr || user == nullptr) {
    return config;
  }
  if (const auto plugin = NeededPlugin(*user); plugin && IsSecure(*cluster, {})) {
    const Login login = RunPlugin(*plugin, *cluster, host, std::move(stop));
    config.users[config.CurrentContext()->user] = With(login, *user);
  }
  return config;
}

std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options, PluginHost plugins) {
  const KubeconfigCluster* cluster = config.CurrentCluster();
  const KubeconfigUser* user = config.CurrentUser();
  if (cluster == nullptr || user == nullptr) {
    return MakeHttpTransport(config, options);
  }
  std::optional<Plugin> plugin = NeededPlugin(*user);
  if (!plugin || !IsSecure(*cluster, options)) {
    return MakeHttpTransport(config, options);
  }
  KubeconfigUser without = *user;
  without.rest = {};
  return std::make_unique<PluginTransport>(*std::move(plugin), *cluster, std::move(without),
                                           options, std::move(plugins));
}

}  // namespace kube
