// SPDX-License-Identifier: Apache-2.0
#include "config/images.h"

#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "config/feature_gates.h"
#include "json/value.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "node_input/load_config.h"
#include "preflight/image_pull.h"

namespace kubeadm {
namespace {

// Loads the configuration. A configuration file overrides the other flags, because these commands
// have always accepted both together. Unknown feature gates are still refused.
config::Init LoadFor(const cli::Parsed& flags, host::Host& host, config::CriSocketChoice socket) {
  const std::string& path = flags.Text("config");
  if (!path.empty()) {
    config::ParseFeatureGates(flags.Text("feature-gates"), flags.Text("kubernetes-version"));
  }
  config::InitFlags set{.apiserver_advertise_address = node_input::kAnyAddress,
                        .feature_gates = flags.Text("feature-gates"),
                        .image_repository = flags.Text("image-repository"),
                        .kubernetes_version = flags.Text("kubernetes-version")};
  if (socket == config::CriSocketChoice::kDetect) {
    set.node.cri_socket = flags.Text("cri-socket");
  }
  return node_input::LoadInit(host, path, std::move(set), socket);
}

std::vector<cli::Flag> SharedFlags(std::vector<cli::Flag> more) {
  std::vector<cli::Flag> flags = Joined(
      Joined(CommonFlags({"config", "image-repository", "kubernetes-version"}), std::move(more)),
      {{.name = "feature-gates", .help = "key=value pairs that switch experimental features"}});
  for (cli::Flag& flag : flags) {
    flag.persistent = true;
  }
  return flags;
}

struct ImageList {
  std::vector<std::string> images;
};

std::string TextOf(const ImageList& list) { return base::Join(list.images, "\n") + "\n"; }

// An object of output.kubeadm.k8s.io/v1alpha3.
json::Ordered ObjectOf(const ImageList& list) {
  return {{"kind", "Images"},
          {"apiVersion", "output.kubeadm.k8s.io/v1alpha3"},
          {"images", list.images}};
}

void List(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const config::Init config = LoadFor(invocation.flags, host, config::CriSocketChoice::kAssume);
  output.Show(ImageList{config::RequiredImages(config.cluster)});
}

void Pull(cli::Invocation& invocation, host::Host& host) {
  const config::Init config = LoadFor(invocation.flags, host, config::CriSocketChoice::kDetect);
  preflight::PullInput input =
      preflight::ImagePullInput(config.cluster, config.init.node_registration);
  // The command always pulls, because its user wants the registry's present image.
  input.policy = "Always";
  input.on_event = [&](const preflight::PullEvent& event) {
    using What = preflight::PullEvent::What;
    if (event.what == What::kPulled || event.what == What::kPresent) {
      invocation.streams.out << "[config/images] Pulled " << event.image << '\n' << std::flush;
    }
  };
  const checks::Findings findings =
      preflight::PullImages([](const std::string& endpoint) { return cri::Connect(endpoint); },
                            input, host.clock, host.signals.Interrupt());
  if (checks::HasErrors(findings)) {
    throw base::Error(base::Join(checks::WhatOf(findings, checks::Severity::kError), "\n"));
  }
}

}  // namespace

cli::Command ImagesCommand(host::Host& host) {
  return Group("images", "Commands for the images of a control plane", "config-images", [&host] {
    return Made({{.name = "list",
                  .summary = "List the images that a control plane runs",
                  .text = "config-images-list",
                  .flags = WithPrinter(SharedFlags({})),
                  .run = List},
                 {.name = "pull",
                  .summary = "Pull the images that a control plane runs",
                  .text = "config-images-pull",
                  .flags = SharedFlags(CommonFlags({"cri-socket"})),
                  .run = Pull}},
                host);
  });
}

}  // namespace kubeadm
