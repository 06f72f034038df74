// Phases `check-etcd` and `etcd-join`.
#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "diagnosis/diagnosis.h"
#include "etcd/client.h"
#include "etcd/health.h"
#include "etcd/membership.h"
#include "host/init_system.h"
#include "kubeadm/join/phases.h"
#include "kubeadm/node_steps.h"
#include "static_pods/static_pod.h"

namespace kubeadm {
namespace {

constexpr static_pods::Component kEtcd = static_pods::Component::kEtcd;

// Something in this node's etcd, or below it, that time does not heal. `failures` are those of the
// whole wait.
std::optional<base::Error> LocalCulprit(const JoinData& data, diagnosis::FailureMemory& failures) {
  const std::unique_ptr<cri::Runtime> runtime = data.Runtime();
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(data.host);
  diagnosis::ControlPlaneFacts facts = diagnosis::GatherFacts({.host = data.host,
                                                               .runtime = runtime.get(),
                                                               .init_system = init_system.get(),
                                                               .since = data.start});
  failures.AddTo(facts);
  const std::optional<diagnosis::Finding> diagnosis = diagnosis::Diagnose(facts);
  if (diagnosis && diagnosis->sure == diagnosis::Sureness::kCertain &&
      diagnosis->culprit != "kube-apiserver") {
    return base::Error(base::Error::Kind::kOther, diagnosis->Text());
  }
  return std::nullopt;
}

// The kubelet starts a container that has ended at once, the first time.
void RestartEtcd(const JoinData& data) {
  const std::unique_ptr<cri::Runtime> runtime = data.Runtime();
  for (const cri::Container& container : runtime->Containers()) {
    if (container.name == static_pods::Name(kEtcd) &&
        container.state == cri::Container::State::kRunning) {
      base::LogInfo(1, "restarting etcd, which waits for word of itself");
      runtime->StopContainer(container.id, std::chrono::seconds(1));
    }
  }
}

void SayLearning(const etcd::LearnerProgress& progress, workflow::Context& context) {
  if (!progress.started) {
    context.Progress("waiting for this node's etcd to start");
  } else if (progress.leader_applied > 0) {
    context.Progress(
        fmt::format("etcd has copied {} of {} changes", progress.applied, progress.leader_applied));
  }
}

// Takes back a membership whose member will never come: the others would wait for it for ever.
void UndoMembership(etcd::Client& client, const std::string& peer_url, JoinData& data) {
  data.host.files.Remove(static_pods::ManifestPath(kEtcd));
  try {
    // The interrupt that may have ended the join does not end this.
    etcd::Waiting waiting = EtcdWaiting(data, {});
    waiting.limit = std::chrono::seconds(10);
    if (etcd::UndoAdd(client, peer_url, waiting)) {
      base::LogWarning("the etcd member {} of this node was removed again", peer_url);
    }
  } catch (const base::Error& error) {
    base::LogWarning(
        "the etcd member {} of this node could not be removed again: {}; remove it with "
        "\"etcdctl member remove\" on a node of the control plane",
        peer_url, error.message());
  }
}

void StartMember(const etcd::Joined& joined, etcd::Client& client, JoinData& data,
                 workflow::Context& context) {
  context.Print(
      fmt::format("[etcd] Writing the static Pod manifest of etcd to {}", ManifestFolder(data)));
  WriteStaticPod(kEtcd, static_pods::JoiningEtcdPod(data.config, joined.initial_cluster), data,
                 context);
  context.Print("[etcd] Waiting until the new member has copied the data and votes");
  context.Progress("waiting for this node's etcd to start");
  diagnosis::FailureMemory failures;
  etcd::Waiting waiting = EtcdWaiting(data, context.Stop());
  waiting.culprit = [&] { return LocalCulprit(data, failures); };
  etcd::WaitUntilServing(client, joined.id, waiting, [&data] { RestartEtcd(data); });
  etcd::PromoteWhenCaughtUp(client, joined.id, waiting, [&](const etcd::LearnerProgress& progress) {
    SayLearning(progress, context);
  });
  context.Progress("");
  etcd::WaitForQuorum(client, waiting);
}

void JoinRealEtcd(JoinData& data, workflow::Context& context) {
  const std::string peer_url = static_pods::EtcdPeerUrl(data.config.init.local_api_endpoint);
  data.host.files.MakeDirectories(data.config.cluster.etcd.local->data_dir, 0700);
  const std::unique_ptr<etcd::Client> client = ConnectEtcd(data, context);
  context.Print(fmt::format("[etcd] Adding etcd member: {}", peer_url));
  const etcd::Joined joined = etcd::AddLearner(
      *client, {.name = data.config.init.node_registration.name, .peer_url = peer_url},
      EtcdWaiting(data, context.Stop()), [&](const std::string& why) { context.Progress(why); });
  context.Progress("");
  try {
    StartMember(joined, *client, data, context);
  } catch (const base::Error&) {
    UndoMembership(*client, peer_url, data);
    throw;
  }
}

void ShowEtcdJoin(JoinData& data, workflow::Context& context) {
  const std::string peer_url = static_pods::EtcdPeerUrl(data.config.init.local_api_endpoint);
  context.Print(fmt::format("[etcd] Would make the folder {}",
                            base::Quoted(data.config.cluster.etcd.local->data_dir)));
  context.Print(fmt::format("[etcd] Would add etcd member: {}", peer_url));
  context.Print(
      fmt::format("[etcd] Writing the static Pod manifest of etcd to {}", ManifestFolder(data)));
  const static_pods::HostFacts facts = static_pods::GatherFacts(data.machine, data.config.cluster);
  WriteStaticPod(kEtcd, static_pods::StaticPod(kEtcd, data.config, facts), data, context);
  ShowDryRunFile(static_pods::ManifestPath(kEtcd), data, context);
  context.Print("[etcd] Would wait until the new member votes");
}

}  // namespace

void CheckEtcd(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  if (!data.stacked_etcd()) {
    context.Print("[check-etcd] Skipping phase: etcd is external");
    return;
  }
  if (data.options.dry_run) {
    context.Print("[dryrun] Would check that the etcd cluster is healthy");
    return;
  }
  context.Print("[check-etcd] Checking that the etcd cluster is healthy");
  const std::unique_ptr<etcd::Client> client = ConnectEtcd(data, context);
  const etcd::Health health = etcd::WaitForQuorum(*client, EtcdWaiting(data, context.Stop()));
  if (const auto problems = etcd::Explain(health)) {
    context.Warn(*problems);
  }
}

void JoinEtcd(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  if (!data.stacked_etcd()) {
    context.Print("[etcd-join] Skipping phase: etcd is external");
    return;
  }
  if (data.options.dry_run) {
    ShowEtcdJoin(data, context);
  } else {
    JoinRealEtcd(data, context);
  }
}

}  // namespace kubeadm
