// SPDX-License-Identifier: Apache-2.0
// Discovery: a joining node finds the cluster and verifies its identity (kubernetes.io/docs:
// "kubeadm join", "Discovering what cluster CA to trust"; reference: pki.md §10).
//
// By token: fetches ConfigMap cluster-info from a server that is not trusted yet. The signature of
// the ConfigMap proves its origin, because it needs the token's secret. With pinned CA
// certificates, cluster-info is fetched again over verified TLS.
// By file: reads a trusted kubeconfig, from a local file or an https URL.
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
  base::Duration timeout = std::chrono::minutes(5);  // of the whole discovery
  std::stop_token stop = {};
  // Requires credentials in the result. If not set, a discovery file needs no user.
  bool needs_credentials = true;
  // Receives a sentence each time the reason of the wait changes.
  base::ShowLine progress = {};
  // Runs the credential plugin of a discovery file's user on this node.
  kube::PluginHost plugins = {};
  Ask ask = HttpAsk;  // DryRunAsk (canned.h) in a dry run
};

// Discovers the cluster. Returns a self-contained kubeconfig with the cluster and the credentials
// to join. If a TLS bootstrap token is configured, it is the credential, as user
// tls-bootstrap-token-user of cluster "kubernetes". Otherwise the credentials are those of the
// discovery file.
//
// Retries transient failures until the timeout: a closed port, a busy server, a control plane that
// is being created. Permanent failures end the attempts: a mismatch of signature or pin, an unknown
// token, anonymous access refused, no Kubernetes API, incompatible TLS.
//
// Throws base::Error(kInvalid, kUnauthorized, kForbidden, kNotFound or kTimeout). The message
// contains the remedy, but not the token's secret. Throws base::Interrupted on a stop request.
kube::Kubeconfig Discover(host::Host& host, const Options& options);

}  // namespace discovery
