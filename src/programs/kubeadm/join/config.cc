// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/config.h"

#include <fmt/core.h>

#include <istream>

#include "base/error.h"
#include "base/strings.h"
#include "cli/input.h"
#include "config/arguments.h"
#include "config/flags.h"
#include "config/load.h"
#include "config/paths.h"
#include "kubeadm/command_line.h"
#include "kubeadm/join/flags.h"
#include "kubeconfigs/load.h"
#include "node_input/config_facts.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::string_view kStandardInput = "-";

host::fs::path AdminConf() { return host::fs::path(config::kKubernetesDir) / config::kAdminConf; }

// Loads admin.conf. Returns std::nullopt if the user may not read it: phase preflight reports this.
std::optional<kube::Kubeconfig> LoadAdminConf(const host::Files& files) {
  try {
    return kubeconfigs::LoadKubeconfig(files, AdminConf());
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
    return std::nullopt;
  }
}

// Returns the token from any of the user's sources. Only a flag's value is visible in the process
// list.
std::optional<std::string> TokenOf(const cli::Invocation& invocation, const host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  std::optional<std::string> token = flags.Given("token");
  const std::optional<std::string> file = flags.Given("token-file");
  if (token && file) {
    throw Error(Error::Kind::kUsage, "--token and --token-file cannot be used together");
  }
  if (token != kStandardInput && !file) {
    return token;
  }
  if (token == kStandardInput || file == kStandardInput) {
    return std::string(base::Trim(cli::ReadLine(invocation.streams.in)));
  }
  return base::WithContext("could not read the token",
                           [&] { return std::string(base::Trim(host.files.Read(*file))); });
}

void RequireFittingProof(const std::string& flag, const cli::Parsed& flags,
                         const config::JoinConfiguration& join) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Error::Kind::kUsage, flag + " " + why);
  };
  if (!join.discovery.file || !join.discovery.tls_bootstrap_token.empty()) {
    refuse("replaces the token: find the cluster by --discovery-file, without a token");
  }
  if (join.control_plane) {
    refuse("is for workers: a control-plane node needs a token to download the certificates");
  }
  if (flags.GivenBool("dry-run").value_or(join.dry_run)) {
    refuse(
        "cannot be used in a dry run: the cluster's configuration can only be read with the "
        "certificate, and a dry run requests none");
  }
}

// Returns the proof of this machine's identity; std::nullopt without --identity-document and --tpm.
std::optional<join_steps::IdentityProof> ProofOf(const cli::Invocation& invocation,
                                                 const host::Host& host,
                                                 const config::JoinConfiguration& join) {
  const cli::Parsed& flags = invocation.flags;
  if (!flags.Offers("identity-document")) {
    return std::nullopt;
  }
  const std::optional<std::string> path = flags.Given("identity-document");
  const std::optional<std::string> endpoint = flags.Given("identity-endpoint");
  const bool tpm = flags.Bool("tpm");
  if (path && tpm) {
    throw Error(Error::Kind::kUsage, "--identity-document and --tpm cannot be used together");
  }
  if (!path && !tpm) {
    if (endpoint) {
      throw Error(Error::Kind::kUsage, "--identity-endpoint needs --identity-document or --tpm");
    }
    return std::nullopt;
  }
  RequireFittingProof(tpm ? "--tpm" : "--identity-document", flags, join);
  if (tpm) {
    return join_steps::IdentityProof{.document = {}, .endpoint = endpoint.value_or("")};
  }
  const std::string document = base::WithContext("could not read the identity document", [&] {
    return *path == kStandardInput ? cli::ReadInput(invocation.streams.in) : host.files.Read(*path);
  });
  if (base::Trim(document).empty()) {
    throw Error(Error::Kind::kInvalid, "the identity document is empty");
  }
  return join_steps::IdentityProof{.document = std::string(base::Trim(document)),
                                   .endpoint = endpoint.value_or("")};
}

