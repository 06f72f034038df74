// SPDX-License-Identifier: Apache-2.0
// The configuration that the commands of `kubeadm certs` work by.
#pragma once

#include <string_view>
#include <vector>

#include "cli/command.h"
#include "config/types.h"
#include "host/host.h"
#include "kubeadm/printed.h"

namespace kubeadm {

// CertsSourceFlags are --cert-dir, --config and --kubeconfig.
std::vector<cli::Flag> CertsSourceFlags();

// LoadCertsConfig is stored_config::LoadOrDefault by these flags.
config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host);
// The same; `output` gets the lines that tell which it was, each led by `prefix` ("[renew]").
config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, std::string_view prefix,
                             const Output& output);

}  // namespace kubeadm
