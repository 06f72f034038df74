#include "kubeadm/certs/rotate_ca_etcd.h"

#include <fmt/core.h>

#include "base/error.h"
#include "certs/disk.h"
#include "etcd/health.h"
#include "etcd_endpoints/etcd_endpoints.h"
#include "kubeadm/terminal.h"

namespace kubeadm {

void CheckEtcdBeforeRestart(const RotatingNode& node) {
  kube::Client api = node.NewClient();
  const std::vector<std::string> endpoints = etcd_endpoints::EtcdEndpoints(api);
  if (endpoints.empty()) {
    return;
  }
  const host::fs::path dir = node.config.cluster.certificates_dir;
  const host::Files& files = node.host.files;
  const auto client =
      etcd::Connect({.endpoints = endpoints,
                     .ca_pem = files.Read(certs::CertPath(dir, "etcd/ca")),
                     .certificate_pem = files.Read(certs::CertPath(dir, "etcd/healthcheck-client")),
                     .key_pem = files.Read(certs::KeyPath(dir, "etcd/healthcheck-client")),
                     .stop = InterruptToken()});
  const std::string trouble = etcd::Explain(etcd::ClusterHealth(*client));
  if (!trouble.empty()) {
    throw base::Error(
        base::Error::Kind::kUnavailable,
        fmt::format("etcd is to be restarted on this node, but not all of its members "
                    "are healthy:\n{}",
                    trouble));
  }
}

}  // namespace kubeadm
