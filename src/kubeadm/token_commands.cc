#include "kubeadm/token_commands.h"

#include <ostream>

#include "config/token.h"
#include "kubeadm/documented.h"
#include "kubeadm/not_built.h"

namespace kubeadm {
namespace {

cli::Command GenerateCommand(host::Host& host) {
  cli::Command command = Documented("generate", "Print a new token", "token-generate");
  command.run = [&host](cli::Invocation& invocation) {
    invocation.streams.out << config::NewToken([&](std::size_t count) {
      return host.random.Bytes(count);
    }) << "\n";
  };
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
                    .help = "The kubeconfig file to talk to the cluster with",
                    .persistent = true}};
  command.run = cli::RequireSubcommand;
  command.children = [&host] {
    return std::vector<cli::Command>{
        NotBuilt("token create", "Create a token on the cluster"),
        NotBuilt("token delete", "Delete tokens from the cluster"),
        GenerateCommand(host),
        NotBuilt("token list", "List the tokens of the cluster"),
    };
  };
  return command;
}

}  // namespace kubeadm
