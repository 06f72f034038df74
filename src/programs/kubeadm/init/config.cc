// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/config.h"

#include <fmt/core.h>

#include <algorithm>

#include "addons/approver_program.h"
#include "base/error.h"
#include "config/arguments.h"
#include "config/documents.h"
#include "config/extension.h"
#include "config/flags.h"
#include "config/load.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubeadm/command_line.h"
#include "node_input/config_facts.h"

namespace kubeadm {
namespace {

config::Args ArgsOf(const std::vector<cli::Pair>& pairs) {
  config::Args args;
  for (const auto& [name, value] : pairs) {
    args.push_back({.name = name, .value = value});
  }
  return args;
}

// Returns the values of hidden flags of `init phase control-plane`.
config::Args ExtraArgs(const cli::Parsed& flags, std::string_view name) {
  return flags.Offers(name) ? ArgsOf(flags.Pairs(name)) : config::Args{};
}

config::InitFlags FlagsOf(const cli::Parsed& flags) {
  config::InitFlags set;
  set.node.node_name = flags.Given("node-name");
  set.node.cri_socket = flags.Given("cri-socket");
  set.apiserver_advertise_address = flags.Given("apiserver-advertise-address");
  if (flags.Changed("apiserver-bind-port")) {
    set.apiserver_bind_port = static_cast<std::int32_t>(flags.Int("apiserver-bind-port"));
  }
  set.apiserver_cert_extra_sans = flags.List("apiserver-cert-extra-sans");
  set.cert_dir = flags.Given("cert-dir");
  set.certificate_key = flags.Given("certificate-key");
  set.control_plane_endpoint = flags.Given("control-plane-endpoint");
  set.feature_gates = flags.Given("feature-gates");
  set.image_repository = flags.Given("image-repository");
  set.kubernetes_version = flags.Given("kubernetes-version");
  set.pod_network_cidr = flags.Given("pod-network-cidr");
  set.service_cidr = flags.Given("service-cidr");
  set.service_dns_domain = flags.Given("service-dns-domain");
  set.token = flags.Given("token");
  if (flags.Changed("token-ttl")) {
    set.token_ttl = flags.Duration("token-ttl");
  }
  set.apiserver_extra_args = ExtraArgs(flags, "apiserver-extra-args");
  set.controller_manager_extra_args = ExtraArgs(flags, "controller-manager-extra-args");
  set.scheduler_extra_args = ExtraArgs(flags, "scheduler-extra-args");
  return set;
}

// Returns whether a flag or the file requests bootstrap tokens.
bool NamesTokens(const cli::Parsed& flags, const std::optional<config::Source>& file) {
  const auto has_tokens = [](const config::Document& document) {
    return !json::At(document.yaml.value, {"bootstrapTokens"}).empty();
  };
  return file ? std::ranges::any_of(config::ReadDocuments(*file), has_tokens)
              : flags.Given("token").has_value();
}

bool Contains(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

void BindTokens(bool names_tokens, LoadedInit& loaded) {
  if (!loaded.approver) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "bound tokens need the approver of kubelets' certificates: add "
                      "--kubelet-serving-certs, or kubeletServingCerts to the "
                      "ExtensionConfiguration");
  }
  loaded.approver->bound_tokens = true;
  loaded.join_tokens = join_secrets::JoinTokens::kBoundOnly;
  if (!names_tokens) {
    loaded.config.init.bootstrap_tokens.clear();
  }
}

// Returns the images of the operator of ClusterOperations; std::nullopt if the operator is not
// installed. Flags override the values of the file.
std::optional<addons::FleetImages> FleetBy(const cli::Parsed& flags, config::Fleet fleet) {
  if (flags.Offers("fleet")) {
    fleet.enabled = fleet.enabled || flags.Bool("fleet");
    fleet.image = flags.Given("fleet-image").value_or(fleet.image);
    fleet.kubeadm_image = flags.Given("fleet-kubeadm-image").value_or(fleet.kubeadm_image);
    if (!fleet.enabled && (flags.Changed("fleet-image") || flags.Changed("fleet-kubeadm-image"))) {
      throw base::Error(base::Error::Kind::kUsage,
                        "--fleet-image and --fleet-kubeadm-image need --fleet");
    }
  }
  return fleet.enabled ? std::optional(addons::RequireFleetImages(fleet)) : std::nullopt;
}

}  // namespace

