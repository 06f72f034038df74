// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeconfigs/node_requests.h"
#include "node_input/load_config.h"

namespace kubeadm {
namespace {

void GenerateCsr(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const host::fs::path kubeconfig_dir = flags.Text("kubeconfig-dir");
  if (kubeconfig_dir.empty()) {  // "" must not mean the current directory
    throw base::Error(base::Error::Kind::kInvalid, "--kubeconfig-dir must not be empty");
  }
  std::ostream& out = invocation.streams.out;
  config::Init config = node_input::LoadInit(host, flags.Text("config"));
  std::string& certs_dir = config.cluster.certificates_dir;
  certs_dir = flags.Text("cert-dir").empty() ? certs_dir : flags.Text("cert-dir");
  const NodeLock lock =
      LockNode(invocation, host,
               {.directories = {certs_dir, kubeconfig_dir},
                .say = [&](const std::string& line) { out << line << std::endl; }});
  kubeconfigs::NodeRequests requests(host.files, config, kubeconfig_dir, host.clock.NowSeconds());
  constexpr const char* kMade = "Made keys and certificate signing requests in {}\n";
  const auto certificates = requests.Certificates();
  out << fmt::format(kMade, certs_dir);
  for (const certs::CertSpec* spec : certificates) {
    out << "  " << spec->base_name << "\n";
  }
  const auto files = requests.Kubeconfigs();
  out << fmt::format(kMade, kubeconfig_dir.string());
  for (const kubeconfigs::KubeconfigSpec* spec : files) {
    out << "  " << spec->file << "\n";
  }
}

}  // namespace

cli::Command GenerateCsrCommand(host::Host& host) {
  return Made(
      {.name = "generate-csr",
       .summary = "Make keys and certificate signing requests",
       .text = "certs-generate-csr",
       .flags = Joined(CommonFlags({"config"}),
                       {{.name = "cert-dir", .help = "The directory to put the requests in"},
                        {.name = "kubeconfig-dir",
                         .default_text = "/etc/kubernetes",
                         .help = "The directory to put the kubeconfig files in"},
                        LockTimeoutFlag(kStepPatience)}),
       .run = GenerateCsr},
      host);
}

}  // namespace kubeadm
