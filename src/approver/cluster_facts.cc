#include "approver/cluster_facts.h"

#include "approver/config.h"
#include "base/error.h"

namespace approver {
namespace {

using base::Error;
using data::Json;

constexpr kube::Resource kNetworks{"config.openshift.io", "v1", "networks", "Network", false};
constexpr kube::Resource kHostSubnets{"network.openshift.io", "v1", "hostsubnets", "HostSubnet",
                                      false};
constexpr kube::Resource kEgressIps{"k8s.ovn.org", "v1", "egressips", "EgressIP", false};

}  // namespace

Network ReadNetwork(kube::Transport& transport, const std::stop_token& stop) {
  try {
    const Json network = transport.Do({.resource = kNetworks, .name = "cluster"}, stop);
    return {.type = data::TextAt(network, {"status", "networkType"}), .problem = {}};
  } catch (const Error& error) {
    return {.type = {}, .problem = "the cluster's network is not known: " + error.message()};
  }
}

Egress ReadHostSubnet(kube::Transport& transport, const std::string& node,
                      const std::stop_token& stop) {
  try {
    return DecodeHostSubnet(transport.Do({.resource = kHostSubnets, .name = node}, stop));
  } catch (const Error& error) {
    return {.ips = {}, .cidrs = {}, .problem = "no HostSubnet of the node: " + error.message()};
  }
}

std::vector<std::string> EgressIpsOf(const Json& list, const std::string& node) {
  std::vector<std::string> ips;
  const Json& objects = data::At(list, {"items"});
  for (const Json& object : objects.is_array() ? objects : Json::array()) {
    const Json& items = data::At(object, {"status", "items"});
    for (const Json& item : items.is_array() ? items : Json::array()) {
      if (data::TextAt(item, {"node"}) == node) {
        ips.push_back(data::TextAt(item, {"egressIP"}));
      }
    }
  }
  return ips;
}

Egress ReadEgressIps(kube::Transport& transport, const std::string& node,
                     const std::stop_token& stop) {
  try {
    const Json list = transport.Do({.verb = kube::Verb::kList, .resource = kEgressIps}, stop);
    return {.ips = EgressIpsOf(list, node), .cidrs = {}, .problem = {}};
  } catch (const Error& error) {
    return {.ips = {}, .cidrs = {}, .problem = "EgressIPs are not known: " + error.message()};
  }
}

}  // namespace approver
