// Command `kubeadm upgrade rollback`.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/node_steps.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/terminal.h"
#include "kubeadm/upgrade/phases.h"
#include "kubeadm/upgrade/run.h"
#include "stored_config/upload.h"
#include "upgrade/backup.h"
#include "workflow/run.h"

namespace kubeadm {
namespace {

using base::Error;
using cli::FlagType;

void SayPlan(const upgrade::Record& record, workflow::Context& context) {
  context.Print(fmt::format("[upgrade/rollback] Undoing the upgrade from {} to {} on this node",
                            record.from, record.to));
  for (const auto& [component, folder] : record.manifests) {
    context.Print(fmt::format("[upgrade/rollback] {} comes back from {}", component, folder));
  }
  if (!record.kubelet_config.empty()) {
    context.Print(fmt::format("[upgrade/rollback] the kubelet's configuration comes back from {}",
                              record.kubelet_config));
  }
}

void PutBackKubeletConfig(const upgrade::Record& record, UpgradeData& data,
                          workflow::Context& context) {
  if (record.kubelet_config.empty()) {
    return;
  }
  upgrade::PutBackKubeletConfig(record, data.host.files);
  context.Print(
      "[upgrade/rollback] Put back the kubelet's configuration; restart the kubelet, of the old "
      "version, to use it");
}

// What apply has told the cluster. CoreDNS stays: it serves older versions as well.
void PutBackCluster(const upgrade::Record& record, UpgradeData& data, workflow::Context& context) {
  if (record.command != "apply") {
    return;
  }
  data.config.cluster.kubernetes_version = record.from;
  context.Print(
      fmt::format("[upgrade/rollback] The cluster's configuration names {} again", record.from));
  stored_config::UploadKubeadmConfig(data.Client(context), data.config.cluster);
  if (!data.config.cluster.proxy.disabled) {
    ApplyKubeProxy(data, context);
  }
}

void RollBack(UpgradeData& data, workflow::Context& context) {
  if (!data.options.dry_run) {
    CheckRoot(data, context);
  }
  const upgrade::Record record = upgrade::LastUpgrade(data.machine.files);
  SayPlan(record, context);
  if (data.options.dry_run) {
    return;
  }
  if (!data.upgrade_options.yes &&
      !data.confirm("[upgrade] Are you sure you want to proceed? [y/N]: ")) {
    throw Error("the user has not answered with yes; nothing was changed");
  }
  data.LoadCluster(context);
  data.Record() = record;
  UndoUpgrade(data, context);
  PutBackKubeletConfig(record, data, context);
  PutBackCluster(record, data, context);
  upgrade::RemoveRecord(data.host.files);
}

std::vector<workflow::Phase<UpgradeData>> Phases() {
  return {{.name = "rollback", .summary = "Undo the last upgrade of this node", .run = RollBack}};
}

void Run(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  ReportRun(invocation, host, [&](workflow::Reporter& reporter) {
    UpgradeData data(UpgradeData::Command::kNode, host, host);
    data.options.kubeconfig = flags.Text("kubeconfig");
    data.options.kubeconfig_dir = fs::path(config::kKubernetesDir);
    data.options.dry_run = flags.Bool("dry-run");
    data.upgrade_options.yes = flags.Bool("yes");
    data.upgrade_options.renew_certificates = false;
    data.start = host.clock.Now();
    data.confirm = [&invocation](const std::string& question) {
      return Confirm(invocation.streams, question);
    };
    NodeLock lock;
    if (!data.options.dry_run) {
      lock = LockNode(invocation, host,
                      {.say = [&](const std::string& line) { reporter.Message(line); }});
    }
    workflow::RunPhases(
        workflow::MakePlan(Phases(), {}), data,
        {.reporter = reporter, .clocks = ClocksOf(host), .threads = 1, .stop = InterruptToken()});
    reporter.Message(data.options.dry_run
                         ? "[upgrade/successful] The dry run has ended well; nothing was changed"
                         : "[upgrade/successful] The last upgrade of this node is undone");
  });
}

}  // namespace

cli::Command UpgradeRollbackCommand(host::Host& host) {
  cli::Command command =
      Documented("rollback", "Undo the last upgrade of this node", "upgrade-rollback");
  command.hidden = true;  // told by the group's text: upstream's list of commands stays the same
  command.flags = {
      {.name = "dry-run", .type = FlagType::kBool, .help = "Show what would be put back"},
      {.name = "kubeconfig",
       .default_text = "/etc/kubernetes/admin.conf",
       .help = "The kubeconfig file to talk to the cluster with"},
      {.name = "output",
       .shorthand = 'o',
       .default_text = "text",
       .help = "'text' for people, 'json' for one JSON event a line (docs/events.md)"},
      TimelineFlag(),
      LockTimeoutFlag(kRunPatience),
      {.name = "yes", .shorthand = 'y', .type = FlagType::kBool, .help = "Ask nothing"},
  };
  command.run = [&host](cli::Invocation& invocation) { Run(invocation, host); };
  return command;
}

}  // namespace kubeadm
