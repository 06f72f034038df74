// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/commands.h"

#include <ostream>

#include "base/duration.h"
#include "base/log.h"
#include "base/secret_text.h"
#include "certs/period.h"
#include "cli/terminal.h"
#include "kubeadm/command_line.h"
#include "kubeadm/documented.h"
#include "kubeconfigs/create.h"
#include "node_input/load_config.h"

namespace kubeadm {
namespace {

using cli::FlagType;

void WarnOfLongValidity(base::Duration validity) {
  if (validity > certs::kDefaultValidity) {
    base::LogWarning(
        "the validity period {} is longer than the default of {}: anyone with a copy of the file "
        "can use it for that long",
        base::FormatDuration(validity), base::FormatDuration(certs::kDefaultValidity));
  }
}

void MakeUser(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const config::Init config = node_input::LoadInit(host, flags.Text("config"));
  const base::Duration validity = flags.Duration("validity-period");
  WarnOfLongValidity(validity);
  const base::SecretText text(
      kubeconfigs::NewUserKubeconfig({.client_name = flags.Text("client-name"),
                                      .organizations = flags.List("org"),
                                      .token = flags.Text("token"),
                                      .validity = validity},
                                     config, host));
  invocation.streams.out << cli::Exact{text.text()} << "\n";
}

std::vector<cli::Flag> UserFlags() {
  return Joined(CommonFlags({"config"}),
                {{.name = "client-name",
                  .help = "The user's name: the common name (CN) of the client certificate",
                  .required = true},
                 {.name = "org",
                  .type = FlagType::kList,
                  .help = "The user's groups: the organizations (O) of the client certificate"},
                 {.name = "token",
                  .help = "The token that the user logs in with, instead of a client certificate"},
                 {.name = "validity-period",
                  .type = FlagType::kDuration,
                  .default_text = "8760h0m0s",
                  .help = "How long the client certificate is valid, from now on"}});
}

}  // namespace

cli::Command KubeconfigCommand(host::Host& host) {
  cli::Command command =
      Documented("kubeconfig", "Commands that make kubeconfig files", "kubeconfig");
  command.max_args = cli::kAnyNumber;
  command.children = [&host] {
    return Made({{.name = "user",
                  .summary = "Print a kubeconfig file for one more user",
                  .text = "kubeconfig-user",
                  .flags = UserFlags(),
                  .run = MakeUser}},
                host);
  };
  return command;
}

}  // namespace kubeadm
