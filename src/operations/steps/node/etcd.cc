// SPDX-License-Identifier: Apache-2.0
// Steps that connect to the cluster's etcd.
#include "base/error.h"
#include "etcd_membership/join.h"
#include "etcd_membership/local_etcd.h"
#include "objects/etcd_endpoints.h"
#include "steps/node/steps.h"

namespace node_steps {

etcd::Connection EtcdConnection(NodeData& data, workflow::Context& context) {
  const fs::path dir = fs::path(data.config.cluster.certificates_dir) / "etcd";
  kube::Client& cluster = data.Client(context);
  std::vector<std::string> endpoints;
  cluster.Retry("", [&] {
    endpoints = objects::EtcdEndpoints(cluster);
    if (endpoints.empty()) {
      throw base::Error(base::Error::Kind::kUnavailable,
                        "no member of etcd was found: no Node with the control-plane label has a "
                        "mirror Pod of etcd. One may be missing for minutes after its static Pod "
                        "was replaced: see \"kubectl -n kube-system get pods -l component=etcd\", "
                        "and try again");
    }
  });
  etcd::Connection connection = etcd_membership::ReadClientPair(data.host.files, dir);
  connection.endpoints = std::move(endpoints);
  connection.stop = context.Stop();
  return connection;
}

std::unique_ptr<etcd::Client> ConnectEtcd(NodeData& data, workflow::Context& context) {
  return etcd::Connect(EtcdConnection(data, context));
}

etcd::Waiting EtcdWaiting(const NodeData& data, const std::stop_token& stop) {
  return etcd_membership::WaitingOn(data.host.clock,
                                    std::chrono::duration_cast<std::chrono::milliseconds>(
                                        data.Timeout(&config::Timeouts::etcd_api_call)),
                                    stop);
}

}  // namespace node_steps
