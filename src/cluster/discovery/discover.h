// SPDX-License-Identifier: Apache-2.0
// Discovery: how a joining machine finds a cluster and comes to trust it (kubernetes.io/docs:
// "kubeadm join", "Discovering what cluster CA to trust"; reference: pki.md §10).
//
// By token: the cluster's public information (ConfigMap cluster-info) is fetched from a server that
// is not trusted yet; a signature made with the token's secret shows that it is the cluster's, and
// with pinned CA certificates it is fetched again over a connection which one of them vouches for.
// By file: a kubeconfig, local or from an https URL, says whom to trust.
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
  // Gets a sentence whenever discovery begins to wait for something else than before.
  base::ShowLine progress = {};
  // Runs the program by which the user of a discovery file on this machine logs in.
  kube::PluginHost plugins = {};
  Ask ask = HttpAsk;  // a dry run puts DryRunAsk (canned.h) here
};

// Discover returns a kubeconfig, all data embedded, that leads to the cluster with the credentials
// to join by: the TLS bootstrap token where there is one (user tls-bootstrap-token-user of cluster
// "kubernetes"), else those of the discovery file.
//
// What may pass (nobody listens yet, a busy server, a control plane that is just being made) is
// tried again until the timeout; what will not is thrown at once: a signature or pin that does not
// fit, a token the cluster does not know, no way in for anonymous callers, no Kubernetes API, TLS
// that cannot work. Throws base::Error with what to do about it, never with the token's secret:
// kInvalid, kUnauthorized, kForbidden, kNotFound, kTimeout, kCancelled.
kube::Kubeconfig Discover(host::Host& host, const Options& options);

}  // namespace discovery
