#include "kubeadm/certs/commands.h"

#include <ostream>

#include "certs/expiration_report.h"
#include "certs/sharing.h"
#include "config/paths.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"

namespace kubeadm {

cli::Command CertificateKeyCommand(host::Host& host) {
  cli::Command command = Documented(
      "certificate-key", "Print a new key for the upload of certificates", "certs-certificate-key");
  command.run = [&host](cli::Invocation& invocation) {
    invocation.streams.out << certs::NewCertificateKey(host.random) << "\n";
  };
  return command;
}

cli::Command CheckExpirationCommand(host::Host& host) {
  cli::Command command =
      Documented("check-expiration", "Show when the certificates expire", "certs-check-expiration");
  command.flags = WithPrinter(CertsSourceFlags());
  command.run = [&host](cli::Invocation& invocation) {
    const Output output(invocation, host);
    const config::Init config =
        LoadCertsConfig(invocation.flags, host, "[check-expiration]", output);
    const auto now = host.clock.Now();
    output.Show(certs::ExpirationReport{
        .all = certs::ListExpirations({.files = host.files,
                                       .cluster = config.cluster,
                                       .kubeconfig_dir = config::kKubernetesDir,
                                       .start = std::chrono::floor<std::chrono::seconds>(now)}),
        .now = now});
  };
  return command;
}

cli::Command CertsCommand(host::Host& host) {
  cli::Command command =
      Group("certs", "Commands for the certificates of a control-plane node", "certs", [&host] {
        return std::vector<cli::Command>{
            AutoRenewCommand(host),   CertificateKeyCommand(host), CheckExpirationCommand(host),
            GenerateCsrCommand(host), RenewCommand(host),          RotateCaCommand(host),
        };
      });
  command.aliases = {"certificates"};
  return command;
}

}  // namespace kubeadm
