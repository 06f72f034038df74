// SPDX-License-Identifier: Apache-2.0
// The certificates and files of a control-plane node.
#include <fmt/core.h>

#include "base/secret_text.h"
#include "base/strings.h"
#include "certs/create.h"
#include "certs/disk.h"
#include "certs/sharing.h"
#include "certs/tree.h"
#include "join_secrets/upload_certs.h"
#include "steps/join/steps.h"
#include "steps/node/steps.h"
#include "steps/resume.h"
#include "workflow/written_files.h"

namespace join_steps {
namespace {

// Returns whether the key of the cluster's CA is not on this node. The key may be stored elsewhere;
// then this node cannot sign.
bool HasNoCaKey(const JoinData& data) {
  return !data.host.files.Exists(
      certs::KeyPath(data.config.cluster.certificates_dir, certs::FindSpec(certs::kCa).base_name));
}

}  // namespace

void ShareCertificates(JoinData& data, workflow::Context& context) {
  if (!data.join.control_plane || data.join.control_plane->certificate_key.empty()) {
    context.Print("[download-certs] Skipping phase: it runs with a certificate key");
    return;
  }
  data.LoadCluster(context);
  context.Print(
      "[download-certs] Downloading the certificates in Secret \"kubeadm-certs\" of namespace "
      "\"kube-system\"");
  const certs::Sealed sealed = join_secrets::DownloadCertificates(data.BootstrapClient(context));
  context.Print(fmt::format(
      "[download-certs] Writing the certificates to directory {}",
      base::Quoted(data.host.files.Location(data.config.cluster.certificates_dir).string())));
  workflow::WrittenFiles files(data.host.files, context);
  certs::OpenSharedFiles(
      files, data.config.cluster, sealed,
      base::SecretText(certs::ParseCertificateKey(data.config.init.certificate_key)));
}

void MakeCertificates(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  SayCertificatesDirectory(data, context);
  for (const certs::CertSpec& spec : certs::Tree()) {
    if (spec.is_ca()) {
      BringOwnCa(spec, data);
    }
    steps::DropStaleCertificate(data.Resumed(), spec);
  }
  workflow::WrittenFiles files(data.host.files, context);
  for (const certs::TreeOutcome& row : certs::EnsureTree(data.Certificates(files))) {
    node_steps::SayCertificate(*row.spec, row.outcome, context);
  }
  MakeServiceAccountKey(data, context);
}

void MakeKubeconfigs(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  data.external_ca = HasNoCaKey(data);
  SayKubeconfigDirectory(data, context);
  for (const kubeconfigs::KubeconfigSpec& spec : data.kubeconfig_specs) {
    MakeKubeconfig(spec, data, context);
  }
}

void MakeManifests(JoinData& data, workflow::Context& context) {
  data.LoadCluster(context);
  SayManifestDirectory(data, context);
  for (const components::Component component : components::kControlPlane) {
    MakeControlPlanePod(component, data, context);
  }
}

}  // namespace join_steps
