// SPDX-License-Identifier: Apache-2.0
// Discovery by file: a kubeconfig, on this machine or behind an https URL (reference: pki.md §10).
#include <fmt/core.h>

#include "base/log.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "discovery/poll.h"
#include "discovery/ways.h"
#include "kube/exec_plugin.h"
#include "net/url.h"

namespace discovery {
namespace {

using base::Error;
using Kind = Error::Kind;

// Returns whether the file is fetched by https.
bool IsFetched(const std::string& path) { return base::ToLower(path).starts_with("https://"); }

// The file's content, and the directory to which relative file names in it refer.
struct Document {
  base::SecretText text;
  host::fs::path directory;
};

// Returns a URL without its potential secrets: user, password, query.
std::string Shown(const net::Url& url) {
  return fmt::format("{}://{}{}", url.scheme, url.Authority(),
                     url.target.substr(0, url.target.find_first_of("?#")));
}

std::string ShownUrl(const std::string& text) {
  const auto url = net::Url::Parse(text);
  if (!url) {
    throw Error(Kind::kInvalid, "discovery file: " + url.error());
  }
  return Shown(*url);
}

std::string ShownServer(const std::string& server) {
  const auto url = net::Url::Parse(server);
  return url ? Shown(*url) : "that is not a URL";
}

std::string ShownPath(const std::string& path) { return IsFetched(path) ? ShownUrl(path) : path; }

Document ReadDocument(host::Host& host, Poll& poll, const std::string& path) {
  if (!IsFetched(path)) {
    return {base::SecretText(host.files.Read(path)), host::fs::path(path).parent_path()};
  }
  const std::string shown = ShownUrl(path);
  auto outcome = base::WithContext("discovery file " + shown, [&] {
    return poll.Fetch({.connection = {.server = path, .shown = shown}, .path = ""}, JudgeDocument);
  });
  return {base::SecretText(std::move(outcome.answer.body)), "/"};
}

// Replaces the names of files by their contents.
class Embedder {
 public:
  Embedder(const host::Files& files, host::fs::path directory)
      : files_(files), directory_(std::move(directory)) {}

  void Embed(kube::KubeconfigCluster& cluster) const {
    Embed(cluster.certificate_authority_data, cluster.certificate_authority);
  }
  void Embed(kube::KubeconfigUser& user) const {
    Embed(user.client_certificate_data, user.client_certificate);
    Embed(user.client_key_data, user.client_key);
    if (!user.token_file.empty()) {  // takes precedence over a token
      user.token = base::Trim(files_.Read(directory_ / user.token_file));
      user.token_file.clear();
    }
    kube::LocateProgram(user, directory_);
  }

 private:
  void Embed(std::string& data, std::string& name) const {
    if (data.empty() && !name.empty()) {
      data = files_.Read(directory_ / name);
    }
    name.clear();
  }

