// SPDX-License-Identifier: Apache-2.0
// Checks of combinations of configuration fields.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "config/defaults.h"
#include "config/feature_gates.h"
#include "config/images.h"
#include "config/paths.h"
#include "net/cidr.h"
#include "net/ip_address.h"
#include "node_input/patches.h"
#include "pki/certificate.h"
#include "preflight/judge.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

namespace fs = std::filesystem;

std::string_view FamilyName(bool is_ipv6) { return is_ipv6 ? "IPv6" : "IPv4"; }

// Returns the signing certificate that the controller manager's manifest will name, according to
// the configuration. Returns std::nullopt if the controller manager will not sign: the CA's key is
// missing, or its signer is disabled.
std::optional<std::string> SigningCertificate(const host::Files& files,
                                              const config::ClusterConfiguration& cluster) {
  const config::Args& args = cluster.controller_manager.extra_args;
  for (const std::string& name :
       base::Split(config::FindArg(args, "controllers").value_or(""), ',')) {
    if (name == "-csrsigning" || name == "-certificatesigningrequest-signing-controller") {
      return std::nullopt;
    }
  }
  if (const auto given = config::FindArg(args, "cluster-signing-cert-file")) {
    return given->empty() ? std::nullopt : given;
  }
  const fs::path pki(cluster.certificates_dir);
  if (files.Exists(pki / config::kSigningCertificate)) {
    return (pki / config::kSigningCertificate).string();
  }
  return files.Exists(pki / "ca.key") ? std::optional((pki / "ca.crt").string()) : std::nullopt;
}

// Returns whether a patch for the controller manager's manifest mentions the signer. In this case
// the configuration alone does not determine the signing certificate. Ignores unreadable patches,
// which other checks report.
bool PatchChangesSigner(const host::Files& files, const std::optional<config::Patches>& from) {
  if (!from || from->directory.empty()) {
    return false;
  }
  try {
    const node_input::PatchSet set = node_input::ReadPatches(files, from->directory);
    return std::ranges::any_of(set.patches, [](const node_input::PatchSet::Patch& patch) {
      const std::string text = patch.document.dump();
      return patch.target == "kube-controller-manager" &&
             (text.contains("--cluster-signing-") || text.contains("--controllers"));
    });
  } catch (const base::Error&) {
    return false;
  }
}

// Returns the number of certificates in a file. Returns 0 for a missing or empty file, which other
// checks report.
std::size_t CountCertificates(const host::Files& files, const std::string& path) {
  try {
    return pki::Certificate::ChainFromPem(files.Find(path).value_or("")).size();
  } catch (const base::Error&) {
    return 0;
  }
}

// Returns the API server's networks of Service addresses.
std::vector<std::string> ServiceCidrs(const config::ClusterConfiguration& cluster) {
  return Cidrs(config::FindArg(cluster.api_server.component.extra_args, "service-cluster-ip-range")
                   .value_or(cluster.networking.service_subnet));
}

}  // namespace

Findings JudgeFamilies(const std::string& api_server, std::span<const std::string> services,
                       std::span<const std::string> pods) {
  Findings findings;
  const auto address = net::IpAddress::ParseSloppy(api_server);
  const auto first = services.empty() ? std::nullopt : net::Cidr::ParseSloppy(services.front());
  if (address && first && address->IsIpv6() != first->IsIpv6()) {
    findings.push_back(checks::Warn(fmt::format(
        "the first network of Services, {}, is {}, but the API server's address, {}, is {}: it "
        "will not start so; put the {} network first in networking.serviceSubnet, or set "
        "localAPIEndpoint.advertiseAddress to an {} address",
        services.front(), FamilyName(first->IsIpv6()), api_server, FamilyName(address->IsIpv6()),
        FamilyName(address->IsIpv6()), FamilyName(first->IsIpv6()))));
  }
  for (const std::string& service : services) {
    const auto network = net::Cidr::ParseSloppy(service);
    const bool served = std::ranges::any_of(pods, [&](const std::string& pod) {
      const auto other = net::Cidr::ParseSloppy(pod);
      return !network || !other || other->IsIpv6() == network->IsIpv6();
    });
    if (!pods.empty() && !served) {
      findings.push_back(checks::Warn(fmt::format(
          "Services of {} are {}, but no network of Pods ({}) is: no Pod can serve them; "
          "add an {} network to networking.podSubnet",
          service, FamilyName(network->IsIpv6()), base::Join(pods, ","),
          FamilyName(network->IsIpv6()))));
    }
  }
  return findings;
}

Findings JudgeSigningCertificate(const std::string& path, std::size_t certificates) {
  if (certificates <= 1) {
    return {};
  }
  return {checks::Refuse(fmt::format(
      "{} has {} certificates, but the controller manager signs with one and ends when its file "
      "has more; put the certificate of the CA's key into a separate file "
      "(controllerManager.extraArgs: cluster-signing-cert-file), or leave only that certificate in "
      "{}",
      path, certificates, path))};
}

Checks ConfigChecks(host::Host& host, const config::Init& init) {
  const config::ClusterConfiguration& cluster = init.cluster;
  Checks checks{
      {.id = "IPFamilies",
       .when = kNewControlPlane,
       .remedy = "put the network of the API server's family first, or set "
                 "localAPIEndpoint.advertiseAddress",
       .judge = [address = AdvertiseAddress(init), services = ServiceCidrs(cluster),
                 pods = Cidrs(cluster.networking.pod_subnet)](
                    Stop) { return JudgeFamilies(address, services, pods); }},
      {.id = "SigningCertificate",
       .when = kNewControlPlane,
       .remedy = "sign with a file that has one certificate",
       .judge = [&files = host.files, cluster, patches = init.init.patches](Stop) {
         const auto path =
             PatchChangesSigner(files, patches) ? std::nullopt : SigningCertificate(files, cluster);
         return path ? JudgeSigningCertificate(*path, CountCertificates(files, *path)) : Findings{};
       }}};
  std::ranges::move(KeyChecks(host.files, cluster), std::back_inserter(checks));
  return checks;
}

}  // namespace preflight
