// SPDX-License-Identifier: Apache-2.0
// One run of renewal: due certificates are renewed, and the static Pods that use them restarted.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "certs/renewal.h"
#include "config/types.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "workflow/reporter.h"

namespace renewal {

// Certificates to renew, of the table certs::Renewables.
using Rows = std::vector<const certs::Renewable*>;

// Returns all rows except those of an external etcd.
Rows ManagedRows(const config::ClusterConfiguration& cluster);

// The user's options for one run.
struct RunOptions {
  std::optional<base::Duration> within;  // only certificates that expire within that time
  bool restart = false;                  // restart the static Pods that use renewed ones
};

// The result of one row. No outcome: its certificate is valid long enough.
struct RenewedRow {
  const certs::Renewable* row = nullptr;
  std::optional<certs::RenewalOutcome> outcome;
  std::optional<std::chrono::sys_seconds> expires;  // of the present certificate
};

// The result of a run, or the expected one of a plan.
struct RunResult {
  std::vector<RenewedRow> rows;
  std::vector<std::string> restarted;  // components
  bool restart_is_left = false;        // the user must restart the components
  bool planned = false;                // nothing was changed

  std::vector<std::string_view> RenewedNames() const;
  // Returns the row whose certificate expires first; nullptr if none exists.
  const RenewedRow* FirstToExpire() const;
};

// Inputs of one renewal run and its reporter. References must outlive the run.
struct RunContext {
  host::Host& host;
  // Receives the phases of Run, "renew" and "restart", a line for each row when it is done, and the
  // progress of a restart. Plan has no phases.
  workflow::Reporter& reporter;
  // The configuration. Its node name and address are used only if `config_is_given` is set and the
  // node's own files have neither.
  const config::Init& config;
  // True: the stored configuration was unreadable, and `config` has the defaults. Names from
  // `config` are not used.
  bool config_is_default = false;
  // True: `config` is from the user's file, which has the node's address.
  bool config_is_given = false;
  // Connects to the node's container runtime; called before static Pods are restarted.
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime = {};
  // Throws base::Error, of any kind, if this node's kubelet does not run, because only a running
  // kubelet starts stopped Pods. Called before any renewal; may be empty.
  std::function<void()> require_kubelet = {};
  // Returns why this node's etcd must not restart now. Called before any renewal; may be empty.
  std::function<std::optional<std::string>()> etcd_restart_problem = {};
  // Returns why a kubelet of the cluster could not use keys of the configured algorithm. Called
  // before any renewal that changes the algorithm of a key that kubelets verify; may be empty.
  std::function<std::optional<std::string>()> kubelet_key_problem = {};
  std::stop_token stop = {};
};

// Renews the due rows and, with `restart`, restarts the static Pods that use them. If these Pods do
// not serve, restores the old certificates, unless one of the old certificates had expired. Also
// completes an earlier run that was killed: its pair of key and certificate and, with `restart`,
// its restarts (pending_restart.h). Throws base::Error naming the component that does not serve:
// kTimeout, or kOther after the old certificates were restored. Throws the errors of certs::Renew,
// naming the certificate that cannot be renewed. If several certificates were due, the error also
// names the renewed and the remaining ones. Before any change it throws kUnavailable if etcd must
// not restart, kInvalid for a kubelet_key_problem, and the errors of require_kubelet.
RunResult Run(const Rows& rows, const RunOptions& options, const RunContext& context);

// Returns the result that Run would return, and throws the certificate errors that Run would throw.
// Changes nothing.
RunResult Plan(const Rows& rows, const RunOptions& options, const RunContext& context);

}  // namespace renewal
