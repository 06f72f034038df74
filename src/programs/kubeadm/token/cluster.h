// SPDX-License-Identifier: Apache-2.0
// Shared by the commands of `kubeadm token`: the connection to the cluster, and tokens from files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "kube/client.h"
#include "steps/world.h"

namespace kubeadm {

// --kubeconfig if it was set, else kubectl's path (kubeconfigs::UserPath).
host::fs::path TokenKubeconfigPath(const cli::Parsed& flags, const host::Host& host);

// The cluster of that kubeconfig.
struct TokenCluster {
  std::unique_ptr<steps::World> world;  // must outlive the client
  kube::Kubeconfig config;
  kube::Client client;
};
// Answers a GET in a dry run without a cluster. A dry run only prints each call, and changes
// nothing.
using Canned = std::function<std::optional<json::Value>(const kube::Call& call)>;
TokenCluster ConnectForTokens(cli::Invocation& invocation, host::Host& host,
                              const Canned& canned = {});

// --token-file.
cli::Flag TokenFileFlag();

// The arguments. The words of standard input replace "-", and the words of --token-file follow.
// `from_elsewhere` is true if an argument came from standard input or from that file. Such
// arguments are secrets, so messages do not repeat them.
struct TokenWords {
  std::vector<std::string> words;
  bool from_elsewhere = false;
};
TokenWords ReadTokenWords(cli::Invocation& invocation, const host::Host& host);

}  // namespace kubeadm
