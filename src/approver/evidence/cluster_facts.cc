// SPDX-License-Identifier: Apache-2.0
#include "evidence/cluster_facts.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "evidence/decode.h"
#include "net/cidr.h"
#include "net/host_port.h"
#include "net/url.h"
#include "yaml/yaml.h"

namespace evidence {
namespace {

using base::Error;
using judgement::Egress;
using judgement::Known;
using judgement::Reserved;

constexpr kube::Resource kNetworks{"config.openshift.io", "v1", "networks", "Network", false};
constexpr kube::Resource kHostSubnets{"network.openshift.io", "v1", "hostsubnets", "HostSubnet",
                                      false};
constexpr kube::Resource kEgressIps{"k8s.ovn.org", "v1", "egressips", "EgressIP", false};

constexpr kube::Resource kServiceCidrs{"networking.k8s.io", "v1", "servicecidrs", "ServiceCIDR",
                                       false};
constexpr const char* kApiServers = "kubernetes";  // the Service and its EndpointSlice
constexpr const char* kClusterConfigName = "kubeadm-config";
constexpr const char* kClusterConfigKey = "ClusterConfiguration";

// Parses "CIDR[,CIDR]" as kubeadm does. Throws base::Error(kInvalid) for other input, because
// ignoring it would reserve no network.
void AddCidrs(const std::string& text, Reserved& reserved) {
  for (const std::string& cidr : base::Split(text, ',')) {
    const auto network = net::Cidr::ParseSloppy(base::Trim(cidr));
    if (!network) {
      throw Error(Error::Kind::kInvalid, fmt::format("{} is not a network", base::Quoted(cidr)));
    }
    reserved.cidrs.push_back(*network);
  }
}

// Returns an address in the form that requests use. Like kubeadm, reads 010.0.0.1 as 10.0.0.1.
std::string Canonical(const std::string& host) {
  const auto address = net::IpAddress::ParseSloppy(host);
  return address ? address->Text() : host;
}

// Returns the host of a controlPlaneEndpoint, which may lack a port: "host:port", "host" or "[v6]".
std::string HostOf(const std::string& endpoint) {
  const auto read =
      net::HostPort::ParsePortOptional(endpoint.ends_with(']') ? endpoint + ":" : endpoint);
  return Canonical(read ? read->host : endpoint);
}

void AddClusterConfig(const json::Value& map, Reserved& reserved) {
  const yaml::Document document = yaml::Parse(json::TextAt(map, {"data", kClusterConfigKey}));
  const json::Value& config = document.value;
  AddCidrs(json::TextAt(config, {"networking", "serviceSubnet"}), reserved);
  if (const std::string pods = json::TextAt(config, {"networking", "podSubnet"}); !pods.empty()) {
    AddCidrs(pods, reserved);
  }
  if (const std::string endpoint = json::TextAt(config, {"controlPlaneEndpoint"});
      !endpoint.empty()) {
    reserved.endpoints.push_back(HostOf(endpoint));
  }
  const json::Value& names = json::At(config, {"apiServer", "certSANs"});
  for (const json::Value& name : names.is_array() ? names : json::Value::array()) {
    reserved.endpoints.push_back(Canonical(name.is_string() ? name.get<std::string>() : ""));
  }
}

// Each API server writes its own address to the EndpointSlice, and removes it at shutdown.
void AddAdvertised(const json::Value& slice, Reserved& reserved) {
  const json::Value& endpoints = json::At(slice, {"endpoints"});
  for (const json::Value& endpoint : endpoints.is_array() ? endpoints : json::Value::array()) {
    const json::Value& addresses = json::At(endpoint, {"addresses"});
    for (const json::Value& text : addresses.is_array() ? addresses : json::Value::array()) {
      reserved.endpoints.push_back(Canonical(text.is_string() ? text.get<std::string>() : ""));
    }
  }
}

void AddServers(const std::vector<std::string>& urls, Reserved& reserved) {
  for (const std::string& url : urls) {
    if (const auto read = net::Url::Parse(url); read && !read->host.empty()) {
      reserved.endpoints.push_back(Canonical(read->host));
    }
  }
}

void AddEach(const json::Value& cidrs, Reserved& reserved) {
  for (const json::Value& cidr : cidrs.is_array() ? cidrs : json::Value::array()) {
    AddCidrs(cidr.is_string() ? cidr.get<std::string>() : "", reserved);
  }
}

// API servers before 1.33 do not serve ServiceCIDR, and have one network of Services.
void AddServiceCidrs(kube::Transport& transport, Reserved& reserved, const std::stop_token& stop) {
  const json::Value list =
      kube::Found([&] {
        return transport.Do({.verb = kube::Verb::kList, .resource = kServiceCidrs}, stop);
      }).value_or(json::Value());
  const json::Value& items = json::At(list, {"items"});
  for (const json::Value& item : items.is_array() ? items : json::Value::array()) {
    AddEach(json::At(item, {"spec", "cidrs"}), reserved);
  }
}

void AddOpenShiftNetwork(kube::Transport& transport, Reserved& reserved,
                         const std::stop_token& stop) {
  const json::Value network = transport.Do({.resource = kNetworks, .name = "cluster"}, stop);
  AddEach(json::At(network, {"status", "serviceNetwork"}), reserved);
}

bool IsAbsent(const Error& error) {
  return error.kind() == Error::Kind::kNotFound || error.kind() == Error::Kind::kForbidden;
}

}  // namespace

Known<Reserved> ReadReserved(kube::Transport& transport,
                             const std::vector<std::string>& server_urls,
                             const std::stop_token& stop) {
  try {
    Reserved reserved;
    AddClusterConfig(transport.Do({.resource = kube::resources::kConfigMap,
                                   .name_space = "kube-system",
                                   .name = kClusterConfigName},
                                  stop),
                     reserved);
    AddServiceCidrs(transport, reserved, stop);
    AddAdvertised(transport.Do({.resource = kube::resources::kEndpointSlice,
                                .name_space = "default",
                                .name = kApiServers},
                               stop),
                  reserved);
    AddServers(server_urls, reserved);
    return reserved;
  } catch (const Error& error) {
    return std::unexpected(
        fmt::format("what the cluster reserves for itself is not known (ConfigMap "
                    "kube-system/{}, EndpointSlice default/{}, ServiceCIDRs): {}",
                    kClusterConfigName, kApiServers, error.message()));
  }
}

DialRules ReadDialRules(kube::Transport& transport, const std::vector<std::string>& server_urls,
                        const std::stop_token& stop) {
  DialRules rules = RulesFor(server_urls);
  Reserved reserved;
  for (const auto add : {AddServiceCidrs, AddOpenShiftNetwork}) {
    try {
      add(transport, reserved, stop);
    } catch (const Error& error) {
      if (!IsAbsent(error)) {
        rules.problem = "no kubelet is dialled while the networks of Services are not known: " +
                        error.message();
      }
    }
  }
  rules.networks = std::move(reserved.cidrs);
  return rules;
}

Known<std::string> ReadNetwork(kube::Transport& transport, const std::stop_token& stop) {
  try {
    const json::Value network = transport.Do({.resource = kNetworks, .name = "cluster"}, stop);
    return json::TextAt(network, {"status", "networkType"});
  } catch (const Error& error) {
    return std::unexpected("the cluster's network is not known: " + error.message());
  }
}

Known<Egress> ReadHostSubnet(kube::Transport& transport, const std::string& node,
                             const std::stop_token& stop) {
  try {
    return DecodeHostSubnet(transport.Do({.resource = kHostSubnets, .name = node}, stop));
  } catch (const Error& error) {
    return std::unexpected("no HostSubnet of the node: " + error.message());
  }
}

std::vector<std::string> EgressIpsOf(const json::Value& list, const std::string& node) {
  std::vector<std::string> ips;
  const json::Value& objects = json::At(list, {"items"});
  for (const json::Value& object : objects.is_array() ? objects : json::Value::array()) {
    const json::Value& items = json::At(object, {"status", "items"});
    for (const json::Value& item : items.is_array() ? items : json::Value::array()) {
      if (json::TextAt(item, {"node"}) == node) {
        ips.push_back(json::TextAt(item, {"egressIP"}));
      }
    }
  }
  return ips;
}

Known<Egress> ReadEgressIps(kube::Transport& transport, const std::string& node,
                            const std::stop_token& stop) {
  try {
    const json::Value list =
        transport.Do({.verb = kube::Verb::kList, .resource = kEgressIps}, stop);
    return Egress{.ips = EgressIpsOf(list, node), .cidrs = {}};
  } catch (const Error& error) {
    return std::unexpected("EgressIPs are not known: " + error.message());
  }
}

}  // namespace evidence
