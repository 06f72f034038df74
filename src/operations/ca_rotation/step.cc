// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/step.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "ca_rotation/ca_files.h"
#include "ca_rotation/cluster_trust.h"
#include "ca_rotation/holders.h"
#include "ca_rotation/node_marks.h"
#include "ca_rotation/pair.h"
#include "ca_rotation/precondition.h"
#include "ca_rotation/record.h"
#include "ca_rotation/reload.h"
#include "certs/tree.h"
#include "components/strays.h"
#include "config/paths.h"
#include "engine/operation.h"
#include "kube/lease.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "objects/kubelet_trust.h"
#include "renewal/kubelet_certificate.h"
#include "static_pods/restart.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;
using engine::StepContext;

constexpr const char* kFiles = "files";  // a step of the engine
constexpr const char* kPin = "pin";      // of the new authority, in the journal's intent

std::string OperationName(const Authority& authority, Step step) {
  return fmt::format("rotate-ca-{}-{}", authority.name, NameOf(step));
}

std::vector<fs::path> FilesOf(const Node& node) {
  std::vector<fs::path> paths = TouchedFiles(node.place(), node.config.cluster);
  if (node.Rotates(certs::kCa)) {
    const renewal::KubeletClient kubelet = renewal::FindKubeletClient(node.host.files);
    if (!kubelet.file.empty()) {
      paths.push_back(kubelet.file);
    }
  }
  for (const Generation generation : {Generation::kOld, Generation::kNew}) {
    paths.push_back(SavedAnchorPath(node.place(), generation));
    paths.push_back(SavedKeyPath(node.place(), generation));
  }
  return paths;
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

// Writes all files except manifests. Returns the Pod that must be replaced.
std::optional<static_pods::Replacement> WriteFiles(const Node& node, const RotationRecord& record,
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
    const std::vector<Anchor> anchors = LiveAnchors(node.place());
    PublishCa(client, anchors);
    objects::UpdateKubeletTrust(client, PemOf(anchors));
  }
  if (const auto old = FindSaved(node.place(), Generation::kOld); row.forgets && old) {
    ForgetOldCa(client, node.authority, old->pin);
  }
}

bool Has(const std::vector<Component>& components, Component component) {
  return std::ranges::find(components, component) != components.end();
}

