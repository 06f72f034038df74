#include <fmt/core.h>

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "http/client.h"
#include "http/url.h"
#include "kube/call.h"
#include "kube/client.h"

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
  if (!user.token_file.empty()) {
    token = base::Trim(ReadFile(options, user.token_file));
  }
  if (!token.empty()) {
    return "Bearer " + token;
  }
  if (!user.username.empty()) {
    return "Basic " + base::Base64Encode(user.username + ":" + user.password);
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

// LineReader hands whole lines on, however the stream was cut.
class LineReader {
 public:
  // Feed calls `on_line` for each line that is complete until it returns false.
  bool Feed(std::string_view data, const std::function<bool(std::string_view)>& on_line) {
    rest_.append(data);
    std::size_t begin = 0;
    for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
      if (!on_line(std::string_view(rest_).substr(begin, end - begin))) {
        return false;
      }
      begin = end + 1;
    }
    rest_.erase(0, begin);
    return true;
  }

 private:
  std::string rest_;
};

class HttpTransport : public Transport {
 public:
  HttpTransport(const KubeconfigCluster& cluster, const KubeconfigUser& user,
                const ConnectOptions& options)
      : server_(ServerOf(cluster, options)),
        shown_(http::Authority(http::ParseUrl(server_))),
        authorization_(AuthorizationOf(user, options)),
        timeout_(options.request_timeout),
        client_(TlsOf(cluster, user, options)) {
    if (!cluster.proxy_url.empty()) {
      proxy_ = cluster.proxy_url;
    }
  }

  data::Json Do(const Call& call, std::stop_token stop) override {
    http::Request request = NewRequest(PathOf(call), std::move(stop));
    request.method = MethodOf(call.verb);
    if (!call.body.is_null()) {
      request.body = data::Compact(call.body);
      request.headers.emplace_back(
          "Content-Type", call.verb == Verb::kPatch ? call.patch_type : "application/json");
    }
    const http::Response response = Send(request);
    return response.body.empty() ? data::Json() : data::ParseJson(response.body);
  }

  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return Send(NewRequest(path, std::move(stop))).body;
  }

  void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override {
    http::Request request = NewRequest(WatchPathOf(call, resource_version), stop);
    request.timeout = {};
    LineReader lines;
    const auto on_line = [&](std::string_view line) { return Deliver(line, on_event); };
    http::Response response;
    try {
      response =
          client_.Stream(request, [&](std::string_view data) { return lines.Feed(data, on_line); });
    } catch (const base::Error& error) {
      if (error.kind() == Kind::kCancelled && stop.stop_requested()) {
        return;
      }
      throw;
    }
    ThrowUnlessGood(response);
  }

 private:
  http::Request NewRequest(const std::string& path, std::stop_token stop) const {
    http::Request request{.url = server_ + path, .timeout = timeout_, .stop = std::move(stop)};
    request.proxy = proxy_;
    request.headers.emplace_back("Accept", "application/json");
    if (!authorization_.empty()) {
      request.headers.emplace_back("Authorization", authorization_);
    }
    return request;
  }

  http::Response Send(const http::Request& request) {
    http::Response response = client_.Do(request);
    base::LogInfo(6, "{} {} {}", request.method, request.url, response.status);
    ThrowUnlessGood(response);
    return response;
  }

  void ThrowUnlessGood(const http::Response& response) const {
    if (response.status < 200 || response.status >= 300) {
      throw StatusError(response.status, response.body, shown_);
    }
  }

  bool Deliver(std::string_view line, const OnEvent& on_event) const {
    const data::Json event = data::ParseJson(line);
    const std::string type = data::TextAt(event, {"type"});
    const data::Json& object = data::At(event, {"object"});
    if (type == "ERROR") {
      const data::Json& code = data::At(object, {"code"});
      throw StatusError(code.is_number_integer() ? code.get<int>() : 500, data::Compact(object),
                        shown_);
    }
    return on_event(type, object);
  }

  std::string server_;
  std::string shown_;  // host:port, for messages
  std::string authorization_;
  std::chrono::milliseconds timeout_;
  std::optional<std::string> proxy_;
  http::Client client_;
};

}  // namespace

std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options) {
  const KubeconfigCluster* cluster = config.CurrentCluster();
  if (cluster == nullptr) {
    throw base::Error(Kind::kInvalid, "the kubeconfig has no current context with a cluster");
  }
  const KubeconfigUser* user = config.CurrentUser();
  return std::make_unique<HttpTransport>(*cluster, user != nullptr ? *user : KubeconfigUser{},
                                         options);
}

}  // namespace kube
