// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/identity_server.h"

#include "inventories/query.h"
#include "machine_approver/connect.h"
#include "machine_approver/metrics_server.h"
#include "machine_identity/messages.h"

namespace machine_approver {

namespace {

proofs::Deps DepsOf(host::Host& host, const IdentityOptions& options, const cli::Parsed& flags,
                    controller::Controller& controller, const controller::Clusters& clusters) {
  proofs::Deps deps{
      .documents = {},
      .lists_endorsement_key = {},
      .connect_as = [&host, &flags](const json::Value& as) { return ConnectAs(host, flags, as); },
      .workload = *clusters.workload,
      .preview = [&controller](const std::string& name) { return controller.Preview(name); },
      // All replicas have the certificate's key, so they can check each other's challenges.
      .challenge_key =
          [&host, directory = options.cert_dir] { return FilesIdentity(host, directory).key_pem; },
      .clock = host.clock};
  if (!options.documents.empty()) {
    deps.documents = inventories::ExecDocumentQuery(host, options.documents, options.timeout);
  }
  if (options.tpm) {
    deps.lists_endorsement_key = [&controller](const std::string& key) {
      return controller.HasEndorsementKey(key);
    };
  }
  return deps;
}

}  // namespace

IdentityServer::IdentityServer(host::Host& host, const IdentityOptions& options,
                               const cli::Parsed& flags, controller::Controller& controller,
                               const controller::Clusters& clusters)
    : endpoint_(DepsOf(host, options, flags, controller, clusters)),
      server_({.clock = host.clock,
               .host = options.host,
               .port = options.port,
               .identity = [&host, directory =
                                       options.cert_dir] { return FilesIdentity(host, directory); },
               .largest_body = machine_identity::kLargestQuestion},
              [this](const http::ServerRequest& request) { return endpoint_.Answer(request); }) {}

}  // namespace machine_approver
