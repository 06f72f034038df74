// The commands of `kubeadm certs`, and what they share. `host` outlives them.
#pragma once

#include <string_view>
#include <vector>

#include "cli/command.h"
#include "config/types.h"
#include "host/host.h"
#include "kubeadm/printed.h"

namespace kubeadm {

cli::Command AutoRenewCommand(host::Host& host);
cli::Command CertificateKeyCommand(host::Host& host);
cli::Command CheckExpirationCommand(host::Host& host);
cli::Command GenerateCsrCommand(host::Host& host);
cli::Command RenewCommand(host::Host& host);
cli::Command RotateCaCommand(host::Host& host);

// CertsSourceFlags are --cert-dir, --config and --kubeconfig.
std::vector<cli::Flag> CertsSourceFlags();

// LoadCertsConfig reads --config; without it what the cluster keeps of its configuration, with
// --cert-dir in place of its directory; when that cannot be read, the defaults with --cert-dir
// (reference: pki.md §6). No address is looked for: nothing here depends on it.
config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host);
// The same; `output` gets the lines that tell which it was, each led by `prefix` ("[renew]").
config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, std::string_view prefix,
                             const Output& output);

}  // namespace kubeadm
