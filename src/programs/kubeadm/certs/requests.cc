#include "kubeadm/certs/requests.h"

#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "certs/requests.h"
#include "config/flags.h"
#include "config/version.h"
#include "config_input/gather.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeconfigs/create.h"

namespace kubeadm {
namespace {

config::Init LoadConfig(const cli::Parsed& flags, host::Host& host) {
  const config::Facts facts = config_input::GatherFacts(host);
  const std::string& path = flags.Text("config");
  // The version matters to no request, so none is looked up.
  config::Init config =
      path.empty()
          ? config::InitFromFlags({.kubernetes_version = std::string(config::kKubeadmVersion)},
                                  facts, config::CriSocketChoice::kAssume)
          : config::LoadInit(config_input::ReadSource(host, path), facts,
                             {.cri_socket = config::CriSocketChoice::kAssume});
  if (const std::string& dir = flags.Text("cert-dir"); !dir.empty()) {
    config.cluster.certificates_dir = dir;
  }
  return config;
}

// The keys of both groups are drawn at the same time.
pki::KeyPool KeysFor(const config::Init& config) {
  constexpr std::size_t kCertificates = 7;
  return pki::KeyPool({.algorithm = certs::AlgorithmFor(config.cluster),
                       .count = kCertificates + kubeconfigs::InitSpecs().size()});
}

void GenerateCsr(cli::Invocation& invocation, host::Host& host) {
  const config::Init config = LoadConfig(invocation.flags, host);
  const host::fs::path kubeconfig_dir = invocation.flags.Text("kubeconfig-dir");
  const NodeLock lock = LockNode(
      invocation, host,
      {.directories = {config.cluster.certificates_dir, kubeconfig_dir},
       .say = [&](const std::string& line) { invocation.streams.out << line << std::endl; }});
  const auto start = std::chrono::floor<std::chrono::seconds>(host.clock.Now());
  pki::KeyPool keys = KeysFor(config);
  certs::PeriodLog periods(start);
  certs::SigningCas cas;
  const certs::KeySource new_key = [&keys] { return keys.Take(); };
  // Nothing is written unless all of it can be.
  kubeconfigs::Context kubeconfig_context{.files = host.files,
                                          .config = config,
                                          .dir = kubeconfig_dir,
                                          .ca_dir = config.cluster.certificates_dir,
                                          .start = start,
                                          .new_key = new_key,
                                          .periods = periods};
  kubeconfigs::RefuseExistingRequests(kubeconfig_context);
  std::ostream& out = invocation.streams.out;
  const auto certificates = certs::NewCertificateRequests({.files = host.files,
                                                           .config = config,
                                                           .start = start,
                                                           .new_key = new_key,
                                                           .periods = periods,
                                                           .cas = cas});
  out << fmt::format("Made keys and certificate signing requests in {}\n",
                     config.cluster.certificates_dir);
  for (const certs::CertSpec* spec : certificates) {
    out << "  " << spec->base_name << "\n";
  }
  const auto files = kubeconfigs::NewKubeconfigRequests(kubeconfig_context);
  out << fmt::format("Made keys and certificate signing requests in {}\n", kubeconfig_dir.string());
  for (const kubeconfigs::KubeconfigSpec* spec : files) {
    out << "  " << spec->file << "\n";
  }
}

}  // namespace

cli::Command GenerateCsrCommand(host::Host& host) {
  cli::Command command = Documented("generate-csr", "Make keys and certificate signing requests",
                                    "certs-generate-csr");
  command.flags = {{.name = "cert-dir", .help = "The folder to put the requests in"},
                   {.name = "config", .help = "Path to a configuration file of kubeadm"},
                   {.name = "kubeconfig-dir",
                    .default_text = "/etc/kubernetes",
                    .help = "The directory to put the kubeconfig files in"},
                   LockTimeoutFlag(kStepPatience)};
  command.run = [&host](cli::Invocation& invocation) { GenerateCsr(invocation, host); };
  return command;
}

}  // namespace kubeadm
