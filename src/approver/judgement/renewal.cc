// SPDX-License-Identifier: Apache-2.0
#include "judgement/renewal.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "judgement/names.h"

namespace judgement {
namespace {

constexpr const char* kOtherNames =
    "the alternative names are not those of the kubelet's certificate";

// Returns why the certificate is not trusted, does not belong to the node, or lacks the request's
// name.
Problem SubjectProblem(const pki::Request& request, const CurrentCertificate& current,
                       const std::string& node) {
  if (current.chain_problem) {
    return "the kubelet's certificate is not trusted: " + *current.chain_problem;
  }
  if (current.common_name != std::string(kNodeUserPrefix) + node) {
    return fmt::format("the kubelet's certificate is {}'s", base::Quoted(current.common_name));
  }
  if (current.common_name != request.common_name) {
    return "the request has another common name than the kubelet's certificate";
  }
  return {};
}

bool SameNamesButIps(const pki::RequestNames& a, const pki::RequestNames& b) {
  return SameMultiset(a.dns, b.dns) && SameMultiset(a.emails, b.emails) &&
         SameMultiset(a.uris, b.uris);
}

bool IpAllowed(const std::string& ip, const pki::RequestNames& current, const Egress& egress) {
  const auto same = [&](const std::string& known) { return SameIp(ip, known); };
  const auto address = net::IpAddress::Parse(ip);
  return Contains(current.ips, ip) || std::ranges::any_of(egress.ips, same) ||
         std::ranges::any_of(egress.cidrs, [&](const std::string& cidr) {
           const auto network = net::Cidr::Parse(cidr);
           return network && address && Holds(*network, *address);
         });
}

}  // namespace

Problem RenewalProblem(const pki::Request& request, const CurrentCertificate& current,
                       const std::string& node) {
  if (auto problem = SubjectProblem(request, current, node)) {
    return problem;
  }
  const bool same = SameNamesButIps(request.names, current.names) &&
                    SameMultiset(request.names.ips, current.names.ips);
  return same ? std::nullopt : Problem(kOtherNames);
}

Problem EgressProblem(const pki::Request& request, const CurrentCertificate& current,
                      const std::string& node, const Known<Egress>& egress) {
  if (auto problem = SubjectProblem(request, current, node)) {
    return problem;
  }
  if (!egress) {
    return egress.error();
  }
  for (const std::string& cidr : egress->cidrs) {
    if (!net::Cidr::Parse(cidr)) {
      return fmt::format("egress range {} cannot be read", base::Quoted(cidr));
    }
  }
  if (!SameNamesButIps(request.names, current.names)) {
    return kOtherNames;
  }
  for (const std::string& ip : request.names.ips) {
    if (!IpAllowed(ip, current.names, *egress)) {
      return fmt::format("IP address {} is neither the kubelet's nor for egress", ip);
    }
  }
  return {};
}

}  // namespace judgement
