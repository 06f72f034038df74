// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "ca_rotation/rotation.h"
#include "certs/sharing.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/operation_command.h"
#include "kubeadm/printed.h"
#include "kubeadm/reported_run.h"

namespace kubeadm {
namespace {

using ca_rotation::Authority;

// Returns the step that --step names; std::nullopt without --step. Throws base::Error(kUsage) for
// an unknown name.
std::optional<ca_rotation::Step> StepBy(const cli::Parsed& flags) {
  const std::string& name = flags.Text("step");
  if (name.empty()) {
    return std::nullopt;
  }
  const auto step = ca_rotation::ParseStep(name);
  if (!step) {
    throw base::Error(
        base::Error::Kind::kUsage,
        fmt::format("--step: {} is none of trust, reissue and drop", base::Quoted(name)));
  }
  return step;
}

ca_rotation::Wanted WantedBy(const cli::Parsed& flags) {
  ca_rotation::Wanted wanted{.options = {.again = flags.Bool("again"),
                                         .early = flags.Bool("early"),
                                         .leave_behind = flags.List("leave-behind")},
                             .upload_certs = flags.Bool("upload-certs"),
                             .certificate_key = flags.Text("certificate-key"),
                             .step = StepBy(flags)};
  if (!wanted.certificate_key.empty()) {
    base::WithContext("--certificate-key",
                      [&] { certs::ParseCertificateKey(wanted.certificate_key); });
  }
  return wanted;
}

// The receivers of a run's output.
struct Reports {
  const Output& output;
  workflow::Reporter& reporter;
};

// Returns the inputs of OpenNode. The configuration never falls back to the defaults, which would
// lead to certificates with the names and paths of another cluster.
ca_rotation::Opening OpeningBy(const cli::Parsed& flags, const Authority& authority,
                               host::Host& host, const Reports& reports) {
  return {
      .host = host,
      .authority = authority,
      .reporter = reports.reporter,
      .kubeconfig = flags.Text("kubeconfig"),
      .certs_dir = flags.Text("cert-dir"),
      .load_config = [&flags, &host, &output = reports.output](std::chrono::milliseconds patience) {
        return RequireCertsConfig(flags, host, patience, {output, "[rotate-ca]"});
      }};
}

void RotateNode(cli::Invocation& invocation, const ca_rotation::Opening& opening,
                const ca_rotation::Wanted& wanted, const Output& output) {
  host::Host& host = opening.host;
  ca_rotation::Node node = ca_rotation::OpenNode(opening, ca_rotation::Patience::kRestart);
  const NodeLock lock =
      LockNode(invocation, host, {.say = [&](const std::string& line) { output.Line(line); }});
  node.stop = host.signals.Interrupt();
  node.say = [&](const std::string& line) { node.reporter.Message("[rotate-ca] " + line); };
  node.remedy = RemedyFor({});
  const ca_rotation::Report report = ca_rotation::Rotate(node, wanted);
  if (!output.IsText() || report.decision.kind == ca_rotation::Decision::Kind::kFinished) {
    output.Show(report);
  }
}

void Rotate(cli::Invocation& invocation, host::Host& host, const Authority& authority) {
  const Output output(invocation, host);
  const ca_rotation::Wanted wanted = WantedBy(invocation.flags);
  ReportRunTo(output, invocation, host, [&](workflow::Reporter& reporter) {
    const ca_rotation::Opening opening =
        OpeningBy(invocation.flags, authority, host, {output, reporter});
    const auto look = [&] {
      output.Show(ca_rotation::CollectReport(
          ca_rotation::OpenNode(opening, ca_rotation::Patience::kOneTry), wanted.options));
    };
    WorldBy(invocation.flags, host)
        ->Do({.on_machine = [&] { RotateNode(invocation, opening, wanted, output); },
              .in_dry_run = look});
  });
}

std::vector<cli::Flag> RotateFlags() {
  return Joined(
      Joined(CertsSourceFlags(), ResultFlags(kRunPatience)),
      {Switch("again", "Begin one more rotation after one that is complete"),
       {.name = "certificate-key",
        .help = "The key that --upload-certs printed where the rotation began; with "
                "--upload-certs, the key to use"},
       Switch("early", "Drop the old key of tokens although some may still be in use"),
       {.name = "leave-behind",
        .type = cli::FlagType::kList,
        .help = "A node that no step waits for, and that loses the cluster; may be repeated",
        .value_name = "node"},
       {.name = "step", .help = "Do only this step (trust, reissue, drop), unless it is done"},
       Switch("upload-certs",
              "Store the new authority, encrypted, for the other nodes of the control plane")});
}

}  // namespace

cli::Command RotateCaCommand(host::Host& host) {
  constexpr const char* kPage = "certs-rotate-ca";
  cli::Command group =
      Group("rotate-ca", "Replace a certificate authority step by step", kPage, [&host] {
        std::vector<Leaf> leaves;
        for (const Authority& authority : ca_rotation::Authorities()) {
          leaves.push_back({.name = std::string(authority.name),
                            .summary = fmt::format("Replace the {}", authority.long_name),
                            .text = kPage,
                            .flags = RotateFlags(),
                            .run = [&authority](cli::Invocation& invocation, host::Host& machine) {
                              Rotate(invocation, machine, authority);
                            }});
        }
        return Made(std::move(leaves), host);
      });
  group.beyond_upstream = true;
  return group;
}

}  // namespace kubeadm
