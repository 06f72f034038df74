// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "config/arguments.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/init/config.h"
#include "kubeadm/init/flags.h"
#include "kubeadm/init/phases.h"
#include "kubeadm/workflow_command.h"
#include "node_input/patches.h"
#include "steps/init/steps.h"
#include "steps/node/dry_run_keys.h"
#include "steps/origin.h"

namespace kubeadm {
namespace {

constexpr const char* kDryRunVariable = "KUBEADM_INIT_DRYRUN_DIR";

// Returns the number of threads. Single phases run one after the other, so that no phase starts
// after a failure. In an empty directory, where files cannot conflict, certificates are created
// concurrently.
unsigned ThreadsFor(const Scope& scope, const InitData& data) {
  if (!scope.phase) {
    return 8;
  }
  const bool fresh =
      scope.phase == "certs" && !data.machine.files.Exists(data.config.cluster.certificates_dir);
  return fresh ? 4 : 1;
}

PreparedRun<InitData> Prepare(const cli::Parsed& flags, steps::World& world, LoadedInit loaded,
                              const Scope& scope) {
  PreparedRun<InitData> run;
  node_steps::NodeOptions options = ReadNodeOptions(flags, loaded.config);
  run.data = std::make_unique<InitData>(world);
  InitData& data = *run.data;
  data.ignored_preflight_errors = IgnoredChecks(flags, loaded);
  data.init_options = ReadInitOptions(flags, loaded);
  data.config = std::move(loaded.config);
  data.options = std::move(options);
  data.start = world.machine.clock.Now();
  init_steps::DetectExternalCas(data);
  run.threads = ThreadsFor(scope, data);
  if (!scope.phase) {
    data.CheckPatches();
  }
  return run;
}

// Returns the directories that a phase writes to and that need not belong to root.
std::vector<fs::path> DirectoriesOf(const Scope& scope, const LoadedInit& loaded,
                                    const node_steps::NodeOptions& options) {
  if (scope.phase && scope.phase->starts_with("certs")) {
    return {fs::path(loaded.config.cluster.certificates_dir)};
  }
  if (scope.phase && scope.phase->starts_with("kubeconfig")) {
    return {options.kubeconfig_dir};
  }
  return {};
}

// Returns the patches; no patches if they are unreadable. NodeData::CheckPatches reports unreadable
// patches later.
node_input::PatchSet FindPatches(const host::Files& files, const fs::path& directory) {
  try {
    return directory.empty() ? node_input::PatchSet{} : node_input::ReadPatches(files, directory);
  } catch (const base::Error&) {
    return {};
  }
}

LoadedRun<InitData> Load(cli::Invocation& invocation, host::Host& machine, const Scope& scope) {
  const cli::Parsed& flags = invocation.flags;
  LoadedInit loaded = LoadInitConfig(flags, machine);
  const node_steps::NodeOptions options = ReadNodeOptions(flags, loaded.config);
  LoadedRun<InitData> run{
      .selection = WithoutSkipped(flags, loaded.config.init.skip_phases),
      .ignored_checks = IgnoredChecks(flags, loaded),
      .dry_run = flags.GivenBool("dry-run").value_or(loaded.config.init.dry_run),
      .stand_in =
          node_steps::StandInFor(kDryRunVariable, "kubeadm-init-dryrun",
                                 {loaded.config.cluster.certificates_dir, options.kubeconfig_dir}),
      .locks = !ReadInitOptions(flags, loaded).print_manifest,
      .directories = DirectoriesOf(scope, loaded, options),
      .origin =
          steps::OriginOf(loaded.config, FindPatches(machine.files, options.patches_directory))};
  // Called for a single phase, too: it ignores the selection, but stores the same configuration.
  ReconcileAddons(loaded.config.cluster, run.selection);
  run.prepare = [&flags, loaded = std::move(loaded), scope](steps::World& world) mutable {
    return Prepare(flags, world, std::move(loaded), scope);
  };
  return run;
}

void Resume(InitData& data, workflow::Journal& journal) {
  data.journal = &journal;
  steps::RequireSameSettings(journal);
}

void Begin(InitData& data, const Scope& scope, workflow::Reporter& reporter) {
  if (!scope.phase || scope.phase == "kubeconfig") {
    data.DrawKeys(InitData::Keys::kOfCertificatesAndKubeconfigs);
  }
  if (!scope.phase) {
    reporter.Message(
        fmt::format("[init] Using Kubernetes version: {}", data.config.cluster.kubernetes_version));
  }
}

}  // namespace

cli::Command InitCommand(host::Host& host) {
  cli::Command command =
      Documented("init", "Make this machine the first of a control plane", "init");
  command.flags = InitFlags();
  return Bound<InitData>(std::move(command),
                         {.name = "init",
                          .phases = InitPhases,
                          .phase_flags = InitPhaseFlags,
                          .load = Load,
                          .resume = Resume,
                          .begin = Begin,
                          .settle =
                              [](InitData& data, const Scope& scope) {
                                return node_steps::SettleCaKeys(
                                    data, {.variable = kDryRunVariable, .whole = !scope.phase});
                              }},
                         host);
}

}  // namespace kubeadm
