// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "config/arguments.h"
#include "config/paths.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/join/config.h"
#include "kubeadm/join/flags.h"
#include "kubeadm/join/phases.h"
#include "kubeadm/join/text.h"
#include "kubeadm/workflow_command.h"
#include "steps/join/steps.h"
#include "steps/node/dry_run_keys.h"
#include "steps/origin.h"

namespace kubeadm {
namespace {

constexpr const char* kDryRunVariable = "KUBEADM_JOIN_DRYRUN_DIR";

std::set<std::string> IgnoredChecks(const cli::Parsed& flags, const LoadedJoin& loaded) {
  return config::IgnoredPreflightErrors(flags.List("ignore-preflight-errors"),
                                        loaded.join.node_registration.ignore_preflight_errors);
}

PreparedRun<JoinData> Prepare(const cli::Parsed& flags, steps::World& world, LoadedJoin loaded,
                              const Scope& scope) {
  PreparedRun<JoinData> run{.data = std::make_unique<JoinData>(world),
                            .threads = scope.phase ? 4U : 8U};
  run.data->ignored_preflight_errors = IgnoredChecks(flags, loaded);
  run.data->options = ReadJoinOptions(flags, loaded.join);
  run.data->join = std::move(loaded.join);
  run.data->given = std::move(loaded.given);
  run.data->proof = std::move(loaded.proof);
  run.data->start = world.machine.clock.Now();
  if (!scope.phase) {
    run.data->CheckPatches();
  }
  return run;
}

LoadedRun<JoinData> Load(cli::Invocation& invocation, host::Host& machine, const Scope& scope) {
  const cli::Parsed& flags = invocation.flags;
  LoadedJoin loaded = LoadJoinConfig(invocation, machine);
  LoadedRun<JoinData> run{
      .selection = WithoutSkipped(flags, loaded.join.skip_phases),
      .ignored_checks = IgnoredChecks(flags, loaded),
      .dry_run = flags.GivenBool("dry-run").value_or(loaded.join.dry_run),
      .stand_in = node_steps::StandInFor(
          kDryRunVariable, "kubeadm-join-dryrun",
          {config::kDefaultCertificatesDir, fs::path(loaded.join.ca_cert_path).parent_path()}),
      .origin = steps::OriginOf(loaded.join)};
  run.prepare = [&flags, loaded = std::move(loaded), scope](steps::World& world) mutable {
    return Prepare(flags, world, std::move(loaded), scope);
  };
  return run;
}

std::optional<std::string> EndText(JoinData& data) {
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
  return Bound<JoinData>(std::move(command),
                         {.name = "join",
                          .phases = JoinPhases,
                          .phase_flags = JoinPhaseFlags,
                          .max_phase_args = 1,
                          .load = Load,
                          .resume = join_steps::Resume,
                          .end_text = EndText,
                          .dry_run_end_text = EndText,
                          .settle =
                              [](JoinData& data, const Scope& scope) {
                                return node_steps::SettleCaKeys(
                                    data, {.variable = kDryRunVariable, .whole = !scope.phase});
                              }},
                         host);
}

}  // namespace kubeadm
