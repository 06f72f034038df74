#include "kubeadm/certs/source.h"

#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "config/flags.h"
#include "config/load.h"
#include "config/version.h"
#include "config_input/gather.h"
#include "kubeconfigs/connect.h"
#include "stored_config/fetch.h"

namespace kubeadm {
namespace {

using std::chrono::milliseconds;

// No certificate of these commands depends on the address: an example of RFC 5737 saves looking for
// one.
constexpr std::string_view kNoAddress = "192.0.2.1";

// A cluster that does not answer soon is not waited for: renewal must work on one that is down.
constexpr milliseconds kPatience{350};

config::Init LoadFromCluster(const cli::Parsed& flags, host::Host& host) {
  kube::Client client = ClientOf(flags.Text("kubeconfig"), host, kPatience);
  config::InitConfiguration node;
  node.local_api_endpoint.advertise_address = kNoAddress;
  config::Init config = config::LoadStored(stored_config::FetchStoredConfig(client),
                                           std::move(node), config_input::GatherFacts(host),
                                           {.cri_socket = config::CriSocketChoice::kAssume,
                                            .advertise_address = config::AdvertiseAddress::kKeep});
  config.cluster.certificates_dir = flags.Text("cert-dir");
  return config;
}

config::Init LoadDefaults(const cli::Parsed& flags, host::Host& host) {
  config::InitFlags set;
  set.apiserver_advertise_address = kNoAddress;
  set.kubernetes_version = std::string(config::kKubeadmVersion);
  set.cert_dir = flags.Text("cert-dir");
  return config::InitFromFlags(set, config_input::GatherFacts(host),
                               config::CriSocketChoice::kAssume);
}

}  // namespace

std::vector<cli::Flag> CertsSourceFlags() {
  return {{.name = "cert-dir",
           .default_text = "/etc/kubernetes/pki",
           .help = "The folder of the certificates"},
          {.name = "config", .help = "Path to a configuration file of kubeadm"},
          {.name = "kubeconfig",
           .default_text = "/etc/kubernetes/admin.conf",
           .help = "The kubeconfig file to read the cluster's configuration with"}};
}

kube::Client ClientOf(const host::fs::path& kubeconfig, const host::Host& host,
                      milliseconds limit) {
  return {kubeconfigs::ConnectBy(host, kubeconfig),
          host.clock,
          {.limit = limit, .grace = milliseconds(0)}};
}

config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, std::string_view prefix,
                             const Say& say) {
  if (const std::string& path = flags.Text("config"); !path.empty()) {
    return config::LoadInit(config_input::ReadSource(host, path), config_input::GatherFacts(host),
                            {.cri_socket = config::CriSocketChoice::kAssume});
  }
  try {
    config::Init config = LoadFromCluster(flags, host);
    say(fmt::format("{} Read the configuration from the cluster", prefix));
    say(fmt::format("{} To see it: kubectl -n kube-system get configmap kubeadm-config -o yaml",
                    prefix));
    say("");
    return config;
  } catch (const base::Error& error) {
    base::LogInfo(1, "the cluster's configuration cannot be read: {}", error.message());
    say(fmt::format("{} The cluster's configuration cannot be read, going on with the defaults",
                    prefix));
    return LoadDefaults(flags, host);
  }
}

}  // namespace kubeadm
