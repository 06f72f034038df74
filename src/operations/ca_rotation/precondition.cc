// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/precondition.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "ca_rotation/cluster_trust.h"
#include "certs/disk.h"
#include "etcd/health.h"
#include "objects/etcd_endpoints.h"
#include "static_pods/serving.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {
namespace {

using base::Error;

constexpr std::chrono::milliseconds kClusterPatience{240'000};

void RestartAddonPods(const Node& node, const RotationRecord& record,
                      const RotationOptions& options) {
  kube::Client client = node.new_client();
  node.say("Restarting the Pods of kube-proxy and CoreDNS, unless that was done already");
  RestartAddons(client, record.pin);
  kube::WaitUntil(static_pods::UntilAnswered(AddonsProbe(client, record.pin, options.leave_behind)),
                  node.Waiting(kClusterPatience));
}

// Waits until Pods and addons trust the new CA, so that clients no longer depend on the
// cross-signed certificate.
void LetPodsTrust(const Node& node, const RotationRecord& record, const RotationOptions& options) {
  kube::Client client = node.new_client();
  node.say("Waiting until Pods are given the new certificate (ConfigMap kube-root-ca.crt)");
  kube::WaitUntil(static_pods::UntilAnswered(PodsTrustProbe(client, record.pin)),
                  node.Waiting(kClusterPatience));
  RestartAddonPods(node, record, options);
}

void RefuseOldTokens(const Node& node) {
  const auto old = FindSaved(node.place(), Generation::kOld);
  if (!old) {
    return;
  }
  kube::Client client = node.new_client();
  const std::vector<std::string> names = OldTokenSecrets(client, old->pin);
  if (!names.empty()) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("tokens in these Secrets would no longer be valid: {}; have each "
                    "written again first: kubectl -n NAMESPACE patch secret NAME --type=json "
                    "-p '[{{\"op\":\"remove\",\"path\":\"/data/token\"}}]'",
                    base::Join(names, ", ")));
  }
}

// Throws base::Error(kUnavailable) if an etcd member is unhealthy: if another member restarts, no
// majority might be left.
void RequireHealthyEtcd(const Node& node) {
  kube::Client api = node.new_client();
  const host::Files& files = node.host.files;
  std::vector<std::string> endpoints = objects::EtcdEndpoints(api);
  if (endpoints.empty()) {
    // Mirror Pods may be missing for minutes; this node's manifest has the same information.
    const auto own = static_pods::ReadManifest(files, components::Component::kEtcd);
    if (!own) {
      return;
    }
    endpoints = objects::EtcdEndpointsIn({*own});
  }
  const host::fs::path dir = node.config.cluster.certificates_dir;
  const auto client =
      etcd::Connect({.endpoints = endpoints,
                     .ca_pem = files.Read(certs::CertPath(dir, "etcd/ca")),
                     .certificate_pem = files.Read(certs::CertPath(dir, "etcd/healthcheck-client")),
                     .key_pem = files.Read(certs::KeyPath(dir, "etcd/healthcheck-client")),
                     .stop = node.stop});
  // This node's own member may still be starting after a killed run has restarted it.
  etcd::Health health;
  const auto own_serves = [&](const std::stop_token&) -> std::optional<kube::NotYet> {
    health = etcd::ClusterHealth(*client);
    const etcd::MemberHealth* own = health.Named(node.name);
    return own == nullptr || own->healthy() ? std::nullopt
                                            : std::optional(kube::NotYet{*own->problem});
  };
  kube::WaitUntil(static_pods::UntilAnswered(own_serves), node.Waiting(node.RestartPatience()));
  if (const auto trouble = etcd::Explain(health)) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("etcd has to be restarted on this node, but not all of its members "
                            "are healthy:\n{}",
                            *trouble));
  }
}

}  // namespace

void Require(Precondition precondition, const Node& node, const RotationRecord& record,
             const RotationOptions& options) {
  switch (precondition) {
    case Precondition::kNothing:
      return;
    case Precondition::kPodsTrust:
      LetPodsTrust(node, record, options);
      return;
    case Precondition::kNoOldTokens:
      RefuseOldTokens(node);
      if (options.early) {
        RestartAddonPods(node, record, options);
      }
      return;
    case Precondition::kEtcdIsHealthy:
      RequireHealthyEtcd(node);
  }
}

}  // namespace ca_rotation
