// SPDX-License-Identifier: Apache-2.0
// Common code of `certs renew` and `certs auto-renew run`.
#pragma once

#include <functional>

#include "cli/command.h"
#include "config/types.h"
#include "host/host.h"
#include "kubeadm/printed.h"
#include "renewal/metrics.h"
#include "renewal/run.h"
#include "workflow/reporter.h"

namespace kubeadm {

// Reads --if-expires-within (empty: no bound) and --restart. Throws base::Error(kInvalid) for a
// malformed time.
renewal::RunOptions RenewalOptions(const cli::Parsed& flags);

// One run of the command.
struct Renewal {
  config::Init config;
  bool config_is_default = false;  // the cluster's configuration could not be read
  bool config_is_given = false;    // renewal::RunContext::config_is_given
  renewal::Rows rows;
  renewal::RunOptions options;
  workflow::Reporter& reporter;  // renewal::RunContext::reporter
  // Receives the result of a run on the machine; may be empty.
  std::function<void(renewal::RunEnd end)> on_end = {};
};

// Renews certificates on this machine, under the node's lock. With --dry-run only plans the
// renewal. Throws the errors of renewal::Run.
renewal::RunResult RunRenewal(const cli::Invocation& invocation, host::Host& host,
                              const Output& output, const Renewal& renewal);

}  // namespace kubeadm
