// SPDX-License-Identifier: Apache-2.0
// The flags of the controller that `explain` does not have.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/error.h"
#include "base/strings.h"
#include "machine_approver/audit_file.h"
#include "machine_approver/identity_options.h"
#include "machine_approver/options.h"

namespace machine_approver {
namespace {

using base::Error;
using cli::Flag;
using cli::FlagType;

std::chrono::milliseconds Milliseconds(const cli::Parsed& flags, std::string_view name) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(flags.Duration(name));
}

std::vector<Flag> LeaderFlags() {
  return {{.name = "leader-elect",
           .type = FlagType::kBool,
           .default_text = "true",
           .help = "Approve only while holding the lease."},
          {.name = "leader-elect-lease-duration",
           .type = FlagType::kDuration,
           .default_text = "2m17s",
           .help = "How long others wait before they take over a lease that is not renewed."},
          {.name = "leader-elect-renew-deadline",
           .type = FlagType::kDuration,
           .default_text = "1m47s",
           .help = "How long to go on without having renewed the lease."},
          {.name = "leader-elect-retry-period",
           .type = FlagType::kDuration,
           .default_text = "26s",
           .help = "The pause between two tries to get or renew the lease."},
          {.name = "leader-elect-resource-name",
           .default_text = "cluster-machine-approver-leader",
           .help = "The name of the lease."}};
}

std::vector<Flag> MetricsFlags() {
  return {
      {.name = "metrics-bind-address",
       .help = "Where metrics and health are served. Overrides METRICS_BIND_ADDRESS and "
               "METRICS_PORT.",
       .value_name = "host:port"},
      {.name = "metrics-secure",
       .type = FlagType::kBool,
       .help =
           "Serve over HTTPS, and metrics only to clients whose bearer token the API server knows "
           "(TokenReview) and allows to get /metrics (SubjectAccessReview). Port 9192 then."},
      {.name = "metrics-cert-dir",
       .help =
           "The directory with tls.crt and tls.key for --metrics-secure; they may be replaced at "
           "any time. Without it the certificate is self-signed.",
       .value_name = "directory"}};
}

controller::LeaderSettings LeaderOf(const host::Host& host, const cli::Parsed& flags) {
  controller::LeaderSettings leader{
      .elect = flags.Bool("leader-elect"),
      .lease_duration = Milliseconds(flags, "leader-elect-lease-duration"),
      .renew_deadline = Milliseconds(flags, "leader-elect-renew-deadline"),
      .retry_period = Milliseconds(flags, "leader-elect-retry-period"),
      .name = flags.Text("leader-elect-resource-name"),
      .name_space = flags.Text("leader-elect-resource-namespace"),
      .identity =
          fmt::format("{}_{}", host.machine.Hostname(), base::HexEncode(host.random.Bytes(16)))};
  if (flags.Bool("shadow")) {
    if (flags.Changed("leader-elect") && leader.elect) {
      throw Error(Error::Kind::kUsage,
                  "--shadow writes nothing, so that it takes no lease: leave --leader-elect out");
    }
    leader.elect = false;
  }
  if (leader.elect && !base::IsDns1123Subdomain(leader.name)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--leader-elect-resource-name must be the name of a Lease, is {}",
                            base::Quoted(leader.name)));
  }
  if (leader.elect &&
      (leader.retry_period.count() <= 0 || leader.renew_deadline <= leader.retry_period ||
       leader.lease_duration <= leader.renew_deadline)) {
    throw Error(Error::Kind::kInvalid,
                "leader election needs retry period < renew deadline < lease duration");
  }
  return leader;
}

}  // namespace

std::vector<Flag> ControllerFlags() {
  std::vector<Flag> flags = WorldFlags();
  const auto add = [&](std::vector<Flag> more) {
    flags.insert(flags.end(), more.begin(), more.end());
  };
  add({{.name = "shadow",
        .type = FlagType::kBool,
        .help = "Judge requests that another approver decides, and report what this one would do "
                "(log, metrics). Writes nothing to the cluster: no approval, Event, Lease or "
                "ClusterOperator."},
       {.name = "audit-log",
        .help = "Append a line of JSON for each new verdict to this file, or to standard output.",
        .value_name = "file|-"},
       {.name = "disable-status-controller",
        .type = FlagType::kBool,
        .help = "Do not create or update the ClusterOperator machine-approver."},
       {.name = "max-concurrent-reconciles",
        .type = FlagType::kInt,
        .default_text = "8",
        .help = "How many requests are judged at the same time: 1 to 256; any other number counts "
                "as the nearer of these limits."}});
  add(LeaderFlags());
  add(MetricsFlags());
  add(IdentityFlags());
  return flags;
}

controller::Settings ControllerSettings(const host::Host& host, const cli::Parsed& flags) {
  controller::Settings settings = WorldSettings(host, flags);
  settings.shadow = flags.Bool("shadow");
  settings.keep_status = !settings.shadow && !flags.Bool("disable-status-controller");
  settings.release_version = host.environment.Get("RELEASE_VERSION");
  settings.workers = static_cast<std::size_t>(
      std::clamp<std::int64_t>(flags.Int("max-concurrent-reconciles"), 1, 256));
  settings.leader = LeaderOf(host, flags);
  settings.audit_sink = AuditSink(flags.Text("audit-log"));
  return settings;
}

}  // namespace machine_approver
