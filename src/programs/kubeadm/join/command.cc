#include "kubeadm/join/command.h"

#include <memory>
#include <optional>
#include <ostream>

#include "config/arguments.h"
#include "config/paths.h"
#include "kubeadm/documented.h"
#include "kubeadm/dry_run.h"
#include "kubeadm/join/config.h"
#include "kubeadm/join/flags.h"
#include "kubeadm/join/phases.h"
#include "kubeadm/join/text.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/resume.h"
#include "kubeadm/root_check.h"
#include "kubeadm/terminal.h"
#include "workflow/bind.h"
#include "workflow/run.h"

namespace kubeadm {
namespace {

// Everything that one run of join keeps alive.
struct JoinRun {
  std::unique_ptr<DryRunHost> dry_run_host;
  std::unique_ptr<workflow::Journal> journal;
  std::unique_ptr<JoinData> data;
};

std::vector<host::Redirect> RedirectsOf(const config::JoinConfiguration& join,
                                        const fs::path& folder) {
  return {{fs::path(config::kDefaultCertificatesDir), folder},
          {fs::path(join.ca_cert_path).parent_path(), folder},
          {fs::path(config::kManifestsDir), folder},
          {fs::path(config::kKubernetesDir), folder},
          {fs::path(config::kKubeletDir), folder}};
}

// LockFor is taken before anything of the node is looked at. None for a dry run.
NodeLock LockFor(const cli::Invocation& invocation, const LoadedJoin& loaded, host::Host& machine,
                 workflow::Reporter& reporter) {
  if (ReadJoinOptions(invocation.flags, loaded.join).dry_run) {
    return {};
  }
  return LockNode(invocation, machine,
                  {.say = [&](const std::string& line) { reporter.Message(line); }});
}

std::set<std::string> IgnoredChecks(const cli::Parsed& flags, const LoadedJoin& loaded) {
  return config::IgnoredPreflightErrors(flags.List("ignore-preflight-errors"),
                                        loaded.join.node_registration.ignore_preflight_errors);
}

JoinRun PrepareRun(const cli::Parsed& flags, host::Host& machine, LoadedJoin loaded) {
  JoinRun run;
  NodeOptions options = ReadJoinOptions(flags, loaded.join);
  host::Host* target = &machine;
  if (options.dry_run) {
    const fs::path folder =
        MakeDryRunFolder(machine, {"KUBEADM_JOIN_DRYRUN_DIR", "kubeadm-join-dryrun"});
    run.dry_run_host =
        std::make_unique<DryRunHost>(machine, RedirectsOf(loaded.join, folder), folder);
    target = &run.dry_run_host->host();
  }
  run.data = std::make_unique<JoinData>(machine, *target);
  run.data->ignored_preflight_errors = IgnoredChecks(flags, loaded);
  run.data->join = std::move(loaded.join);
  run.data->given = std::move(loaded.given);
  run.data->options = std::move(options);
  run.data->start = machine.clock.Now();
  return run;
}

JoinedAs RoleOf(const JoinData& data) {
  if (!data.control_plane()) {
    return JoinedAs::kWorker;
  }
  return data.stacked_etcd() ? JoinedAs::kControlPlaneWithEtcd : JoinedAs::kControlPlane;
}

// The whole of join: phases side by side, and a journal that a rerun can resume from.
void RunAll(cli::Invocation& invocation, host::Host& machine) {
  const cli::Parsed& flags = invocation.flags;
  ReportRun(invocation, machine, [&](workflow::Reporter& reporter) {
    LoadedJoin loaded = LoadJoinConfig(invocation, machine);
    const std::string origin = loaded.origin;
    const workflow::Plan plan =
        workflow::MakePlan(JoinPhases(), WithoutSkipped(flags, loaded.join.skip_phases));
    RefuseUnprivileged(machine, plan, IgnoredChecks(flags, loaded), reporter);
    const NodeLock lock = LockFor(invocation, loaded, machine, reporter);
    JoinRun run = PrepareRun(flags, machine, std::move(loaded));
    const bool dry = run.data->options.dry_run;
    if (!dry) {
      run.journal = OpenJournal(machine, "join", origin);
      run.data->journal = run.journal.get();
    }
    workflow::RunPhases(plan, *run.data,
                        {.reporter = reporter,
                         .clocks = ClocksOf(machine),
                         .journal = run.journal.get(),
                         .threads = dry ? 1U : 8U,
                         .stop = InterruptToken()});
    if (run.journal) {
      run.journal->Complete();
    }
    reporter.Message(JoinedText(RoleOf(*run.data)));
  });
}

// One phase by itself, one step after the other.
void RunPhase(cli::Invocation& invocation, const std::string& path, host::Host& machine) {
  const std::unique_ptr<workflow::Reporter> reporter =
      MakeReporter("text", invocation.streams.out, ClocksOf(machine));
  const workflow::Plan plan = workflow::MakePlan(JoinPhases(), {.only = path});
  LoadedJoin loaded = LoadJoinConfig(invocation, machine);
  RefuseUnprivileged(machine, plan, IgnoredChecks(invocation.flags, loaded), *reporter);
  const NodeLock lock = LockFor(invocation, loaded, machine, *reporter);
  JoinRun run = PrepareRun(invocation.flags, machine, std::move(loaded));
  workflow::RunPhases(plan, *run.data,
                      {.reporter = *reporter,
                       .clocks = ClocksOf(machine),
                       .threads = run.data->options.dry_run ? 1U : 4U,
                       .stop = InterruptToken()});
}

}  // namespace

cli::Command JoinCommand(host::Host& host) {
  cli::Command command = Documented("join", "Bring this machine into a cluster", "join");
  command.usage_args = "[api-server-endpoint]";
  command.max_args = 1;
  command.flags = JoinFlags();
  command.run = [&host](cli::Invocation& invocation) { RunAll(invocation, host); };
  workflow::BindPhases(
      command, {.phases = [] { return workflow::Erase(JoinPhases()); },
                .flags = JoinPhaseFlags,
                .flags_of_changes = {kLockTimeout},
                .max_args = 1,
                .run = [&host](cli::Invocation& invocation,
                               const std::string& path) { RunPhase(invocation, path, host); }});
  return command;
}

}  // namespace kubeadm
