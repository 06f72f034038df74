// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <ostream>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "config/load.h"
#include "config/token.h"
#include "config/version.h"
#include "join_secrets/bound_tokens.h"
#include "join_secrets/join_command.h"
#include "join_secrets/tokens.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/token/binding.h"
#include "kubeadm/token/cluster.h"
#include "node_input/config_facts.h"
#include "node_input/load_config.h"

namespace kubeadm {
namespace {

using base::Error;

std::vector<cli::Flag> TokenFlags() {
  return {{.name = "certificate-key",
           .help = "With --print-join-command: print the command for a control-plane node, which "
                   "decrypts the uploaded certificates with this key"},
          CommonFlags({"config"}).front(),
          {.name = "description", .help = "A sentence for people on what the token is for"},
          {.name = "groups",
           .type = cli::FlagType::kList,
           .default_text = std::string(config::kDefaultTokenGroup),
           .help = "The groups of a user who logs in with the token"},
          Switch("print-join-command", "Print the whole command for the machine that is to join"),
          TokenFileFlag(),
          {.name = "ttl",
           .type = cli::FlagType::kDuration,
           .default_text = "24h0m0s",
           .help = "Lifetime of the token (1s, 2m, 3h); 0 means that it never expires"},
          {.name = "usages",
           .type = cli::FlagType::kList,
           .default_text = "signing,authentication",
           .help = "What the token is good for: signing, authentication or both"}};
}

std::vector<cli::Flag> Flags() { return Joined(BindingFlags(), TokenFlags()); }

// Returns the token on the command line, from standard input or from a file; "" if no token is
// given.
std::string GivenToken(cli::Invocation& invocation, const host::Host& host) {
  const TokenWords given = ReadTokenWords(invocation, host);
  if (given.words.empty() && given.from_elsewhere) {
    throw Error(Error::Kind::kUsage, "standard input or the file of --token-file holds no token");
  }
  if (given.words.empty() || given.words.front().empty()) {
    return "";
  }
  const std::string& token = given.words.front();
  if (!config::IsToken(token)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("the bootstrap token {}does not have the form "
                            "[a-z0-9]{{6}}.[a-z0-9]{{16}}",
                            given.from_elsewhere ? "" : base::Quoted(token) + " "));
  }
  return token;
}

config::BootstrapToken TokenOf(const cli::Parsed& flags, std::string given, host::Host& host) {
  config::BootstrapToken token{.token = std::move(given),
                               .description = flags.Text("description"),
                               .ttl = flags.Duration("ttl"),
                               .usages = flags.List("usages"),
                               .groups = flags.List("groups")};
  if (token.token.empty()) {
    token.token = config::NewToken([&](std::size_t count) { return host.random.Bytes(count); });
  }
  if (*token.ttl < base::Duration::zero()) {
    base::LogWarning("--ttl {} is negative: the token will never expire",
                     base::FormatDuration(*token.ttl));
  }
  return token;
}

config::InitConfiguration WhatToCreate(const cli::Parsed& flags, std::string given,
                                       host::Host& host) {
  const config::Facts facts = node_input::CollectFacts(host);
  constexpr auto kSocket = config::CriSocketChoice::kAssume;
  if (const std::string& path = flags.Text("config"); !path.empty()) {
    return config::LoadInit(node_input::ReadSource(host, path), facts, {.cri_socket = kSocket})
        .init;
  }
  config::Init config;
  config.init.bootstrap_tokens = {TokenOf(flags, std::move(given), host)};
  config.init.local_api_endpoint.advertise_address = node_input::kAnyAddress;
  config.cluster.kubernetes_version = std::string(config::kKubeadmVersion);
  return config::CompleteInit(std::move(config), facts, kSocket).init;
}

// Returns the retry policy with the limit of the configuration. The command retries, because an
// installer may run it while the control plane restarts.
kube::RetryPolicy Patience(const config::InitConfiguration& init) {
  return {.limit = std::chrono::duration_cast<std::chrono::milliseconds>(
              init.timeouts.value().kubernetes_api_call.value()),
          .grace = {},
          .waiting = [](const std::string& why) { base::LogWarning("{}", why); }};
}

std::string JoinCommand(const join_secrets::JoinTarget& target, const std::string& token,
                        const std::string& key) {
  return join_secrets::OnOneLine(key.empty()
                                     ? join_secrets::WorkerJoinCommand(target, token)
                                     : join_secrets::ControlPlaneJoinCommand(target, token, key));
}

void Create(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  config::RequireUnmixedArguments(flags.ChangedNames());
  CheckBindingFlags(flags);
  // Before the connection, to report typing errors without a cluster.
  std::string given = GivenToken(invocation, host);
  TokenCluster cluster = ConnectForTokens(invocation, host);
  config::InitConfiguration init = WhatToCreate(flags, std::move(given), host);
  const std::string& key = flags.Text("certificate-key");
  join_secrets::JoinTarget target;
  if (flags.Bool("print-join-command")) {  // before any change, because it may fail
    target =
        base::WithContext("the CA of the kubeconfig's cluster, whose hash a join command needs",
                          [&] { return join_secrets::JoinTargetOf(cluster.config); });
  }
  kube::Client client = cluster.client.With(Patience(init));
  const auto now = host.clock.NowSeconds();
  for (config::BootstrapToken& token : init.bootstrap_tokens) {
    if (const auto binding = BindByFlags(flags, token, now)) {
      join_secrets::CreateBoundToken(client, token, *binding, now);
    } else {
      join_secrets::PutToken(client, token, now, join_secrets::IfExists::kFail);
    }
  }
  if (!flags.Bool("print-join-command")) {
    // Reported after the creation, because scripts may rely on the token.
    if (!key.empty()) {
      throw Error(Error::Kind::kUsage,
                  "--certificate-key can be used only with --print-join-command; the token "
                  "was created");
    }
    invocation.streams.out << init.bootstrap_tokens.front().token << "\n";
    return;
  }
  invocation.streams.out << JoinCommand(target, init.bootstrap_tokens.front().token, key) << "\n";
}

}  // namespace

cli::Command TokenCreateCommand(host::Host& host) {
  return Made({.name = "create",
               .summary = "Create a token on the cluster",
               .text = "token-create",
               .flags = Flags(),
               .usage_args = "[token]",
               .max_args = cli::kAnyNumber,
               .run = Create},
              host);
}

}  // namespace kubeadm
