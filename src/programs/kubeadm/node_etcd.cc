// Steps that talk to the cluster's etcd.
#include "certs/disk.h"
#include "certs/tree.h"
#include "etcd_endpoints/etcd_endpoints.h"
#include "kube/wait.h"
#include "kubeadm/node_steps.h"

namespace kubeadm {

using std::chrono::milliseconds;

std::unique_ptr<etcd::Client> ConnectEtcd(NodeData& data, workflow::Context& context) {
  const fs::path dir = data.config.cluster.certificates_dir;
  const std::string client{certs::FindSpec("etcd-healthcheck-client").base_name};
  const std::string ca{certs::FindSpec("etcd-ca").base_name};
  return etcd::Connect({.endpoints = etcd_endpoints::EtcdEndpoints(data.Client(context)),
                        .ca_pem = data.host.files.Read(certs::CertPath(dir, ca)),
                        .certificate_pem = data.host.files.Read(certs::CertPath(dir, client)),
                        .key_pem = data.host.files.Read(certs::KeyPath(dir, client)),
                        .stop = context.Stop()});
}

etcd::Waiting EtcdWaiting(const NodeData& data, const std::stop_token& stop) {
  return {.now = [&data] { return data.host.clock.Steady(); },
          .pause = [stop](milliseconds pause) { return kube::Pause(pause, stop); },
          .limit = std::chrono::duration_cast<milliseconds>(
              data.Timeout(&config::Timeouts::etcd_api_call)),
          .culprit = {}};
}

}  // namespace kubeadm
