// SPDX-License-Identifier: Apache-2.0
#include "evidence/live_lookups.h"

#include <utility>

#include "evidence/cluster_facts.h"

namespace evidence {

Lookups LookupsIn(kube::Transport& workload, const std::vector<std::string>& server_urls,
                  NodeBindings& bindings,
                  std::function<judgement::Dialled(const std::string& node)> dial,
                  const std::stop_token& stop) {
  return {
      .dial = std::move(dial),
      .network = [&workload, stop] { return ReadNetwork(workload, stop); },
      .host_subnet = [&workload, stop](
                         const std::string& node) { return ReadHostSubnet(workload, node, stop); },
      .egress_ips = [&workload,
                     stop](const std::string& node) { return ReadEgressIps(workload, node, stop); },
      .reserved = [&workload, &server_urls,
                   stop] { return ReadReserved(workload, server_urls, stop); },
      .binding =
          [&bindings, stop](const std::string& node, const std::vector<std::string>& ips) {
            return bindings.Read(node, ips, stop);
          }};
}

}  // namespace evidence
