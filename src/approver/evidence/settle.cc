// SPDX-License-Identifier: Apache-2.0
#include "evidence/settle.h"

#include <fmt/core.h>

#include "base/error.h"
#include "http/dial.h"
#include "judgement/names.h"
#include "net/ip_address.h"

namespace evidence {
namespace {

using judgement::Contains;
using judgement::CurrentCertificate;
using judgement::Detail;
using judgement::Dialled;
using judgement::Facts;
using judgement::Judge;
using judgement::Node;
using judgement::NodeOf;
using judgement::Policy;
using judgement::Verdict;
using judgement::Want;

}  // namespace

Verdict Settle(Facts& facts, const Policy& policy, Detail detail, const Lookups& lookups) {
  while (true) {
    Verdict verdict = Judge(facts, policy, detail);
    if (verdict.want == Want::kNothing) {
      return verdict;
    }
    const std::string node = NodeOf(*facts.csr, **facts.request);
    switch (verdict.want) {
      case Want::kCurrentCertificate:
        facts.current = lookups.dial(node);
        break;
      case Want::kNetwork:
        facts.network = lookups.network();
        break;
      case Want::kHostSubnet:
        facts.host_subnet = lookups.host_subnet(node);
        break;
      case Want::kEgressIps:
        facts.egress_ips = lookups.egress_ips(node);
        break;
      case Want::kReserved:
        facts.reserved = lookups.reserved();
        break;
      case Want::kBinding:
        facts.binding = lookups.binding(node, (*facts.request)->names.ips);
        break;
      case Want::kNothing:
        break;
    }
  }
}

CurrentCertificate CurrentOf(const pki::Certificate& certificate,
                             const std::vector<pki::Certificate>& bundle,
                             std::chrono::sys_seconds now) {
  auto untrusted = pki::ServerTrustProblem(certificate, bundle, now);
  return {.common_name = certificate.subject().common_name,
          .names = pki::AltNamesOf(certificate),
          .chain_problem = std::move(untrusted)};
}

Dialled KubeletDialer::Dial(const Node& node) const {
  if (auto problem = DialProblem(node, rules)) {
    return std::unexpected(*std::move(problem));
  }
  // Dials the judged address in canonical form, because the node may spell it differently.
  const std::string ip = net::IpAddress::Parse(InternalIpOf(node).value()).value().Text();
  try {
    const auto certificate = pki::Certificate::FromPem(
        http::PeerCertificateOf(ip, node.kubelet_port.value(), {.timeout = timeout, .stop = stop}));
    CurrentCertificate current = CurrentOf(certificate, bundle, now);
    if (current.chain_problem) {
      return std::unexpected("it is not trusted: " + *current.chain_problem);
    }
    if (!Contains(current.names.ips, ip)) {
      return std::unexpected("it is not valid for " + ip);
    }
    return current;
  } catch (const base::Error& error) {
    return std::unexpected(error.message());
  }
}

}  // namespace evidence
