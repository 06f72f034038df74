#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "config/difference.h"
#include "config/load.h"
#include "config/version.h"
#include "config_input/gather.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/config/fields.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubeadm/token/cluster.h"
#include "stored_config/fetch.h"

namespace kubeadm {
namespace {

using config::Difference;

constexpr std::chrono::milliseconds kPatience{10'000};
constexpr std::string_view kVersionField = "kubernetesVersion";

config::StoredConfig Fetch(const cli::Parsed& flags, const host::Host& host) {
  return base::WithContext("couldn't read the cluster's configuration", [&] {
    kube::Client client = ClientOf(TokenKubeconfigPath(flags, host), host, kPatience);
    return stored_config::FetchStoredConfig(client);
  });
}

config::ClusterConfiguration LoadCluster(const cli::Parsed& flags, host::Host& host,
                                         const config::ApiEndpoint& endpoint) {
  return config::LoadStored(Fetch(flags, host), {.local_api_endpoint = endpoint},
                            config_input::GatherFacts(host),
                            {.cri_socket = config::CriSocketChoice::kAssume,
                             .advertise_address = config::AdvertiseAddress::kKeep})
      .cluster;
}

bool NamesVersion(const config::Source& source) {
  const std::vector<config::Document> documents = config::ReadDocuments(source);
  const config::Document* cluster = config::FindDocument(documents, "ClusterConfiguration");
  return cluster != nullptr && !json::At(cluster->yaml.value, {kVersionField}).is_null();
}

// A file that names no version means whatever the cluster runs.
config::Init LoadFile(const config::Source& source, host::Host& host) {
  config::Facts facts = config_input::GatherFacts(host);
  if (!NamesVersion(source)) {
    facts.fetch = [](const std::string&) { return std::string(config::kKubeadmVersion); };
  }
  return config::LoadInit(source, facts, {.cri_socket = config::CriSocketChoice::kAssume});
}

json::Ordered ObjectOf(const std::vector<Difference>& all) {
  json::Ordered list = json::Ordered::array();
  for (const Difference& difference : all) {
    list.push_back({{"ofKind", difference.kind},
                    {"path", difference.path},
                    {"cluster", difference.cluster},
                    {"file", difference.file}});
  }
  return {{"kind", "ConfigurationDifference"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"differences", std::move(list)}};
}

std::string TextOf(const std::vector<Difference>& all) {
  if (all.empty()) {
    return "The cluster is configured as the file says\n";
  }
  std::string text = "--- cluster\n+++ file\n";
  std::string kind;
  for (const Difference& difference : all) {
    if (difference.kind != kind) {
      kind = difference.kind;
      text += fmt::format("@@ {} @@\n", kind);
    }
    if (!difference.cluster.is_null()) {
      text += fmt::format("-{}: {}\n", difference.path, json::Compact(difference.cluster));
    }
    if (!difference.file.is_null()) {
      text += fmt::format("+{}: {}\n", difference.path, json::Compact(difference.file));
    }
  }
  return text;
}

void Diff(cli::Invocation& invocation, host::Host& host) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  if (invocation.flags.args().empty()) {
    throw base::Error(base::Error::Kind::kUsage, "name the configuration file to compare");
  }
  const config::Source source = config_input::ReadSource(host, invocation.flags.args().front());
  config::Init file = LoadFile(source, host);
  const config::ClusterConfiguration cluster =
      LoadCluster(invocation.flags, host, file.init.local_api_endpoint);
  if (!NamesVersion(source)) {
    file.cluster.kubernetes_version = cluster.kubernetes_version;
  }
  const std::vector<Difference> differences = config::Differences(cluster, file.cluster);
  invocation.streams.out << (printer.IsText() ? TextOf(differences)
                                              : printer.Print(ObjectOf(differences)));
  if (!differences.empty() && invocation.flags.Bool("exit-code")) {
    throw base::Error(fmt::format("{} fields differ", differences.size()));
  }
}

}  // namespace

cli::Command DiffCommand(host::Host& host) {
  cli::Command command =
      Documented("diff", "Compare a configuration file with the cluster", "config-diff");
  command.hidden = true;
  command.usage_args = "FILE";
  command.max_args = 1;
  command.flags = PrinterFlags();
  command.flags.push_back({.name = "exit-code",
                           .type = cli::FlagType::kBool,
                           .help = "Fail when there are differences"});
  command.run = [&host](cli::Invocation& invocation) { Diff(invocation, host); };
  return command;
}

}  // namespace kubeadm
