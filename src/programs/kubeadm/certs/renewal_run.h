// One run of renewal: what `certs renew` and `certs auto-renew run` do alike.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/duration.h"
#include "certs/renewal.h"
#include "config/types.h"
#include "host/host.h"
#include "json/value.h"
#include "kubeadm/certs/source.h"

namespace kubeadm {

using RenewableRows = std::vector<const certs::Renewable*>;

// ManagedRows are all rows but those of an external etcd.
RenewableRows ManagedRows(const config::ClusterConfiguration& cluster);

struct RenewalOptions {
  std::optional<base::Duration> within;  // only what expires within that time
  bool dry_run = false;
  bool restart = false;
};

// RenewedRow is what came of one row. No outcome: its certificate is valid long enough.
struct RenewedRow {
  const certs::Renewable* row = nullptr;
  std::optional<certs::RenewalOutcome> outcome;
  std::optional<std::chrono::sys_seconds> expires;  // of the certificate that is there now
};

struct RenewalResult {
  std::vector<RenewedRow> rows;
  std::vector<std::string> restarted;  // components
  bool dry_run = false;

  std::vector<std::string_view> RenewedNames() const;
};

// RunRenewal renews the rows that are due and, if asked for, restarts the static Pods that use
// them; when these do not serve, the old certificates are put back. `say` gets a line for each row
// and each step. Throws base::Error.
RenewalResult RunRenewal(const RenewableRows& rows, const config::Init& config,
                         const RenewalOptions& options, host::Host& host, const Say& say);

// ResultObject is a CertificateRenewal of output.slipway/v1alpha1.
json::Ordered ResultObject(const RenewalResult& result);

}  // namespace kubeadm
