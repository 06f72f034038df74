// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm config apply`: changes a running cluster.
#include <fmt/core.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "config/validation.h"
#include "config_change/edits.h"
#include "config_change/operation.h"
#include "config_change/settings.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/config/join_tokens.h"
#include "kubeadm/config/undo.h"
#include "kubeadm/config_look.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "kubeadm/trial_command.h"
#include "stored_config/fetch.h"

namespace kubeadm {
namespace {

using base::Error;
using config::StoredConfig;

// A request to change this node. If `edit` is empty, the node applies the stored configuration.
struct Request {
  std::function<StoredConfig(StoredConfig stored)> edit = {};
  bool discards_drift = false;  // if false, manual edits on this node are an error

  StoredConfig Wanted(const StoredConfig& stored) const { return edit ? edit(stored) : stored; }
};

json::Value IntentOf(const Request& request, const StoredConfig& wanted) {
  return {{"command", request.edit ? "config apply" : "config apply node"},
          {"configuration", config_change::HashOf(wanted)}};
}

// Owns the objects that the plan and the steps of one command share.
class Planner {
 public:
  Planner(const Request& request, cli::Invocation& invocation, host::Host& host, base::ShowLine say)
      : request_(request),
        invocation_(invocation),
        host_(host),
        say_(std::move(say)),
        journal_(config_change::LoadJournal(host.files)) {}

  PlannedRun Plan() {
    if (!journal_ || journal_->IsApplied()) {
      return PlanNew();
    }
    look_ = std::make_shared<Look>(invocation_.flags, host_);
    const config_change::Recorded recorded = config_change::RecordedIn(*journal_);
    return IsResumable(recorded.before.stored) ? PlanResumed(recorded) : PlanRollback();
  }

 private:
  PlannedRun PlanNew();
  PlannedRun PlanResumed(const config_change::Recorded& recorded);
  PlannedRun PlanRollback();
  bool IsResumable(const StoredConfig& before) const;
  std::string TextOf(const config_change::Plan& plan,
                     const config_change::Gathered& gathered) const;
  std::chrono::seconds Trial() const { return TrialBy(invocation_.flags); }
  std::shared_ptr<config_change::Change> NewChange(const config_change::Before& before,
                                                   const config_change::Plan& plan) const {
    return std::make_shared<config_change::Change>(before, plan, look_->ChangeDeps(say_));
  }
  PlannedRun RunOf(config_change::Change& change, const StoredConfig& wanted) const;

