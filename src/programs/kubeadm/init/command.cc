#include "kubeadm/init/command.h"

#include <fmt/core.h>

#include <csignal>
#include <memory>
#include <optional>
#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "config/paths.h"
#include "kubeadm/documented.h"
#include "kubeadm/dry_run.h"
#include "kubeadm/init/config.h"
#include "kubeadm/init/flags.h"
#include "kubeadm/init/phases.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/resume.h"
#include "kubeadm/root_check.h"
#include "kubeadm/terminal.h"
#include "workflow/bind.h"
#include "workflow/run.h"

namespace kubeadm {
namespace {

// Everything that one run of init keeps alive.
struct InitRun {
  std::unique_ptr<DryRunHost> dry_run_host;
  std::unique_ptr<workflow::Journal> journal;
  std::unique_ptr<InitData> data;
};

std::vector<host::Redirect> RedirectsOf(const config::Init& config, const NodeOptions& options,
                                        const fs::path& folder) {
  return {{config.cluster.certificates_dir, folder},
          {options.kubeconfig_dir, folder},
          {fs::path(config::kManifestsDir), folder},
          {fs::path(config::kKubernetesDir), folder},
          {fs::path(config::kKubeletDir), folder}};
}

std::set<std::string> IgnoredChecks(const cli::Parsed& flags, const LoadedInit& loaded) {
  return config::IgnoredPreflightErrors(
      flags.List("ignore-preflight-errors"),
      loaded.config.init.node_registration.ignore_preflight_errors);
}

// `line` is for the user, wherever the run's own lines go.
using SayLine = std::function<void(const std::string& line)>;

// LockFor is taken before anything of the node is looked at. None for what only shows.
NodeLock LockFor(const cli::Invocation& invocation, const LoadedInit& loaded,
                 const std::vector<fs::path>& directories, host::Host& machine,
                 const SayLine& say) {
  const NodeOptions options = ReadNodeOptions(invocation.flags, loaded.config);
  if (options.dry_run || ReadInitOptions(invocation.flags, loaded).print_manifest) {
    return {};
  }
  return LockNode(invocation, machine, {.directories = directories, .say = say});
}

InitRun PrepareRun(const cli::Parsed& flags, host::Host& machine, LoadedInit loaded) {
  InitRun run;
  NodeOptions options = ReadNodeOptions(flags, loaded.config);
  host::Host* target = &machine;
  if (options.dry_run) {
    const fs::path folder =
        MakeDryRunFolder(machine, {"KUBEADM_INIT_DRYRUN_DIR", "kubeadm-init-dryrun"});
    run.dry_run_host =
        std::make_unique<DryRunHost>(machine, RedirectsOf(loaded.config, options, folder), folder);
    target = &run.dry_run_host->host();
  }
  run.data = std::make_unique<InitData>(machine, *target);
  run.data->ignored_preflight_errors = IgnoredChecks(flags, loaded);
  run.data->config = std::move(loaded.config);
  run.data->options = std::move(options);
  run.data->init_options = ReadInitOptions(flags, loaded);
  run.data->start = machine.clock.Now();
  DetectExternalCas(*run.data);
  return run;
}

void RunPlan(const workflow::Plan& plan, InitRun& run, const workflow::RunOptions& options) {
  options.reporter.Message(fmt::format("[init] Using Kubernetes version: {}",
                                       run.data->config.cluster.kubernetes_version));
  workflow::RunPhases(plan, *run.data, options);
}

// The whole of init: phases side by side, and a journal that a rerun can resume from.
void RunAll(cli::Invocation& invocation, host::Host& machine) {
  const cli::Parsed& flags = invocation.flags;
  ReportRun(invocation, machine, [&](workflow::Reporter& reporter) {
    LoadedInit loaded = LoadInitConfig(flags, machine);
    const std::string origin = loaded.origin;
    workflow::Selection selection = WithoutSkipped(flags, loaded.config.init.skip_phases);
    ReconcileAddons(loaded.config.cluster, selection);
    const workflow::Plan plan = workflow::MakePlan(InitPhases(), selection);
    RefuseUnprivileged(machine, plan, IgnoredChecks(flags, loaded), reporter);
    const NodeLock lock = LockFor(invocation, loaded, {}, machine,
                                  [&](const std::string& line) { reporter.Message(line); });
    InitRun run = PrepareRun(flags, machine, std::move(loaded));
    const bool dry = run.data->options.dry_run;
    if (!dry) {
      run.journal = OpenJournal(machine, "init", origin);
      run.data->journal = run.journal.get();
      DropStaleFiles(*run.data);
    }
    run.data->DrawKeys(InitData::Keys::kOfCertificatesAndKubeconfigs);
    RunPlan(plan, run,
            {.reporter = reporter,
             .clocks = ClocksOf(machine),
             .journal = run.journal.get(),
             .threads = dry ? 1U : 8U,
             .stop = InterruptToken()});
    if (run.journal) {
      run.journal->Complete();
    }
  });
}

// One step after the other: none is taken after one that fails. Into an empty folder, where nothing
// is in the way, certificates are made side by side.
unsigned ThreadsOfPhase(const std::string& path, const InitData& data) {
  const bool fresh =
      path == "certs" && !data.machine.files.Exists(data.config.cluster.certificates_dir);
  return fresh && !data.options.dry_run ? 4U : 1U;
}

// What the phase writes that need not be root's.
std::vector<fs::path> DirectoriesOf(const std::string& path, const LoadedInit& loaded,
                                    const cli::Parsed& flags) {
  if (path.starts_with("certs")) {
    return {fs::path(loaded.config.cluster.certificates_dir)};
  }
  return path.starts_with("kubeconfig")
             ? std::vector{ReadNodeOptions(flags, loaded.config).kubeconfig_dir}
             : std::vector<fs::path>();
}

// One phase by itself.
void RunPhase(cli::Invocation& invocation, const std::string& path, host::Host& machine) {
  const std::unique_ptr<workflow::Reporter> reporter =
      MakeReporter("text", invocation.streams.out, ClocksOf(machine));
  workflow::Selection selection{.only = path};
  const workflow::Plan plan = workflow::MakePlan(InitPhases(), selection);
  LoadedInit loaded = LoadInitConfig(invocation.flags, machine);
  RefuseUnprivileged(machine, plan, IgnoredChecks(invocation.flags, loaded), *reporter);
  const NodeLock lock = LockFor(invocation, loaded, DirectoriesOf(path, loaded, invocation.flags),
                                machine, [&](const std::string& line) { reporter->Message(line); });
  InitRun run = PrepareRun(invocation.flags, machine, std::move(loaded));
  if (path == "kubeconfig") {
    run.data->DrawKeys(InitData::Keys::kOfCertificatesAndKubeconfigs);
  }
  workflow::RunPhases(plan, *run.data,
                      {.reporter = *reporter,
                       .clocks = ClocksOf(machine),
                       .threads = ThreadsOfPhase(path, *run.data),
                       .stop = InterruptToken()});
}

}  // namespace

cli::Command InitCommand(host::Host& host) {
  cli::Command command =
      Documented("init", "Make this machine the first of a control plane", "init");
  command.flags = InitFlags();
  command.run = [&host](cli::Invocation& invocation) { RunAll(invocation, host); };
  workflow::BindPhases(
      command, {.phases = [] { return workflow::Erase(InitPhases()); },
                .flags = InitPhaseFlags,
                .flags_of_changes = {kLockTimeout},
                .run = [&host](cli::Invocation& invocation,
                               const std::string& path) { RunPhase(invocation, path, host); }});
  return command;
}

}  // namespace kubeadm
