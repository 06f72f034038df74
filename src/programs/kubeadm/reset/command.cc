// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backup/storage.h"
#include "base/error.h"
#include "base/log.h"
#include "cli/exit.h"
#include "config/arguments.h"
#include "config/flags.h"
#include "config/load.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reset/phases.h"
#include "kubeadm/terminal.h"
#include "kubeadm/workflow_command.h"
#include "kubelet/local_runtime.h"
#include "node_input/config_facts.h"
#include "node_input/running_runtimes.h"
#include "reset/places.h"

namespace kubeadm {
namespace {

using cli::FlagType;

constexpr const char* kBackup = "backup";

// Returns the flags of a backup. Only a whole reset can make a backup.
std::vector<cli::Flag> BackupFlags() {
  std::vector<cli::Flag> flags = LockFlags();
  flags.push_back(
      {.name = kBackup, .help = "Back this control plane up to this new file or directory first"});
  for (cli::Flag& flag : flags) {
    flag.beyond_upstream = true;
  }
  return flags;
}

// Returns the backup to make before the reset; std::nullopt without --backup. Throws
// base::Error(kUsage) if the reset would delete the backup's directory. Throws the errors of
// LocksBy.
std::optional<backup::CreateRequest> BackupBy(const cli::Invocation& invocation,
                                              const config::ResetConfiguration& config,
                                              const host::Files& files) {
  const cli::Parsed& flags = invocation.flags;
  if (!flags.Changed(kBackup)) {
    for (const cli::Flag& flag : LockFlags()) {
      if (flags.Changed(flag.name)) {
        throw base::Error(
            base::Error::Kind::kUsage,
            fmt::format("--{} is of a backup: give --{} as well", flag.name, kBackup));
      }
    }
    return std::nullopt;
  }
  if (backup::IsInBucket(flags.Text(kBackup))) {
    return backup::CreateRequest{.target = flags.Text(kBackup), .locks = LocksBy(flags, files)};
  }
  const host::fs::path target = host::fs::absolute(flags.Text(kBackup)).lexically_normal();
  if (const auto emptied = reset::EmptiedParent(files, target, config)) {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("--{} {}: the reset removes the files in {}", kBackup,
                                  target.string(), emptied->string()));
  }
  return backup::CreateRequest{.target = target, .locks = LocksBy(flags, files)};
}

std::vector<cli::Flag> Flags(const char* patience) {
  cli::Flag all = Switch("all",
                         "Also remove the rules and links of the network that are certainly "
                         "kube-proxy's or a CNI plugin's, and the .kube/config of the user who "
                         "runs this if it leads to this cluster only");
  all.beyond_upstream = true;
  return Joined(CommonFlags({"cri-socket", "dry-run", "kubeconfig", "output", "skip-phases"}),
                {{.name = "cert-dir",
                  .default_text = "/etc/kubernetes/pki",
                  .help = "The directory of the certificates; its contents are removed"},
                 Switch("cleanup-tmp-dir", "Also empty /etc/kubernetes/tmp"),
                 {.name = "config", .help = "A file with a ResetConfiguration"},
                 {.name = "force",
                  .shorthand = 'f',
                  .type = FlagType::kBool,
                  .help = "Do not ask for confirmation, and go on even if the etcd cluster would "
                          "lose its quorum"},
                 {.name = "ignore-preflight-errors",
                  .type = FlagType::kList,
                  .help = "Checks whose errors are shown as warnings (\"IsPrivilegedUser\"), or "
                          "\"all\""},
                 LockTimeoutFlag(patience),
                 std::move(all),
                 TimelineFlag()});
}

// Returns the socket of the container runtime in this node's files; otherwise, the sockets of
// running runtimes.
std::vector<std::string> SocketsOf(const host::Host& host) {
  try {
    if (const std::optional<std::string> recorded = kubelet::CriSocketOnDisk(host.files)) {
      return {recorded->starts_with("unix") ? *recorded : "unix://" + *recorded};
    }
  } catch (const base::Error& error) {
    base::LogWarning("this node's container runtime cannot be read from its files: {}",
                     error.message());
  }
  return node_input::RunningRuntimes(host.network);
}

config::ResetConfiguration LoadConfig(const cli::Parsed& flags, host::Host& host) {
  config::RequireUnmixedArguments(flags.ChangedNames());
  config::Facts facts = node_input::CollectFacts(host);
  facts.cri_sockets = [&host] { return SocketsOf(host); };
  const config::CriSocketChoice socket = SocketChoice(flags);
  if (const std::string& path = flags.Text("config"); !path.empty()) {
    config::ResetConfiguration config = config::LoadReset(
        node_input::ReadSource(host, path), facts,
        {.experimental = config::ExperimentalVersions::kAccept, .cri_socket = socket});
    const auto set = [&](const std::string& name, bool& target) {
      target = flags.GivenBool(name).value_or(target);
    };
    set("cleanup-tmp-dir", config.cleanup_tmp_dir);
    set("dry-run", config.dry_run);
    set("force", config.force);
    if (flags.Changed("cri-socket")) {
      config.cri_socket = flags.Text("cri-socket");
    }
    return config;
  }
  return config::ResetFromFlags({.cert_dir = flags.Given("cert-dir"),
                                 .cri_socket = flags.Given("cri-socket"),
                                 .cleanup_tmp_dir = flags.GivenBool("cleanup-tmp-dir"),
                                 .dry_run = flags.GivenBool("dry-run"),
                                 .force = flags.GivenBool("force")},
                                facts, socket);
}

std::unique_ptr<ResetData> MakeData(cli::Invocation& invocation, config::ResetConfiguration config,
                                    bool whole, steps::World& world) {
  const cli::Parsed& flags = invocation.flags;
  auto data = std::make_unique<ResetData>(
      ResetData{.world = world, .teardown = reset::Teardown(world.host), .all = flags.Bool("all")});
  reset::Teardown& teardown = data->teardown;
  teardown.config = std::move(config);
  teardown.kubeconfig = flags.Text("kubeconfig");
  teardown.CollectKubeconfigs();
  data->ignored_preflight_errors = config::IgnoredPreflightErrors(
      flags.List("ignore-preflight-errors"), teardown.config.ignore_preflight_errors);
  data->confirm = Asking(invocation, world.machine);
  if (whole) {
    data->backup = BackupBy(invocation, teardown.config, world.machine.files);
  }
  return data;
}

// Throws base::Error(kUsage) if the run would ask a question between the events.
void RequireConsentByFlags(const cli::Parsed& flags, const config::ResetConfiguration& config,
                           const workflow::Selection& selection) {
  const bool asks = Includes(ResetPhases(), selection, "preflight") ||
                    (flags.Bool("all") && Includes(ResetPhases(), selection, "cleanup-all"));
  if (asks && !config.force && !config.dry_run) {
    RequireQuestionsAllowed(
        flags,
        "confirm with --force, which also lets the etcd cluster lose its quorum, or see with "
        "--dry-run what would be done");
  }
}

// Loads the run. A dry run takes no lock, so it may run concurrently with other commands.
LoadedRun<ResetData> Load(cli::Invocation& invocation, host::Host& machine, const Scope& scope) {
  config::ResetConfiguration config = LoadConfig(invocation.flags, machine);
  if (!scope.phase) {
    RequireConsentByFlags(invocation.flags, config,
                          WithoutSkipped(invocation.flags, config.skip_phases));
  }
  LoadedRun<ResetData> run{.selection = scope.phase
                                            ? workflow::Selection()
                                            : WithoutSkipped(invocation.flags, config.skip_phases),
                           .ignored_checks = {},
                           .dry_run = config.dry_run};
  run.prepare = [&invocation, whole = !scope.phase,
                 config = std::move(config)](steps::World& world) mutable {
    return PreparedRun<ResetData>{.data = MakeData(invocation, std::move(config), whole, world)};
  };
  return run;
}

// The exit status with --output json if init or join would not pass its checks. With text output
// the status stays 0, because scripts rely on it.
constexpr int kNotFree = 2;

}  // namespace

cli::Command ResetCommand(host::Host& host) {
  cli::Command command = Documented(
      "reset", "Undo, as far as possible, what init or join did to this machine", "reset");
  command.flags = Joined(Flags(kRunPatience), BackupFlags());
  command.max_args = cli::kAnyNumber;
  const auto free = std::make_shared<bool>(true);
  const auto end_text = [free](ResetData& data) {
    *free = IsFree(data.next);
    return ResetReport(data.teardown.LeftBehind(), data.next);
  };
  command = Bound<ResetData>(std::move(command),
                             {.name = "reset",
                              .phases = ResetPhases,
                              .phase_flags = [] { return Flags(kStepPatience); },
                              .max_phase_args = cli::kAnyNumber,
                              // The preflight phase reports a missing privilege.
                              .refuses_unprivileged = false,
                              .load = Load,
                              .resume = {},
                              .begin = {},
                              .end_text = end_text},
                             host);
  command.run = [free, run = std::move(command.run)](cli::Invocation& invocation) {
    run(invocation);
    if (!*free && invocation.flags.Text("output") == "json") {
      throw cli::Exit{kNotFree};
    }
  };
  return command;
}

}  // namespace kubeadm
