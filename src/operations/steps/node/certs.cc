// SPDX-License-Identifier: Apache-2.0
// Steps about certificates.
#include <fmt/core.h>

#include "base/strings.h"
#include "steps/node/steps.h"
#include "steps/resume.h"
#include "workflow/written_files.h"

namespace node_steps {
namespace {

bool Serves(const certs::CertSpec& spec) {
  return spec.names == certs::NameRule::kApiServer || spec.names == certs::NameRule::kEtcdServer ||
         spec.names == certs::NameRule::kEtcdPeer;
}

}  // namespace

void SayCertificatesDirectory(NodeData& data, workflow::Context& context) {
  context.Print(fmt::format(
      "[certs] Certificates are in directory {}",
      base::Quoted(data.host.files.Location(data.config.cluster.certificates_dir).string())));
}

void SayCertificate(const certs::CertSpec& spec, const certs::Outcome& outcome,
                    workflow::Context& context) {
  switch (outcome.action) {
    case certs::Action::kSkippedExternalEtcd:
      context.Print(fmt::format("[certs] External etcd: leaving out {} certificate and key",
                                base::Quoted(spec.base_name)));
      return;
    case certs::Action::kReused:
      context.Print(fmt::format("[certs] Using the existing {} {}", base::Quoted(spec.base_name),
                                spec.is_ca() ? "certificate authority" : "certificate and key"));
      return;
    case certs::Action::kReusedKeyless:
      context.Print(fmt::format("[certs] Using the existing {} keyless certificate authority",
                                base::Quoted(spec.base_name)));
      return;
    case certs::Action::kCreated:
      break;
  }
  context.Print(
      fmt::format("[certs] Made the {} certificate and key", base::Quoted(spec.base_name)));
  if (Serves(spec)) {
    context.Print(fmt::format("[certs] {} is valid for DNS names [{}] and IPs [{}]", spec.base_name,
                              base::Join(outcome.alt_names.dns_names, " "),
                              base::Join(outcome.alt_names.ip_addresses, " ")));
  }
}

void BringOwnCa(const certs::CertSpec& spec, NodeData& data) {
  const certs::CertSpec& ca = spec.is_ca() ? spec : certs::FindSpec(spec.ca);
  const fs::path dir = data.config.cluster.certificates_dir;
  data.world.Bring(certs::KeyPath(dir, ca.base_name), {.mode = 0600, .directory_mode = 0700});
  data.world.Bring(certs::CertPath(dir, ca.base_name), {.mode = 0644, .directory_mode = 0700});
}

void MakeServiceAccountKey(NodeData& data, workflow::Context& context) {
  if (data.external_ca) {
    context.Print("[certs] External CA: using the existing \"sa\" key");
    return;
  }
  steps::DropStaleServiceAccountKey(data.Resumed());
  workflow::WrittenFiles files(data.host.files, context);
  const certs::Outcome outcome = certs::EnsureServiceAccountKey(data.Certificates(files));
  context.Print(outcome.action == certs::Action::kCreated
                    ? "[certs] Made the \"sa\" key and its public half"
                    : "[certs] Using the existing \"sa\" key");
}

}  // namespace node_steps
