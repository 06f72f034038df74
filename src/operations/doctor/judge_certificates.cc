// SPDX-License-Identifier: Apache-2.0
// Certificates and kubeconfig files.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "doctor/judge.h"
#include "json/rfc3339.h"

namespace doctor {
namespace {

using checks::Confidence;
using checks::Severity;

// A certificate expires soon if less than 30 days, and less than a tenth of its lifetime, are left.
// Certificates with a short lifetime are renewed late on purpose.
constexpr std::chrono::days kSoon{30};
constexpr int kSoonShare = 10;

bool IsKubelets(const CertificateFact& certificate) { return certificate.name == "kubelet.conf"; }

// Returns the command that recovers a kubelet's certificate or kubeconfig without removing the node
// from the cluster.
std::string KubeletRecovery(const Facts& facts) {
  return facts.role == Role::kControlPlane
             ? "kubeadm node recover"
             : "on a control-plane node: kubeadm token create --ttl 10m; here: kubeadm node "
               "recover "
               "--token TOKEN (without kubelet.conf also HOST:PORT and "
               "--discovery-token-ca-cert-hash)";
}

std::string BackupOf(std::string_view what, const Facts& facts) {
  return facts.role == Role::kControlPlane
             ? fmt::format("bring {} back from a backup or another control-plane node", what)
             : fmt::format(
                   "restore {}: on a control-plane node, read ca.crt of ConfigMap kube-root-ca.crt",
                   what);
}

std::string Rotation(const CertificateFact& ca) {
  const std::string authority =
      ca.name == "ca" ? "kubernetes" : ca.name.substr(0, ca.name.rfind("-ca"));
  return fmt::format("on a control-plane node: kubeadm certs rotate-ca {}", authority);
}

bool HasEnded(const CertificateFact& certificate, const Facts& facts) {
  return certificate.not_after && *certificate.not_after <= facts.now;
}

// Returns the remedy for an expired certificate. If several have expired, all must be renewed: the
// others would still refuse connections.
std::string Renewal(const CertificateFact& certificate, const Facts& facts) {
  if (IsKubelets(certificate)) {
    return KubeletRecovery(facts);
  }
  if (certificate.ca.empty()) {
    return Rotation(certificate);
  }
  const auto ended = std::ranges::count_if(facts.certificates, [&](const CertificateFact& each) {
    return HasEnded(each, facts) && !each.ca.empty() && !IsKubelets(each);
  });
  return ended < 2 ? fmt::format("kubeadm certs renew {} --restart", certificate.name)
                   : "on every control-plane node: kubeadm certs renew all; then on each: kubeadm "
                     "certs renew all --restart, or kubeadm node recover where the kubelet's own "
                     "has expired";
}

void JudgeTime(const CertificateFact& certificate, const Facts& facts, Findings& findings) {
  const sys_seconds now = facts.now;
  if (!certificate.not_after || !certificate.not_before) {
    return;
  }
  const std::string dates =
      fmt::format("{}: valid from {} to {}; it is {}", certificate.path,
                  json::FormatRfc3339(*certificate.not_before),
                  json::FormatRfc3339(*certificate.not_after), json::FormatRfc3339(now));
  if (*certificate.not_after <= now) {
    findings.push_back({.id = "certificate-expired",
                        .subject = certificate.path,
                        .what = fmt::format("the certificate {} has expired", certificate.name),
                        .evidence = dates,
                        .remedy = Renewal(certificate, facts)});
  } else if (*certificate.not_before > now) {
    findings.push_back(
        {.id = "certificate-not-valid-yet",
         .subject = certificate.path,
         .what = fmt::format("the certificate {} is not valid yet", certificate.name),
         .evidence = dates,
         .remedy = "look at the clock of this machine and of the one that made it"});
  } else if (const auto left = *certificate.not_after - now;
             left < kSoon &&
             left < (*certificate.not_after - *certificate.not_before) / kSoonShare) {
    findings.push_back(
        {.id = "certificate-expires-soon",
         .severity = Severity::kWarning,
         .subject = certificate.path,
         .what = fmt::format("the certificate {} expires in {} days", certificate.name,
                             std::chrono::floor<std::chrono::days>(left).count()),
         .evidence = dates,
         .remedy = IsKubelets(certificate)
                       ? "the kubelet renews it by itself; if it does not: journalctl -u kubelet"
                       : Renewal(certificate, facts)});
  }
}

// Returns the command that recreates the file of a certificate, with the names in the cluster's
// configuration.
std::string Remaking(const CertificateFact& certificate, const Facts& facts) {
  if (IsKubelets(certificate)) {
    return KubeletRecovery(facts);
  }
  if (certificate.ca.empty()) {
    return BackupOf("it", facts);
  }
  return fmt::format("kubeadm init phase {} {} --config FILE, of the cluster's configuration",
                     certificate.by_kubeconfig ? "kubeconfig" : "certs",
                     certificate.by_kubeconfig
                         ? certificate.name.substr(0, certificate.name.find('.'))
                         : certificate.name);
}

void JudgeFile(const CertificateFact& certificate, const Facts& facts, Findings& findings) {
  if (certificate.missing && !certificate.by_kubeconfig) {
    findings.push_back({.id = "certificate-missing",
                        .subject = certificate.path,
                        .what = fmt::format("the certificate {} is not there", certificate.name),
                        .evidence = "no file " + certificate.path,
                        .remedy = Remaking(certificate, facts)});
  } else if (certificate.problem) {
    findings.push_back({.id = "certificate-unreadable",
                        .subject = certificate.path,
                        .what = fmt::format("the certificate {} cannot be used", certificate.name),
                        .evidence = *certificate.problem,
                        .remedy = certificate.ca.empty() || IsKubelets(certificate)
                                      ? Remaking(certificate, facts)
                                      : fmt::format("remove {}, then {}", certificate.path,
                                                    Remaking(certificate, facts))});
  } else if (certificate.key_problem) {
    findings.push_back({.id = "key-mismatch",
                        .subject = certificate.path,
                        .what = fmt::format("the key of the certificate {} does not belong to it",
                                            certificate.name),
                        .evidence = *certificate.key_problem,
                        .remedy = certificate.ca.empty() ? BackupOf("the pair", facts)
                                                         : Renewal(certificate, facts)});
  }
}

// The certificates that name one CA: `right` have its signature, `wrong` do not have it.
struct Signed {
  std::string ca_path;
  std::vector<const CertificateFact*> right;
  std::vector<const CertificateFact*> wrong;
};

void JudgeLeaf(const CertificateFact& leaf, const Facts& facts, Findings& findings) {
  findings.push_back(
      {.id = "certificate-of-another-ca",
       .subject = leaf.path,
       .what = fmt::format("the certificate {} was not signed by this cluster's CA", leaf.name),
       .evidence = fmt::format("{} (issuer {}) and {}: {}", leaf.path, leaf.issuer, leaf.ca_path,
                               leaf.chain_problem.value_or("")),
       .remedy =
           IsKubelets(leaf) || leaf.by_kubeconfig
               ? Renewal(leaf, facts)
               : fmt::format("remove {0}.crt and {0}.key, {1}, and restart the components that use "
                             "it",
                             leaf.path.substr(0, leaf.path.rfind('.')), Remaking(leaf, facts))});
}

bool IsStrange(const KubeconfigFact& file) { return file.ca_is_known && !file.knows_ca; }

// Returns whether the certificates must have been signed by pki/ca.crt, and all readable kubeconfig
// files trust another CA.
bool AllTrustAnother(const Facts& facts, const Signed& all) {
  const bool clusters = !all.wrong.empty() && all.wrong.front()->ca == "ca";
  const auto compared = [](const KubeconfigFact& file) { return file.ca_is_known; };
  return clusters && std::ranges::any_of(facts.kubeconfigs, compared) &&
         std::ranges::count_if(facts.kubeconfigs, IsStrange) ==
             std::ranges::count_if(facts.kubeconfigs, compared);
}

// If a single leaf does not match its CA, the leaf is wrong. If no leaf matches, the CA was
// replaced.
void JudgeSigned(const Signed& all, const Facts& facts, Findings& findings) {
  if (all.right.empty() && (all.wrong.size() > 1 || AllTrustAnother(facts, all))) {
    findings.push_back(
        {.id = "ca-replaced",
         .subject = all.ca_path,
         .what = fmt::format("{} is not the CA of this cluster: it has signed none of its {} "
                             "certificates here",
                             all.ca_path, all.wrong.size()),
         .evidence =
             fmt::format("{} (issuer {}): {}", all.wrong.front()->path, all.wrong.front()->issuer,
                         all.wrong.front()->chain_problem.value_or("")),
         .remedy = fmt::format("bring {}.crt and .key back from a backup or another control-plane "
                               "node",
                               all.ca_path.substr(0, all.ca_path.rfind('.'))),
         .sure = Confidence::kLikely});
    return;
  }
  for (const CertificateFact* leaf : all.wrong) {
    JudgeLeaf(*leaf, facts, findings);
  }
}

// Reports a running API server that still presents the certificate which it loaded at its start,
// and not the certificate in the file.
void JudgeShown(const Facts& facts, Findings& findings) {
  const auto file = std::ranges::find(facts.certificates, "apiserver", &CertificateFact::name);
  const auto local = std::ranges::find(facts.endpoints, true, &EndpointFact::local);
  if (file == facts.certificates.end() || local == facts.endpoints.end() ||
      local->shown_serial.empty() || file->serial.empty() || local->shown_serial == file->serial) {
    return;
  }
  const bool expired = local->shown_until && *local->shown_until <= facts.now;
  findings.push_back(
      {.id = "certificate-not-in-use",
       .severity = expired ? Severity::kError : Severity::kWarning,
       .subject = "kube-apiserver",
       .what = expired ? "the API server still serves with a certificate that has expired; the one "
                         "on disk is newer"
                       : "the API server serves with another certificate than the one on disk",
       .evidence = fmt::format("{} shows serial number {}, {} has {}", local->url,
                               local->shown_serial, file->path, file->serial),
       .remedy =
           "the API server reads new files within a minute; if it does not: crictl stop $(crictl "
           "ps -q --name kube-apiserver)"});
}

bool IsKubelets(const KubeconfigFact& file) { return file.name == "kubelet.conf"; }

std::string RemakingOf(const KubeconfigFact& file, const Facts& facts) {
  return IsKubelets(file)
             ? KubeletRecovery(facts)
             : fmt::format(
                   "kubeadm init phase kubeconfig {} --config FILE, of the cluster's configuration",
                   file.name.substr(0, file.name.find('.')));
}

void JudgeKubeconfig(const KubeconfigFact& file, const Facts& facts, Findings& findings) {
  const bool for_people = file.name == "admin.conf";
  if (file.missing) {
    if (IsKubelets(file) && facts.bootstrap.there) {
      return;
    }
    findings.push_back({.id = "kubeconfig-missing",
                        .severity = for_people ? Severity::kWarning : Severity::kError,
                        .subject = file.path,
                        .what = fmt::format("{} is not there", file.path),
                        .evidence = "no such file",
                        .remedy = RemakingOf(file, facts)});
  } else if (file.problem) {
    findings.push_back({.id = "kubeconfig-unreadable",
                        .severity = for_people ? Severity::kWarning : Severity::kError,
                        .subject = file.path,
                        .what = fmt::format("{} cannot be used", file.path),
                        .evidence = *file.problem,
                        .remedy = IsKubelets(file) ? KubeletRecovery(facts)
                                                   : "remove it, then " + RemakingOf(file, facts)});
  } else if (file.ca_is_known && !file.knows_ca) {
    findings.push_back(
        {.id = "kubeconfig-wrong-ca",
         .subject = file.path,
         .what = fmt::format("{} trusts another CA than this cluster's", file.path),
         .evidence = "its certificate-authority-data is not in /etc/kubernetes/pki/ca.crt",
         .remedy = file.name == "kubelet.conf"
                       ? "put the content of pki/ca.crt (in base64) into it, then systemctl "
                         "restart kubelet"
                       : fmt::format("kubeadm certs renew {} --restart", file.name)});
  }
}

}  // namespace

void JudgeCertificates(const Facts& facts, Findings& findings) {
  std::map<std::string, Signed> by_ca;
  for (const CertificateFact& certificate : facts.certificates) {
    if (!certificate.ca.empty() && certificate.not_after && !certificate.ca_path.empty()) {
      Signed& all = by_ca[certificate.ca];
      all.ca_path = certificate.ca_path;
      (certificate.chain_problem ? all.wrong : all.right).push_back(&certificate);
    }
  }
  for (const auto& [ca, all] : by_ca) {
    JudgeSigned(all, facts, findings);
  }
  for (const CertificateFact& certificate : facts.certificates) {
    JudgeFile(certificate, facts, findings);
  }
  for (const CertificateFact& certificate : facts.certificates) {
    JudgeTime(certificate, facts, findings);
  }
  JudgeShown(facts, findings);
  for (const ExposedFile& file : facts.exposed) {
    findings.push_back(
        {.id = "key-exposed",
         .severity = Severity::kWarning,
         .subject = file.path,
         .what = fmt::format("any user of this machine can read or write {}, which holds a private "
                             "key",
                             file.path),
         .evidence = fmt::format("its mode is {:04o}", file.mode),
         .remedy = fmt::format("chmod 600 {}; when other users had access to this machine, replace "
                               "the key",
                               file.path)});
  }
}

void JudgeKubeconfigs(const Facts& facts, Findings& findings) {
  // If pki/ca.crt was replaced, which is a finding itself, the CAs in kubeconfig files are right.
  const bool replaced = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.id == "ca-replaced"; });
  for (const KubeconfigFact& file : facts.kubeconfigs) {
    if (!replaced || !IsStrange(file)) {
      JudgeKubeconfig(file, facts, findings);
    }
  }
  if (facts.bootstrap.there && facts.bootstrap.refused) {
    findings.push_back(
        {.id = "bootstrap-token-refused",
         .subject = "token " + facts.bootstrap.token_id,
         .what = "the token by which this node wants to join has expired or was deleted",
         .evidence = fmt::format("the API server refuses token {} in "
                                 "/etc/kubernetes/bootstrap-kubelet.conf",
                                 facts.bootstrap.token_id),
         .remedy = "on a control-plane node: kubeadm token create --print-join-command; here: "
                   "kubeadm reset, then that command"});
  }
}

}  // namespace doctor
