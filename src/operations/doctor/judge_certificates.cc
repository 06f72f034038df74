// SPDX-License-Identifier: Apache-2.0
// Certificates and kubeconfig files.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "doctor/judge.h"
#include "json/rfc3339.h"

namespace doctor {
namespace {

using diagnosis::Severity;
using diagnosis::Sureness;

constexpr std::chrono::days kSoon{30};
constexpr int kSoonShare = 10;  // of its life; short-lived ones are renewed late on purpose

bool IsKubelets(const CertificateFact& certificate) { return certificate.name == "kubelet.conf"; }

std::string Renewal(const CertificateFact& certificate) {
  if (IsKubelets(certificate)) {
    return "take this node out and in again (kubeadm reset, kubeadm join); on a control-plane "
           "node: kubeadm kubeconfig user --org system:nodes --client-name system:node:NAME > "
           "/etc/kubernetes/kubelet.conf, then systemctl restart kubelet";
  }
  return certificate.ca.empty() ? "make a new CA, and new certificates by it"
                                : fmt::format("kubeadm certs renew {} --restart", certificate.name);
}

void JudgeTime(const CertificateFact& certificate, sys_seconds now, Findings& findings) {
  if (!certificate.not_after || !certificate.not_before) {
    return;
  }
  const std::string dates =
      fmt::format("{}: valid from {} to {}; it is {}", certificate.path,
                  json::FormatRfc3339(*certificate.not_before),
                  json::FormatRfc3339(*certificate.not_after), json::FormatRfc3339(now));
  if (*certificate.not_after <= now) {
    findings.push_back({.id = "certificate-expired",
                        .culprit = certificate.path,
                        .what = fmt::format("the certificate {} has expired", certificate.name),
                        .evidence = dates,
                        .remedy = Renewal(certificate)});
  } else if (*certificate.not_before > now) {
    findings.push_back(
        {.id = "certificate-not-valid-yet",
         .culprit = certificate.path,
         .what = fmt::format("the certificate {} is not valid yet", certificate.name),
         .evidence = dates,
         .remedy = "look at the clock of this machine and of the one that made it"});
  } else if (const auto left = *certificate.not_after - now;
             left < kSoon &&
             left < (*certificate.not_after - *certificate.not_before) / kSoonShare) {
    findings.push_back(
        {.id = "certificate-expires-soon",
         .severity = Severity::kWarning,
         .culprit = certificate.path,
         .what = fmt::format("the certificate {} expires in {} days", certificate.name,
                             std::chrono::floor<std::chrono::days>(left).count()),
         .evidence = dates,
         .remedy = Renewal(certificate)});
  }
}

void JudgeFile(const CertificateFact& certificate, Findings& findings) {
  if (certificate.missing && !certificate.by_kubeconfig) {
    findings.push_back(
        {.id = "certificate-missing",
         .culprit = certificate.path,
         .what = fmt::format("the certificate {} is not there", certificate.name),
         .evidence = "no file " + certificate.path,
         .remedy = certificate.ca.empty()
                       ? "bring it back from a backup or another control-plane node"
                       : fmt::format("kubeadm init phase certs {}", certificate.name)});
  } else if (certificate.problem) {
    findings.push_back({.id = "certificate-unreadable",
                        .culprit = certificate.path,
                        .what = fmt::format("the certificate {} cannot be used", certificate.name),
                        .evidence = *certificate.problem,
                        .remedy = fmt::format("remove {}, then kubeadm init phase certs {}",
                                              certificate.path, certificate.name)});
  } else if (certificate.key_problem) {
    findings.push_back(
        {.id = "key-mismatch",
         .culprit = certificate.path,
         .what =
             fmt::format("the key of the certificate {} is not the one to it", certificate.name),
         .evidence = *certificate.key_problem,
         .remedy = certificate.ca.empty() ? "bring the pair back from a backup or another "
                                            "control-plane node"
                                          : Renewal(certificate)});
  }
}

// The certificates that a CA should have signed: those that it has, and those that it has not.
struct Signed {
  std::string ca_path;
  std::vector<const CertificateFact*> right;
  std::vector<const CertificateFact*> wrong;
};

void JudgeLeaf(const CertificateFact& leaf, Findings& findings) {
  findings.push_back(
      {.id = "certificate-of-another-ca",
       .culprit = leaf.path,
       .what = fmt::format("the certificate {} was not signed by this cluster's CA", leaf.name),
       .evidence = fmt::format("{} (issuer {}) and {}: {}", leaf.path, leaf.issuer, leaf.ca_path,
                               leaf.chain_problem.value_or("")),
       .remedy = IsKubelets(leaf) || leaf.by_kubeconfig
                     ? Renewal(leaf)
                     : fmt::format("remove {0}.crt and {0}.key, kubeadm init phase certs {1}, and "
                                   "restart what uses it",
                                   leaf.path.substr(0, leaf.path.rfind('.')), leaf.name)});
}

bool IsStrange(const KubeconfigFact& file) { return file.ca_is_known && !file.knows_ca; }

// All kubeconfig files trust another CA than the file of the one that has signed nothing.
bool AllTrustAnother(const Facts& facts, const Signed& all) {
  const bool clusters = !all.wrong.empty() && all.wrong.front()->ca == "ca";
  const auto compared = [](const KubeconfigFact& file) { return file.ca_is_known; };
  return clusters && std::ranges::any_of(facts.kubeconfigs, compared) &&
         std::ranges::count_if(facts.kubeconfigs, IsStrange) ==
             std::ranges::count_if(facts.kubeconfigs, compared);
}

// One leaf that does not fit is wrong itself. When none fits, somebody has changed the CA.
void JudgeSigned(const Signed& all, const Facts& facts, Findings& findings) {
  if (all.right.empty() && (all.wrong.size() > 1 || AllTrustAnother(facts, all))) {
    findings.push_back(
        {.id = "ca-replaced",
         .culprit = all.ca_path,
         .what = fmt::format("{} is not the CA of this cluster: it has signed none of its {} "
                             "certificates here",
                             all.ca_path, all.wrong.size()),
         .evidence =
             fmt::format("{} (issuer {}): {}", all.wrong.front()->path, all.wrong.front()->issuer,
                         all.wrong.front()->chain_problem.value_or("")),
         .remedy = fmt::format("bring {}.crt and .key back from a backup or another control-plane "
                               "node",
                               all.ca_path.substr(0, all.ca_path.rfind('.'))),
         .sure = Sureness::kLikely});
    return;
  }
  for (const CertificateFact* leaf : all.wrong) {
    JudgeLeaf(*leaf, findings);
  }
}

// The running server still shows what it read when it started.
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
       .severity = expired ? Severity::kBroken : Severity::kWarning,
       .culprit = "kube-apiserver",
       .what = expired ? "the API server still serves with a certificate that has expired; the one "
                         "on disk is newer"
                       : "the API server serves with another certificate than the one on disk",
       .evidence = fmt::format("{} shows serial number {}, {} has {}", local->url,
                               local->shown_serial, file->path, file->serial),
       .remedy =
           "it takes new files up within a minute; if it does not: crictl stop $(crictl ps -q "
           "--name kube-apiserver)"});
}

