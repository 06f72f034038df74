// SPDX-License-Identifier: Apache-2.0
// The configuration for the commands of `kubeadm certs`.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "config/types.h"
#include "host/host.h"
#include "kubeadm/printed.h"

namespace kubeadm {

// Returns --cert-dir, --config and --kubeconfig.
std::vector<cli::Flag> CertsSourceFlags();

// Logs the source of the configuration, in lines that begin with `prefix` ("[renew]").
struct Announcer {
  const Output& output;
  std::string_view prefix;
  std::function<void()> on_defaults = {};  // called if the defaults are used; may be empty
};

// Calls stored_config::LoadOrDefault with the values of these flags. If the cluster does not
// answer, retries for the time `patience`.
config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, const Announcer& announcer,
                             std::chrono::milliseconds patience = {});
// Calls LoadOrDefault like LoadCertsConfig, but logs only failures, not the source of the
// configuration.
config::Init LoadCertsConfigPatiently(const cli::Parsed& flags, host::Host& host,
                                      std::chrono::milliseconds patience,
                                      const Announcer& announcer);
// Like LoadCertsConfigPatiently, but never returns the defaults: if the configuration cannot be
// loaded, throws the error of the failure.
config::Init RequireCertsConfig(const cli::Parsed& flags, host::Host& host,
                                std::chrono::milliseconds patience, const Announcer& announcer);

// Returns whether --config names a file that sets this node's address.
bool IsNodeGiven(const cli::Parsed& flags, const config::Init& config);

}  // namespace kubeadm
