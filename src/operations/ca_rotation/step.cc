// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/step.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "ca_rotation/ca_files.h"
#include "ca_rotation/cluster_trust.h"
#include "ca_rotation/kubelet_files.h"
#include "ca_rotation/node_marks.h"
#include "ca_rotation/pair.h"
#include "ca_rotation/precondition.h"
#include "ca_rotation/record.h"
#include "ca_rotation/reload.h"
#include "certs/tree.h"
#include "components/strays.h"
#include "config/paths.h"
#include "kube/lease.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "renewal/kubelet_certificate.h"
#include "static_pods/restart.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;
using static_pods::Snapshot;

std::vector<fs::path> FilesOf(const Node& node) {
  std::vector<fs::path> paths = TouchedFiles(node.place(), node.config.cluster);
  if (node.Rotates(certs::kCa)) {
    const renewal::KubeletClient kubelet = renewal::FindKubeletClient(node.host.files);
    if (!kubelet.file.empty()) {
      paths.push_back(kubelet.file);
    }
  }
  return paths;
}

std::string KeepOld(const Node& node, Step step, const std::vector<fs::path>& paths) {
  const fs::path directory =
      fs::path(config::kTmpDir) / fmt::format("kubeadm-rotate-ca-{}-{}-{:%Y-%m-%d-%H-%M-%S}",
                                              node.authority.name, NameOf(step),
                                              fmt::gmtime(node.Now().time_since_epoch().count()));
  Backup(node.place(), paths, directory);
  return node.host.files.Location(directory).string();
}

certs::RenewalContext RenewalOf(const Node& node) {
  const pki::Algorithm algorithm = certs::AlgorithmFor(node.config.cluster);
  return {.files = node.host.files,
          .cluster = node.config.cluster,
          .kubeconfig_dir = config::kKubernetesDir,
          .start = node.Now(),
          .new_key = [algorithm, stop = node.stop] {
            return pki::PrivateKey::Generate(algorithm, stop);
          }};
}

// Writes all files except manifests; returns the Pod that is to be replaced.
std::optional<static_pods::Replacement> WriteFiles(const Node& node, const Record& record,
                                                   const StepRow& row) {
  std::optional<static_pods::Replacement> replacement;
  switch (row.step) {
    case Step::kTrust:
      replacement = WriteTrust(node.place());
      break;
    case Step::kReissue:
      replacement = WriteReissue(node.place(), RenewalOf(node));
      break;
    case Step::kDrop:
      replacement = WriteDrop(node.place());
      break;
  }
  if (row.reissues_kubelet) {
    ReissueKubelet(node, record);
  }
  return replacement;
}

void TellCluster(const Node& node, const StepRow& row) {
  kube::Client client = node.new_client();
  if (row.publishes) {
    PublishCa(client, LiveAnchors(node.place()));
  }
  if (const auto old = FindSaved(node.place(), Generation::kOld); row.forgets && old) {
    ForgetOldCa(client, node.authority, old->pin);
  }
}

bool Has(const std::vector<Component>& components, Component component) {
  return std::ranges::find(components, component) != components.end();
}

// After a failure of `act`, restores the files and calls `use_old`; after an interrupt all stays as
// it is.
template <typename Act, typename UseOld>
void OrRestore(const Snapshot& before, const Act& act, const UseOld& use_old) {
  const auto go_back = [&](std::string_view problem) {
    before.Restore();
    const std::string text = fmt::format("{}; the old files are back", problem);
    base::WithContext(text, use_old);
    throw Error(text);
  };
  try {
    act();
  } catch (const std::exception& error) {
    go_back(error.what());
  }
}

// Returns the time of the last static Pod's restart.
std::string WriteAndRestart(const Node& node, const Record& record, const StepRow& row,
                            const std::vector<Component>& components, const Snapshot& before) {
  const std::unique_ptr<cri::Runtime> runtime = node.connect_runtime();
  static_pods::RestartContext context{
      .host = node.host,
      .runtime = *runtime,
      .probe_of = static_pods::ServingProbes(node.host, node.config.cluster,
                                             node.config.init.local_api_endpoint),
      .stop = node.stop,
      .restart_kubelet = [&node] { RestartKubelet(node); },
      .say = node.say};
  if (auto replacement = WriteFiles(node, record, row)) {
    context.replacements.push_back(*std::move(replacement));
  }
  static_pods::RestartOrRestore(components, before, context);
  std::string restarted = kube::MicroTime(node.host.clock);
  OrRestore(before, [&] { WaitForReload(row.reload, node); }, [] {});
  return restarted;
}

void DoOnControlPlane(const Node& node, const Record& record, const StepRow& row,
                      const Snapshot& before, StepOutcome& outcome) {
  const Restarts restarts = RestartsHere(node, row);
  {
    kube::Client client = node.new_client();
    SetStep(client, node.authority, row.step);
  }
  const std::string since = WriteAndRestart(node, record, row, restarts.components, before);
  for (const Component component : restarts.components) {
    outcome.restarted.emplace_back(components::Name(component));
  }
  if (restarts.kubelet) {
    RestartKubelet(node);
    outcome.restarted.emplace_back("kubelet");
  }
  if (row.publishes || row.forgets) {
    TellCluster(node, row);
  }
  if (Has(restarts.components, Component::kControllerManager)) {
    WaitForControllers(node, since);
  }
}

// On a worker no other program uses the files, so the old ones may be restored.
void DoOnWorker(const Node& node, const Record& record, const StepRow& row, const Snapshot& before,
                StepOutcome& outcome) {
  WriteWorker(node, record, row.step);
  if (!row.restarts.kubelet) {
    return;
  }
  OrRestore(before, [&] { RestartKubelet(node); }, [&] { kubelet::RestartKubelet(node.host); });
  outcome.restarted.emplace_back("kubelet");
}

}  // namespace

Restarts RestartsHere(const Node& node, const StepRow& row) {
  Restarts restarts = row.restarts;
  if (!node.control_plane) {
    restarts.components.clear();
    return restarts;
  }
  if (!node.Rotates(certs::kCa) || row.step == Step::kReissue) {
    return restarts;
  }
  const auto pod = static_pods::ReadManifest(node.host.files, Component::kApiServer);
  if (pod && static_pods::CommandArg(*pod, "kubelet-certificate-authority")) {
    restarts.components.insert(restarts.components.begin(), Component::kApiServer);
  }
  return restarts;
}

StepOutcome RunStep(const Node& node, const Record& record, Step step, const Options& options) {
  const StepRow& row = RowOf(node.authority, step);
  if (node.control_plane) {
    Require(row.precondition, node, record, options);
    if (!RestartsHere(node, row).components.empty()) {
      base::WithContext("nothing of this step has been done", [&] {
        components::RequireNoStrays(node.host.files);
        kubelet::RequireRunning(node.host, node.stop);
      });
    }
  }
  const std::vector<fs::path> paths = FilesOf(node);
  const Snapshot before(node.host.files, paths);
  StepOutcome outcome{.restarted = {}, .backup = KeepOld(node, step, paths)};
  node.say(fmt::format("What this step replaces is kept in {}", outcome.backup));
  (node.control_plane ? DoOnControlPlane : DoOnWorker)(node, record, row, before, outcome);
  kube::Client client = node.new_client();
  SetMark(client, node.name, node.authority, {.step = step, .pin = record.pin, .at = node.Now()});
  if (step == Step::kDrop) {
    RemoveSavedPairs(node);
  }
  return outcome;
}

}  // namespace ca_rotation
