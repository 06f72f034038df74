// SPDX-License-Identifier: Apache-2.0
// The checks of join before it writes. Discovery runs concurrently with the machine's checks.
#include <fmt/core.h>

#include "base/error.h"
#include "certs/sharing.h"
#include "config/paths.h"
#include "control_plane/soak.h"
#include "preflight/checks.h"
#include "steps/join/steps.h"
#include "steps/node/steps.h"
#include "steps/origin.h"
#include "workflow/resume.h"

namespace join_steps {
namespace {

constexpr const char* kSharedFilesAdvice =
    "; either upload the certificates (\"kubeadm init phase upload-certs --upload-certs\") and "
    "join with --certificate-key, or copy them here";

// Throws base::Error with all reasons why the cluster cannot take another control-plane node.
void CheckClusterTakesControlPlanes(const JoinData& data) {
  base::Problems problems;
  if (data.config.cluster.control_plane_endpoint.empty()) {
    problems.Add("controlPlaneEndpoint",
                 "the cluster has none: without a stable address for all of its control plane it "
                 "cannot take another control-plane node; \"kubeadm endpoint set\" gives it one");
  }
  std::string advice;
  if (data.config.init.certificate_key.empty()) {
    const base::Problems missing =
        certs::MissingSharedFiles(data.machine.files, data.config.cluster);
    advice = missing.empty() ? "" : kSharedFilesAdvice;
    problems.Append(missing);
  }
  base::WithContext(fmt::format("this machine cannot become a control-plane node{}", advice),
                    [&] { problems.ThrowIfAny(); });
}

// Warns while the cluster soaks. The other nodes can still be rolled back to the previous version,
// but a new node has no previous version.
void WarnOfSoak(const config::ClusterConfiguration& cluster, workflow::Context& context) {
  if (const auto emulated = control_plane::EmulatedVersion(cluster)) {
    context.Warn(
        fmt::format("the control plane behaves as v{}.{} until 'kubeadm upgrade commit': this node "
                    "gets the etcd of {}, and cannot be rolled back with the others",
                    emulated->major, emulated->minor, cluster.kubernetes_version));
  }
}

}  // namespace

void Resume(JoinData& data, workflow::Journal& journal) {
  data.journal = &journal;
  steps::RequireSameSettings(journal);
  const fs::path admin_conf = fs::path(config::kKubernetesDir) / config::kAdminConf;
  if (journal.IsForAnotherConfiguration(admin_conf.string()) &&
      workflow::IsOwnLeftover(&journal, data.machine.files, admin_conf)) {
    data.given.reset();
  }
}

void CheckMachine(JoinData& data, workflow::Context& context) {
  context.Print("[preflight] Checking this machine");
  CheckRoot(data, context);
  RunChecks(preflight::JoinChecks(CheckSources(data), data.join), data, context);
}

void CollectCluster(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  const kube::KubeconfigCluster* cluster = data.Bootstrap(context).CurrentCluster();
  context.Result("endpoint", cluster->server);
  context.Result("node", data.config.init.node_registration.name);
  // These checks run before their own phase, because no file has been written yet.
  RunChecks(preflight::JoinClusterChecks(data.machine, data.config.cluster,
                                         cluster->certificate_authority_data),
            data, context);
  data.world.Do({.on_machine = [&] { CheckNameIsFree(data, context); }});
}

void CheckControlPlane(JoinData& data, workflow::Context& context) {
  WarnOfSoak(data.config.cluster, context);
  CheckClusterTakesControlPlanes(data);
  context.Print("[preflight] Checking this machine as a node of the control plane");
  const auto certificates = data.config.init.certificate_key.empty()
                                ? preflight::Certificates::kOnDisk
                                : preflight::Certificates::kDownloaded;
  RunChecks(preflight::JoinControlPlaneChecks(CheckSources(data), data.config, certificates), data,
            context);
}

}  // namespace join_steps
