// SPDX-License-Identifier: Apache-2.0
#include "withdrawal/enforcement.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "json/texts.h"
#include "json/value.h"
#include "kubeconfigs/connect.h"
#include "kubeconfigs/load.h"
#include "net/host_port.h"
#include "node_identities/withdrawn_policy.h"

namespace withdrawal {
namespace {

using base::Error;
using kube::NotYet;

constexpr std::chrono::milliseconds kAnswer{5'000};
// A name in every API server's certificate, but in no node's certificate. A node must not receive
// the administrator's credentials, even if its address is listed.
constexpr const char* kApiServerName = "kubernetes";

// Returns the port of the API servers in the slice; "" if the slice has none.
std::string PortIn(const json::Value& slice) {
  const json::Value& ports = json::At(slice, {"ports"});
  return ports.empty() ? "" : json::At(ports.front(), {"port"}).dump();
}

// Returns why the API server still accepts the node; std::nullopt if it refuses the node.
std::optional<NotYet> StillAllowed(kube::Client& as_node, const std::string& node) {
  try {
    as_node.Raw({.verb = kube::Verb::kCreate,
                 .resource = kube::resources::kNode,
                 .body = {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", node}}}},
                 .dry_run = true});
  } catch (const Error& error) {
    if (error.message().contains(node_identities::kWithdrawnMessage)) {
      return std::nullopt;
    }
    if (error.kind() != Error::Kind::kAlreadyExists) {
      return NotYet{error.message()};
    }
  }
  return NotYet{"it would still accept the node"};
}

}  // namespace

kube::Kubeconfig ActingAs(const std::string& node, kube::Kubeconfig config) {
  if (const kube::KubeconfigContext* context = config.CurrentContext()) {
    if (const auto user = config.users.find(context->user); user != config.users.end()) {
      user->second.rest["as"] = "system:node:" + node;
      user->second.rest["as-groups"] = json::Value::array({"system:nodes"});
    }
    if (const auto cluster = config.clusters.find(context->cluster);
        cluster != config.clusters.end()) {
      cluster->second.tls_server_name = kApiServerName;
    }
  }
  return config;
}

AsNode ConnectAsNode(host::Host& host, const host::fs::path& kubeconfig, const std::string& node) {
  return [&host, config = ActingAs(node, kubeconfigs::LoadKubeconfig(host.files, kubeconfig))](
             const std::string& server) {
    return std::make_shared<kube::Client>(
        kubeconfigs::ConnectBy(host, config,
                               {.request_timeout = kAnswer, .server_override = server}),
        host.clock, kube::RetryPolicy{}, host.signals.Interrupt());
  };
}

std::vector<std::string> UrlsIn(const json::Value& slice, const std::vector<std::string>& except) {
  const std::string port = PortIn(slice);
  std::vector<std::string> urls;
  for (const json::Value& endpoint : json::At(slice, {"endpoints"})) {
    for (const std::string& address : json::TextsIn(json::At(endpoint, {"addresses"}))) {
      if (!std::ranges::contains(except, address)) {
        urls.push_back("https://" + net::HostPort{.host = address, .port = port}.Text());
      }
    }
  }
  return urls;
}

kube::Probe RefusalProbe(std::shared_ptr<kube::Client> client, AsNode as_node, std::string node,
                         std::vector<std::string> except) {
  return kube::PatientProbe(
      [client = std::move(client), as_node = std::move(as_node), node = std::move(node),
       except = std::move(except)](const std::stop_token&) -> std::optional<NotYet> {
        const std::vector<std::string> urls =
            UrlsIn(client->Get({kube::resources::kEndpointSlice, "default", "kubernetes"}), except);
        if (urls.empty()) {
          return NotYet{"the Service kubernetes has no API server"};
        }
        for (const std::string& url : urls) {
          if (const auto allowed = StillAllowed(*as_node(url), node)) {
            return NotYet{fmt::format("API server {}: {}", url, allowed->why)};
          }
        }
        return std::nullopt;
      });
}

}  // namespace withdrawal
