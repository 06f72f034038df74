// Where commands about certificates get their configuration from.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "config/types.h"
#include "host/host.h"
#include "kube/client.h"

namespace kubeadm {

// CertsSourceFlags are --cert-dir, --config and --kubeconfig.
std::vector<cli::Flag> CertsSourceFlags();

// Say takes a line for the user.
using Say = std::function<void(const std::string& line)>;

// LoadCertsConfig reads --config; without it what the cluster keeps of its configuration, with
// --cert-dir in place of its folder; when that cannot be read, the defaults with --cert-dir
// (reference: pki.md §6). `say` gets the lines that tell which it was, each led by `prefix`
// ("[renew]"). No address is looked for: nothing here depends on it.
config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, std::string_view prefix,
                             const Say& say);

// ClientOf talks to the cluster of a kubeconfig file, trying again for `limit`.
kube::Client ClientOf(const host::fs::path& kubeconfig, const host::Host& host,
                      std::chrono::milliseconds limit);

}  // namespace kubeadm