void JudgeKubeconfig(const KubeconfigFact& file, const Facts& facts, Findings& findings) {
  const bool for_people = file.name == "admin.conf";
  if (file.missing) {
    if (file.name == "kubelet.conf" && facts.bootstrap.there) {
      return;
    }
    findings.push_back({.id = "kubeconfig-missing",
                        .severity = for_people ? Severity::kWarning : Severity::kBroken,
                        .culprit = file.path,
                        .what = fmt::format("{} is not there", file.path),
                        .evidence = "no such file",
                        .remedy = facts.role == Role::kControlPlane
                                      ? fmt::format("kubeadm init phase kubeconfig {}",
                                                    file.name.substr(0, file.name.find('.')))
                                      : "kubeadm reset, then join this node again"});
  } else if (file.problem) {
    findings.push_back({.id = "kubeconfig-unreadable",
                        .severity = for_people ? Severity::kWarning : Severity::kBroken,
                        .culprit = file.path,
                        .what = fmt::format("{} cannot be used", file.path),
                        .evidence = *file.problem,
                        .remedy = fmt::format("remove it, then kubeadm init phase kubeconfig {}",
                                              file.name.substr(0, file.name.find('.')))});
  } else if (file.ca_is_known && !file.knows_ca) {
    findings.push_back(
        {.id = "kubeconfig-wrong-ca",
         .culprit = file.path,
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
    JudgeFile(certificate, findings);
  }
  for (const CertificateFact& certificate : facts.certificates) {
    JudgeTime(certificate, facts.now, findings);
  }
  JudgeShown(facts, findings);
}

void JudgeKubeconfigs(const Facts& facts, Findings& findings) {
  // When it is pki/ca.crt that was changed, which is said already, these are right.
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
         .culprit = "token " + facts.bootstrap.token_id,
         .what = "the token by which this node wants to join has expired or was deleted",
         .evidence = fmt::format("the API server refuses token {} in "
                                 "/etc/kubernetes/bootstrap-kubelet.conf",
                                 facts.bootstrap.token_id),
         .remedy = "on a control-plane node: kubeadm token create --print-join-command; here: "
                   "kubeadm reset, then that command"});
  }
}

}  // namespace doctor
