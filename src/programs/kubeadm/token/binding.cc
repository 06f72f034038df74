// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/token/binding.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/token.h"

namespace kubeadm {
namespace {

using base::Error;

[[noreturn]] void Wrong(const std::string& text) { throw Error(Error::Kind::kUsage, text); }

net::Cidr NetworkIn(const std::string& text) {
  const auto network = net::Cidr::Parse(text);
  if (!network) {
    Wrong(fmt::format("--cidr must be networks such as 10.0.0.0/24, is {}", base::Quoted(text)));
  }
  if (network->PrefixLength() == 0) {
    Wrong(fmt::format("--cidr: {} would allow every address; leave the flag out for that", text));
  }
  return *network;
}

// The limit allows the name as a key of a ConfigMap, where withdrawn nodes are stored.
constexpr std::size_t kMostName = 240;

}  // namespace

std::vector<cli::Flag> BindingFlags() {
  std::vector<cli::Flag> flags = {
      {.name = "cidr",
       .type = cli::FlagType::kList,
       .help = "With --node: the networks of the addresses that the node's serving certificates "
               "may have"},
      {.name = "node",
       .help = "The only node that may join with the token; needs 'init --node-bound-tokens'"},
      {.name = "once",
       .type = cli::FlagType::kBool,
       .help = "With --node: the token is good for one key of the node, and for no other later"}};
  for (cli::Flag& flag : flags) {
    flag.beyond_upstream = true;
  }
  return flags;
}

void CheckBindingFlags(const cli::Parsed& flags) {
  config::BootstrapToken token;
  BindByFlags(flags, token, {});
}

std::optional<node_identities::TokenBinding> BindByFlags(const cli::Parsed& flags,
                                                         config::BootstrapToken& token,
                                                         std::chrono::sys_seconds now) {
  if (!flags.Changed("node")) {
    if (flags.Changed("once") || flags.Changed("cidr")) {
      Wrong("--once and --cidr need --node NAME");
    }
    return std::nullopt;
  }
  if (flags.Changed("groups")) {
    Wrong("--node sets the group of bound tokens: leave --groups out");
  }
  node_identities::TokenBinding binding{.token_id = config::TokenId(token.token),
                                        .node = flags.Text("node"),
                                        .once = flags.Bool("once"),
                                        .cidrs = {},
                                        .created = now};
  if (!base::IsDns1123Subdomain(binding.node) || binding.node.size() > kMostName) {
    Wrong(fmt::format("--node must be the name of a node, is {}", base::Quoted(binding.node)));
  }
  for (const std::string& text : flags.List("cidr")) {
    binding.cidrs.push_back(NetworkIn(text));
  }
  token.groups = {std::string(node_identities::kBoundTokenGroup)};
  return binding;
}

}  // namespace kubeadm
