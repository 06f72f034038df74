// SPDX-License-Identifier: Apache-2.0
#include "config/paths.h"
#include "join_secrets/join_command.h"
#include "kubeadm/init/phases.h"
#include "kubeadm/init/success_text.h"
#include "kubeconfigs/load.h"

namespace kubeadm {

void ShowJoinCommand(InitData& data, workflow::Context& context) {
  const join_secrets::JoinTarget target = join_secrets::JoinTargetOf(
      kubeconfigs::LoadKubeconfig(data.host.files, data.options.kubeconfig));
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
    facts.certificate_key = std::string(join_secrets::kWithheld);
  }
  if (data.init_options.join_tokens == join_secrets::JoinTokens::kBoundOnly) {
    context.Print(SuccessText(facts));
    return;
  }
  for (const config::BootstrapToken& token : data.config.init.bootstrap_tokens) {
    facts.token =
        data.init_options.skip_token_print ? std::string(join_secrets::kWithheld) : token.token;
    context.Print(SuccessText(facts));
  }
}

}  // namespace kubeadm
