// SPDX-License-Identifier: Apache-2.0
// The connection of a kubeconfig: its server and its credentials.
#include "kube/connection.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "http/escape.h"
#include "http/proxy.h"
#include "net/url.h"

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

// Returns the data in the kubeconfig, or else the content of the file it names.
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
    // An empty CA would mean the system's CAs, but the kubeconfig names a CA file.
    throw base::Error(Kind::kInvalid, fmt::format("the kubeconfig's CA file {} is empty",
                                                  cluster.certificate_authority));
  }
  if (tls.skip_verify && !tls.ca_pem.empty()) {
    throw base::Error(Kind::kInvalid,
                      "the kubeconfig's cluster has both a CA certificate and "
                      "insecure-skip-tls-verify: use only one of them");
  }
  tls.certificate_pem = Either(user.client_certificate_data, user.client_certificate, options);
  if (tls.certificate_pem.empty()) {
    return tls;  // a key alone proves nothing: it is ignored
  }
  tls.key_pem = Either(user.client_key_data, user.client_key, options);
  if (tls.key_pem.empty()) {
    throw base::Error(Kind::kInvalid,
                      "the kubeconfig's user also needs the key of its client certificate");
  }
  return tls;
}

// Returns the Authorization header's value, or "".
std::string AuthorizationOf(const KubeconfigUser& user, const ConnectOptions& options) {
  std::string token = user.token;
  const base::Wiper wiper(token);
  // The token in the file is newer. The token in the kubeconfig is used only while the file is
  // missing.
  std::optional<std::string> read;
  if (!user.token_file.empty() && !token.empty() && options.read_file) {
    read = options.read_file(user.token_file);
  } else if (!user.token_file.empty()) {
    read = ReadFile(options, user.token_file);
  }
  if (read) {
    const base::SecretText content(*std::move(read));
    if (const std::string_view fresh = base::Trim(content.text()); !fresh.empty()) {
      token = fresh;
    } else if (token.empty()) {
      throw base::Error(Kind::kInvalid,
                        fmt::format("the kubeconfig's token file {} is empty", user.token_file));
    }
  }
  if (!token.empty() && !user.username.empty()) {
    throw base::Error(Kind::kInvalid,
                      "the kubeconfig's user has both a token and a user name: use only one of "
                      "them");
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

// Percent-encodes a string for use in a header's name. Characters that RFC 9110 §5.6.2 allows stay,
// except '%' itself.
std::string EscapeName(std::string_view name) {
  constexpr std::string_view kKept =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&'*+-.^_`|~";
  std::string escaped;
  for (const char c : name) {
    escaped += kKept.find(c) != std::string_view::npos
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

base::Error WrongType(std::string_view field, std::string_view wanted) {
  return {Kind::kInvalid, fmt::format("the kubeconfig's user has no {} as \"{}\"", wanted, field)};
}

std::string TextIn(const json::Value& value, std::string_view field) {
  if (!value.is_null() && !value.is_string()) {
    throw WrongType(field, "text");
  }
  return value.is_string() ? value.get<std::string>() : "";
}

std::vector<std::string> TextsIn(const json::Value& value, std::string_view field) {
  if (!value.is_null() && !value.is_array()) {
    throw WrongType(field, "list of texts");
  }
  std::vector<std::string> texts;
  for (const json::Value& text : value) {
    texts.push_back(TextIn(text, field));
  }
  return texts;
}

using Headers = std::vector<std::pair<std::string, std::string>>;

// Returns the headers for `as`, `as-uid`, `as-groups` and `as-user-extra`. None of these headers
// may be dropped: without them the request would use the real user's rights.
Headers ImpersonationOf(const KubeconfigUser& user) {
  const std::string as = TextIn(json::At(user.rest, {"as"}), "as");
  Headers headers;
  if (!as.empty()) {
    headers.emplace_back("Impersonate-User", as);
  }
  if (const std::string uid = TextIn(json::At(user.rest, {"as-uid"}), "as-uid"); !uid.empty()) {
    headers.emplace_back("Impersonate-Uid", uid);
  }
  for (std::string& group : TextsIn(json::At(user.rest, {"as-groups"}), "as-groups")) {
    headers.emplace_back("Impersonate-Group", std::move(group));
  }
  const json::Value& extra = json::At(user.rest, {"as-user-extra"});
  if (!extra.is_null() && !extra.is_object()) {
    throw WrongType("as-user-extra", "map");
  }
  for (const auto& [name, values] : extra.items()) {
    for (std::string& value : TextsIn(values, "as-user-extra")) {
      headers.emplace_back("Impersonate-Extra-" + EscapeName(name), std::move(value));
    }
  }
  if (as.empty() && !headers.empty()) {
    throw base::Error(
        Kind::kInvalid,
        "the kubeconfig's user has as-uid, as-groups or as-user-extra without \"as\"");
  }
  return headers;
}

// A line end could inject a header, which could change the user that a token has.
void RequireOneLine(std::string_view text, std::string_view what) {
  if (http::HasControl(text)) {
    throw base::Error(Kind::kInvalid, fmt::format("the kubeconfig's {} holds a line end or another "
                                                  "control character: write it on one line",
                                                  what));
  }
}

std::string ServerOf(const KubeconfigCluster& cluster, const ConnectOptions& options) {
  std::string server = options.server_override.empty() ? cluster.server : options.server_override;
  if (server.empty()) {
    throw base::Error(Kind::kInvalid, "the kubeconfig's current cluster names no server");
  }
  if (server.find("://") == std::string::npos) {
    server.insert(0, "https://");
  }
  // Drops the query, which has no meaning in a server's address, as client-go does.
  server.erase(std::min(server.find('?'), server.size()));
  while (server.ends_with('/')) {
    server.pop_back();
  }
  return server;
}

// Parses a server's address.
net::Url UrlOf(const std::string& server) {
  RequireOneLine(server, "server");
  auto url = net::Url::Parse(server);
  if (!url) {
    throw base::Error(Kind::kInvalid, "the kubeconfig's server: " + url.error());
  }
  return *std::move(url);
}

}  // namespace

Connection::~Connection() { base::Wipe(authorization); }

bool IsSecure(const KubeconfigCluster& cluster, const ConnectOptions& options) {
  return UrlOf(ServerOf(cluster, options)).scheme == "https";
}

Connection ConnectionOf(const KubeconfigCluster& cluster, const KubeconfigUser& user,
                        const ConnectOptions& options) {
  Connection connection{.server = ServerOf(cluster, options)};
  connection.shown = UrlOf(connection.server).Authority();
  RequireOneLine(cluster.tls_server_name, "tls-server-name");
  const bool secure = IsSecure(cluster, options);
  if (!secure && user.HasCredentials()) {
    base::LogWarning("{} gets no credentials, because its URL in the kubeconfig is http",
                     connection.shown);
  }
  connection.authorization = secure ? AuthorizationOf(user, options) : "";
  RequireOneLine(connection.authorization, "token");
  connection.impersonation = ImpersonationOf(user);
  for (const auto& [name, value] : connection.impersonation) {
    RequireOneLine(value, "user to act as (" + name + ")");
  }
  connection.tls = TlsOf(cluster, secure ? user : KubeconfigUser{}, options);
  if (!cluster.proxy_url.empty()) {
    http::RequireProxy(cluster.proxy_url, "the kubeconfig's proxy-url");
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
  request.headers.insert(request.headers.end(), connection.impersonation.begin(),
                         connection.impersonation.end());
  return request;
}

}  // namespace kube
