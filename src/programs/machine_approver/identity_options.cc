// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/identity_options.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "machine_identity/messages.h"
#include "net/ip_address.h"

namespace machine_approver {
namespace {

using base::Error;

[[noreturn]] void Wrong(const std::string& what) { throw Error(Error::Kind::kUsage, what); }

void RequireAbsolute(const cli::Parsed& flags, const std::string& flag) {
  if (!flags.Text(flag).starts_with('/')) {
    Wrong(
        fmt::format("--{} must be an absolute path, is {}", flag, base::Quoted(flags.Text(flag))));
  }
}

void SetAddress(const std::string& text, IdentityOptions& options) {
  const auto address = net::HostPort::Parse(text);
  const auto port = address ? address->PortNumber() : std::nullopt;
  if (!port || (!address->host.empty() && !net::IpAddress::Parse(address->host))) {
    Wrong(
        fmt::format("--identity-bind-address must be an IP address and a port, or only :PORT, is "
                    "{}",
                    base::Quoted(text)));
  }
  options.host = address->host;
  options.port = *port;
}

// Refuses flags that would have no effect.
void RequireNeeded(const cli::Parsed& flags, bool documents) {
  if (!documents && flags.Changed("identity-exec-args")) {
    Wrong("--identity-exec-args needs --identity-exec");
  }
  for (const char* flag : {"identity-cert-dir", "identity-bind-address"}) {
    if (!documents && !flags.Bool("identity-tpm") && flags.Changed(flag)) {
      Wrong(fmt::format("--{} needs --identity-exec or --identity-tpm", flag));
    }
  }
}

}  // namespace

std::vector<cli::Flag> IdentityFlags() {
  return {
      {.name = "identity-exec",
       .help = "Serve the endpoint for machines that join with a signed document of their cloud. "
               "This program, an absolute path, says to which node a document belongs.",
       .value_name = "file"},
      {.name = "identity-exec-args",
       .type = cli::FlagType::kList,
       .help = "Its arguments. Other users of the host can see them: no secrets.",
       .value_name = "argument,..."},
      {.name = "identity-tpm",
       .type = cli::FlagType::kBool,
       .help = "Serve the endpoint for machines that join with their TPM 2.0. Inventories list its "
               "endorsement key as endorsementKey."},
      {.name = "identity-cert-dir",
       .help = fmt::format("The directory with tls.crt and tls.key of the endpoint: a certificate "
                           "of the cluster's CA for {}. They may be replaced at any time.",
                           machine_identity::kServerName),
       .value_name = "directory"},
      {.name = "identity-bind-address",
       .default_text = fmt::format(":{}", machine_identity::kPort),
       .help = "Where the endpoint listens.",
       .value_name = "host:port"}};
}

std::optional<IdentityOptions> IdentityOptionsOf(const cli::Parsed& flags,
                                                 const inventories::InventoryOptions& inventories) {
  const bool documents = !flags.Text("identity-exec").empty();
  RequireNeeded(flags, documents);
  if (!documents && !flags.Bool("identity-tpm")) {
    return std::nullopt;
  }
  if (!inventories.tokens) {
    Wrong(
        "--identity-exec and --identity-tpm need the inventory `tokens`, which judges identities");
  }
  if (flags.Bool("shadow")) {
    Wrong(
        "--shadow writes nothing, and the endpoint of --identity-exec and --identity-tpm creates "
        "requests: leave one of them out");
  }
  RequireAbsolute(flags, "identity-cert-dir");
  IdentityOptions options{.host = {},
                          .cert_dir = flags.Text("identity-cert-dir"),
                          .documents = {},
                          .tpm = flags.Bool("identity-tpm"),
                          .timeout = inventories.query_timeout};
  if (documents) {
    RequireAbsolute(flags, "identity-exec");
    options.documents = {flags.Text("identity-exec")};
    const std::vector<std::string>& arguments = flags.List("identity-exec-args");
    options.documents.insert(options.documents.end(), arguments.begin(), arguments.end());
  }
  SetAddress(flags.Text("identity-bind-address"), options);
  return options;
}

}  // namespace machine_approver