config::JoinFlags FlagsOf(const cli::Invocation& invocation, const host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  config::JoinFlags set;
  set.node.node_name = flags.Given("node-name");
  set.node.cri_socket = flags.Given("cri-socket");
  if (flags.Bool("control-plane")) {
    set.control_plane = config::ControlPlane::kYes;
  }
  if (!flags.args().empty()) {
    set.api_server_endpoint = flags.args().front();
  }
  set.apiserver_advertise_address = flags.Given("apiserver-advertise-address");
  if (flags.Changed("apiserver-bind-port")) {
    set.apiserver_bind_port = static_cast<std::int32_t>(flags.Int("apiserver-bind-port"));
  }
  set.certificate_key = flags.Given("certificate-key");
  set.discovery_file = flags.Given("discovery-file");
  set.discovery_token = flags.Given("discovery-token");
  set.discovery_token_ca_cert_hashes = flags.List("discovery-token-ca-cert-hash");
  set.discovery_token_unsafe_skip_ca_verification =
      flags.Bool("discovery-token-unsafe-skip-ca-verification");
  set.tls_bootstrap_token = flags.Given("tls-bootstrap-token");
  set.token = TokenOf(invocation, host);
  return set;
}

// Returns whether the phase finds the cluster by admin.conf, as the phases after the creation of
// this file do.
bool GoesByAdminConf(const cli::Parsed& flags) { return !flags.Offers("discovery-file"); }

void UseAdminConf(config::JoinFlags& flags, const host::Host& host) {
  const std::string path = AdminConf().string();
  if (!host.files.Exists(path)) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("file {} does not exist; the phases \"kubeadm join phase "
                            "control-plane-prepare\" make it",
                            path));
  }
  flags.discovery_file = path;
}

config::JoinConfiguration JoinOf(const cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const config::Facts facts = node_input::CollectFacts(host);
  const config::CriSocketChoice socket = SocketChoice(flags);
  config::JoinFlags set = FlagsOf(invocation, host);
  if (GoesByAdminConf(flags)) {
    UseAdminConf(set, host);
  }
  if (const std::string& path = flags.Text("config"); !path.empty()) {
    const config::Source source = node_input::ReadSource(host, path);
    return config::LoadJoin(source, facts, {.cri_socket = socket});
  }
  return config::JoinFromFlags(set, facts, socket);
}

}  // namespace

LoadedJoin LoadJoinConfig(const cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  config::RequireUnmixedArguments(flags.ChangedNames());
  LoadedJoin loaded;
  if (flags.Bool("control-plane") && host.files.Exists(AdminConf())) {
    loaded.given = LoadAdminConf(host.files);
  }
  loaded.join = JoinOf(invocation, host);
  if (const std::string& name = flags.Text("node-name"); !name.empty()) {
    loaded.join.node_registration.name = name;
  }
  if (loaded.join.control_plane) {
    config::CheckAdvertiseAddress(loaded.join.control_plane->local_api_endpoint.advertise_address);
  }
  loaded.proof = ProofOf(invocation, host, loaded.join);
  return loaded;
}

node_steps::NodeOptions ReadJoinOptions(const cli::Parsed& flags,
                                        const config::JoinConfiguration& join) {
  node_steps::NodeOptions options;
  options.kubeconfig = AdminConf().string();
  options.kubeconfig_dir = host::fs::path(config::kKubernetesDir);
  options.patches_directory = PatchesDirectory(flags, join.patches);
  options.keep_dry_run_keys = flags.Offers("keep") && flags.Bool("keep");
  options.replace_dead_member = flags.Offers(kReplaceDeadMember) && flags.Bool(kReplaceDeadMember);
  if (options.replace_dead_member && !join.control_plane) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} needs --control-plane: a worker has no member of etcd",
                            kReplaceDeadMember));
  }
  return options;
}

}  // namespace kubeadm
