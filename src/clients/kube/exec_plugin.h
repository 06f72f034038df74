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

// A parsed entry users[].user.exec.
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

// Parses the user's exec entry. Returns std::nullopt if the user has none. Throws
// base::Error(kInvalid) for an invalid entry: the command is missing, the version is unsupported,
// or a v1 entry lacks interactiveMode.
std::optional<Plugin> PluginOf(const KubeconfigUser& user);

// Returns the user's plugin if the user has no other credentials. Returns std::nullopt without a
// plugin, and for a user with a token, a client certificate or a user name. Throws the errors of
// PluginOf.
std::optional<Plugin> NeededPlugin(const KubeconfigUser& user);

// Replaces the program's relative path by an absolute one below the kubeconfig's directory. A name
// without a slash stays, because such a program is looked up in PATH.
void LocateProgram(KubeconfigUser& user, const std::filesystem::path& directory);

// One run of a plugin's program.
struct PluginCall {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  bool interactive = false;  // the program may ask questions at the terminal
  std::string install_hint;
};

// The functions of the host that a login with a plugin needs.
struct PluginHost {
  // Returns whether a user at a terminal can answer questions.
  std::function<bool()> has_terminal;
  std::function<std::chrono::system_clock::time_point()> now;
  // Runs the program and returns its standard output. Throws base::Error of any kind if the program
  // failed. Throws base::Interrupted on a stop request.
  std::function<std::string(const PluginCall& call, std::stop_token stop)> run;
};

// A program's answer. Everything except the time is secret.
struct Login {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;
  ~Login();  // overwrites the secrets
};

// Returns the ExecCredential that the program gets in the variable KUBERNETES_EXEC_INFO.
json::Value ExecInfo(const Plugin& plugin, const KubeconfigCluster& cluster, bool interactive);

// Parses the program's answer. The answer must be an ExecCredential of the plugin's version, as
// JSON or YAML, with a token, or with a certificate and its key. Otherwise, and for a malformed
// time, throws base::Error(kUnauthorized). The message does not quote the answer.
Login ParseLogin(const Plugin& plugin, const std::string& answer);

// Logs in with the program. Throws base::Error(kUnauthorized) with the program's name and error.
// Throws base::Interrupted on a stop request.
Login RunPlugin(const Plugin& plugin, const KubeconfigCluster& cluster, const PluginHost& host,
                std::stop_token stop);

// Runs the current user's program, if it is needed. Returns a kubeconfig with the program's answer
// in place of its exec entry. Returns the kubeconfig unchanged if no program is needed, or if the
// server is not accessed by https. Throws the errors of PluginOf and RunPlugin.
Kubeconfig LoggedIn(Kubeconfig config, const PluginHost& host, std::stop_token stop = {});

// Returns a transport like MakeHttpTransport in kube/client.h, for a kubeconfig whose user may log
// in with a program. The program runs only if NeededPlugin returns it. It runs when its answer is
// first needed, again when the answer has expired, and once more if the server refuses the answer.
std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options, PluginHost plugins);

}  // namespace kube
