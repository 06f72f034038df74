// SPDX-License-Identifier: Apache-2.0
// Starts a joining kubelet and waits for its certificate.
#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>

#include "base/duration.h"
#include "base/error.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config/feature_gates.h"
#include "config/paths.h"
#include "config/token.h"
#include "kubelet/bootstrap.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "objects/node.h"
#include "steps/join/pending_request.h"
#include "steps/join/steps.h"
#include "steps/node/steps.h"
#include "steps/resume.h"
#include "workflow/resume.h"
#include "workflow/written_files.h"
#include "yaml/yaml.h"

namespace join_steps {
namespace {

// The time within which a kubelet gets its certificate without a restart, once the API server
// answers.
constexpr std::chrono::milliseconds kNudgeAfter{300};

fs::path BootstrapConf() {
  return fs::path(config::kKubernetesDir) / config::kBootstrapKubeletConf;
}

// Returns the URL of the API server that a control-plane node's kubelet uses: its own. Returns
// std::nullopt if the kubelet may use any API server of the cluster.
std::optional<std::string> OwnServer(const JoinData& data) {
  return data.control_plane() && config::KubeletAsksOwnServer(data.config.cluster)
             ? std::optional(config::LocalEndpointUrl(data.config.init.local_api_endpoint))
             : std::nullopt;
}

void WriteBootstrapFiles(const kube::Kubeconfig& config, JoinData& data,
                         workflow::Context& context) {
  workflow::WrittenFiles files(data.host.files, context);
  files.Write(BootstrapConf(), config.Text(), {.mode = 0600, .keep_mode = false});
  // On a worker, a CA file that an interrupted join has left may be from another cluster, so it is
  // replaced. On a control-plane node the CA file was downloaded or copied.
  const fs::path ca = data.join.ca_cert_path;
  const bool leftover =
      !data.control_plane() && workflow::IsOwnLeftover(data.journal, data.machine.files, ca);
  if (leftover || !data.host.files.Exists(ca)) {
    files.Write(ca, config.CurrentCluster()->certificate_authority_data, {.mode = 0644});
  }
}

// Returns whether the kubelet that the resumed join has started still waits for its certificate,
// with the token of this kubeconfig. Such a kubelet must not be restarted. Its key is only in its
// memory, so afterwards it would request another certificate. An approver that allows a machine one
// certificate at a time does not approve that request if it has just approved the first one.
bool IsAwaitingCertificate(const kube::Kubeconfig& config, JoinData& data,
                           workflow::Context& context) {
  const std::string id = config::TokenId(data.join.discovery.tls_bootstrap_token);
  return data.journal != nullptr && !data.control_plane() &&
         data.journal->OwnsFile(BootstrapConf().string(), workflow::FileHash(config.Text())) &&
         kubelet::FindCommandLine(data.machine) &&
         FindWhyUnissued(data.BootstrapClient(context), id);
}

// Returns the contents of the files that the kubelet reads at its start.
std::array<std::optional<std::string>, 3> KubeletFiles(const host::Files& files) {
  return {files.Find(kubelet::kInstanceConfigFile), files.Find(kubelet::kConfigFile),
          files.Find(kubelet::kFlagsFile)};
}

std::span<const components::Component> ComponentsOf(const JoinData& data) {
  return data.control_plane() ? std::span(components::kControlPlane)
                              : std::span<const components::Component>();
}

// Uses the kubelet's configuration file, because patches may have changed the health address.
void WaitForKubelet(JoinData& data, workflow::Context& context) {
  const std::string text = data.host.files.Read(kubelet::kConfigFile);
  WaitForHealthyKubelet(data, yaml::Parse(text).value, context);
}

// Restarts a control-plane node's kubelet if it has not connected soon after the start of the
// node's own API server. The kubelet starts before this API server. Its retries are several seconds
// apart by then; after a restart it connects immediately.
void NudgeKubelet(JoinData& data, workflow::Context& context) {
  context.Progress("waiting for the API server of this node");
  WaitForAnswer(data, context);
  if (!kubelet::IsBootstrapped(
          {.host = data.host, .since = data.start, .limit = kNudgeAfter, .stop = context.Stop()})) {
    node_steps::SayServiceTrouble(kubelet::RestartKubelet(data.host), "restart", context);
  }
}

void WaitForCertificate(JoinData& data, workflow::Context& context) {
  const base::Duration limit = data.Timeout(&config::Timeouts::tls_bootstrap);
  context.Print(
      fmt::format("[kubelet-wait] Waiting up to {} for the kubelet to get its client certificate",
                  base::FormatDuration(limit)));
  if (data.control_plane()) {
    NudgeKubelet(data, context);
  }
  context.Progress("waiting for the kubelet's client certificate");
  try {
    kubelet::RequireBootstrap(
        {.host = data.host, .since = data.start, .limit = limit, .stop = context.Stop()});
  } catch (const base::Error& error) {
    const std::string id = config::TokenId(data.join.discovery.tls_bootstrap_token);
    const auto why = error.kind() == base::Error::Kind::kTimeout && !id.empty()
                         ? FindWhyUnissued(data.BootstrapClient(context), id)
                         : std::nullopt;
    if (!why) {
      throw;
    }
    throw base::Error(error.kind(), fmt::format("{}; {}", error.message(), *why));
  }
  context.Progress({});
}

void WaitForKubeletAndCertificate(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  // The credentials in these files have no further use, whatever the state of the kubelet.
  const struct Remover {
    host::Files& files;
    ~Remover() {
      files.Remove(BootstrapConf());
      files.Remove(kIdentityFile);
    }
  } remover{data.host.files};
  WaitForKubelet(data, context);
  WaitForCertificate(data, context);
}

}  // namespace

void CheckNameIsFree(JoinData& data, workflow::Context& context) {
  const std::string& name = data.config.init.node_registration.name;
  const std::string& ca = data.Bootstrap(context).CurrentCluster()->certificate_authority_data;
  steps::RequireFittingIdentity(data.machine.files, data.journal,
                                {.node = name, .ca_pem = ca, .server = OwnServer(data)});
  if (steps::IsOwnNode(data.machine.files, data.journal, name)) {
    return;
  }
  objects::RequireFreeName(data.BootstrapClient(context), name);
}

void StartJoiningKubelet(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  const kube::Kubeconfig bootstrap = kubelet::BootstrapKubeconfig(
      data.Bootstrap(context), data.config.cluster.cluster_name, OwnServer(data));
  const bool waits = IsAwaitingCertificate(bootstrap, data, context);
  const auto before = KubeletFiles(data.host.files);
  WriteBootstrapFiles(bootstrap, data, context);
  CheckNameIsFree(data, context);
  if (!waits) {
    data.world.Do(
        {.on_machine = [&] { StopKubelet(data, context); },
         .in_dry_run = steps::Would(context, {"[kubelet-start] Would stop the kubelet"})});
  }
  WriteInstanceConfig(data, context);
  WriteKubeletConfig(data, context);
  WriteKubeletFlags(data,
                    data.control_plane() ? kubelet::FlagsInput::Taints::kByApi
                                         : kubelet::FlagsInput::Taints::kByFlag,
                    context);
  if (waits && KubeletFiles(data.host.files) == before) {
    context.Print("[kubelet-start] The kubelet runs already, and waits for its certificate");
  } else {
    data.world.Do(
        {.on_machine = [&] { StartKubelet(data, context); },
         .in_dry_run = steps::Would(context, {"[kubelet-start] Would start the kubelet"})});
  }
  ShowWhatTheKubeletRuns(ComponentsOf(data), data, context);
}

void WaitForBootstrap(JoinData& data, workflow::Context& context) {
  data.world.Do(
      {.on_machine = [&] { WaitForKubeletAndCertificate(data, context); },
       .in_dry_run = steps::Would(
           context, {"[kubelet-wait] Would wait for the kubelet to get its client certificate"})});
}

}  // namespace join_steps
