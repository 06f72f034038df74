// SPDX-License-Identifier: Apache-2.0
// The server for metrics and health.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "controller/controller.h"
#include "host/host.h"
#include "http/server.h"
#include "machine_approver/options.h"
#include "reports/scrape_access.h"

namespace machine_approver {

// Serves /metrics, /healthz and /readyz during its lifetime. With secure metrics it uses TLS, and
// serves /metrics only to authorized clients. Throws base::Error(kOther) if it cannot listen,
// kInvalid without a usable certificate.
class MetricsServer {
 public:
  MetricsServer(host::Host& host, const MetricsOptions& options, controller::Controller& controller,
                const controller::Clusters& clusters);
  int port() const { return server_->port(); }

 private:
  http::ServerReply Answer(const http::ServerRequest& request);

  host::Host& host_;
  controller::Controller& controller_;
  const std::optional<std::string> identity_cert_dir_;
  std::unique_ptr<reports::ScrapeAccess> access_;  // null: all clients may read
  std::unique_ptr<http::Server> server_;           // last member: its threads use the others
};

// Returns the present content of tls.crt and tls.key in a directory. Throws the errors of
// host::Files::Read.
http::ServerIdentity FilesIdentity(const host::Host& host, const std::string& directory);

// Returns the metric of the end of validity of tls.crt in a directory, in the text format of
// Prometheus; "" if the file has no readable certificate.
std::string ExpiryMetric(const host::Host& host, const std::string& directory);

// Returns a self-signed certificate for the names of this machine, valid for a year from `now`.
http::ServerIdentity NewIdentity(const std::string& hostname, std::chrono::sys_seconds now);

}  // namespace machine_approver
