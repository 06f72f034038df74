// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm drift`.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/exit.h"
#include "config_change/edits.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/config_look.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "kubeadm/terminal.h"
#include "stored_config/upload.h"

namespace kubeadm {
namespace {

using cli::FlagType;

constexpr int kDrift = 2;  // the exit status if drift was found

void SayAdoption(const config_change::Adoption& adoption, const Output& output) {
  for (const config_change::Difference& kept : adoption.kept) {
    output.Line("Adopted: " + config_change::Line(kept));
  }
  for (const config_change::Left& left : adoption.left) {
    output.Line(fmt::format("Left: {}: {}", config_change::Line(left.difference), left.why));
  }
}

void Store(const config_change::Adoption& adoption, const Look& look, const cli::Parsed& flags,
           host::Host& host, const Output& output) {
  const std::string& directory = flags.Text("patches");
  for (const host::fs::path& file : config_change::WritePatches(
           adoption.patches,
           directory.empty() ? host::fs::path(config_change::kAdoptedPatches)
                             : host::fs::path(directory),
           host.files)) {
    output.Line(fmt::format("Written: {}", file.string()));
  }
  if (adoption.changes_cluster) {
    stored_config::UploadKubeadmConfig(look.Sources().client, adoption.cluster);
    output.Line("Stored in ConfigMap \"kubeadm-config\" of namespace \"kube-system\"");
  }
}

// Returns the side that --side names, for every value. Without --side, asks a user at the terminal
// about each value. If the command cannot ask, or stdout is for an object, the side is unknown.
config_change::Decide DecideBy(cli::Invocation& invocation, host::Host& host,
                               const Output& output) {
  using config_change::Side;
  const std::string& side = invocation.flags.Text("side");
  if (!side.empty() && side != "node" && side != "cluster") {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("--side {}: it is \"node\" or \"cluster\"", base::Quoted(side)));
  }
  const bool asks = side.empty() && output.IsText() && host.environment.HasTerminal();
  return [&invocation, &host, side, asks](const config_change::Difference& edit) {
    if (!asks) {
      return side.empty() ? Side::kUnknown : side == "node" ? Side::kNode : Side::kCluster;
    }
    const std::string question = fmt::format(
        "{}\nThe cluster's configuration sets it as well. Is this node's value the right one, for "
        "the whole cluster? [y/N]: ",
        base::Visible(config_change::Line(edit)));
    return Confirm(invocation.streams, host.signals, question) ? Side::kNode : Side::kCluster;
  };
}

// Adopts the edits of this node and of the cluster's objects.
void Adopt(cli::Invocation& invocation, host::Host& host, const Output& output) {
  const cli::Parsed& flags = invocation.flags;
  const config_change::Decide decide = DecideBy(invocation, host, output);
  const NodeLock lock =
      LockToAct(invocation, host, {.say = [&](const std::string& line) { output.Line(line); }});
  Look look(flags, host);
  look.AwaitServer([&](const std::string& line) { output.Line(line); });
  const config_change::Gathered gathered = config_change::CollectNode(look.Sources());
  if (gathered.version != gathered.config.cluster.kubernetes_version) {
    throw base::Error(fmt::format("this node is not at the cluster's version {}: upgrade it first",
                                  gathered.version));
  }
  const config_change::Adoption adoption =
      config_change::Adopt(gathered.components, gathered.config.cluster, decide);
  SayAdoption(adoption, output);
  WorldBy(flags, host)->Do({.on_machine = [&] { Store(adoption, look, flags, host, output); }});
}

void Run(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  if (!invocation.flags.Text("side").empty() && !invocation.flags.Bool("adopt")) {
    throw base::Error(base::Error::Kind::kUsage, "--side can be used only with --adopt");
  }
  if (invocation.flags.Bool("adopt")) {
    Adopt(invocation, host, output);
  }
  Look look(invocation.flags, host);
  look.AwaitServer([&](const std::string& line) { output.Line(line); });
  const config_change::Drift drift = config_change::DriftOf(
      invocation.flags.Bool("all-nodes") ? config_change::CollectAll(look.Sources())
                                         : config_change::CollectNode(look.Sources()));
  output.Show(drift);
  if (config_change::HasEdits(drift)) {
    throw cli::Exit{kDrift};
  }
}

}  // namespace

cli::Command DriftCommand(host::Host& host) {
  cli::Command command =
      Documented("drift", "Show how this node differs from the cluster's configuration", "drift");
  command.beyond_upstream = true;
  command.flags = WithPrinter(LookFlags());
  command.flags.push_back({.name = "adopt",
                           .type = FlagType::kBool,
                           .help = "Turn the edits of this node into extraArgs, extraEnvs, "
                                   "extraVolumes or patches, which upgrades keep"});
  command.flags.push_back({.name = "all-nodes",
                           .type = FlagType::kBool,
                           .help = "Also compare the other nodes, by their objects in the API"});
  command.flags.push_back({.name = "dry-run",
                           .type = FlagType::kBool,
                           .help = "With --adopt: say what would be kept, and how"});
  command.flags.push_back({.name = "side",
                           .help = "With --adopt: the side that is right, \"node\" or \"cluster\", "
                                   "if the cluster's configuration also sets a value"});
  command.flags.push_back(LockTimeoutFlag(kRunPatience));
  command.run = [&host](cli::Invocation& invocation) { Run(invocation, host); };
  return command;
}

}  // namespace kubeadm
