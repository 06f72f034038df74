// Connections: what a kubeconfig says of how to reach a server, and as whom.
#include "kube/connection.h"

#include <fmt/core.h>

#include <utility>

#include "base/secret_text.h"
#include "base/strings.h"
#include "http/url.h"

namespace kube {
namespace {

using Kind = base::Error::Kind;

std::string ReadFile(const ConnectOptions& options, const std::string& path) {
  if (!options.read_file) {
    throw base::Error(Kind::kInvalid,
                      fmt::format("the kubeconfig names file {}, which cannot be read here", path));
  }
  auto content = options.read_file(path);
  if (!content) {
    throw base::Error(Kind::kInvalid,
                      fmt::format("the kubeconfig names file {}, which does not exist", path));
  }
  return *std::move(content);
}

// Either is the data given in the kubeconfig, or else the content of the file it names.
std::string Either(const std::string& data, const std::string& path,
                   const ConnectOptions& options) {
  return data.empty() && !path.empty() ? ReadFile(options, path) : data;
}

http::Tls TlsOf(const KubeconfigCluster& cluster, const KubeconfigUser& user,
                const ConnectOptions& options) {
  http::Tls tls{.server_name = cluster.tls_server_name,
                .skip_verify = cluster.insecure_skip_tls_verify};
  tls.ca_pem = Either(cluster.certificate_authority_data, cluster.certificate_authority, options);
  if (tls.ca_pem.empty() && !cluster.certificate_authority.empty()) {
    // Without a CA the system's would be trusted, which is not what naming a file asks for.
    throw base::Error(Kind::kInvalid, fmt::format("the kubeconfig's CA file {} is empty",
                                                  cluster.certificate_authority));
  }
  if (tls.skip_verify && !tls.ca_pem.empty()) {
    throw base::Error(Kind::kInvalid,
                      "the kubeconfig's cluster has both a CA certificate and "
                      "insecure-skip-tls-verify, of which only one can be meant");
  }
  tls.certificate_pem = Either(user.client_certificate_data, user.client_certificate, options);
  tls.key_pem = Either(user.client_key_data, user.client_key, options);
  if (tls.certificate_pem.empty() != tls.key_pem.empty()) {
    throw base::Error(Kind::kInvalid,
                      "the kubeconfig's user needs both a client certificate and its key");
  }
  return tls;
}

// AuthorizationOf is the Authorization header's value, or "".
std::string AuthorizationOf(const KubeconfigUser& user, const ConnectOptions& options) {
  std::string token = user.token;
  const base::Wiper wiper(token);
  if (!user.token_file.empty()) {
    token = base::Trim(base::SecretText(ReadFile(options, user.token_file)).text());
  }
  if (!token.empty() && !user.username.empty()) {
    throw base::Error(Kind::kInvalid,
                      "the kubeconfig's user has both a token and a user name, of which only one "
                      "can be meant");
  }
  if (!token.empty()) {
    return "Bearer " + token;
  }
  if (!user.username.empty()) {
    const base::SecretText pair(user.username + ":" + user.password);
    return "Basic " + base::SecretText(base::Base64Encode(pair)).text();
  }
  for (const std::string_view plugin : {"exec", "auth-provider"}) {
    if (user.rest.is_object() && user.rest.contains(plugin) &&
        user.client_certificate_data.empty() && user.client_certificate.empty()) {
      throw base::Error(
          Kind::kInvalid,
          fmt::format("the kubeconfig's user logs in by \"{}\", which is not supported", plugin));
    }
  }
  return "";
}

std::string ServerOf(const KubeconfigCluster& cluster, const ConnectOptions& options) {
  std::string server = options.server_override.empty() ? cluster.server : options.server_override;
  if (server.empty()) {
    throw base::Error(Kind::kInvalid, "the kubeconfig's current cluster names no server");
  }
  if (server.find("://") == std::string::npos) {
    server.insert(0, "https://");
  }
  while (server.ends_with('/')) {
    server.pop_back();
  }
  return server;
}

}  // namespace

Connection::~Connection() { base::Wipe(authorization); }

Connection ConnectionOf(const KubeconfigCluster& cluster, const KubeconfigUser& user,
                        const ConnectOptions& options) {
  Connection connection{.server = ServerOf(cluster, options)};
  connection.shown = http::Authority(http::ParseUrl(connection.server));
  connection.authorization = AuthorizationOf(user, options);
  connection.tls = TlsOf(cluster, user, options);
  if (!cluster.proxy_url.empty()) {
    connection.proxy = cluster.proxy_url;
  }
  return connection;
}

http::Request NewRequest(const Connection& connection, const std::string& path) {
  http::Request request{.url = connection.server + path};
  request.proxy = connection.proxy;
  request.headers.emplace_back("Accept", "application/json");
  if (!connection.authorization.empty()) {
    request.headers.emplace_back("Authorization", connection.authorization);
  }
  return request;
}

}  // namespace kube
