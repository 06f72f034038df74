// Phases that put something into the cluster: upload-config, upload-certs, mark-control-plane,
// bootstrap-token, show-join-command.
#include <fmt/core.h>

#include "base/secret_text.h"
#include "base/strings.h"
#include "certs/sharing.h"
#include "cluster/admin.h"
#include "cluster/bootstrap.h"
#include "cluster/join_command.h"
#include "cluster/node.h"
#include "cluster/tokens.h"
#include "cluster/upload_certs.h"
#include "cluster/upload_config.h"
#include "config/paths.h"
#include "config/taints.h"
#include "config/token.h"
#include "kubeadm/init/phases.h"
#include "kubeadm/init/success_text.h"
#include "pki/certificate.h"

namespace kubeadm {
namespace {

std::chrono::sys_seconds Now(const InitData& data) {
  return std::chrono::floor<std::chrono::seconds>(data.host.clock.Now());
}

void UploadKubeadmConfig(InitData& data, workflow::Context& context) {
  context.Print(
      "[upload-config] Storing the configuration in ConfigMap \"kubeadm-config\" of namespace "
      "\"kube-system\"");
  cluster::UploadKubeadmConfig(data.Client(context), data.config.cluster);
}

void UploadKubeletConfig(InitData& data, workflow::Context& context) {
  context.Print(
      "[kubelet] Storing the kubelets' configuration in ConfigMap \"kubelet-config\" of namespace "
      "\"kube-system\"");
  cluster::UploadKubeletConfig(data.Client(context), data.config.cluster.kubelet);
}

std::string_view RuleText(cluster::BootstrapRule rule) {
  switch (rule) {
    case cluster::BootstrapRule::kGetNodes:
      return "[bootstrap-token] Allowing nodes that join with a token to read Nodes";
    case cluster::BootstrapRule::kPostCsrs:
      return "[bootstrap-token] Allowing nodes that join with a token to ask for a certificate";
    case cluster::BootstrapRule::kApproveBootstrapCsrs:
      return "[bootstrap-token] Having the certificates of joining nodes approved";
    case cluster::BootstrapRule::kApproveRotationCsrs:
      return "[bootstrap-token] Having renewals of the nodes' client certificates approved";
    case cluster::BootstrapRule::kApiServerKubeletClient:
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
  return cluster::LoadKubeconfig(data.host.files, path);
}

}  // namespace

std::vector<InitPhase> UploadConfigPhases() {
  const std::vector<std::string> flags = {"config", "cri-socket", "dry-run", "kubeconfig"};
  return {{.name = "kubeadm",
           .summary = "Keep kubeadm's ClusterConfiguration in a ConfigMap",
           .flags = flags,
           .run = UploadKubeadmConfig},
          {.name = "kubelet",
           .summary = "Keep the kubelets' configuration in a ConfigMap",
           .flags = flags,
           .run = UploadKubeletConfig}};
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
      "[upload-certs] Storing the certificates in Secret \"kubeadm-certs\" of namespace "
      "\"kube-system\"");
  cluster::UploadCertificates(data.Client(context), sealed,
                              {.now = Now(data), .token = NewToken(data)});
  if (!data.init_options.skip_certificate_key_print) {
    context.Print("[upload-certs] Using certificate key:\n" + key);
  }
  data.SetCertificateKey(key);
}

void MakeBootstrapTokens(InitData& data, workflow::Context& context) {
  SayTokens(data, context);
  context.Print("[bootstrap-token] Storing the tokens, and what lets nodes join with them");
  kube::Client& client = data.Client(context);
  for (const config::BootstrapToken& token : data.config.init.bootstrap_tokens) {
    cluster::PutToken(client, token, Now(data), cluster::IfExists::kUpdate);
  }
  for (const cluster::BootstrapRule rule : cluster::kBootstrapRules) {
    context.Print(RuleText(rule));
    cluster::ApplyBootstrapRule(client, rule);
  }
  context.Print(
      "[bootstrap-token] Publishing ConfigMap \"cluster-info\" in namespace \"kube-public\"");
  cluster::PutClusterInfo(client, JoinKubeconfig(data));
  cluster::ApplyClusterInfoRbac(client);
}

void ShowJoinCommand(InitData& data, workflow::Context& context) {
  const cluster::JoinTarget target = cluster::JoinTargetOf(JoinKubeconfig(data));
  context.Result("endpoint", target.endpoint);
  context.Result("ca-cert-hashes", target.pins);
  const std::optional<std::string> key = data.CertificateKey();
  SuccessFacts facts{
      .admin_conf = data.host.files.Location(data.KubeconfigPath(config::kAdminConf)).string(),
      .target = target,
      .for_control_planes = !data.config.cluster.control_plane_endpoint.empty(),
      .uploaded_certs = data.init_options.upload_certs,
      .certificate_key = key,
  };
  if (key && data.init_options.skip_certificate_key_print) {
    facts.certificate_key = std::string(cluster::kWithheld);
  }
  for (const config::BootstrapToken& token : data.config.init.bootstrap_tokens) {
    facts.token =
        data.init_options.skip_token_print ? std::string(cluster::kWithheld) : token.token;
    context.Print(SuccessText(facts));
  }
}

}  // namespace kubeadm
