#include "kubeadm/certs/certificate_key.h"

#include <ostream>

#include "base/strings.h"
#include "kubeadm/documented.h"

namespace kubeadm {
namespace {

constexpr std::size_t kKeyBytes = 32;  // of AES-256

}  // namespace

cli::Command CertificateKeyCommand(host::Host& host) {
  cli::Command command = Documented(
      "certificate-key", "Print a new key for the upload of certificates", "certs-certificate-key");
  command.run = [&host](cli::Invocation& invocation) {
    invocation.streams.out << base::HexEncode(host.random.Bytes(kKeyBytes)) << "\n";
  };
  return command;
}

}  // namespace kubeadm