LoadedInit LoadInitConfig(const cli::Parsed& flags, host::Host& host) {
  config::RequireUnmixedArguments(flags.ChangedNames());
  LoadedInit loaded;
  const config::Facts facts = node_input::CollectFacts(host);
  const config::CriSocketChoice socket = SocketChoice(flags);
  config::ExtensionConfiguration extension;
  std::optional<config::Source> file;
  if (const std::string& path = flags.Text("config"); !path.empty()) {
    file = node_input::ReadSource(host, path);
    loaded.config = config::LoadInit(*file, facts, {.cri_socket = socket});
    extension = config::ReadExtension(*file);
  } else {
    loaded.config = config::InitFromFlags(FlagsOf(flags), facts, socket);
  }
  if (const std::string& name = flags.Text("node-name"); !name.empty()) {
    loaded.config.init.node_registration.name = name;
  }
  config::CheckAdvertiseAddress(loaded.config.init.local_api_endpoint.advertise_address);
  const auto by_flag = [&](std::string_view flag) {
    return flags.Offers(flag) && flags.Bool(flag);
  };
  config::KubeletServingCerts& serving = extension.kubelet_serving_certs;
  if (serving.enabled || by_flag("kubelet-serving-certs")) {
    config::ServeByClusterCa(loaded.config.cluster);
    loaded.approver = addons::ChooseApprover(serving, host);
  }
  if (extension.node_bound_tokens.enabled || by_flag("node-bound-tokens")) {
    BindTokens(NamesTokens(flags, file), loaded);
  }
  loaded.fleet = FleetBy(flags, extension.fleet);
  return loaded;
}

std::set<std::string> IgnoredChecks(const cli::Parsed& flags, const LoadedInit& loaded) {
  return config::IgnoredPreflightErrors(
      flags.List("ignore-preflight-errors"),
      loaded.config.init.node_registration.ignore_preflight_errors);
}

init_steps::InitOptions ReadInitOptions(const cli::Parsed& flags, const LoadedInit& loaded) {
  init_steps::InitOptions options;
  options.approver = loaded.approver;
  options.fleet = loaded.fleet;
  options.join_tokens = loaded.join_tokens;
  options.upload_certs = flags.Bool("upload-certs");
  options.skip_token_print = flags.Bool("skip-token-print");
  options.skip_certificate_key_print = flags.Bool("skip-certificate-key-print");
  options.print_manifest = flags.Offers("print-manifest") && flags.Bool("print-manifest");
  return options;
}

node_steps::NodeOptions ReadNodeOptions(const cli::Parsed& flags, const config::Init& config) {
  node_steps::NodeOptions options;
  const std::string admin_conf =
      (host::fs::path(config::kKubernetesDir) / config::kAdminConf).string();
  // Only the commands of single phases have these flags.
  options.kubeconfig = flags.Offers("kubeconfig") ? flags.Text("kubeconfig") : admin_conf;
  options.keep_dry_run_keys = flags.Offers("keep") && flags.Bool("keep");
  options.kubeconfig_dir = flags.Offers("kubeconfig-dir")
                               ? host::fs::path(flags.Text("kubeconfig-dir"))
                               : host::fs::path(config::kKubernetesDir);
  options.patches_directory = PatchesDirectory(flags, config.init.patches);
  return options;
}

void ReconcileAddons(config::ClusterConfiguration& cluster, workflow::Selection& selection) {
  const auto reconcile = [&](const std::string& phase, bool& disabled) {
    if (Contains(selection.skip, "addon") || Contains(selection.skip, phase)) {
      disabled = true;
    } else if (disabled) {
      selection.skip.push_back(phase);
    }
  };
  reconcile("addon/coredns", cluster.dns.disabled);
  reconcile("addon/kube-proxy", cluster.proxy.disabled);
}

}  // namespace kubeadm
