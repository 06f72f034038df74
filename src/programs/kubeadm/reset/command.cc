#include "kubeadm/reset/command.h"

#include <algorithm>
#include <memory>
#include <ostream>

#include "config/arguments.h"
#include "config/flags.h"
#include "config/load.h"
#include "config/paths.h"
#include "kubeadm/documented.h"
#include "kubeadm/gather.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/reset/phases.h"
#include "kubeadm/terminal.h"
#include "reset/leftovers.h"
#include "workflow/bind.h"
#include "workflow/run.h"

namespace kubeadm {
namespace {

using cli::FlagType;

std::vector<cli::Flag> PhaseFlags() {
  return {
      {.name = "cert-dir",
       .default_text = "/etc/kubernetes/pki",
       .help = "The folder of the certificates; its contents are removed"},
      {.name = "cleanup-tmp-dir",
       .type = FlagType::kBool,
       .help = "Empty /etc/kubernetes/tmp, too"},
      {.name = "config", .help = "A file with a ResetConfiguration"},
      {.name = "cri-socket",
       .help = "The socket of the container runtime; found by itself when there is only one"},
      {.name = "dry-run",
       .type = FlagType::kBool,
       .help = "Show what would be done, and do nothing"},
      {.name = "force",
       .shorthand = 'f',
       .type = FlagType::kBool,
       .help = "Ask nothing, and go on where the etcd cluster would lose its quorum"},
      {.name = "ignore-preflight-errors",
       .type = FlagType::kList,
       .help = "Checks whose errors are shown as warnings (\"IsPrivilegedUser\"), or \"all\""},
      {.name = "kubeconfig",
       .default_text = "/etc/kubernetes/admin.conf",
       .help = "The kubeconfig file to ask the cluster with"},
  };
}

std::vector<cli::Flag> Flags(const char* patience) {
  std::vector<cli::Flag> flags = PhaseFlags();
  flags.push_back(LockTimeoutFlag(patience));
  // Told by the text, not by the table of flags, which others parse.
  flags.push_back({.name = "all",
                   .type = FlagType::kBool,
                   .help = "Also remove the rules and links of the network that are certainly "
                           "kube-proxy's or a CNI plugin's, and the .kube/config of who runs this "
                           "when it leads to this cluster only",
                   .hidden = true});
  flags.push_back({.name = "skip-phases", .type = FlagType::kList, .help = "Phases to leave out"});
  flags.push_back(TimelineFlag());
  return flags;
}

std::optional<bool> GivenBool(const cli::Parsed& flags, std::string_view name) {
  return flags.Changed(name) ? std::optional(flags.Bool(name)) : std::nullopt;
}

config::ResetConfiguration Load(const cli::Parsed& flags, host::Host& host) {
  config::RefuseMixedArguments(flags.ChangedNames());
  const config::Facts facts = GatherFacts(host);
  if (const std::string& path = flags.Text("config"); !path.empty()) {
    config::ResetConfiguration config = config::LoadReset(ReadSource(host, path), facts);
    const auto set = [&](const std::string& name, bool& target) {
      target = flags.Changed(name) ? flags.Bool(name) : target;
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
                                 .cleanup_tmp_dir = GivenBool(flags, "cleanup-tmp-dir"),
                                 .dry_run = GivenBool(flags, "dry-run"),
                                 .force = GivenBool(flags, "force")},
                                facts);
}

std::unique_ptr<ResetData> Prepare(cli::Invocation& invocation, host::Host& host) {
  static host::RealMounts mounts;
  const cli::Parsed& flags = invocation.flags;
  auto data = std::make_unique<ResetData>(host, mounts);
  data->config = Load(flags, host);
  data->options = {.all = flags.Bool("all"), .kubeconfig = flags.Text("kubeconfig")};
  data->ignored_preflight_errors = config::IgnoredPreflightErrors(
      flags.List("ignore-preflight-errors"), data->config.ignore_preflight_errors);
  data->confirm = [&invocation](const std::string& question) {
    return Confirm(invocation.streams, question);
  };
  data->cluster_ca = reset::ClusterCa(host.files);
  for (const fs::path& path : reset::UserKubeconfigs(host)) {
    if (reset::BelongsTo(host.files, path, data->cluster_ca) != reset::Belongs::kNo) {
      data->user_kubeconfigs.push_back(path);
    }
  }
  return data;
}

void Run(const workflow::Plan& plan, ResetData& data, workflow::Reporter& reporter) {
  workflow::RunPhases(plan, data,
                      {.reporter = reporter,
                       .clocks = ClocksOf(data.host),
                       .threads = 1,
                       .stop = InterruptToken()});
}

std::vector<std::string> LeftBehind(ResetData& data) {
  std::erase_if(data.user_kubeconfigs,
                [&](const fs::path& path) { return !data.host.files.Exists(path); });
  return reset::FindLeftovers(data.host, data.mounts,
                              {.emptied = data.emptied,
                               .kubelet_dir = fs::path(config::kKubeletDir),
                               .kubeconfigs = data.user_kubeconfigs});
}

// A dry run may look on while others work.
NodeLock LockFor(const cli::Invocation& invocation, ResetData& data, workflow::Reporter& reporter) {
  if (data.config.dry_run) {
    return {};
  }
  return LockNode(invocation, data.host,
                  {.say = [&](const std::string& line) { reporter.Message(line); }});
}

void RunAll(cli::Invocation& invocation, host::Host& host) {
  ReportRun(invocation, host, [&](workflow::Reporter& reporter) {
    const std::unique_ptr<ResetData> data = Prepare(invocation, host);
    const workflow::Plan plan = workflow::MakePlan(
        ResetPhases(), WithoutSkipped(invocation.flags, data->config.skip_phases));
    const NodeLock lock = LockFor(invocation, *data, reporter);
    Run(plan, *data, reporter);
    if (!data->config.dry_run) {
      reporter.Message(ResetReport(LeftBehind(*data)));
    }
  });
}

void RunPhase(cli::Invocation& invocation, const std::string& path, host::Host& host) {
  const auto reporter = MakeReporter("text", invocation.streams.out, ClocksOf(host));
  const workflow::Plan plan = workflow::MakePlan(ResetPhases(), workflow::Selection{.only = path});
  const std::unique_ptr<ResetData> data = Prepare(invocation, host);
  const NodeLock lock = LockFor(invocation, *data, *reporter);
  Run(plan, *data, *reporter);
}

}  // namespace

cli::Command ResetCommand(host::Host& host) {
  cli::Command command = Documented(
      "reset", "Undo, as far as possible, what init or join did to this machine", "reset");
  command.flags = Flags(kRunPatience);
  command.max_args = cli::kAnyNumber;
  command.run = [&host](cli::Invocation& invocation) { RunAll(invocation, host); };
  workflow::BindPhases(
      command, {.phases = [] { return workflow::Erase(ResetPhases()); },
                .flags = [] { return Flags(kStepPatience); },
                .flags_of_changes = {kLockTimeout},
                .max_args = cli::kAnyNumber,
                .run = [&host](cli::Invocation& invocation,
                               const std::string& path) { RunPhase(invocation, path, host); }});
  return command;
}

}  // namespace kubeadm
