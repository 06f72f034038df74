// SPDX-License-Identifier: Apache-2.0
#include "kube/exec_plugin.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "yaml/yaml.h"

namespace kube {
namespace {

using base::Error;
using Kind = Error::Kind;

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "client.authentication.k8s.io/v1beta1";
constexpr const char* kKind = "ExecCredential";
constexpr const char* kInfoVariable = "KUBERNETES_EXEC_INFO";
// The extension of a cluster that is passed to its plugins.
constexpr const char* kExtension = "client.authentication.k8s.io/exec";

Error Invalid(const std::string& what) {
  return {Kind::kInvalid, "the kubeconfig's user logs in by \"exec\", but " + what};
}

// Returns a member of an object; null if it does not exist.
const json::Value& Member(const json::Value& object, const char* name) {
  return json::At(object, {name});
}

std::string TextOf(const json::Value& object, const char* name) {
  const json::Value& member = Member(object, name);
  if (!member.is_string() && !member.is_null()) {
    throw Invalid(fmt::format("exec.{} must be a string", name));
  }
  return member.is_string() ? member.get<std::string>() : "";
}

const json::Value& ListOf(const json::Value& object, const char* name) {
  const json::Value& member = Member(object, name);
  if (!member.is_array() && !member.is_null()) {
    throw Invalid(fmt::format("exec.{} must be a list", name));
  }
  return member;
}

std::vector<std::string> ArgsOf(const json::Value& entry) {
  std::vector<std::string> args;
  for (const json::Value& arg : ListOf(entry, "args")) {
    if (!arg.is_string()) {
      throw Invalid("exec.args must be strings");
    }
    args.push_back(arg.get<std::string>());
  }
  return args;
}

std::map<std::string, std::string> EnvironmentOf(const json::Value& entry) {
  std::map<std::string, std::string> environment;
  for (const json::Value& variable : ListOf(entry, "env")) {
    const std::string name = TextOf(variable, "name");
    if (name.empty()) {
      throw Invalid("a variable of exec.env has no name");
    }
    environment[name] = TextOf(variable, "value");
  }
  return environment;
}

Plugin::Mode ModeOf(const std::string& text, std::string_view api_version) {
  constexpr std::array<std::pair<std::string_view, Plugin::Mode>, 3> kModes{
      {{"Never", Plugin::Mode::kNever},
       {"IfAvailable", Plugin::Mode::kIfAvailable},
       {"Always", Plugin::Mode::kAlways}}};
  if (text.empty() && api_version == kV1Beta1) {
    return Plugin::Mode::kIfAvailable;
  }
  for (const auto& [name, mode] : kModes) {
    if (text == name) {
      return mode;
    }
  }
  throw Invalid(fmt::format("exec.interactiveMode is {}; it must be Never, IfAvailable or Always",
                            base::Quoted(text)));
}

bool IsInteractive(const Plugin& plugin, const PluginHost& host) {
  const bool terminal = plugin.mode != Plugin::Mode::kNever && host.has_terminal();
  if (plugin.mode == Plugin::Mode::kAlways && !terminal) {
    throw Error(Kind::kUnauthorized,
                fmt::format("cannot log in: {} wants to ask at a terminal "
                            "(interactiveMode: Always), and standard input is not a terminal",
                            plugin.command));
  }
  return terminal;
}

// Returns the plugins' part of the cluster's extensions; null if it does not exist.
json::Value ConfigOf(const KubeconfigCluster& cluster) {
  const json::Value& extensions = Member(cluster.rest, "extensions");
  if (extensions.is_array()) {
    for (const json::Value& extension : extensions) {
      if (json::TextAt(extension, {"name"}) == kExtension) {
        return Member(extension, "extension");
      }
    }
  }
  return {};
}

json::Value ClusterInfo(const KubeconfigCluster& cluster) {
  json::Value info = {{"server", cluster.server}};
  const auto put = [&](const char* name, const std::string& text) {
    if (!text.empty()) {
      info[name] = text;
    }
  };
  put("certificate-authority-data", base::Base64Encode(cluster.certificate_authority_data));
  put("proxy-url", cluster.proxy_url);
  put("tls-server-name", cluster.tls_server_name);
  if (cluster.insecure_skip_tls_verify) {
    info["insecure-skip-tls-verify"] = true;
  }
  if (const json::Value& off = Member(cluster.rest, "disable-compression"); off.is_boolean()) {
    info["disable-compression"] = off;
  }
  info["config"] = ConfigOf(cluster);  // null without an extension, as in kubectl
  return info;
}

// Returns the error for an unusable answer. Its message quotes no secret.
Error BadAnswer(const Plugin& plugin, const std::string& what) {
  return {Kind::kUnauthorized,
          fmt::format("cannot log in: the answer of {} {}", plugin.command, what)};
}

std::string SecretIn(const Plugin& plugin, const json::Value& status, const char* name) {
  const json::Value& member = Member(status, name);
  if (!member.is_string() && !member.is_null()) {
    throw BadAnswer(plugin, fmt::format("has a status.{} that is not a string", name));
  }
  return member.is_string() ? member.get<std::string>() : "";
}

json::Value ParseYaml(const Plugin& plugin, const std::string& answer) {
  try {
    return yaml::Parse(answer).value;
  } catch (const Error&) {
    throw BadAnswer(plugin, fmt::format("is neither JSON nor YAML ({} bytes on standard output)",
                                        answer.size()));
  }
}

// Parses JSON, or else YAML, which has always been accepted as well. Some JSON is not YAML.
json::Value ParseAnswer(const Plugin& plugin, const std::string& answer) {
  try {
    return json::Parse(answer);
  } catch (const Error&) {
    return ParseYaml(plugin, answer);
  }
}

}  // namespace

std::optional<Plugin> PluginOf(const KubeconfigUser& user) {
  const json::Value& entry = Member(user.rest, "exec");
  if (entry.is_null()) {
    return std::nullopt;
  }
  if (!entry.is_object()) {
    throw Invalid("that is not an object");
  }
  Plugin plugin{.command = TextOf(entry, "command"),
                .args = ArgsOf(entry),
                .environment = EnvironmentOf(entry),
                .api_version = TextOf(entry, "apiVersion"),
                .install_hint = TextOf(entry, "installHint")};
  if (plugin.command.empty()) {
    throw Invalid("exec.command is missing");
  }
  if (plugin.api_version != kV1 && plugin.api_version != kV1Beta1) {
    throw Invalid(fmt::format("exec.apiVersion is {}; it must be {} or {}",
                              base::Quoted(plugin.api_version), kV1, kV1Beta1));
  }
  plugin.mode = ModeOf(TextOf(entry, "interactiveMode"), plugin.api_version);
  const json::Value& info = Member(entry, "provideClusterInfo");
  if (!info.is_boolean() && !info.is_null()) {
    throw Invalid("exec.provideClusterInfo must be true or false");
  }
  plugin.provide_cluster_info = info.is_boolean() && info.get<bool>();
  return plugin;
}

void LocateProgram(KubeconfigUser& user, const std::filesystem::path& directory) {
  const std::string command = json::TextAt(user.rest, {"exec", "command"});
  if (command.find('/') != std::string::npos && !command.starts_with('/')) {
    user.rest["exec"]["command"] =
        (std::filesystem::absolute(directory) / command).lexically_normal().string();
  }
}

Login::~Login() {
  base::Wipe(token);
  base::Wipe(key_pem);
}

json::Value ExecInfo(const Plugin& plugin, const KubeconfigCluster& cluster, bool interactive) {
  json::Value info = {{"kind", kKind},
                      {"apiVersion", plugin.api_version},
                      {"spec", {{"interactive", interactive}}}};
  if (plugin.provide_cluster_info) {
    info["spec"]["cluster"] = ClusterInfo(cluster);
  }
  return info;
}

Login ParseLogin(const Plugin& plugin, const std::string& answer) {
  const json::Value document = ParseAnswer(plugin, answer);
  const std::string kind = json::TextAt(document, {"kind"});
  if ((kind != kKind && !Member(document, "kind").is_null()) ||
      json::TextAt(document, {"apiVersion"}) != plugin.api_version) {
    throw BadAnswer(plugin, fmt::format("is not an {} of {}, the version that the kubeconfig names",
                                        kKind, plugin.api_version));
  }
  const json::Value& status = Member(document, "status");
  Login login{.token = SecretIn(plugin, status, "token"),
              .certificate_pem = SecretIn(plugin, status, "clientCertificateData"),
              .key_pem = SecretIn(plugin, status, "clientKeyData"),
              .expires = std::nullopt};
  if (login.certificate_pem.empty() != login.key_pem.empty()) {
    throw BadAnswer(plugin, "has a client certificate or a key without the other");
  }
  // A line end would inject another header.
  if (std::ranges::any_of(login.token, [](char c) { return c <= ' ' || c > '~'; })) {
    throw BadAnswer(plugin, "has a token that holds blanks or control characters");
  }
  if (login.token.empty() && login.certificate_pem.empty()) {
    throw BadAnswer(plugin, "has neither a token nor a client certificate");
  }
  if (const std::string text = SecretIn(plugin, status, "expirationTimestamp"); !text.empty()) {
    login.expires = json::ParseRfc3339(text);
    if (!login.expires) {
      throw BadAnswer(plugin, "has a status.expirationTimestamp that is not a time (RFC 3339)");
    }
  }
  return login;
}

Login RunPlugin(const Plugin& plugin, const KubeconfigCluster& cluster, const PluginHost& host,
                std::stop_token stop) {
  PluginCall call{.argv = {plugin.command},
                  .environment = plugin.environment,
                  .interactive = IsInteractive(plugin, host),
                  .install_hint = plugin.install_hint};
  call.argv.insert(call.argv.end(), plugin.args.begin(), plugin.args.end());
  call.environment[kInfoVariable] = json::Compact(ExecInfo(plugin, cluster, call.interactive));
  std::string answer;
  try {
    answer = host.run(call, std::move(stop));
  } catch (const Error& error) {
    // Uses kUnauthorized, because errors of other kinds could be mistaken for a server's answer, or
    // be retried.
    throw Error(Kind::kUnauthorized, "cannot log in: " + error.message());
  }
  return ParseLogin(plugin, base::SecretText(std::move(answer)).text());
}

}  // namespace kube
