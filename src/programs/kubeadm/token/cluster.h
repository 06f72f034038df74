// SPDX-License-Identifier: Apache-2.0
// What the commands of `kubeadm token` share: the cluster they talk to, and tokens that are given
// by file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "kube/client.h"
#include "world/world.h"

namespace kubeadm {

// TokenKubeconfigPath is --kubeconfig when it was set, else where kubectl looks
// (kubeconfigs::UserPath).
host::fs::path TokenKubeconfigPath(const cli::Parsed& flags, const host::Host& host);

// TokenCluster is the cluster of that kubeconfig.
struct TokenCluster {
  std::unique_ptr<world::World> world;  // outlives the client
  kube::Kubeconfig config;
  kube::Client client;
};
// In a dry run nothing is changed and each call is printed; `canned` answers a GET that no cluster
// does.
using Canned = std::function<std::optional<json::Value>(const kube::Call& call)>;
TokenCluster ConnectForTokens(cli::Invocation& invocation, host::Host& host,
                              const Canned& canned = {});

// TokenFileFlag is --token-file.
cli::Flag TokenFileFlag();

// TokenWords are the arguments, with the words of standard input in the place of "-", and those of
// --token-file behind them. `from_elsewhere` tells whether any came that way: secrets that are not
// repeated in messages.
struct TokenWords {
  std::vector<std::string> words;
  bool from_elsewhere = false;
};
TokenWords ReadTokenWords(cli::Invocation& invocation, const host::Host& host);

}  // namespace kubeadm
