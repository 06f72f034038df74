// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/reset/phases.h"

#include <fmt/core.h>

#include <algorithm>

#include "backup/collect.h"
#include "backup/create.h"
#include "base/build.h"
#include "base/error.h"
#include "base/strings.h"
#include "checks/require.h"
#include "json/value.h"
#include "preflight/checks.h"
#include "reset/extras.h"
#include "reset/steps.h"

namespace kubeadm {
namespace {

void AskUser(const ResetData& data, workflow::Context& context) {
  if (data.teardown.config.force) {
    return;
  }
  context.Remark(
      "[reset] WARNING: this undoes what \"kubeadm init\" or \"kubeadm join\" did to this "
      "machine: "
      "its Pods, certificates and, on a control plane, etcd's data will be gone");
  if (!data.confirm("[reset] Are you sure you want to proceed? [y/N]: ")) {
    throw base::Error("won't proceed: the answer was not \"y\" or \"yes\"");
  }
}

void Preflight(ResetData& data, workflow::Context& context) {
  data.world.Do({.on_machine = [&] { AskUser(data, context); }});
  context.Print("[preflight] Checking this machine");
  checks::Require(preflight::RootChecks(data.teardown.host), data.ignored_preflight_errors,
                  context);
}

// Backs this control plane up before the reset removes any part of it.
void BackUp(ResetData& data, workflow::Context& context) {
  const host::fs::path& target = data.backup->target;
  const backup::CollectionInput input{.host = data.world.machine,
                                      .created_by = std::string(base::kSlipwayVersion),
                                      .stop = context.Stop()};
  data.world.Do({.on_machine =
                     [&] {
                       context.Print(fmt::format("[reset] Backing this control plane up to {}",
                                                 target.string()));
                       const backup::Created created = base::WithContext("nothing was reset", [&] {
                         return backup::Create(*data.backup, input, backup::ConnectToEtcd(input));
                       });
                       for (const std::string& line : base::Lines(backup::TextOf(created))) {
                         context.Print(line);
                       }
                     },
                 .in_dry_run = steps::Would(
                     context, {fmt::format("[dryrun] Would back this control plane up to {}",
                                           target.string())})});
}

reset::Notes NotesOf(workflow::Context& context) {
  return {.say = [&context](const std::string& line) { context.Print(line); },
          .warn = [&context](const std::string& text) { context.Warn(text); },
          .stop = context.Stop()};
}

// Returns the action of a phase: it executes the steps, or shows them in a dry run.
auto Takes(reset::Steps (*steps_of)(reset::Teardown&, const reset::Notes&)) {
  return [steps_of](ResetData& data, workflow::Context& context) {
    const reset::Notes notes = NotesOf(context);
    const reset::Steps steps = steps_of(data.teardown, notes);
    data.world.Do({.on_machine = [&] { reset::Do(steps, data.teardown, notes); },
                   .in_dry_run = [&] { reset::Show(steps, notes); }});
  };
}

std::vector<std::string> Listed(std::string_view prefix, const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    lines.push_back(fmt::format("{}: {}", prefix, name));
  }
  return lines;
}

void RemoveIfAgreed(const reset::Extras& extras, ResetData& data, workflow::Context& context) {
  for (const std::string& line : Listed("[reset] To remove", extras.Names())) {
    context.Print(line);
  }
  if (!data.teardown.config.force && !data.confirm("[reset] Remove all of these? [y/N]: ")) {
    context.Print("[reset] Left as they are");
    return;
  }
  for (const std::string& problem : reset::RemoveExtras(extras, data.teardown.host)) {
    context.Warn(problem);
  }
}

// With --all: lists network rules, network links and the user's kubeconfig, and removes them after
// the user has agreed.
void CleanAll(ResetData& data, workflow::Context& context) {
  const reset::Extras extras = reset::FindExtras(data.teardown);
  for (const std::string& kept : extras.kept) {
    context.Warn(kept);
  }
  const std::vector<std::string> names = extras.Names();
  if (names.empty()) {
    context.Print("[reset] No rules or links of the network and no kubeconfig to remove");
    return;
  }
  data.world.Do({.on_machine = [&] { RemoveIfAgreed(extras, data, context); },
                 .in_dry_run = steps::Would(context, Listed("[dryrun] Would remove", names))});
}

// Checks whether init and join would pass their checks. A failed check is not a failure of the
// reset, because the user may have kept files on purpose.
void CheckNext(ResetData& data, workflow::Context& context) {
  data.world.Do({.on_machine = [&] {
    data.next = reset::CheckNextRuns(data.teardown);
    json::Value runs = json::Value::object();
    for (const reset::NextRun& next : data.next) {
      json::Value errors = json::Value::array();
      for (const checks::Finding& error : next.errors) {
        errors.push_back({{"check", error.id}, {"text", error.what}});
      }
      runs[std::string(next.command)] = {{"passes", next.errors.empty()},
                                         {"errors", std::move(errors)}};
    }
    context.Result("nextRuns", runs);
  }});
}

std::string NextReport(const reset::NextRun& next) {
  std::string text = fmt::format(
      "\n[reset] \"kubeadm {}\" would not pass its checks of files, directories and ports:\n",
      next.command);
  for (const checks::Finding& error : next.errors) {
    text += fmt::format("  - {}: {}\n", error.id, error.what);
  }
  return text;
}

}  // namespace

std::vector<ResetPhase> ResetPhases() {
  return {{.name = "preflight",
           .summary = "Ask for confirmation and check that this machine can be reset",
           .aliases = {"pre-flight"},
           .flags = {"dry-run", "force", "ignore-preflight-errors"},
           .only_looks = true,
           .run = Preflight},
          {.name = "backup",
           .summary = "Back this control plane up",
           .hidden = true,
           .when = [](const ResetData& data) { return data.backup.has_value(); },
           .run = BackUp},
          {.name = "remove-etcd-member",
           .summary = "Take this node's member out of the etcd cluster and remove its data",
           .flags = {"dry-run", "kubeconfig"},
           .run = Takes(reset::EtcdSteps)},
          {.name = "cleanup-node",
           .summary = "Stop the kubelet, remove Pods, mounts, directories and files",
           .aliases = {"cleanupnode"},
           .flags = {"cert-dir", "cleanup-tmp-dir", "cri-socket", "dry-run"},
           .run = Takes(reset::NodeSteps)},
          {.name = "cleanup-all",
           .summary = "Take back rules and links of the network and the user's kubeconfig",
           .hidden = true,
           .when = [](const ResetData& data) { return data.all; },
           .run = CleanAll},
          {.name = "check-next-runs",
           .summary = "Check whether init and join would find this machine as they need it",
           .hidden = true,
           .only_looks = true,
           .run = CheckNext}};
}

bool IsFree(const std::vector<reset::NextRun>& next) {
  return std::ranges::all_of(next, [](const auto& each) { return each.errors.empty(); });
}

std::string ResetReport(const std::vector<std::string>& leftovers,
                        const std::vector<reset::NextRun>& next) {
  std::string text =
      leftovers.empty()
          ? "\n[reset] Done: nothing of the cluster is left on this machine that is known here.\n"
          : "\n[reset] Done. What is left on this machine, for you to look at:\n  - " +
                base::Join(leftovers, "\n  - ") + "\n";
  for (const reset::NextRun& each : next) {
    text += each.errors.empty() ? "" : NextReport(each);
  }
  if (!next.empty() && IsFree(next)) {
    text +=
        "[reset] \"kubeadm init\" and \"kubeadm join\" would pass their checks of files, "
        "directories and ports.\n";
  }
  return text;
}

}  // namespace kubeadm
