// SPDX-License-Identifier: Apache-2.0
// The objects that init creates in the cluster: the kubelets' configuration, certificates, tokens.
#include <fmt/core.h>

#include "base/secret_text.h"
#include "certs/sharing.h"
#include "config/feature_gates.h"
#include "config/token.h"
#include "join_secrets/bootstrap_rules.h"
#include "join_secrets/cluster_info.h"
#include "join_secrets/tokens.h"
#include "join_secrets/upload_certs.h"
#include "kubeconfigs/load.h"
#include "objects/node.h"
#include "releases/releases.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace init_steps {
namespace {

std::chrono::sys_seconds Now(const InitData& data) { return data.host.clock.NowSeconds(); }

std::string_view RuleText(join_secrets::BootstrapRule rule) {
  switch (rule) {
    case join_secrets::BootstrapRule::kGetNodes:
      return "[bootstrap-token] Allowing nodes that join with a token to read Nodes";
    case join_secrets::BootstrapRule::kPostCsrs:
      return "[bootstrap-token] Allowing nodes that join with a token to ask for a certificate";
    case join_secrets::BootstrapRule::kApproveBootstrapCsrs:
      return "[bootstrap-token] Having the certificates of joining nodes approved";
    case join_secrets::BootstrapRule::kBoundTokens:
      return "[bootstrap-token] Allowing nodes that join with a bound token the same";
    case join_secrets::BootstrapRule::kApproveRotationCsrs:
      return "[bootstrap-token] Having renewals of the nodes' client certificates approved";
    case join_secrets::BootstrapRule::kApiServerKubeletClient:
      break;
  }
  return "[bootstrap-token] Allowing the API server to use the kubelets' API";
}

std::string NewToken(const InitData& data) {
  return config::NewToken([&](std::size_t count) { return data.host.random.Bytes(count); });
}

void SayTokens(InitData& data, workflow::Context& context) {
  for (const config::BootstrapToken& token : data.config.init.bootstrap_tokens) {
    if (!data.init_options.skip_token_print) {
      context.Print(fmt::format("[bootstrap-token] Using token: {}", token.token));
    }
    context.Result("token-id", config::TokenId(token.token));
  }
}

kube::Kubeconfig JoinKubeconfig(const InitData& data) {
  const std::string& path = data.options.kubeconfig;
  return kubeconfigs::LoadKubeconfig(data.host.files, path);
}

}  // namespace

void StoreKubeletConfig(InitData& data, workflow::Context& context) {
  node_steps::UploadKubeletConfig(data, context);
  using releases::SocketAnnotation;
  if (!config::SocketIsLocal(data.config.cluster) &&
      releases::For(data.config.cluster.kubernetes_version).socket_annotation ==
          SocketAnnotation::kByGate) {
    const config::NodeRegistration& node = data.config.init.node_registration;
    objects::KeepCriSocket(data.Client(context), node.name, node.cri_socket);
  }
}

void UploadCertificates(InitData& data, workflow::Context& context) {
  if (!data.init_options.upload_certs) {
    context.Print("[upload-certs] Skipping phase: it runs with --upload-certs");
    return;
  }
  std::string key = data.config.init.certificate_key;
  if (key.empty()) {
    key = certs::NewCertificateKey(data.host.random);
  }
  const certs::Sealed sealed = certs::SealSharedFiles(
      data.machine.files, data.config.cluster, base::SecretText(certs::ParseCertificateKey(key)));
  context.Print(
      "[upload-certs] Storing the certificates in Secret \"kubeadm-certs\" in the \"kube-system\" "
      "Namespace");
  join_secrets::UploadCertificates(data.Client(context), sealed,
                                   {.now = Now(data), .token = NewToken(data)});
  if (!data.init_options.skip_certificate_key_print) {
    context.Print("[upload-certs] Using certificate key:\n" + key);
  }
  data.SetCertificateKey(key);
}

void MakeBootstrapTokens(InitData& data, workflow::Context& context) {
  SayTokens(data, context);
  context.Print(
      "[bootstrap-token] Storing the tokens, and the rules by which nodes join with "
      "them");
  kube::Client& client = data.Client(context);
  for (const config::BootstrapToken& token : data.config.init.bootstrap_tokens) {
    join_secrets::PutToken(client, token, Now(data), join_secrets::IfExists::kUpdate);
  }
  const join_secrets::JoinTokens tokens = data.init_options.join_tokens;
  if (tokens == join_secrets::JoinTokens::kBoundOnly) {
    context.Print("[bootstrap-token] Letting nodes join with bound tokens only");
    join_secrets::ApplyJoinTokens(client, tokens);
  }
  for (const join_secrets::BootstrapRule rule : join_secrets::BootstrapRules(
           releases::For(data.config.cluster.kubernetes_version), tokens)) {
    context.Print(RuleText(rule));
    join_secrets::ApplyBootstrapRule(client, rule);
  }
  context.Print(
      "[bootstrap-token] Publishing ConfigMap \"cluster-info\" in namespace \"kube-public\"");
  join_secrets::PutClusterInfo(client, JoinKubeconfig(data));
  join_secrets::ApplyClusterInfoRbac(client);
}

}  // namespace init_steps