// Calls `act`. If `act` fails, restores the files, calls `use_old` and throws the error. After an
// interrupt, nothing is rolled back.
template <typename Act, typename UseOld>
void OrRestore(StepContext& context, const Act& act, const UseOld& use_old) {
  const auto go_back = [&](std::string_view problem) {
    context.RestoreFiles();
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

// One step of a rotation on this node, as steps of the engine, which hold references to this
// object.
class StepRun {
 public:
  StepRun(const Node& node, const RotationRecord& record, Step step)
      : node_(node), record_(record), step_(step), row_(RowOf(node.authority, step)) {}
  StepRun(const StepRun&) = delete;
  StepRun& operator=(const StepRun&) = delete;

  engine::Operation Plan();

  // Returns the journal of an interrupted run of the same step. The steps in the journal count as
  // incomplete if the files no longer show them.
  std::optional<engine::Journal> FindInterrupted(const engine::Operation& operation) const;

  const StepOutcome& outcome() const { return outcome_; }

 private:
  using Act = void (StepRun::*)(const Node& node, StepContext& context);

  // Adds a step of the engine. Its function gets the node with the progress and the stop token of
  // this step.
  void Add(const char* id, std::string line, engine::Where where, Act act);
  void AddOnControlPlane();

  void Backup(const Node& node, StepContext& context);
  void TellBegin(const Node& node, StepContext& context);
  void WriteAndRestart(const Node& node, StepContext& context);
  void WriteOnWorker(const Node& node, StepContext& context);
  void RestartOwnKubelet(const Node& node, StepContext& context);
  void TellObjects(const Node& node, StepContext& context);
  void WaitForLeader(const Node& node, StepContext& context);
  void MarkNode(const Node& node, StepContext& context);
  void RemovePairs(const Node& node, StepContext& context);

  const Node& node_;
  const RotationRecord& record_;
  const Step step_;
  const StepRow& row_;
  std::vector<engine::Step> steps_;
  StepOutcome outcome_;
  std::string pods_restarted_;  // time of the restart; empty if this run restarted no Pods
};

void StepRun::Add(const char* id, std::string line, engine::Where where, Act act) {
  steps_.push_back({.id = id,
                    .line = std::move(line),
                    .where = where,
                    .apply = [this, act](StepContext& context) {
                      Node node = node_;
                      node.stop = context.Stop();
                      node.say = [&context](const std::string& text) { context.Say(text); };
                      (this->*act)(node, context);
                    }});
}

void StepRun::AddOnControlPlane() {
  using enum engine::Where;
  const Restarts restarts = RestartsHere(node_, row_);
  Add("begin", "record the step in the cluster", kCluster, &StepRun::TellBegin);
  Add(kFiles, "write the files, and restart the Pods that read them", kNode,
      &StepRun::WriteAndRestart);
  if (restarts.kubelet) {
    Add("kubelet", "restart the kubelet", kNode, &StepRun::RestartOwnKubelet);
  }
  if (row_.publishes || row_.forgets) {
    Add("objects", "publish the authorities in the cluster", kCluster, &StepRun::TellObjects);
  }
  if (Has(restarts.components, Component::kControllerManager)) {
    Add("leader", "wait for a controller manager that leads", kCluster, &StepRun::WaitForLeader);
  }
}

engine::Operation StepRun::Plan() {
  using enum engine::Where;
  Add("backup", "copy the files", kNode, &StepRun::Backup);
  if (node_.control_plane) {
    AddOnControlPlane();
  } else {
    Add(kFiles, "write the files, and restart the kubelet", kNode, &StepRun::WriteOnWorker);
  }
  Add("mark", "annotate the Node", kCluster, &StepRun::MarkNode);
  if (step_ == Step::kDrop) {
    Add("saved-pairs", "remove the saved authorities", kNode, &StepRun::RemovePairs);
  }
  return {.name = OperationName(node_.authority, step_),
          .tag = "rotate-ca",
          .intent = {{kPin, record_.pin}},
          .facts = json::Value::object(),
          .steps = std::move(steps_)};
}

std::optional<engine::Journal> StepRun::FindInterrupted(const engine::Operation& operation) const {
  auto journal = engine::LoadJournal(node_.host.files, operation.name);
  if (!journal || journal->intent != operation.intent) {
    return std::nullopt;
  }
  if (!std::ranges::contains(journal->steps, kFiles, &engine::StepRecord::id)) {
    journal->steps.clear();
    // No component has used the new files yet. The files may have changed since, so they are backed
    // up again.
    journal->files.clear();
    return journal;
  }
  const Anchor fresh{.pin = record_.pin, .pem = record_.pem};
  if (StepDoneBy(ReadHolders(node_.place(), fresh), record_.pin) < step_) {
    journal->steps.clear();
  }
  return journal;
}

// Never throws, so that the caller can report the original error.
void RemoveCopies(host::Files& files, const fs::path& directory) {
  try {
    files.RemoveTree(directory);
  } catch (const Error& error) {
    base::LogWarning("a part of a copy stays: {}", error.message());
  }
}

// Backs up all files. After an error, removes the partial copy: it occupies scarce space, and
// nothing has been replaced yet.
void StepRun::Backup(const Node& node, StepContext& context) {
  try {
    std::ranges::for_each(FilesOf(node), [&](const fs::path& path) { context.BackupFile(path); });
  } catch (const Error&) {
    RemoveCopies(node.host.files, context.BackupDirectory());
    throw;
  }
  outcome_.backup = node.host.files.Location(context.BackupDirectory()).string();
  node.say(fmt::format("Copies of replaced files are in {}", outcome_.backup));
}

void StepRun::TellBegin(const Node& node, StepContext&) {
  kube::Client client = node.new_client();
  SetStep(client, node.authority, step_);
}

void StepRun::WriteAndRestart(const Node& node, StepContext& context) {
  const std::vector<Component> components = RestartsHere(node, row_).components;
  const std::unique_ptr<cri::Runtime> runtime = node.connect_runtime();
  static_pods::RestartContext restart =
      context.RestartBy(*runtime, static_pods::ServingProbes(node.host, node.config.cluster,
                                                             node.config.init.local_api_endpoint));
  restart.restart_kubelet = context.RestartForLostPods();
  if (auto replacement = WriteFiles(node, record_, row_)) {
    restart.replacements.push_back(*std::move(replacement));
  }
  context.RestartPodsOrRestore(components, restart);
  pods_restarted_ = kube::MicroTime(node.host.clock);
  OrRestore(context, [&] { WaitForReload(row_.reload, node); }, [] {});
  std::ranges::for_each(FilesOf(node), [&](const fs::path& path) { context.RecordWritten(path); });
  for (const Component component : components) {
    outcome_.restarted.emplace_back(components::Name(component));
  }
}

// On a worker only the kubelet uses the files. So if it does not restart, the old files can be
// restored.
void StepRun::WriteOnWorker(const Node& node, StepContext& context) {
  WriteWorker(node, record_, step_);
  if (row_.restarts.kubelet) {
    OrRestore(
        context, [&] { RestartKubelet(node, context); },
        [&] { kubelet::RestartKubelet(node.host); });
    outcome_.restarted.emplace_back("kubelet");
  }
}

void StepRun::RestartOwnKubelet(const Node& node, StepContext& context) {
  RestartKubelet(node, context);
  outcome_.restarted.emplace_back("kubelet");
}

void StepRun::TellObjects(const Node& node, StepContext&) { TellCluster(node, row_); }

void StepRun::WaitForLeader(const Node& node, StepContext&) {
  WaitForControllers(node,
                     pods_restarted_.empty() ? kube::MicroTime(node.host.clock) : pods_restarted_);
}

void StepRun::MarkNode(const Node& node, StepContext&) {
  kube::Client client = node.new_client();
  SetMark(client, node.name, node.authority, {.step = step_, .pin = record_.pin, .at = node.Now()});
}

void StepRun::RemovePairs(const Node& node, StepContext&) { RemoveSavedPairs(node); }

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

StepOutcome RunStep(const Node& node, const RotationRecord& record, Step step,
                    const RotationOptions& options) {
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
  StepRun run(node, record, step);
  const engine::Operation operation = run.Plan();
  const std::optional<engine::Journal> interrupted = run.FindInterrupted(operation);
  engine::Run(
      operation, interrupted,
      {.host = node.host, .reporter = node.reporter, .stop = node.stop, .remedy = node.remedy});
  StepOutcome outcome = run.outcome();
  if (outcome.backup.empty() && interrupted) {
    outcome.backup = node.host.files.Location(interrupted->directory).string();
  }
  return outcome;
}

void RemoveJournals(const Node& node, std::optional<Step> except) {
  for (const Step step : kSteps) {
    if (step != except) {
      engine::RemoveJournal(node.host.files, OperationName(node.authority, step));
    }
  }
}

}  // namespace ca_rotation