  const host::Files& files_;
  host::fs::path directory_;
};

// Returns the user that Chosen embeds: the user of the current context or, without a context, the
// user without a name.
kube::KubeconfigUser* UserOf(kube::Kubeconfig& config) {
  const auto context = config.contexts.find(config.current_context);
  const auto user = config.users.find(context == config.contexts.end() ? "" : context->second.user);
  return user == config.users.end() ? nullptr : &user->second;
}

// Returns the kubeconfig with only the cluster to join. Embeds the files of this cluster and of the
// current user. Other contexts and users stay unchanged.
kube::Kubeconfig Chosen(kube::Kubeconfig config, const Embedder& embedder) {
  kube::KubeconfigCluster cluster = PublicCluster(config);
  if (const std::vector<std::string> flaws = config.Flaws(); !flaws.empty()) {
    throw Error(Kind::kInvalid, base::Join(flaws, "; "));
  }
  embedder.Embed(cluster);
  kube::KubeconfigContext& context = config.contexts[config.current_context];
  if (config.clusters.contains("")) {
    context.cluster.clear();
  }
  if (kube::KubeconfigUser* const user = UserOf(config)) {
    embedder.Embed(*user);
  }
  config.clusters = {{context.cluster, std::move(cluster)}};
  return config;
}

bool HasCredentials(const kube::Kubeconfig& config) {
  const kube::KubeconfigUser* user = config.CurrentUser();
  return user != nullptr && user->HasCredentials();
}

// Returns the connection with the credentials in the file. With a bootstrap token, the file's exec
// plugin or auth-provider is not needed, and is dropped.
kube::Connection ConnectionTo(const kube::Kubeconfig& config, const Options& options) {
  kube::KubeconfigUser user =
      HasCredentials(config) ? *config.CurrentUser() : kube::KubeconfigUser();
  if (!options.config.discovery.tls_bootstrap_token.empty()) {
    user.rest = {};
  } else if (kube::NeededPlugin(user)) {
    user = *kube::LoggedIn(config, options.plugins, options.stop).CurrentUser();
  }
  return kube::ConnectionOf(*config.CurrentCluster(), user, {});
}

// Throws if a discovery file from a server chooses a program to run as root. Also throws if it
// chooses files of this node, which would be read as root and sent to a server.
void RefuseChoiceOfStranger(const kube::KubeconfigUser& user, const Options& options) {
  constexpr std::string_view kWhy =
      "and a document from the network must not choose it: save the document, examine it, and pass "
      "the path of the file";
  if (!user.token_file.empty() || !user.client_certificate.empty() || !user.client_key.empty()) {
    throw Error(Kind::kInvalid,
                fmt::format("its user logs in by a file of this machine, {}", kWhy));
  }
  if (options.config.discovery.tls_bootstrap_token.empty() && kube::NeededPlugin(user)) {
    throw Error(Kind::kInvalid,
                fmt::format("its user logs in by a program, {}, or pass a token with "
                            "--tls-bootstrap-token",
                            kWhy));
  }
}

// Completes the file's cluster from cluster-info. The file is trusted, so it takes precedence.
void Complete(kube::KubeconfigCluster& cluster, const Decision& decision) {
  if (!decision.info) {
    base::LogWarning(
        "[discovery] cluster-info cannot be read, the discovery file is used as it "
        "is: {}",
        decision.why);
    return;
  }
  try {
    const auto config = kube::Kubeconfig::Parse(decision.info->kubeconfig);
    const kube::KubeconfigCluster& published = PublicCluster(config);
    if (published.server != cluster.server) {
      base::LogWarning(
          "[discovery] cluster-info names server {}, the discovery file {}; the "
          "file's is used",
          ShownServer(published.server), ShownServer(cluster.server));
    }
    if (cluster.certificate_authority_data.empty()) {
      cluster.certificate_authority_data = published.certificate_authority_data;
    }
  } catch (const Error& error) {
    base::LogWarning(
        "[discovery] cluster-info holds no kubeconfig, the discovery file is used as "
        "it is: {}",
        error.message());
  }
}

}  // namespace

kube::Kubeconfig ByFile(host::Host& host, const Options& options) {
  const std::string& path = options.config.discovery.file->kube_config_path;
  const std::string shown = ShownPath(path);
  Poll poll(host, options);
  const Document document = ReadDocument(host, poll, path);
  kube::Kubeconfig config = base::WithContext("discovery file " + shown, [&] {
    kube::Kubeconfig whole = kube::Kubeconfig::Parse(document.text);
    if (const auto* const user = UserOf(whole); user != nullptr && IsFetched(path)) {
      RefuseChoiceOfStranger(*user, options);
    }
    return Chosen(std::move(whole), Embedder(host.files, document.directory));
  });
  if (options.needs_credentials && !HasCredentials(config) &&
      options.config.discovery.tls_bootstrap_token.empty()) {
    throw Error(Kind::kInvalid,
                fmt::format("discovery file {} holds no credentials and no TLSBootstrapToken is "
                            "set, so this node has no credentials to join the cluster: pass a "
                            "token with --tls-bootstrap-token, or put one or a client certificate "
                            "into the file",
                            shown));
  }
  const auto outcome = base::WithContext("discovery file " + shown, [&] {
    return poll.Fetch({.connection = ConnectionTo(config, options)}, JudgeForFile);
  });
  if (outcome.answer.status == 401 && HasCredentials(config)) {
    throw Error(Kind::kUnauthorized,
                fmt::format("the cluster does not accept the credentials in discovery file {}; "
                            "they may have expired: write the file again",
                            shown));
  }
  kube::KubeconfigCluster& cluster = config.clusters.begin()->second;
  Complete(cluster, outcome.decision);
  if (cluster.certificate_authority_data.empty()) {
    throw Error(Kind::kInvalid,
                fmt::format("discovery file {} has no CA certificate for its cluster, and "
                            "cluster-info gave none: set certificate-authority-data",
                            shown));
  }
  return config;
}

}  // namespace discovery
