#include "kubeadm/join/command.h"

#include <memory>

#include "config/arguments.h"
#include "config/paths.h"
#include "kubeadm/documented.h"
#include "kubeadm/join/config.h"
#include "kubeadm/join/flags.h"
#include "kubeadm/join/phases.h"
#include "kubeadm/join/text.h"
#include "kubeadm/workflow_command.h"

namespace kubeadm {
namespace {

std::vector<host::Redirect> RedirectsOf(const config::JoinConfiguration& join,
                                        const fs::path& directory) {
  return {{fs::path(config::kDefaultCertificatesDir), directory},
          {fs::path(join.ca_cert_path).parent_path(), directory},
          {fs::path(config::kManifestsDir), directory},
          {fs::path(config::kKubernetesDir), directory},
          {fs::path(config::kKubeletDir), directory}};
}

std::set<std::string> IgnoredChecks(const cli::Parsed& flags, const LoadedJoin& loaded) {
  return config::IgnoredPreflightErrors(flags.List("ignore-preflight-errors"),
                                        loaded.join.node_registration.ignore_preflight_errors);
}

unsigned ThreadsFor(const Scope& scope, const NodeOptions& options) {
  if (options.dry_run) {
    return 1;
  }
  return scope.phase ? 4 : 8;
}

PreparedRun<JoinData> Prepare(const cli::Parsed& flags, host::Host& machine, LoadedJoin loaded,
                              const Scope& scope) {
  PreparedRun<JoinData> run;
  NodeOptions options = ReadJoinOptions(flags, loaded.join);
  host::Host* target = &machine;
  if (options.dry_run) {
    target = &run.OnDryRun(
        machine, "KUBEADM_JOIN_DRYRUN_DIR", "kubeadm-join-dryrun",
        [&](const fs::path& directory) { return RedirectsOf(loaded.join, directory); });
  }
  run.threads = ThreadsFor(scope, options);
  run.data = std::make_unique<JoinData>(machine, *target);
  run.data->ignored_preflight_errors = IgnoredChecks(flags, loaded);
  run.data->join = std::move(loaded.join);
  run.data->given = std::move(loaded.given);
  run.data->options = std::move(options);
  run.data->start = machine.clock.Now();
  return run;
}

LoadedRun<JoinData> Load(cli::Invocation& invocation, host::Host& machine, const Scope& scope) {
  const cli::Parsed& flags = invocation.flags;
  LoadedJoin loaded = LoadJoinConfig(invocation, machine);
  const bool dry = ReadJoinOptions(flags, loaded.join).dry_run;
  LoadedRun<JoinData> run{.selection = WithoutSkipped(flags, loaded.join.skip_phases),
                          .ignored_checks = IgnoredChecks(flags, loaded),
                          .locks = !dry,
                          .directories = {},
                          .origin = dry ? std::nullopt : std::optional(loaded.origin),
                          .prepare = {}};
  run.prepare = [&flags, &machine, loaded = std::move(loaded), scope]() mutable {
    return Prepare(flags, machine, std::move(loaded), scope);
  };
  return run;
}

std::string EndText(const JoinData& data) {
  if (!data.control_plane()) {
    return JoinedText(JoinedAs::kWorker);
  }
  return JoinedText(data.stacked_etcd() ? JoinedAs::kControlPlaneWithEtcd
                                        : JoinedAs::kControlPlane);
}

}  // namespace

cli::Command JoinCommand(host::Host& host) {
  cli::Command command = Documented("join", "Bring this machine into a cluster", "join");
  command.usage_args = "[api-server-endpoint]";
  command.max_args = 1;
  command.flags = JoinFlags();
  return Bound<JoinData>(
      std::move(command),
      {.name = "join",
       .phases = JoinPhases,
       .phase_flags = JoinPhaseFlags,
       .max_phase_args = 1,
       .load = Load,
       .resume = [](JoinData& data, workflow::Journal& journal) { data.journal = &journal; },
       .end_text = [](JoinData& data) { return EndText(data); }},
      host);
}

}  // namespace kubeadm