  const Request& request_;
  cli::Invocation& invocation_;
  host::Host& host_;
  const base::ShowLine say_;
  const std::optional<engine::Journal> journal_;
  std::shared_ptr<Look> look_;
};

PlannedRun Planner::RunOf(config_change::Change& change, const StoredConfig& wanted) const {
  return {.operation = change.ToOperation(IntentOf(request_, wanted)),
          .trial = Trial(),
          .end = {EndOfRun(config_change::Timer(), invocation_.flags)},
          .undo = "kubeadm config undo"};
}

// Returns the plan's text. If the node applies the stored configuration, the plan has no fields, so
// the text names the values that are replaced.
std::string Planner::TextOf(const config_change::Plan& plan,
                            const config_change::Gathered& gathered) const {
  std::string text;
  if (!request_.edit) {
    for (const config_change::Difference& edit : config_change::EditsOf(gathered.components)) {
      if (edit.outcome == config_change::Outcome::kLost && !edit.node.empty()) {
        text += "Replaced: " + config_change::Line(edit) + '\n';
      }
    }
  }
  text += config_change::TextOf(plan);
  if (config_change::IsEmpty(plan) && engine::IsOnTrial(journal_, host_.clock)) {
    text +=
        "[config] A change is on trial on this node: 'kubeadm config confirm' keeps it, "
        "'kubeadm "
        "config undo' rolls it back\n";
  }
  return text;
}

PlannedRun Planner::PlanNew() {
  look_ = std::make_shared<Look>(invocation_.flags, host_);
  look_->AwaitServer(say_);
  const config_change::Gathered gathered = config_change::CollectNode(look_->Sources());
  if (request_.edit && !request_.discards_drift) {
    config_change::RequireNoEdits(gathered);
  }
  const config_change::Before before{
      .stored = stored_config::FetchStoredConfig(look_->Sources().client),
      .node = gathered.config.init};
  const StoredConfig wanted = request_.Wanted(before.stored);
  const config::Init to = config_change::Complete(wanted, before.node, look_->Facts());
  if (request_.edit) {
    config::Validate(to.cluster).ThrowIfAny();
  }
  const config_change::Plan plan =
      request_.edit ? config_change::MakePlan(
                          look_->Sources(),
                          config_change::Complete(before.stored, before.node, look_->Facts()), to)
                    : config_change::MakeNodePlan(look_->Sources(), to);
  const auto change = NewChange(before, plan);
  PlannedRun run;
  if (!config_change::IsEmpty(plan)) {
    run = RunOf(*change, wanted);
    run.require = [change, trial = Trial(), &files = host_.files] {
      engine::RequireSettled(config_change::Timer(), files);
      if (trial.count() > 0) {
        change->RequireTriable();
      }
    };
    run.prepare = [change] { change->PrepareRun(); };
  }
  run.plan = TextOf(plan, gathered);
  return run;
}

// Returns whether the interrupted run can be resumed. The journal must be of this request, and the
// cluster must still store the configuration from which the interrupted run began. If the cluster
// does not answer, returns true, because the interrupted change may be the reason.
bool Planner::IsResumable(const StoredConfig& before) const {
  if (journal_->state != engine::State::kApplying ||
      journal_->intent != IntentOf(request_, request_.Wanted(before))) {
    return false;
  }
  try {
    return journal_->HasBegun(config_change::kStoreStep) ||
           stored_config::FetchStoredConfig(look_->Sources().client) == before;
  } catch (const Error&) {
    return true;
  }
}

PlannedRun Planner::PlanResumed(const config_change::Recorded& recorded) {
  const StoredConfig wanted = request_.Wanted(recorded.before.stored);
  const auto change = NewChange(
      recorded.before, config_change::PlanRest(
                           recorded, look_->Sources(),
                           config_change::Complete(wanted, recorded.before.node, look_->Facts())));
  PlannedRun run = RunOf(*change, wanted);
  run.journal = journal_;
  run.plan = "Resuming the change that was interrupted\n";
  run.prepare = [change, journal = *journal_] { change->PrepareResumed(journal); };
  return run;
}

PlannedRun Planner::PlanRollback() {
  if (invocation_.flags.Bool("dry-run")) {
    engine::RequireSettled(config_change::Timer(), host_.files);
  }
  say_("A change of this node's configuration was interrupted: rolling it back first");
  PlannedRun run = PlanConfigUndo(invocation_, host_, say_);
  run.rolls_back_first = true;
  return run;
}

void Apply(const Request& request, cli::Invocation& invocation, host::Host& host) {
  RunOperation(
      "config",
      [&](const base::ShowLine& say) { return Planner(request, invocation, host, say).Plan(); },
      invocation, host);
}

void ApplyHere(const std::vector<std::string>& words, cli::Invocation& invocation,
               host::Host& host) {
  const std::string& file = invocation.flags.Text("config");
  if (file.empty() == words.empty()) {
    throw Error(Error::Kind::kUsage,
                "say what to change: either --config FILE or --set path=value");
  }
  if (ApplyJoinTokens(words, invocation, host)) {
    return;
  }
  config_change::CheckSettings(words);
  const auto edit = [&](StoredConfig stored) {
    return file.empty() ? config_change::ApplySettings(std::move(stored), words)
                        : config_change::TakeFile(std::move(stored), host, file);
  };
  Apply({.edit = edit, .discards_drift = invocation.flags.Bool("discard-drift")}, invocation, host);
}

std::vector<cli::Flag> ApplyFlags() {
  return Joined(Joined(ConfigLookFlags(), OperationFlags()), {TryFlag(config_change::Timer())});
}

cli::Command ConfigApplyNodeCommand(host::Host& host) {
  return Made({.name = "node",
               .summary = "Apply the cluster's stored configuration to this node",
               .text = "config-apply-node",
               .flags = ApplyFlags(),
               .run = [](cli::Invocation& invocation,
                         host::Host& machine) { Apply({}, invocation, machine); }},
              host);
}

}  // namespace

cli::Command ConfigApplyCommand(host::Host& host) {
  const auto words = std::make_shared<std::vector<std::string>>();  // verbatim, with commas
  cli::Command command =
      Made({.name = "apply",
            .summary = "Change the configuration of a running cluster",
            .text = "config-apply",
            .flags = Joined(
                ApplyFlags(),
                {{.name = "config", .help = "The configuration file to apply"},
                 {.name = "set",
                  .help = "A field and its new value, apiServer.extraArgs.v=4; repeatable",
                  .on_set =
                      [words](const cli::Parsed& so_far) { words->push_back(so_far.Text("set")); }},
                 Switch("discard-drift", "Discard the manual changes of this node")}),
            .beyond_upstream = true,
            .run = [words](cli::Invocation& invocation,
                           host::Host& machine) { ApplyHere(*words, invocation, machine); }},
           host);
  command.children = [&host] { return std::vector<cli::Command>{ConfigApplyNodeCommand(host)}; };
  return command;
}

}  // namespace kubeadm
