// SPDX-License-Identifier: Apache-2.0
// Phases `certs …`.
#include <fmt/core.h>

#include "certs/create.h"
#include "kubeadm/init/phases.h"
#include "steps/init/steps.h"
#include "steps/node/steps.h"

namespace kubeadm {
namespace {

using Names = std::vector<std::string>;

// Returns the flags of a certificate's phase, in addition to the flags that all certificate phases
// have.
Names FlagsOf(const certs::CertSpec& spec) {
  if (spec.names == certs::NameRule::kApiServer) {
    return {"apiserver-advertise-address",
            "apiserver-cert-extra-sans",
            "cert-dir",
            "config",
            "control-plane-endpoint",
            "dry-run",
            "kubernetes-version",
            "service-cidr",
            "service-dns-domain"};
  }
  return {"cert-dir", "config", "dry-run", "kubernetes-version"};
}

InitPhase PhaseOf(const certs::CertSpec& spec) {
  return {.name = std::string(spec.name),
          .summary = fmt::format("Make the {}", spec.long_name),
          .flags = FlagsOf(spec),
          .needs = spec.is_ca() ? Names{} : Names{std::string(spec.ca)},
          .makes = {std::string(spec.name)},
          .run = [&spec](InitData& data, workflow::Context& context) {
            init_steps::MakeCertificate(spec, data, context);
          }};
}

}  // namespace

std::vector<InitPhase> CertificatePhases() {
  std::vector<InitPhase> phases;
  for (const certs::CertSpec& spec : certs::Tree()) {
    phases.push_back(PhaseOf(spec));
  }
  phases.push_back({.name = std::string(certs::kServiceAccount),
                    .summary = "Make the key pair that signs ServiceAccount tokens",
                    .flags = {"cert-dir", "config", "dry-run", "kubernetes-version"},
                    .makes = {std::string(certs::kServiceAccount)},
                    .run = node_steps::MakeServiceAccountKey});
  return phases;
}

}  // namespace kubeadm
