// SPDX-License-Identifier: Apache-2.0
#include "slipway_operator/extension_command.h"

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "cli/help.h"
#include "http/server.h"
#include "machine_update/hooks.h"
#include "machine_update/updater.h"
#include "machine_update/workload.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "slipway_operator/connect.h"
#include "slipway_operator/texts.h"

namespace slipway_operator {
namespace {

using base::Error;

constexpr const char* kAddress = "bind-address";
constexpr const char* kCertificate = "tls-cert-file";
constexpr const char* kKey = "tls-private-key-file";
constexpr const char* kCommand = "kubelet-command";
constexpr const char* kImage = "kubelet-image";
constexpr const char* kKubeconfig = "kubeconfig";
// Cluster API's managers update ten Machines at a time by default.
constexpr std::size_t kMostOfOne = 16;

std::vector<cli::Flag> Flags() {
  return {
      {.name = kAddress,
       .default_text = ":9443",
       .help = "Where the extension listens: an IP address and a port, or only :PORT",
       .value_name = "host:port"},
      {.name = kKubeconfig,
       .help = "The kubeconfig file of the management cluster; without it, this Pod's "
               "ServiceAccount"},
      {.name = kCommand,
       .help = "A shell command that upgrades a node's kubelet to $KUBELET_VERSION; it runs as "
               "root on the node"},
      {.name = kImage,
       .help = "An image with kubeadm, and with kubelets in /kubelets, for the Jobs on the nodes"},
      {.name = kCertificate,
       .help = "The file with the certificate of the extension and its chain. It may be replaced "
               "at any time.",
       .value_name = "file"},
      {.name = kKey, .help = "The file with the key of the certificate", .value_name = "file"}};
}

// Returns the address to listen on. Throws base::Error(kUsage) for another text.
net::HostPort AddressOf(const std::string& text) {
  const auto address = net::HostPort::Parse(text);
  if (!address || !address->PortNumber() ||
      (!address->host.empty() && !net::IpAddress::Parse(address->host))) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} must be an IP address and a port, or only :PORT, is {}", kAddress,
                            base::Quoted(text)));
  }
  return *address;
}

machine_update::KubeletSource KubeletsOf(const cli::Parsed& flags) {
  machine_update::KubeletSource kubelets{.image = flags.Text(kImage),
                                         .command = flags.Text(kCommand)};
  if (!kubelets.image.empty() && !kubelets.command.empty()) {
    throw Error(Error::Kind::kUsage, fmt::format("set --{} or --{}, not both", kImage, kCommand));
  }
  return kubelets;
}

void Run(const cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  for (const char* name : {kCertificate, kKey}) {
    if (flags.Text(name).empty()) {
      throw Error(Error::Kind::kUsage, fmt::format("--{} is required", name));
    }
  }
  const net::HostPort address = AddressOf(flags.Text(kAddress));
  const machine_update::KubeletSource kubelets = KubeletsOf(flags);
  const std::shared_ptr<kube::Transport> transport = Connect(host, flags.Text(kKubeconfig));
  const std::stop_token stop = host.signals.Interrupt();  // before any other thread starts
  kube::Client management(transport, host.clock, {.limit = std::chrono::milliseconds(0)});
  const machine_update::Updater updater({.management = management,
                                         .connect = machine_update::ConnectToWorkload,
                                         .clock = host.clock,
                                         .kubelets = kubelets});
  const machine_update::HookEndpoint hooks(updater);
  const http::Server server(
      {.clock = host.clock,
       .host = address.host,
       .port = *address.PortNumber(),
       .identity =
           [&host, &flags] {
             return http::ServerIdentity{
                 .certificate_pem = host.files.Read(flags.Text(kCertificate)),
                 .key_pem = host.files.Read(flags.Text(kKey))};
           },
       .probes = {"/healthz", "/readyz"},
       .largest_body = machine_update::kLargestHookBody,
       .most_of_one = kMostOfOne},
      [&](const http::ServerRequest& request) { return hooks.Answer(request); });
  base::LogInfo(0, "answers the runtime hooks on port {}", server.port());
  while (host.clock.Sleep(std::chrono::hours(24), stop)) {
  }
}

}  // namespace

cli::Command ExtensionCommand(host::Host& host) {
  cli::Command command =
      cli::Documented("extension", "Update Machines of Cluster API in place", Text("extension"));
  command.flags = Flags();
  command.run = [&host](cli::Invocation& invocation) { Run(invocation, host); };
  return command;
}

}  // namespace slipway_operator
