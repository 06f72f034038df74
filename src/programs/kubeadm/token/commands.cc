#include "kubeadm/token/commands.h"

#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "config/token.h"
#include "kubeadm/documented.h"
#include "kubeadm/token/cluster.h"
#include "kubeadm/token/create.h"
#include "kubeadm/token/list.h"
#include "tokens/tokens.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::string_view kForm =
    "\"[a-z0-9]{6}.[a-z0-9]{16}\" of a token nor \"[a-z0-9]{6}\" of its id";

cli::Command GenerateCommand(host::Host& host) {
  cli::Command command = Documented("generate", "Print a new token", "token-generate");
  command.run = [&host](cli::Invocation& invocation) {
    invocation.streams.out << config::NewToken([&](std::size_t count) {
      return host.random.Bytes(count);
    }) << "\n";
  };
  return command;
}

// A dry run without a cluster takes it that the token is there.
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
    if (!config::IsToken(word) && !config::IsTokenId(word)) {  // not shown: it may hold a secret
      throw Error(Error::Kind::kUsage,
                  fmt::format("a given token has neither the pattern {}", kForm));
    }
    const std::string id = config::TokenId(word);
    base::WithContext(fmt::format("cannot delete bootstrap token \"{}\"", id),
                      [&] { tokens::DeleteToken(cluster.client, id); });
    invocation.streams.out << fmt::format("bootstrap token \"{}\" deleted\n", id);
  }
}

cli::Command DeleteCommand(host::Host& host) {
  cli::Command command = Documented("delete", "Delete tokens from the cluster", "token-delete");
  command.usage_args = "[token-value] ...";
  command.max_args = cli::kAnyNumber;
  command.flags = {TokenFileFlag()};
  command.run = [&host](cli::Invocation& invocation) { Delete(invocation, host); };
  return command;
}

}  // namespace

cli::Command TokenCommand(host::Host& host) {
  cli::Command command = Documented("token", "Commands for bootstrap tokens", "token");
  command.flags = {{.name = "dry-run",
                    .type = cli::FlagType::kBool,
                    .help = "Show what would be done, and do nothing",
                    .persistent = true},
                   {.name = "kubeconfig",
                    .default_text = "/etc/kubernetes/admin.conf",
                    .help = "The kubeconfig file to talk to the cluster with; without the flag "
                            "that of KUBECONFIG or ~/.kube/config, else admin.conf",
                    .persistent = true}};
  command.run = cli::RequireSubcommand;
  command.children = [&host] {
    return std::vector<cli::Command>{TokenCreateCommand(host), DeleteCommand(host),
                                     GenerateCommand(host), TokenListCommand(host)};
  };
  return command;
}

}  // namespace kubeadm
