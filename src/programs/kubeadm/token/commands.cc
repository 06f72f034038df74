// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/commands.h"

#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/terminal.h"
#include "config/token.h"
#include "join_secrets/bound_tokens.h"
#include "join_secrets/listing.h"
#include "join_secrets/tokens.h"
#include "json/value.h"
#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubeadm/token/cluster.h"
#include "node_identities/cluster.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::string_view kForm =
    "\"[a-z0-9]{6}.[a-z0-9]{16}\" of a token nor \"[a-z0-9]{6}\" of its id";

void Generate(cli::Invocation& invocation, host::Host& host) {
  invocation.streams.out << config::NewToken([&](std::size_t count) {
    return host.random.Bytes(count);
  }) << "\n";
}

// Returns a Secret for any token. A dry run assumes that a token exists, even if the cluster lacks
// it.
std::optional<json::Value> AnyToken(const kube::Call& call) {
  return json::Value{{"apiVersion", "v1"},
                     {"kind", "Secret"},
                     {"metadata", {{"name", call.name}, {"namespace", call.name_space}}}};
}

void Delete(cli::Invocation& invocation, host::Host& host) {
  const TokenWords given = ReadTokenWords(invocation, host);
  if (given.words.empty()) {
    throw Error(Error::Kind::kUsage,
                "missing argument: name the tokens to delete, each in whole or by its id");
  }
  TokenCluster cluster = ConnectForTokens(invocation, host, AnyToken);
  for (const std::string& word : given.words) {
    if (!config::IsToken(word) && !config::IsTokenId(word)) {  // not shown: it may contain a secret
      throw Error(Error::Kind::kUsage,
                  fmt::format("a given token has neither the pattern {}", kForm));
    }
    const std::string id = config::TokenId(word);
    base::WithContext(fmt::format("cannot delete bootstrap token \"{}\"", id), [&] {
      join_secrets::DeleteToken(cluster.client, id);
      if (!invocation.flags.Bool("dry-run")) {  // upstream's dry run shows only the first request
        join_secrets::RemoveBinding(cluster.client, id);
      }
    });
    invocation.streams.out << fmt::format("bootstrap token \"{}\" deleted\n", id);
  }
}

// Returns the bindings of tokens; an empty result if the user may not read them.
node_identities::Identities KnownIdentities(kube::Client& client) {
  try {
    return node_identities::FetchIdentities(client);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
    return {};
  }
}

void List(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  TokenCluster cluster = ConnectForTokens(invocation, host);
  std::vector<config::BootstrapToken> found;
  for (const join_secrets::ListedToken& listed : join_secrets::ListTokens(cluster.client)) {
    if (const auto* broken = std::get_if<join_secrets::BrokenToken>(&listed)) {
      invocation.streams.err << base::Visible(broken->problem) << "\n";
    } else {
      found.push_back(std::get<config::BootstrapToken>(listed));
    }
  }
  if (printer.IsText()) {
    invocation.streams.out << join_secrets::TokenTable(found, host.clock.NowSeconds());
    return;
  }
  const node_identities::Identities identities = KnownIdentities(cluster.client);
  for (const config::BootstrapToken& token : found) {
    const auto* binding = identities.FindBinding(config::TokenId(token.token));
    invocation.streams.out << cli::Exact{printer.Print(join_secrets::TokenObject(token, binding))};
  }
}

}  // namespace

cli::Command TokenCommand(host::Host& host) {
  cli::Command command = Group("token", "Commands for bootstrap tokens", "token", [&host] {
    std::vector<cli::Command> commands{TokenCreateCommand(host)};
    std::ranges::move(Made({{.name = "delete",
                             .summary = "Delete tokens from the cluster",
                             .text = "token-delete",
                             .flags = {TokenFileFlag()},
                             .usage_args = "[token-value] ...",
                             .max_args = cli::kAnyNumber,
                             .run = Delete},
                            {.name = "generate",
                             .summary = "Print a new token",
                             .text = "token-generate",
                             .run = Generate},
                            {.name = "list",
                             .summary = "List the tokens of the cluster",
                             .text = "token-list",
                             .flags = PrinterFlags(),
                             .run = List}},
                           host),
                      std::back_inserter(commands));
    return commands;
  });
  command.flags = Joined(CommonFlags({"dry-run"}),
                         {{.name = "kubeconfig",
                           .default_text = "/etc/kubernetes/admin.conf",
                           .help = "The kubeconfig file to talk to the cluster with; by default "
                                   "that of KUBECONFIG or ~/.kube/config, else admin.conf"}});
  for (cli::Flag& flag : command.flags) {
    flag.persistent = true;
  }
  return command;
}

}  // namespace kubeadm
