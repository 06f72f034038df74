// SPDX-License-Identifier: Apache-2.0
#include "kube/http_transport.h"

#include <fmt/core.h>

#include <utility>

#include "base/log.h"
#include "base/secret_text.h"
#include "http/client.h"
#include "json/budget.h"
#include "kube/call.h"
#include "kube/client.h"
#include "kube/connection.h"
#include "kube/line_reader.h"

namespace kube {
namespace {

using Kind = base::Error::Kind;

// The additional time for a server that does not end a watch by itself.
constexpr std::chrono::seconds kWatchGrace{30};
constexpr int kUnknown = 401;  // "Unauthorized": the server does not know the user

class HttpTransport : public Transport {
 public:
  HttpTransport(const Connection& connection, std::chrono::milliseconds timeout,
                std::function<void()> on_unknown)
      : connection_(connection),
        timeout_(timeout),
        on_unknown_(std::move(on_unknown)),
        client_(connection_.tls) {}

  json::Value Do(const Call& call, std::stop_token stop) override {
    http::Request request = Ask(PathOf(call), std::move(stop));
    const base::Wiper body_of_a_secret(request.body);
    request.largest_body = call.largest_body;
    if (call.within && (request.timeout.count() == 0 || *call.within < request.timeout)) {
      request.timeout = *call.within;
    }
    request.method = MethodOf(call.verb);
    if (!call.body.is_null()) {
      request.body = json::Compact(call.body);
      request.headers.emplace_back(
          "Content-Type", call.verb == Verb::kPatch ? call.patch_type : "application/json");
    }
    const base::SecretText answer(std::move(Send(request).body));
    if (!answer.text().empty()) {
      return Object(Parse(answer, call));
    }
    if (call.verb == Verb::kGet || call.verb == Verb::kList) {
      throw base::Error(base::Error::Kind::kInvalid,
                        fmt::format("{} answered with nothing", connection_.shown));
    }
    return {};
  }

  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return Send(Ask(path, std::move(stop))).body;
  }

  void Watch(const Call& call, const std::string& resource_version, const OnEvent& on_event,
             std::stop_token stop) override {
    http::Request request = Ask(WatchPathOf(call, resource_version), stop);
    request.timeout = call.watch_for + kWatchGrace;
    request.idle_timeout = call.watch_idle;
    LineReader lines;
    const auto on_line = [&](std::string_view line) {
      return Deliver(Parse(line, call), on_event);
    };
    http::Response response;
    try {
      response =
          client_.Stream(request, [&](std::string_view data) { return lines.Feed(data, on_line); });
    } catch (const base::Interrupted&) {
      if (stop.stop_requested()) {
        return;
      }
      throw;
    }
    ThrowUnlessGood(response);
  }

 private:
  http::Request Ask(const std::string& path, std::stop_token stop) const {
    http::Request request = NewRequest(connection_, path);
    request.timeout = timeout_;
    request.stop = std::move(stop);
    return request;
  }

  http::Response Send(const http::Request& request) {
    http::Response response = client_.Do(request);
    base::LogInfo(6, "{} {} {}", request.method, request.url, response.status);
    ThrowUnlessGood(response);
    return response;
  }

  // Returns the API's answer, which must be an object; anything else comes from another server.
  json::Value Object(json::Value answer) const {
    if (const auto flaw = FlawOf(answer)) {
      throw base::Error(Kind::kInvalid,
                        fmt::format("the answer of {} is not an object of the API ({}): "
                                    "is it an API server?",
                                    connection_.shown, *flaw));
    }
    return answer;
  }

  void ThrowUnlessGood(const http::Response& response) const {
    if (response.status == kUnknown && on_unknown_) {
      on_unknown_();
    }
    if (response.status < 200 || response.status >= 300) {
      throw StatusError(response.status, response.body, connection_.shown);
    }
  }

  static json::Value Parse(std::string_view text, const Call& call) {
    json::Budget budget;
    return json::Parse(text, budget, call.unread);
  }

  bool Deliver(const json::Value& event, const OnEvent& on_event) const {
    const std::string type = json::TextAt(event, {"type"});
    const json::Value& object = json::At(event, {"object"});
    if (type == "ERROR") {
      const json::Value& code = json::At(object, {"code"});
      throw StatusError(code.is_number_integer() ? code.get<int>() : 500, json::Compact(object),
                        connection_.shown);
    }
    return on_event(type, object);
  }

  const Connection connection_;
  const std::chrono::milliseconds timeout_;
  const std::function<void()> on_unknown_;
  http::Client client_;
};

}  // namespace

std::unique_ptr<Transport> NewHttpTransport(const Connection& connection,
                                            std::chrono::milliseconds timeout,
                                            std::function<void()> on_unknown) {
  return std::make_unique<HttpTransport>(connection, timeout, std::move(on_unknown));
}

std::unique_ptr<Transport> MakeHttpTransport(const Kubeconfig& config,
                                             const ConnectOptions& options) {
  const KubeconfigCluster* cluster = config.CurrentCluster();
  if (cluster == nullptr) {
    throw base::Error(Kind::kInvalid,
                      "the kubeconfig names no cluster: " + config.NoClusterReason());
  }
  const KubeconfigUser* user = config.CurrentUser();
  if (user == nullptr && !config.CurrentContext()->user.empty()) {
    throw base::Error(Kind::kInvalid, "the kubeconfig has no user: " + config.NoUserReason());
  }
  return NewHttpTransport(
      ConnectionOf(*cluster, user != nullptr ? *user : KubeconfigUser{}, options),
      options.request_timeout, nullptr);
}

}  // namespace kube
