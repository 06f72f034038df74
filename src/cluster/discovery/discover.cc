// SPDX-License-Identifier: Apache-2.0
#include "discovery/discover.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "discovery/ways.h"
#include "pki/certificate.h"

namespace discovery {
namespace {

using base::Error;

constexpr const char* kClusterName = "kubernetes";
constexpr const char* kTokenUser = "tls-bootstrap-token-user";

// Returns a kubeconfig with a bootstrap token (reference: pki.md §10, step 9). If the cluster has a
// proxy or a TLS server name, these come from a file on this machine, never from cluster-info.
kube::Kubeconfig WithToken(const kube::KubeconfigCluster& cluster, const std::string& token) {
  const std::string context = fmt::format("{}@{}", kTokenUser, kClusterName);
  kube::Kubeconfig config;
  config.clusters[kClusterName] = {.server = cluster.server,
                                   .certificate_authority_data = cluster.certificate_authority_data,
                                   .tls_server_name = cluster.tls_server_name,
                                   .proxy_url = cluster.proxy_url};
  config.users[kTokenUser] = {.token = token};
  config.contexts[context] = {.cluster = kClusterName, .user = kTokenUser};
  config.current_context = context;
  return config;
}

// A discovered cluster needs a server and CA certificates, or no later step could work.
void Check(const kube::KubeconfigCluster& cluster) {
  if (cluster.server.empty()) {
    throw Error(Error::Kind::kInvalid, "the discovered cluster names no server");
  }
  const auto chain = base::WithContext("the discovered cluster's CA", [&] {
    return pki::Certificate::ChainFromPem(cluster.certificate_authority_data);
  });
  base::LogInfo(1, "[discovery] cluster CA \"{}\" (issuer \"{}\", pin {})",
                chain.front().subject().common_name, chain.front().IssuerText(),
                pki::Pin(chain.front()));
}

}  // namespace

kube::Kubeconfig Discover(host::Host& host, const Options& options) {
  const config::Discovery& discovery = options.config.discovery;
  kube::Kubeconfig found;
  if (discovery.file) {
    found = ByFile(host, options);
  } else if (discovery.bootstrap_token) {
    const kube::KubeconfigCluster cluster = ByToken(host, options);
    found.clusters[""] = {.server = cluster.server,
                          .certificate_authority_data = cluster.certificate_authority_data};
  } else {
    throw Error(Error::Kind::kInvalid,
                "neither discovery.bootstrapToken nor discovery.file is set");
  }
  const kube::KubeconfigCluster& cluster = found.clusters.begin()->second;
  Check(cluster);
  if (!discovery.tls_bootstrap_token.empty()) {
    base::LogInfo(1, "[discovery] the node joins by TLSBootstrapToken");
    return WithToken(cluster, discovery.tls_bootstrap_token);
  }
  if (found.users.empty() && options.needs_credentials) {
    throw Error(Error::Kind::kInvalid,
                "discovery by token gives no credentials for the join: set TLSBootstrapToken "
                "(discovery.tlsBootstrapToken, --tls-bootstrap-token)");
  }
  return found;
}

}  // namespace discovery
