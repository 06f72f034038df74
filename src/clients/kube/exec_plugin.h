// SPDX-License-Identifier: Apache-2.0
// Programs that log a user in: users[].user.exec of a kubeconfig, for client.authentication.k8s.io
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

// Plugin is such an entry.
struct Plugin {
  // Mode says whether the program wants to talk to somebody at a terminal.
  enum class Mode { kNever, kIfAvailable, kAlways };
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> environment;  // in addition to our own
  std::string api_version;                         // "client.authentication.k8s.io/v1"
  std::string install_hint;
  bool provide_cluster_info = false;
  Mode mode = Mode::kIfAvailable;
};

// PluginOf reads the user's entry; nothing when it names no plugin. Throws base::Error(kInvalid)
// for an entry that cannot be used: no command, a version that we do not speak, a v1 without
// interactiveMode.
std::optional<Plugin> PluginOf(const KubeconfigUser& user);

// NeededPlugin is PluginOf for a user who has nothing else to log in with; nothing for one whose
// token, client certificate or name the kubeconfig has.
std::optional<Plugin> NeededPlugin(const KubeconfigUser& user);

// LocateProgram makes a program that is named relative to the kubeconfig's directory absolute. One
// without a slash is looked up in PATH.
void LocateProgram(KubeconfigUser& user, const std::filesystem::path& directory);

// PluginCall is one run of a program.
struct PluginCall {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  bool interactive = false;  // it may ask at the terminal
  std::string install_hint;
};

// PluginHost runs programs, for those who can.
struct PluginHost {
  // Whether there is somebody to answer questions.
  std::function<bool()> has_terminal;
  std::function<std::chrono::system_clock::time_point()> now;
  // The program's standard output. Throws base::Error when it failed, kCancelled when stopped.
  std::function<std::string(const PluginCall& call, std::stop_token stop)> run;
};

// Login is what a program answered; all of it but the time is secret.
struct Login {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;
  ~Login();  // overwrites it
};

// ExecInfo is what the program finds in KUBERNETES_EXEC_INFO.
json::Value ExecInfo(const Plugin& plugin, const KubeconfigCluster& cluster, bool interactive);

// ParseLogin reads the program's answer. Throws base::Error(kUnauthorized), which quotes nothing of
// it: no ExecCredential, as JSON or YAML, of the plugin's version, neither a token nor a
// certificate with its key, a time that cannot be read.
Login ParseLogin(const Plugin& plugin, const std::string& answer);

// RunPlugin logs in. Throws base::Error(kUnauthorized) saying what is wrong with which program,
// kCancelled when stopped.
Login RunPlugin(const Plugin& plugin, const KubeconfigCluster& cluster, const PluginHost& host,
                std::stop_token stop);

// LoggedIn is a kubeconfig whose current user has, in the place of the program that they need, what
// it answered; the same one when none is needed. Throws as PluginOf and RunPlugin do.
Kubeconfig LoggedIn(Kubeconfig config, const PluginHost& host, std::stop_token stop = {});

// MakeHttpTransport (kube/client.h) for kubeconfigs whose user may log in by a program. It runs
// when its answer is first needed, again when that has expired, and once more when the server does
// not accept it. It runs only where NeededPlugin says so.
std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options, PluginHost plugins);

}  // namespace kube
