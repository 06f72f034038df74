// SPDX-License-Identifier: Apache-2.0
// Login plugins: users[].user.exec of a kubeconfig, for client.authentication.k8s.io
// (kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins and
// …/config-api/client-authentication.v1).
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "json/fwd.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace kube {

// Such an entry.
struct Plugin {
  // The program's need for a user at a terminal.
  enum class Mode { kNever, kIfAvailable, kAlways };
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> environment;  // in addition to our own
  std::string api_version;                         // "client.authentication.k8s.io/v1"
  std::string install_hint;
  bool provide_cluster_info = false;
  Mode mode = Mode::kIfAvailable;
};

// Parses the user's entry; returns std::nullopt without a plugin. Throws base::Error(kInvalid) for
// an invalid entry: no command, an unsupported version, a v1 without interactiveMode.
std::optional<Plugin> PluginOf(const KubeconfigUser& user);

// Returns PluginOf for a user without other credentials. Returns std::nullopt if the kubeconfig has
// a token, a client certificate or a name for the user.
std::optional<Plugin> NeededPlugin(const KubeconfigUser& user);

// Replaces the program's relative path by an absolute one below the kubeconfig's directory. A
// program without a slash is looked up in PATH.
void LocateProgram(KubeconfigUser& user, const std::filesystem::path& directory);

// One run of a program.
struct PluginCall {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  bool interactive = false;  // it may ask at the terminal
  std::string install_hint;
};

// Runs programs, where that is possible.
struct PluginHost {
  // Returns whether a user can answer questions.
  std::function<bool()> has_terminal;
  std::function<std::chrono::system_clock::time_point()> now;
  // Returns the program's standard output. Throws base::Error of any kind if it failed,
  // base::Interrupted if stopped.
  std::function<std::string(const PluginCall& call, std::stop_token stop)> run;
};

// A program's answer; all of it but the time is secret.
struct Login {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;
  ~Login();  // overwrites it
};

// Returns the program's input in KUBERNETES_EXEC_INFO.
json::Value ExecInfo(const Plugin& plugin, const KubeconfigCluster& cluster, bool interactive);

// Parses the program's answer. Throws base::Error(kUnauthorized) unless the answer is an
// ExecCredential of the plugin's version, as JSON or YAML. Also throws if it has neither a token
// nor a certificate with its key, or if a time is malformed. The message does not quote the answer.
Login ParseLogin(const Plugin& plugin, const std::string& answer);

// Logs in with the program. Throws base::Error(kUnauthorized), which names the program and its
// error, and base::Interrupted on a stop request.
Login RunPlugin(const Plugin& plugin, const KubeconfigCluster& cluster, const PluginHost& host,
                std::stop_token stop);

// Returns a kubeconfig in which the answer of the current user's program replaces the program.
// Returns the kubeconfig unchanged if no program is needed. Throws like PluginOf and RunPlugin.
Kubeconfig LoggedIn(Kubeconfig config, const PluginHost& host, std::stop_token stop = {});

// MakeHttpTransport (kube/client.h) for kubeconfigs whose user may log in with a program. The
// program runs when its answer is first needed, again when the answer has expired, and once more if
// the server refuses the answer. It runs only if NeededPlugin returns it.
std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options, PluginHost plugins);

}  // namespace kube
