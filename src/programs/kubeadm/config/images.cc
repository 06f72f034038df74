#include "config/images.h"

#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "config/feature_gates.h"
#include "config_input/load.h"
#include "json/value.h"
#include "kubeadm/config/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "preflight/image_pull.h"

namespace kubeadm {
namespace {

// A file wins over the other flags: these commands have never refused to take both. Gates that do
// not exist are refused all the same.
config::Init LoadFor(const cli::Parsed& flags, host::Host& host, config::CriSocketChoice socket) {
  const std::string& path = flags.Text("config");
  if (!path.empty()) {
    config::ParseFeatureGates(flags.Text("feature-gates"));
  }
  config::InitFlags set{.apiserver_advertise_address = config_input::kAnyAddress,
                        .feature_gates = flags.Text("feature-gates"),
                        .image_repository = flags.Text("image-repository"),
                        .kubernetes_version = flags.Text("kubernetes-version")};
  if (socket == config::CriSocketChoice::kDetect) {
    set.node.cri_socket = flags.Text("cri-socket");
  }
  return config_input::LoadInit(host, path, std::move(set), socket);
}

std::vector<cli::Flag> SharedFlags() {
  std::vector<cli::Flag> flags = {
      {.name = "config", .help = "Path to a configuration file of kubeadm"},
      {.name = "feature-gates", .help = "key=value pairs that switch experimental features"},
      {.name = "image-repository",
       .default_text = "registry.k8s.io",
       .help = "The registry of the control plane's images"},
      {.name = "kubernetes-version",
       .default_text = "stable-1",
       .help = "The version of Kubernetes for the control plane"},
  };
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

cli::Command ListCommand(host::Host& host) {
  cli::Command command =
      Documented("list", "List the images that a control plane runs", "config-images-list");
  command.flags = WithPrinter(SharedFlags());
  command.run = [&host](cli::Invocation& invocation) {
    const Output output(invocation, host);
    const config::Init config = LoadFor(invocation.flags, host, config::CriSocketChoice::kAssume);
    output.Show(ImageList{config::RequiredImages(config.cluster)});
  };
  return command;
}

void Pull(cli::Invocation& invocation, host::Host& host) {
  const config::Init config = LoadFor(invocation.flags, host, config::CriSocketChoice::kDetect);
  preflight::PullInput input =
      preflight::ImagePullInput(config.cluster, config.init.node_registration);
  // Who gives this command wants what the registry has now.
  input.policy = "Always";
  input.on_event = [&](const preflight::PullEvent& event) {
    using What = preflight::PullEvent::What;
    if (event.what == What::kPulled || event.what == What::kPresent) {
      invocation.streams.out << "[config/images] Pulled " << event.image << '\n' << std::flush;
    }
  };
  const preflight::Verdict verdict =
      preflight::PullImages([](const std::string& endpoint) { return cri::Connect(endpoint); },
                            input, host.clock, host.signals.Interrupt());
  if (!verdict.errors.empty()) {
    throw base::Error(base::Join(verdict.errors, "\n"));
  }
}

cli::Command PullCommand(host::Host& host) {
  cli::Command command =
      Documented("pull", "Pull the images that a control plane runs", "config-images-pull");
  command.flags = SharedFlags();
  command.flags.push_back(
      {.name = "cri-socket",
       .help = "The socket of the container runtime; found by itself when there is only one",
       .persistent = true});
  command.run = [&host](cli::Invocation& invocation) { Pull(invocation, host); };
  return command;
}

}  // namespace

cli::Command ImagesCommand(host::Host& host) {
  return Group("images", "Commands for the images of a control plane", "config-images",
               [&host] { return std::vector<cli::Command>{ListCommand(host), PullCommand(host)}; });
}

}  // namespace kubeadm
