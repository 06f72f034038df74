#include <fmt/core.h>

#include "base/error.h"
#include "ca_rotation/rotation.h"
#include "certs/sharing.h"
#include "kubeadm/certs/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"

namespace kubeadm {
namespace {

using ca_rotation::Authority;
using cli::FlagType;

ca_rotation::Wanted WantedBy(const cli::Parsed& flags) {
  ca_rotation::Wanted wanted{.wishes = {.again = flags.Bool("again"), .early = flags.Bool("early")},
                             .upload_certs = flags.Bool("upload-certs"),
                             .certificate_key = flags.Text("certificate-key")};
  if (!wanted.certificate_key.empty()) {
    base::WithContext("--certificate-key",
                      [&] { certs::ParseCertificateKey(wanted.certificate_key); });
  }
  return wanted;
}

ca_rotation::Opening OpeningBy(const cli::Parsed& flags, const Authority& authority,
                               host::Host& host) {
  return {.host = host,
          .authority = authority,
          .kubeconfig = flags.Text("kubeconfig"),
          .certs_dir = flags.Text("cert-dir"),
          .load_config = [&flags, &host] { return LoadCertsConfig(flags, host); }};
}

void Rotate(cli::Invocation& invocation, host::Host& host, const Authority& authority) {
  const Output output(invocation, host);
  const ca_rotation::Wanted wanted = WantedBy(invocation.flags);
  const ca_rotation::Opening opening = OpeningBy(invocation.flags, authority, host);
  if (invocation.flags.Bool("dry-run")) {
    output.Show(ca_rotation::Look(ca_rotation::OpenNode(opening, ca_rotation::Patience::kOneTry),
                                  wanted.wishes));
    return;
  }
  ca_rotation::Node node = ca_rotation::OpenNode(opening, ca_rotation::Patience::kRestart);
  const NodeLock lock =
      LockNode(invocation, host, {.say = [&](const std::string& line) { output.Line(line); }});
  node.stop = host.signals.Interrupt();
  node.say = [&](const std::string& line) { output.Line("[rotate-ca] " + line); };
  const ca_rotation::Report report = ca_rotation::Rotate(node, wanted);
  if (!output.IsText()) {
    output.Show(report);
  } else if (report.decision.kind == ca_rotation::Decision::Kind::kFinished) {
    output.Line(TextOf(report));
  }
}

std::vector<cli::Flag> RotateFlags() {
  std::vector<cli::Flag> flags = WithPrinter(CertsSourceFlags());
  flags.push_back({.name = "again",
                   .type = FlagType::kBool,
                   .help = "Begin one more rotation after one that is complete"});
  flags.push_back({.name = "certificate-key",
                   .help = "The key that --upload-certs printed where the rotation began"});
  flags.push_back({.name = "dry-run",
                   .type = FlagType::kBool,
                   .help = "Show who trusts and signs what, and what would be done next"});
  flags.push_back({.name = "early",
                   .type = FlagType::kBool,
                   .help = "Drop the old key of tokens although some may still be in use"});
  flags.push_back(LockTimeoutFlag(kRunPatience));
  flags.push_back({.name = "upload-certs",
                   .type = FlagType::kBool,
                   .help = "Store the new authority, encrypted, for the other nodes of the control "
                           "plane"});
  return flags;
}

}  // namespace

cli::Command RotateCaCommand(host::Host& host) {
  cli::Command group = Group(
      "rotate-ca", "Replace a certificate authority step by step", "certs-rotate-ca", [&host] {
        std::vector<cli::Command> commands;
        for (const Authority& authority : ca_rotation::Authorities()) {
          cli::Command command =
              Documented(std::string(authority.name),
                         fmt::format("Replace the {}", authority.long_name), "certs-rotate-ca");
          command.flags = RotateFlags();
          command.run = [&host, &authority](cli::Invocation& invocation) {
            Rotate(invocation, host, authority);
          };
          commands.push_back(std::move(command));
        }
        return commands;
      });
  group.beyond_upstream = true;
  return group;
}

}  // namespace kubeadm
