// SPDX-License-Identifier: Apache-2.0
// Discovery: how a joining machine finds a cluster and verifies it (kubernetes.io/docs:
// "kubeadm join", "Discovering what cluster CA to trust"; reference: pki.md §10).
//
// By token: the cluster's public information (ConfigMap cluster-info) is fetched from a server that
// is not trusted yet. A signature made with the token's secret shows that it is the cluster's. With
// pinned CA certificates it is fetched again over a connection verified with one of them.
// By file: a trusted kubeconfig, local or from an https URL.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/duration.h"
#include "base/show_line.h"
#include "config/types.h"
#include "discovery/ask.h"
#include "host/host.h"
#include "kube/exec_plugin.h"
#include "kube/kubeconfig.h"

namespace discovery {

// Options of Discover.
struct Options {
  const config::JoinConfiguration& config;
  base::Duration timeout = std::chrono::minutes(5);  // for all of it
  std::stop_token stop = {};
  // Receives a sentence whenever discovery begins to wait for something else than before.
  base::ShowLine progress = {};
  // Runs the login plugin of a discovery file's user on this machine.
  kube::PluginHost plugins = {};
  Ask ask = HttpAsk;  // a dry run puts DryRunAsk (canned.h) here
};

// Discover returns a kubeconfig, all data embedded, with the cluster and the credentials to join:
// the TLS bootstrap token if there is one (user tls-bootstrap-token-user of cluster "kubernetes"),
// else those of the discovery file.
//
// Transient failures (a closed port, a busy server, a control plane that is just being created) are
// retried until the timeout. Permanent ones are thrown at once: a signature or pin that does not
// match, an unknown token, no access for anonymous callers, no Kubernetes API, impossible TLS.
// Throws base::Error with the remedy, never with the token's secret: kInvalid, kUnauthorized,
// kForbidden, kNotFound, kTimeout, base::Interrupted.
kube::Kubeconfig Discover(host::Host& host, const Options& options);

}  // namespace discovery
