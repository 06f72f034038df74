// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/config_look.h"

#include <fmt/core.h>

#include "base/error.h"
#include "config/paths.h"
#include "config_change/edits.h"
#include "control_plane/replaced_server.h"
#include "kubeconfigs/connect.h"
#include "node_input/config_facts.h"
#include "static_pods/restart.h"

namespace kubeadm {
namespace {

constexpr std::chrono::milliseconds kPatience{60'000};

host::fs::path KubeconfigOf(const cli::Parsed& flags, const host::Host& host) {
  if (flags.Changed("kubeconfig") ||
      stored_config::RoleOf(host.files) != stored_config::Role::kWorker) {
    return flags.Text("kubeconfig");
  }
  const host::fs::path own = host::fs::path(config::kKubernetesDir) / config::kKubeletConf;
  if (!host.files.Exists(own)) {
    throw base::Error(
        fmt::format("this machine is not a node of a cluster: there is no {}; run the command on a "
                    "node, or make this machine one by kubeadm init or kubeadm join",
                    own.string()));
  }
  return own;
}

std::optional<node_input::PatchSet> PatchesOf(const cli::Parsed& flags, const host::Host& host) {
  if (const std::string& directory = flags.Text("patches"); !directory.empty()) {
    return node_input::ReadPatches(host.files, directory);
  }
  return config_change::AdoptedPatches(host.files);
}

}  // namespace

std::vector<cli::Flag> LookFlags() {
  return {{.name = "kubeconfig",
           .default_text = "/etc/kubernetes/admin.conf",
           .help = "The kubeconfig file to talk to the cluster with"},
          {.name = "patches",
           .help = "The directory of this node's patches; without this flag the directory of the "
                   "edits that were adopted on this node"}};
}

std::vector<cli::Flag> ConfigLookFlags() {
  std::vector<cli::Flag> flags = LookFlags();
  std::erase_if(flags, [](const cli::Flag& flag) { return flag.name == "kubeconfig"; });
  return flags;
}

Look::Look(const cli::Parsed& flags, host::Host& host)
    : host_(host),
      start_(host.clock.Now()),
      facts_(node_input::CollectFacts(host)),
      client_(kubeconfigs::ClientBy(host, KubeconfigOf(flags, host), kPatience)),
      patches_(PatchesOf(flags, host)),
      sources_{.host = host_,
               .client = client_,
               .facts = facts_,
               .patches = patches_ ? &*patches_ : nullptr} {}

void Look::AwaitServer(const base::ShowLine& say) {
  control_plane::AwaitReplacedServer({.host = host_,
                                      .client = client_,
                                      .stop = host_.signals.Interrupt(),
                                      .progress = [&](std::optional<std::string_view> what) {
                                        if (what) {
                                          say(std::string(*what));
                                        }
                                      }});
}

config_change::Deps Look::ChangeDeps(base::ShowLine say) {
  return {.sources = sources_,
          .connect_runtime =
              [this](const std::string& socket) {
                return static_pods::ConnectForRestarts(socket, host_, host_.signals.Interrupt());
              },
          .start = std::chrono::floor<std::chrono::seconds>(start_),
          .stop = host_.signals.Interrupt(),
          .say = std::move(say),
          .owner = shared_from_this()};
}

}  // namespace kubeadm
