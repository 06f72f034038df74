// What `certs renew` and `certs auto-renew run` do alike.
#pragma once

#include <functional>
#include <string>

#include "cli/flags.h"
#include "renewal/run.h"

namespace kubeadm {

// RenewalOptions reads --dry-run, --if-expires-within (not set: no bound) and --restart. Throws
// base::Error for a time that is none.
renewal::RunOptions RenewalOptions(const cli::Parsed& flags);

// RunRenewal renews on this machine; `say` gets a line for each certificate and each step. Throws
// base::Error like renewal::Run.
renewal::RunResult RunRenewal(const renewal::Rows& rows, const config::Init& config,
                              const renewal::RunOptions& options, host::Host& host,
                              const std::function<void(const std::string& line)>& say);

}  // namespace kubeadm
