#include "kubeadm/certs_commands.h"

#include "kubeadm/certificate_key_command.h"
#include "kubeadm/certs_auto_renew.h"
#include "kubeadm/certs_expiration.h"
#include "kubeadm/certs_renew.h"
#include "kubeadm/certs_requests.h"
#include "kubeadm/certs_rotate_ca.h"
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
