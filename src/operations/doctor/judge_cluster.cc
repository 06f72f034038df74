// SPDX-License-Identifier: Apache-2.0
// The API's addresses, and objects of the cluster.
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "doctor/judge.h"
#include "json/rfc3339.h"
#include "node_identities/identities.h"

namespace doctor {
namespace {

using base::Error;
using checks::Confidence;
using checks::Severity;

bool Answers(const EndpointFact& endpoint) { return !endpoint.problem; }

// Returns kWarning for another node's API server, because that node must repair it.
Severity SeverityOf(const EndpointFact& endpoint) {
  return endpoint.of_other_node ? Severity::kWarning : Severity::kError;
}

std::string UsedBy(const EndpointFact& endpoint) {
  return endpoint.used_by.empty()
             ? ""
             : fmt::format(" (used by {})", base::Join(endpoint.used_by, ", "));
}

Finding NotTrusted(const EndpointFact& endpoint, sys_seconds now) {
  std::string evidence = endpoint.problem.value_or("");
  if (!endpoint.shown_issuer.empty() && endpoint.shown_until) {
    evidence += fmt::format("; it shows a certificate of {} that {} {}", endpoint.shown_issuer,
                            *endpoint.shown_until <= now ? "expired" : "expires",
                            json::FormatRfc3339(*endpoint.shown_until));
  }
  return {
      .id = "endpoint-not-trusted",
      .severity = SeverityOf(endpoint),
      .subject = endpoint.url,
      .what = fmt::format("the certificate at {} is not trusted{}", endpoint.url, UsedBy(endpoint)),
      .evidence = evidence,
      .remedy =
          "check the server there: it must be an API server of this cluster, with a certificate "
          "for that name (kubeadm certs check-expiration)"};
}

std::string UnreachableRemedy(const EndpointFact& endpoint) {
  if (endpoint.local) {
    return "see its log: crictl logs $(crictl ps -a -q --name kube-apiserver | head -1)";
  }
  if (endpoint.kind == Error::Kind::kNotFound) {
    return "fix the name in DNS or /etc/hosts";
  }
  if (endpoint.of_other_node) {
    return fmt::format(
        "start that control plane, or check the firewall between: curl -k {}/livez. If the node is "
        "lost, join another one in its place: kubeadm join --control-plane --replace-dead-member",
        endpoint.url);
  }
  return fmt::format(
      "look at the load balancer, the name's address and the firewall between: curl -k {}/livez",
      endpoint.url);
}

Finding Unreachable(const EndpointFact& endpoint, bool others_answer) {
  return {.id = endpoint.local ? "api-server-not-answering" : "endpoint-unreachable",
          .severity = SeverityOf(endpoint),
          .subject = endpoint.url,
          .what = fmt::format("{} does not answer{}", endpoint.url, UsedBy(endpoint)),
          .evidence = endpoint.problem.value_or(""),
          .remedy = UnreachableRemedy(endpoint),
          .sure = others_answer || endpoint.local ? Confidence::kCertain : Confidence::kLikely};
}

void JudgeAnswer(const EndpointFact& endpoint, Findings& findings) {
  if (!endpoint.logged_in) {
    findings.push_back({.id = "credentials-refused",
                        .subject = base::Join(endpoint.used_by, ", "),
                        .what = fmt::format("the API server at {} does not know the user of {}",
                                            endpoint.url, base::Join(endpoint.used_by, ", ")),
                        .evidence = "it answers 401 Unauthorized",
                        .remedy = "kubelet.conf: kubeadm node recover, on a worker with --token; "
                                  "another file: kubeadm certs renew NAME --restart"});
  } else if (endpoint.status >= 500) {
    findings.push_back({.id = "api-server-not-ready",
                        .severity = SeverityOf(endpoint),
                        .subject = endpoint.url,
                        .what = fmt::format("the API server at {} is not ready", endpoint.url),
                        .evidence = endpoint.failing_checks.empty()
                                        ? fmt::format("it answers with status {}", endpoint.status)
                                        : base::Join(endpoint.failing_checks, "\n"),
                        .remedy = "the failing checks name the missing parts; see also: crictl "
                                  "logs $(crictl ps -q --name kube-apiserver)"});
  }
}

struct MapRow {
  std::string_view name;
  std::string_view what;
  std::string_view remedy;
};
constexpr MapRow kMaps[] = {
    {"kubeadm-config", "no node can join or be upgraded without it",
     "kubeadm init phase upload-config kubeadm --config FILE"},
    {"kubelet-config", "no node can join or be upgraded without it",
     "kubeadm init phase upload-config kubelet --config FILE"},
    {"cluster-info", "no node can join by a token without it",
     "kubeadm init phase bootstrap-token"},
};

const MapRow& RowOf(const std::string& name) {
  const auto* const found = std::ranges::find_if(
      kMaps, [&](const MapRow& row) { return name.find(row.name) != name.npos; });
  return found == std::end(kMaps) ? kMaps[0] : *found;
}

void JudgeMaps(const ClusterFacts& cluster, Findings& findings) {
  for (const std::string& name : cluster.missing_maps) {
    const MapRow& row = RowOf(name);
    findings.push_back({.id = std::string(row.name) + "-missing",
                        .subject = name,
                        .what = fmt::format("ConfigMap {} is gone: {}", name, row.what),
                        .evidence = "the API server knows of none",
                        .remedy = std::string(row.remedy)});
  }
  for (const std::string& problem : cluster.broken_maps) {
    const MapRow& row = RowOf(problem);
    findings.push_back({.id = std::string(row.name) + "-invalid",
                        .subject = std::string(row.name),
                        .what = fmt::format("ConfigMap {} cannot be read: {}", row.name, row.what),
                        .evidence = problem,
                        .remedy = std::string(row.remedy)});
  }
}

void JudgeOwnNode(const Facts& facts, Findings& findings) {
  const auto own = std::ranges::find(facts.cluster.nodes, facts.node_name, &NodeFact::name);
  if (own == facts.cluster.nodes.end()) {
    findings.push_back({.id = "node-missing",
                        .subject = facts.node_name,
                        .what = fmt::format("the cluster has no node {}", facts.node_name),
                        .evidence = "there is no such Node object",
                        .remedy = "systemctl restart kubelet makes it again; otherwise kubeadm "
                                  "reset, then join",
                        .sure = Confidence::kLikely});
    return;
  }
  if (!own->ready) {
    findings.push_back({.id = "node-not-ready",
                        .subject = own->name,
                        .what = "this node is not Ready",
                        .evidence = own->reason,
                        .remedy = "the reason names the cause; see also: journalctl -xeu kubelet"});
  }
  if (!own->pressures.empty()) {
    findings.push_back(
        {.id = "node-under-pressure",
         .severity = Severity::kWarning,
         .subject = own->name,
         .what = "the kubelet evicts Pods from this node: it lacks a resource",
         .evidence = base::Join(
             std::vector<std::string>(own->pressures.begin(), own->pressures.end()), ", "),
         .remedy = fmt::format("kubectl describe node {}", own->name)});
  }
}

void JudgeOtherNodes(const Facts& facts, Findings& findings) {
  for (const NodeFact& node : facts.cluster.nodes) {
    if (node.name != facts.node_name && !node.ready) {
      findings.push_back({.id = "other-node-not-ready",
                          .severity = Severity::kWarning,
                          .subject = node.name,
                          .what = fmt::format("node {} is not Ready", node.name),
                          .evidence = node.reason,
                          .remedy = fmt::format("on {}: kubeadm doctor", node.name)});
    }
  }
}

bool Expired(const TokenFact& token, sys_seconds now) {
  return token.expires && *token.expires <= now;
}

void JudgeTokens(const Facts& facts, Findings& findings) {
  const std::string new_token = "kubeadm token create --print-join-command";
  bool valid = false;
  for (const TokenFact& token : facts.cluster.tokens) {
    const bool expired = Expired(token, facts.now);
    valid = valid || (!expired && !token.problem && token.for_joining);
    if (expired) {
      findings.push_back({.id = "token-expired",
                          .severity = Severity::kWarning,
                          .subject = "token " + token.id,
                          .what = fmt::format("bootstrap token {} has expired: no machine can "
                                              "join with it",
                                              token.id),
                          .evidence = "it was valid until " + json::FormatRfc3339(*token.expires),
                          .remedy = new_token});
    } else if (token.problem) {
      findings.push_back({.id = "token-invalid",
                          .severity = Severity::kWarning,
                          .subject = "token " + token.id,
                          .what = "a Secret for a bootstrap token has no valid token",
                          .evidence = *token.problem,
                          .remedy = "remove it; " + new_token});
    }
  }
  if (!valid) {
    findings.push_back(
        {.id = "no-token",
         .severity = Severity::kNote,
         .subject = "bootstrap tokens",
         .what = "no bootstrap token is valid (any more): no machine can join with one",
         .evidence =
             facts.cluster.tokens.empty() ? "there are none" : "none of them is for joining",
         .remedy = new_token});
  }
  if (!facts.cluster.certs_uploaded) {
    findings.push_back({.id = "certs-not-uploaded",
                        .severity = Severity::kNote,
                        .subject = "Secret kube-system/kubeadm-certs",
                        .what = "no certificates are uploaded (they expire after two hours): a "
                                "control-plane node cannot join without copying them",
                        .evidence = "there is no such Secret",
                        .remedy = "kubeadm init phase upload-certs --upload-certs"});
  }
}

void JudgeBlanketRule(const ClusterFacts& cluster, Findings& findings) {
  if (!cluster.blanket_rule.empty()) {
    findings.push_back(
        {.id = "tokens-not-bound",
         .severity = Severity::kError,
         .subject = "ClusterRoleBinding " + cluster.blanket_rule,
         .what = fmt::format("nodes join with bound tokens only, but ClusterRoleBinding {} lets "
                             "kube-controller-manager approve the request of any other token for "
                             "any node name; 'kubeadm upgrade' of another build creates it",
                             cluster.blanket_rule),
         .evidence = "ConfigMap kube-system/kubeadm-node-identities says tokens: bound-only",
         .remedy = cluster.blanket_rule == node_identities::kBlanketRule
                       ? "kubeadm config apply --set nodeBoundTokens.enabled=true"
                       : "kubectl delete clusterrolebinding " + cluster.blanket_rule});
  }
}

// The CA that signs kubelets' certificates is the first one in the node's ca.crt.
void JudgeKubeletTrust(const Facts& facts, Findings& findings) {
  const auto ca = std::ranges::find(facts.certificates, "ca", &CertificateFact::name);
  if (ca == facts.certificates.end() || ca->pin.empty()) {
    return;
  }
  for (const KubeletTrustFact& trust : facts.cluster.kubelet_trust) {
    if (!std::ranges::contains(trust.pins, ca->pin)) {
      findings.push_back(
          {.id = "kubelet-trust-stale",
           .subject = trust.object,
           .what =
               fmt::format("{} lacks the cluster's CA: its readers refuse kubelets", trust.object),
           .evidence = fmt::format("{} has public key {}; the object has {}", ca->path, ca->pin,
                                   trust.pins.empty() ? "none" : base::Join(trust.pins, ", ")),
           .remedy = "kubeadm init phase addon all --config FILE, with kubeletServingCerts in "
                     "FILE's ExtensionConfiguration"});
    }
  }
}

void JudgePods(const ClusterFacts& cluster, Findings& findings) {
  for (const PodFact& pod : cluster.failing_pods) {
    findings.push_back(
        {.id = "pod-failing",
         .severity = Severity::kWarning,
         .subject = pod.name,
         .what = fmt::format("Pod kube-system/{} does not run: {}", pod.name, pod.reason),
         .evidence = pod.message,
         .remedy = fmt::format("kubectl -n kube-system describe pod {0}; kubectl -n "
                               "kube-system logs {0} --previous",
                               pod.name)});
  }
}

}  // namespace

void JudgeEndpoints(const Facts& facts, Findings& findings) {
  const bool any = std::ranges::any_of(facts.endpoints, Answers);
  for (const EndpointFact& endpoint : facts.endpoints) {
    if (Answers(endpoint)) {
      JudgeAnswer(endpoint, findings);
    } else if (endpoint.kind == Error::Kind::kUnauthorized) {
      findings.push_back(NotTrusted(endpoint, facts.now));
    } else {
      findings.push_back(Unreachable(endpoint, any));
    }
  }
}

void JudgeCluster(const Facts& facts, Findings& findings) {
  if (!facts.cluster.asked) {
    return;
  }
  JudgeMaps(facts.cluster, findings);
  if (facts.cluster.nodes_seen) {
    JudgeOwnNode(facts, findings);
    JudgeOtherNodes(facts, findings);
  }
  JudgeBlanketRule(facts.cluster, findings);
  JudgeKubeletTrust(facts, findings);
  JudgePods(facts.cluster, findings);
  if (facts.cluster.tokens_seen) {
    JudgeTokens(facts, findings);
  }
}

}  // namespace doctor
