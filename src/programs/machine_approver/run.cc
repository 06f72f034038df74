// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <stop_token>

#include "base/log.h"
#include "controller/controller.h"
#include "machine_approver/commands.h"
#include "machine_approver/connect.h"
#include "machine_approver/identity_options.h"
#include "machine_approver/identity_server.h"
#include "machine_approver/metrics_server.h"
#include "machine_approver/options.h"

namespace machine_approver {
void RunController(host::Host& host, const cli::Parsed& flags) {
  const controller::Settings settings = ControllerSettings(host, flags);
  MetricsOptions metrics = MetricsOptionsOf(host, flags);
  const std::optional<IdentityOptions> identities = IdentityOptionsOf(flags, settings.inventories);
  if (identities) {
    metrics.identity_cert_dir = identities->cert_dir;
  }
  const controller::Clusters clusters = ConnectAll(host, flags);
  const std::stop_token stop = host.signals.Interrupt();  // before any other thread starts
  controller::Controller controller(settings, clusters, host);
  const MetricsServer server(host, metrics, controller, clusters);
  base::LogInfo(0, "metrics and health are served on port {}", server.port());
  std::optional<IdentityServer> endpoint;
  if (identities) {
    endpoint.emplace(host, *identities, flags, controller, clusters);
    base::LogInfo(0, "the endpoint for machines is served on port {}", endpoint->port());
  }
  controller.Run(stop);
}

}  // namespace machine_approver
