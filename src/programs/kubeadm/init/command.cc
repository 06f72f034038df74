#include "kubeadm/init/command.h"

#include <fmt/core.h>

#include <memory>

#include "config/arguments.h"
#include "config/paths.h"
#include "kubeadm/documented.h"
#include "kubeadm/init/config.h"
#include "kubeadm/init/flags.h"
#include "kubeadm/init/phases.h"
#include "kubeadm/workflow_command.h"

namespace kubeadm {
namespace {

std::vector<host::Redirect> RedirectsOf(const config::Init& config, const NodeOptions& options,
                                        const fs::path& directory) {
  return {{config.cluster.certificates_dir, directory},
          {options.kubeconfig_dir, directory},
          {fs::path(config::kManifestsDir), directory},
          {fs::path(config::kKubernetesDir), directory},
          {fs::path(config::kKubeletDir), directory}};
}

// Phases that run by themselves run one after the other: none is begun after one that fails. Into
// an empty directory, where nothing is in the way, certificates are made side by side.
unsigned ThreadsFor(const Scope& scope, const InitData& data) {
  if (data.options.dry_run) {
    return 1;
  }
  if (!scope.phase) {
    return 8;
  }
  const bool fresh =
      scope.phase == "certs" && !data.machine.files.Exists(data.config.cluster.certificates_dir);
  return fresh ? 4 : 1;
}

PreparedRun<InitData> Prepare(const cli::Parsed& flags, host::Host& machine, LoadedInit loaded,
                              const Scope& scope) {
  PreparedRun<InitData> run;
  NodeOptions options = ReadNodeOptions(flags, loaded.config);
  host::Host* target = &machine;
  if (options.dry_run) {
    target = &run.OnDryRun(
        machine, "KUBEADM_INIT_DRYRUN_DIR", "kubeadm-init-dryrun",
        [&](const fs::path& directory) { return RedirectsOf(loaded.config, options, directory); });
  }
  run.data = std::make_unique<InitData>(machine, *target);
  InitData& data = *run.data;
  data.ignored_preflight_errors = IgnoredChecks(flags, loaded);
  data.init_options = ReadInitOptions(flags, loaded);
  data.config = std::move(loaded.config);
  data.options = std::move(options);
  data.start = machine.clock.Now();
  DetectExternalCas(data);
  run.threads = ThreadsFor(scope, data);
  return run;
}

// What a phase writes that need not be root's.
std::vector<fs::path> DirectoriesOf(const Scope& scope, const LoadedInit& loaded,
                                    const NodeOptions& options) {
  if (scope.phase && scope.phase->starts_with("certs")) {
    return {fs::path(loaded.config.cluster.certificates_dir)};
  }
  if (scope.phase && scope.phase->starts_with("kubeconfig")) {
    return {options.kubeconfig_dir};
  }
  return {};
}

LoadedRun<InitData> Load(cli::Invocation& invocation, host::Host& machine, const Scope& scope) {
  const cli::Parsed& flags = invocation.flags;
  LoadedInit loaded = LoadInitConfig(flags, machine);
  const NodeOptions options = ReadNodeOptions(flags, loaded.config);
  LoadedRun<InitData> run{
      .selection = WithoutSkipped(flags, loaded.config.init.skip_phases),
      .ignored_checks = IgnoredChecks(flags, loaded),
      .locks = !options.dry_run && !ReadInitOptions(flags, loaded).print_manifest,
      .directories = DirectoriesOf(scope, loaded, options),
      .origin = options.dry_run ? std::nullopt : std::optional(loaded.origin),
      .prepare = {}};
  if (!scope.phase) {
    ReconcileAddons(loaded.config.cluster, run.selection);
  }
  run.prepare = [&flags, &machine, loaded = std::move(loaded), scope]() mutable {
    return Prepare(flags, machine, std::move(loaded), scope);
  };
  return run;
}

void Resume(InitData& data, workflow::Journal& journal) {
  data.journal = &journal;
  resume::DropStaleFiles(data.Resumed());
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
                          .begin = Begin},
                         host);
}

}  // namespace kubeadm
