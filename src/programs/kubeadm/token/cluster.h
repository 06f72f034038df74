// SPDX-License-Identifier: Apache-2.0
// Code that the commands of `kubeadm token` share: the connection to the cluster, and tokens from
// files.
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

// Returns the path of --kubeconfig if it is set, or else kubectl's path (kubeconfigs::UserPath).
host::fs::path TokenKubeconfigPath(const cli::Parsed& flags, const host::Host& host);

// The connection to the cluster of the kubeconfig.
struct TokenCluster {
  std::unique_ptr<steps::World> world;  // must outlive the client
  kube::Kubeconfig config;
  kube::Client client;
};
// Returns a substitute for an object that the cluster lacks (kube::DryRunOptions::canned). A dry
// run reads from the cluster, prints every other call, and changes nothing.
using Canned = std::function<std::optional<json::Value>(const kube::Call& call)>;
TokenCluster ConnectForTokens(cli::Invocation& invocation, host::Host& host,
                              const Canned& canned = {});

// Returns the flag --token-file.
cli::Flag TokenFileFlag();

// The arguments of a command. "-" is replaced by the words of standard input, and the words of
// --token-file are appended. `from_elsewhere` is true if an argument comes from standard input or
// from this file. Such arguments are secrets, so messages do not repeat them.
struct TokenWords {
  std::vector<std::string> words;
  bool from_elsewhere = false;
};
TokenWords ReadTokenWords(cli::Invocation& invocation, const host::Host& host);

}  // namespace kubeadm
