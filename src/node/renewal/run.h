// SPDX-License-Identifier: Apache-2.0
// One run of renewal: the certificates that are due are renewed, and the static Pods that use them
// restarted.
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
#include "base/show_line.h"
#include "certs/renewal.h"
#include "config/types.h"
#include "cri/runtime.h"
#include "host/host.h"

namespace renewal {

// Rows are certificates to renew, of the table certs::Renewables.
using Rows = std::vector<const certs::Renewable*>;

// ManagedRows are all rows but those of an external etcd.
Rows ManagedRows(const config::ClusterConfiguration& cluster);

// RunOptions are what the user asks of one run.
struct RunOptions {
  std::optional<base::Duration> within;  // only what expires within that time
  bool restart = false;                  // restart the static Pods that use what was renewed
};

// RenewedRow is what came of one row. No outcome: its certificate is valid long enough.
struct RenewedRow {
  const certs::Renewable* row = nullptr;
  std::optional<certs::RenewalOutcome> outcome;
  std::optional<std::chrono::sys_seconds> expires;  // of the certificate that is there now
};

// ReportWords tell what was done, or what a plan says would be. The texts are
// literals.
struct ReportWords {
  bool planned;
  std::string_view renewed;              // within a sentence
  std::string_view ran, wrote, removed;  // at the beginning of one
  std::size_t shown_of_file;             // how many bytes of what is written
  bool operator==(const ReportWords&) const = default;

  static const ReportWords kDone;
  static const ReportWords kPlanned;
};
inline constexpr ReportWords ReportWords::kDone{.planned = false,
                                                .renewed = "renewed",
                                                .ran = "Ran",
                                                .wrote = "Wrote",
                                                .removed = "Removed",
                                                .shown_of_file = 0};
inline constexpr ReportWords ReportWords::kPlanned{.planned = true,
                                                   .renewed = "would be renewed",
                                                   .ran = "Would run",
                                                   .wrote = "Would write",
                                                   .removed = "Would remove",
                                                   .shown_of_file = std::string_view::npos};

// RunResult of a plan is what would come of it.
struct RunResult {
  std::vector<RenewedRow> rows;
  std::vector<std::string> restarted;  // components
  bool restart_is_left = false;        // somebody else has to restart who uses what was renewed
  ReportWords words = ReportWords::kDone;

  std::vector<std::string_view> RenewedNames() const;
  // FirstToExpire is the row whose certificate expires first; null when none exists.
  const RenewedRow* FirstToExpire() const;
};

// RunContext is the node of a run, and who watches. References outlive the run.
struct RunContext {
  host::Host& host;
  // Its node's name and address count only if it is given, and the node's own files say neither.
  const config::Init& config;
  bool config_is_default = false;  // the cluster's could not be read: no names are taken from it
  bool config_is_given = false;    // by the user's file, which has the node's address
  // Connects to the node's container runtime; called when static Pods are to be restarted.
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime = {};
  // Throws where this node's kubelet, which starts what is restarted, does not run. Called before
  // anything is renewed; may be empty.
  std::function<void()> require_kubelet = {};
  // Why this node's etcd must not restart now, asked before anything is renewed; may be empty.
  std::function<std::optional<std::string>()> etcd_restart_problem = {};
  std::stop_token stop = {};
  // Gets a line when a row is done, and at each step of a restart; may be empty.
  base::ShowLine say = {};
};

// Run renews the rows that are due and, if asked for, restarts the static Pods that use them; when
// these do not serve, the old certificates are put back, unless one of them had expired. What a
// killed run left of a pair is finished first. Throws base::Error naming the certificate that
// cannot be renewed, or the component that does not serve; before anything is changed, kUnavailable
// when etcd must not restart, and what require_kubelet throws.
RunResult Run(const Rows& rows, const RunOptions& options, const RunContext& context);

// Plan is what Run would do, and throws what Run would throw of the certificates; it changes
// nothing.
RunResult Plan(const Rows& rows, const RunOptions& options, const RunContext& context);

}  // namespace renewal
