// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm config apply`: changes a running cluster.
#include "config_change/apply.h"

#include <fmt/core.h>

#include <memory>
#include <ostream>

#include "base/error.h"
#include "config/validation.h"
#include "config_change/edits.h"
#include "config_change/settings.h"
#include "config_change/trial.h"
#include "config_change/turn.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/config/undo.h"
#include "kubeadm/config_look.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"
#include "stored_config/fetch.h"

namespace kubeadm {
namespace {

using base::Error;
using cli::FlagType;
using config_change::Change;

// Words are those of --set: each verbatim, since values contain commas.
using Words = std::vector<std::string>;

// Shows the plan and, if it has actions and they are allowed, asks and executes it.
void Proceed(const config_change::Plan& plan, cli::Invocation& invocation, host::Host& host,
             const std::function<void()>& act) {
  invocation.streams.out << TextOf(plan) << std::flush;
  if (config_change::IsEmpty(plan)) {
    if (config_change::IsOnTrial(config_change::LoadChange(host.files), host.clock)) {
      SayAs("config", invocation)(
          "A change is being tried on this node: 'kubeadm config confirm' keeps it, 'kubeadm "
          "config undo' takes it back");
    }
    return;
  }
  config_change::RequireNoOther(host.files);
  WorldBy(invocation.flags, host)->Do({.on_machine = [&] {
    RequireYes(invocation, host);
    act();
  }});
}

base::ShowLine Say(cli::Invocation& invocation) { return SayAs("config", invocation); }

// A repeated command after a kill means the same change; a dry run changes no files.
void EndLastChange(cli::Invocation& invocation, host::Host& host) {
  if (config_change::WasCutOff(host.files)) {
    WorldBy(invocation.flags, host)->Do({.on_machine = [&] {
      Say(invocation)("A change of this node's configuration was cut off: taking it back first");
      UndoLastChange(invocation, host);
    }});
  }
  config_change::RequireNoneCutOff(host.files);
}

void CarryOut(const config_change::Plan& plan, Change change, Look& look,
              cli::Invocation& invocation, host::Host& host) {
  const base::Duration trial = invocation.flags.Duration("try");
  auto keeper = config_change::Keeper::kService;
  config_change::Engine engine = look.Engine(plan.to, Say(invocation));
  if (trial.count() > 0) {
    change.state = Change::State::kTrying;
    engine.trial = std::chrono::ceil<std::chrono::seconds>(trial);
    engine.begun = [&](const Change& begun) {
      keeper = config_change::StartKeeper(begun.id, host);
    };
  } else {
    change.state = Change::State::kKept;
  }
  config_change::Apply(plan, std::move(change), engine);
  Say(invocation)(
      trial.count() > 0
          ? fmt::format("Applied. It is taken back in {} unless you say: kubeadm config "
                        "confirm",
                        base::FormatDuration(trial))
          : "Applied. 'kubeadm config undo' takes it back on this node");
  if (keeper == config_change::Keeper::kProcess) {
    Say(invocation)(
        "No service manager keeps watch here: after a reboot run 'kubeadm config undo'");
  }
}

void ApplyHere(const Words& words, cli::Invocation& invocation, host::Host& host) {
  const std::string& file = invocation.flags.Text("config");
  if (file.empty() == words.empty()) {
    throw Error(Error::Kind::kUsage,
                "say what to change: either --config FILE or --set path=value");
  }
  config_change::CheckSettings(words);
  const NodeLock lock = LockToAct(invocation, host, ConfigLock(host, Say(invocation)));
  EndLastChange(invocation, host);
  Look look(invocation.flags, host);
  look.AwaitServer(Say(invocation));
  const config_change::Gathered gathered = config_change::GatherNode(look.Sources());
  if (!invocation.flags.Bool("discard-drift")) {
    config_change::RequireNoEdits(gathered);
  }
  const config::StoredConfig stored = stored_config::FetchStoredConfig(look.Sources().client);
  const config::Init to =
      config_change::Complete(file.empty() ? config_change::ApplySettings(stored, words)
                                           : config_change::TakeFile(stored, host, file),
                              gathered.config.init, look.Facts());
  config::Validate(to.cluster).ThrowIfAny();
  const config_change::Plan plan = config_change::MakePlan(
      look.Sources(), config_change::Complete(stored, gathered.config.init, look.Facts()), to);
  Proceed(plan, invocation, host, [&] {
    const config_change::Turn turn(look.Sources().client, host, to.init.node_registration.name,
                                   Say(invocation));
    config_change::RequireStored(stored, look.Sources().client);
    CarryOut(plan, {.before = stored}, look, invocation, host);
  });
}

// Names the removed values: the plan of a following node only names restarts.
void ShowTakenBack(const config_change::Gathered& gathered, cli::Invocation& invocation) {
  for (const config_change::Difference& edit : config_change::EditsOf(gathered.components)) {
    if (edit.outcome == config_change::Outcome::kLost && !edit.node.empty()) {
      invocation.streams.out << "Replaced: " << config_change::Line(edit) << '\n';
    }
  }
}

// The cluster's stored configuration counts here: differences from it are reverted.
void TakeOver(cli::Invocation& invocation, host::Host& host) {
  const NodeLock lock = LockToAct(invocation, host, ConfigLock(host, Say(invocation)));
  EndLastChange(invocation, host);
  Look look(invocation.flags, host);
  look.AwaitServer(Say(invocation));
  const config_change::Gathered gathered = config_change::GatherNode(look.Sources());
  const config::StoredConfig stored = stored_config::FetchStoredConfig(look.Sources().client);
  const config_change::Plan plan = config_change::MakeNodePlan(
      look.Sources(), config_change::Complete(stored, gathered.config.init, look.Facts()));
  ShowTakenBack(gathered, invocation);
  Proceed(plan, invocation, host, [&] {
    std::optional<config_change::Turn> turn;
    if (!plan.pods.empty()) {  // a worker's kubelet may not write the Lease
      turn.emplace(look.Sources().client, host, plan.to.init.node_registration.name,
                   Say(invocation));
      config_change::RequireStored(stored, look.Sources().client);
    }
    CarryOut(plan, {.before = stored}, look, invocation, host);
  });
}

std::vector<cli::Flag> ApplyFlags() {
  std::vector<cli::Flag> flags = ConfigLookFlags();
  for (cli::Flag& flag : std::vector<cli::Flag>{
           {.name = "dry-run",
            .type = FlagType::kBool,
            .help = "Show the plan, and change nothing"},
           {.name = "try",
            .type = FlagType::kDuration,
            .default_text = "0s",
            .help = "Take the change back after that time, 2m, unless 'kubeadm config confirm' "
                    "comes before"},
           CommonFlags({"yes"}).front(),
           LockTimeoutFlag(kRunPatience)}) {
    flags.push_back(std::move(flag));
  }
  return flags;
}

cli::Command ConfigApplyNodeCommand(host::Host& host) {
  cli::Command command =
      Documented("node", "Take over on this node what the cluster stores", "config-apply-node");
  command.flags = ApplyFlags();
  command.run = [&host](cli::Invocation& invocation) { TakeOver(invocation, host); };
  return command;
}

}  // namespace

cli::Command ConfigApplyCommand(host::Host& host) {
  cli::Command command =
      Documented("apply", "Change the configuration of a cluster that runs", "config-apply");
  command.beyond_upstream = true;
  command.flags = ApplyFlags();
  command.flags.push_back({.name = "config", .help = "The configuration file to take over"});
  const auto words = std::make_shared<Words>();
  command.flags.push_back(
      {.name = "set",
       .help = "A field and its new value, apiServer.extraArgs.v=4; may be given again",
       .on_set = [words](const cli::Parsed& so_far) { words->push_back(so_far.Text("set")); }});
  command.flags.push_back({.name = "discard-drift",
                           .type = FlagType::kBool,
                           .help = "Take back what was changed by hand on this node"});
  command.run = [&host, words](cli::Invocation& invocation) {
    ApplyHere(*words, invocation, host);
  };
  command.children = [&host] { return std::vector<cli::Command>{ConfigApplyNodeCommand(host)}; };
  return command;
}

}  // namespace kubeadm
