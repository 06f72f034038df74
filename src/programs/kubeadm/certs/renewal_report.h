// What `certs renew` and `certs auto-renew run` do and tell alike.
#pragma once

#include <string>

#include "host/host.h"
#include "json/value.h"
#include "kubeadm/certs/source.h"
#include "renewal/run.h"

namespace kubeadm {

// RunRenewal renews on this machine; `say` gets a line for each certificate and each step. Throws
// base::Error like renewal::Run.
renewal::RunResult RunRenewal(const renewal::Rows& rows, const config::Init& config,
                              const renewal::RunOptions& options, host::Host& host, const Say& say);

// RenewalLine tells what came of a row.
std::string RenewalLine(const renewal::RenewedRow& done, bool dry_run);

// RenewalSummary is one line for a log: what was done, and what expires first now.
std::string RenewalSummary(const renewal::RunResult& result);

// ResultObject is a CertificateRenewal of output.slipway/v1alpha1.
json::Ordered ResultObject(const renewal::RunResult& result);

}  // namespace kubeadm
