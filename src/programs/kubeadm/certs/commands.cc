#include "kubeadm/certs/commands.h"

#include "kubeadm/certs/auto_renew.h"
#include "kubeadm/certs/certificate_key.h"
#include "kubeadm/certs/expiration.h"
#include "kubeadm/certs/renew.h"
#include "kubeadm/certs/requests.h"
#include "kubeadm/certs/rotate_ca.h"
#include "kubeadm/documented.h"

namespace kubeadm {

cli::Command CertsCommand(host::Host& host) {
  cli::Command command =
      Documented("certs", "Commands for the certificates of a control-plane node", "certs");
  command.aliases = {"certificates"};
  command.run = cli::RequireSubcommand;
  command.children = [&host] {
    return std::vector<cli::Command>{
        AutoRenewCommand(host),   CertificateKeyCommand(host), CheckExpirationCommand(host),
        GenerateCsrCommand(host), RenewCommand(host),          RotateCaCommand(host),
    };
  };
  return command;
}

}  // namespace kubeadm
