// SPDX-License-Identifier: Apache-2.0
// The configuration that the commands of `kubeadm certs` work by.
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

// CertsSourceFlags are --cert-dir, --config and --kubeconfig.
std::vector<cli::Flag> CertsSourceFlags();

// Announcer says which configuration it was, in lines that are led by `prefix` ("[renew]").
struct Announcer {
  const Output& output;
  std::string_view prefix;
  std::function<void()> on_defaults = {};  // called when the defaults are taken; may be empty
};

// LoadCertsConfig is stored_config::LoadOrDefault by these flags. A cluster that does not answer
// soon is asked again for `patience`.
config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, const Announcer& announcer,
                             std::chrono::milliseconds patience = {});
// LoadCertsConfigPatiently asks the cluster for so long, and tells only of trouble.
config::Init LoadCertsConfigPatiently(const cli::Parsed& flags, host::Host& host,
                                      std::chrono::milliseconds patience,
                                      const Announcer& announcer);
// RequireCertsConfig does so and never takes the defaults: throws base::Error instead.
config::Init RequireCertsConfig(const cli::Parsed& flags, host::Host& host,
                                std::chrono::milliseconds patience, const Announcer& announcer);

// IsNodeGiven returns true when --config names a file that has this node's address.
bool IsNodeGiven(const cli::Parsed& flags, const config::Init& config);

}  // namespace kubeadm
