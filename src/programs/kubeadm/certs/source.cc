#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "config_input/gather.h"
#include "config_input/load.h"
#include "kubeadm/certs/commands.h"
#include "kubeconfigs/connect.h"
#include "stored_config/fetch.h"

namespace kubeadm {
namespace {

// A cluster that does not answer soon is not waited for: renewal must work on one that is down.
constexpr std::chrono::milliseconds kPatience{350};

using Say = std::function<void(const std::string& line)>;

config::Init LoadFromCluster(const cli::Parsed& flags, host::Host& host) {
  kube::Client client = kubeconfigs::ClientBy(host, flags.Text("kubeconfig"), kPatience);
  config::Init config = stored_config::LoadClusterConfig(
      client, {.advertise_address = config_input::kAnyAddress}, config_input::GatherFacts(host));
  config.cluster.certificates_dir = flags.Text("cert-dir");
  return config;
}

config::Init Load(const cli::Parsed& flags, host::Host& host, const Say& say) {
  const std::string& path = flags.Text("config");
  if (path.empty()) {
    try {
      config::Init config = LoadFromCluster(flags, host);
      say("Read the configuration from the cluster");
      say("To see it: kubectl -n kube-system get configmap kubeadm-config -o yaml");
      say("");
      return config;
    } catch (const base::Error& error) {
      base::LogInfo(1, "the cluster's configuration cannot be read: {}", error.message());
      say("The cluster's configuration cannot be read, going on with the defaults");
    }
  }
  return config_input::LoadInit(host, path,
                                {.apiserver_advertise_address = config_input::kAnyAddress,
                                 .cert_dir = flags.Text("cert-dir")});
}

}  // namespace

std::vector<cli::Flag> CertsSourceFlags() {
  return {{.name = "cert-dir",
           .default_text = "/etc/kubernetes/pki",
           .help = "The directory of the certificates"},
          {.name = "config", .help = "Path to a configuration file of kubeadm"},
          {.name = "kubeconfig",
           .default_text = "/etc/kubernetes/admin.conf",
           .help = "The kubeconfig file to read the cluster's configuration with"}};
}

config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host) {
  return Load(flags, host, [](const std::string&) {});
}

config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, std::string_view prefix,
                             const Output& output) {
  return Load(flags, host, [&](const std::string& line) {
    output.Line(line.empty() ? line : fmt::format("{} {}", prefix, line));
  });
}

}  // namespace kubeadm
