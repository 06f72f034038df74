// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm certs` and its read-only subcommands.
#include "kubeadm/commands.h"

#include <ostream>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "certs/expiration_report.h"
#include "certs/sharing.h"
#include "config/paths.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

void PrintCertificateKey(cli::Invocation& invocation, host::Host& host) {
  invocation.streams.out << certs::NewCertificateKey(host.random) << "\n";
}

// Warns of problems that need no repair. Throws base::Error for unreadable files.
void ReportProblems(const certs::Expirations& all) {
  for (const std::string& remark : certs::ProblemsOf(all, certs::ProblemKind::kRemarks)) {
    base::LogWarning("{}", remark);
  }
  const std::vector<std::string> errors = certs::ProblemsOf(all, certs::ProblemKind::kErrors);
  if (!errors.empty()) {
    throw base::Error(base::Error::Kind::kInvalid, base::Join(errors, "; "));
  }
}

void CheckExpiration(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const config::Init config =
      LoadCertsConfig(invocation.flags, host, {output, "[check-expiration]"});
  const auto now = host.clock.Now();
  const certs::ExpirationReport report{
      .all = certs::CollectExpirations({.files = host.files,
                                        .cluster = config.cluster,
                                        .kubeconfig_dir = config::kKubernetesDir,
                                        .start = std::chrono::floor<std::chrono::seconds>(now)}),
      .now = now};
  output.Show(report);
  ReportProblems(report.all);
}

}  // namespace

cli::Command CertsCommand(host::Host& host) {
  cli::Command command =
      Group("certs", "Commands for the certificates of a control-plane node", "certs", [&host] {
        return std::vector<cli::Command>{
            AutoRenewCommand(host),
            Made({.name = "certificate-key",
                  .summary = "Print a new key for the upload of certificates",
                  .text = "certs-certificate-key",
                  .run = PrintCertificateKey},
                 host),
            Made({.name = "check-expiration",
                  .summary = "Show when the certificates expire",
                  .text = "certs-check-expiration",
                  .flags = WithPrinter(CertsSourceFlags()),
                  .run = CheckExpiration},
                 host),
            GenerateCsrCommand(host),
            RenewCommand(host),
            RotateCaCommand(host)};
      });
  command.aliases = {"certificates"};
  return command;
}

}  // namespace kubeadm
