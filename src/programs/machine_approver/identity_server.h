// SPDX-License-Identifier: Apache-2.0
// The server of the endpoint for machines that prove their identity.
#pragma once

#include "cli/flags.h"
#include "controller/controller.h"
#include "host/host.h"
#include "http/server.h"
#include "machine_approver/identity_options.h"
#include "proofs/endpoint.h"

namespace machine_approver {

// Serves the endpoint (proofs/endpoint.h) by HTTPS during its lifetime. The host, the flags, the
// controller and the clusters must outlive it. Throws base::Error(kOther) if it cannot listen,
// kInvalid without a usable certificate, and the system error's kind if its files cannot be read.
class IdentityServer {
 public:
  IdentityServer(host::Host& host, const IdentityOptions& options, const cli::Parsed& flags,
                 controller::Controller& controller, const controller::Clusters& clusters);
  int port() const { return server_.port(); }

 private:
  proofs::Endpoint endpoint_;
  http::Server server_;  // last: its threads use the endpoint
};

}  // namespace machine_approver
