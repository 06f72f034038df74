// Phases `certs …`.
#include <fmt/core.h>

#include "base/strings.h"
#include "certs/create.h"
#include "kubeadm/init_phases.h"
#include "kubeadm/written_files.h"

namespace kubeadm {
namespace {

using Names = std::vector<std::string>;

// What a phase offers besides the flags that all certificates have.
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

bool Serves(const certs::CertSpec& spec) {
  return spec.names == certs::NameRule::kApiServer || spec.names == certs::NameRule::kEtcdServer ||
         spec.names == certs::NameRule::kEtcdPeer;
}

void SayOutcome(const certs::CertSpec& spec, const certs::Outcome& outcome,
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

// A dry run signs with the machine's own CA where there is one.
void BringOwnCa(const certs::CertSpec& spec, InitData& data) {
  if (data.options.dry_run) {
    certs::CopyCa(data.host.files, data.config.cluster.certificates_dir,
                  spec.is_ca() ? spec : certs::FindSpec(spec.ca));
  }
}

void Make(const certs::CertSpec& spec, InitData& data, workflow::Context& context) {
  BringOwnCa(spec, data);
  WrittenFiles files(data.host.files, context);
  SayOutcome(spec, certs::Ensure(spec, data.Certificates(files)), context);
}

void MakeServiceAccountKey(InitData& data, workflow::Context& context) {
  if (data.external_ca) {
    context.Print("[certs] External CA: using the existing \"sa\" key");
    return;
  }
  WrittenFiles files(data.host.files, context);
  const certs::Outcome outcome = certs::EnsureServiceAccountKey(data.Certificates(files));
  context.Print(outcome.action == certs::Action::kCreated
                    ? "[certs] Made the \"sa\" key and its public half"
                    : "[certs] Using the existing \"sa\" key");
}

InitPhase PhaseOf(const certs::CertSpec& spec) {
  return {
      .name = std::string(spec.name),
      .summary = fmt::format("Make the {}", spec.long_name),
      .flags = FlagsOf(spec),
      .needs = spec.is_ca() ? Names{} : Names{std::string(spec.ca)},
      .makes = {std::string(spec.name)},
      .run = [&spec](InitData& data, workflow::Context& context) { Make(spec, data, context); }};
}

}  // namespace

void SayCertificatesFolder(InitData& data, workflow::Context& context) {
  context.Print(fmt::format(
      "[certs] Certificates are in folder {}",
      base::Quoted(data.host.files.Location(data.config.cluster.certificates_dir).string())));
}

std::vector<InitPhase> CertificatePhases() {
  std::vector<InitPhase> phases;
  for (const certs::CertSpec& spec : certs::Tree()) {
    phases.push_back(PhaseOf(spec));
  }
  phases.push_back({.name = std::string(certs::kServiceAccount),
                    .summary = "Make the key pair that signs ServiceAccount tokens",
                    .flags = {"cert-dir", "config", "dry-run", "kubernetes-version"},
                    .makes = {std::string(certs::kServiceAccount)},
                    .run = MakeServiceAccountKey});
  return phases;
}

}  // namespace kubeadm
