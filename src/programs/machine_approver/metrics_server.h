// SPDX-License-Identifier: Apache-2.0
// The server for metrics and health.
#pragma once

#include <memory>

#include "controller/controller.h"
#include "host/host.h"
#include "http/server.h"
#include "machine_approver/options.h"
#include "reports/scrape_access.h"

namespace machine_approver {

// MetricsServer serves /metrics, /healthz and /readyz as long as it lives; with secure metrics by
// TLS, /metrics only to who may get it. Throws base::Error when it cannot listen, or has no
// certificate that can be used.
class MetricsServer {
 public:
  MetricsServer(host::Host& host, const MetricsOptions& options, controller::Controller& controller,
                const controller::Clusters& clusters);
  int port() const { return server_->port(); }

 private:
  http::ServerReply Answer(const http::ServerRequest& request);

  controller::Controller& controller_;
  std::unique_ptr<reports::ScrapeAccess> access_;  // null: everybody may read
  std::unique_ptr<http::Server> server_;           // last: its threads use the rest
};

// FilesIdentity is what tls.crt and tls.key in a directory hold by now. Throws base::Error.
http::ServerIdentity FilesIdentity(const host::Host& host, const std::string& directory);

// NewIdentity is a certificate that nobody vouches for, for the names of this machine: valid for a
// year from `now`.
http::ServerIdentity NewIdentity(const std::string& hostname, std::chrono::sys_seconds now);

}  // namespace machine_approver
