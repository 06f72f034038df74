// Discovery by token (reference: pki.md §10, steps 1 to 8).
#include <fmt/core.h>

#include "base/log.h"
#include "base/strings.h"
#include "config/token.h"
#include "discovery/canned.h"
#include "discovery/pins.h"
#include "discovery/poll.h"
#include "discovery/ways.h"

namespace discovery {
namespace {

using base::Error;

kube::Connection ConnectTo(const std::string& endpoint, const std::string& ca_pem) {
  return kube::ConnectionOf({.server = "https://" + endpoint,
                             .certificate_authority_data = ca_pem,
                             .insecure_skip_tls_verify = ca_pem.empty()},
                            {}, {});
}

// Replaced is what a dry run goes on with when its own cluster-info does not know the token.
config::BootstrapTokenDiscovery Replaced() {
  base::LogWarning(
      "[dryrun] No cluster answers, so discovery goes on with a made-up one:\n  Token: {}\n  "
      "CACertHash: {}\n  APIServerEndpoint: {}",
      kCannedToken, kCannedPin, kCannedServer);
  return {.token = std::string(kCannedToken),
          .api_server_endpoint = std::string(kCannedEndpoint),
          .ca_cert_hashes = {std::string(kCannedPin)}};
}

// Checked is the cluster of a cluster-info that the token's secret signed.
kube::KubeconfigCluster Checked(const ClusterInfo& info, const std::string& token,
                                const std::string& server) {
  if (info.kubeconfig.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("cluster-info at {} is incomplete: it has no \"kubeconfig\"; make it "
                            "anew with \"kubeadm init phase bootstrap-token\" on a control-plane "
                            "node",
                            server));
  }
  if (const std::string problem = SignatureProblem(info, token); !problem.empty()) {
    throw Error(Error::Kind::kUnauthorized,
                fmt::format("{} is not to be trusted: {}; compare the token with \"kubeadm token "
                            "list\" on a control-plane node, and the address with that node's",
                            server, problem));
  }
  return base::WithContext(fmt::format("cluster-info at {}", server),
                           [&] { return PublicCluster(kube::Kubeconfig::Parse(info.kubeconfig)); });
}

std::string PinsOf(std::span<const pki::Certificate> certificates) {
  std::vector<std::string> pins;
  for (const pki::Certificate& certificate : certificates) {
    pins.push_back(pki::Pin(certificate));
  }
  return base::Join(pins, ", ");
}

// PinnedPem are the CA certificates that the pins vouch for. One that came along unpinned is not
// trusted for the connection: whoever knows the token could have put it there.
std::string PinnedPem(const kube::KubeconfigCluster& cluster, std::span<const std::string> pins,
                      const std::string& server) {
  const auto certificates = base::WithContext(
      fmt::format("the CA certificates in cluster-info at {}", server),
      [&] { return pki::Certificate::ChainFromPem(cluster.certificate_authority_data); });
  std::string pem;
  for (const pki::Certificate& certificate : Pinned(certificates, pins)) {
    pem += certificate.Pem();
  }
  if (pem.empty()) {
    throw Error(Error::Kind::kUnauthorized,
                fmt::format("the cluster at {} is not the one that was pinned: the hash of its CA "
                            "certificate is {}, expected was {}; take the address and the hash "
                            "from \"kubeadm token create --print-join-command\" on a control-plane "
                            "node",
                            server, PinsOf(certificates), base::Join(pins, " or ")));
  }
  return pem;
}

// Confirm fetches cluster-info again over TLS which a pinned CA vouches for.
void Confirm(Poll& poll, const Poll::Target& target, const ClusterInfo& info) {
  Verdict verdict;
  try {
    verdict = poll.Fetch(target, JudgeForToken).verdict;
  } catch (Error& error) {
    if (error.kind() == Error::Kind::kUnauthorized) {
      error.Prepend("the pinned CA certificate does not vouch for the connection");
    }
    throw;
  }
  if (verdict.info->kubeconfig != info.kubeconfig) {
    throw Error(Error::Kind::kUnauthorized,
                fmt::format("{} is not to be trusted: its cluster-info is another one over a "
                            "verified connection than it was over an unverified one",
                            target.connection.shown));
  }
}

}  // namespace

kube::KubeconfigCluster ByToken(host::Host& host, const Options& options) {
  config::BootstrapTokenDiscovery given = *options.config.discovery.bootstrap_token;
  ParsePins(given.ca_cert_hashes);  // wrong ones are known before anything is asked
  Poll poll(host, options);
  const auto fetch = [&] {
    return poll.Fetch({.connection = ConnectTo(given.api_server_endpoint, ""),
                       .token_id = config::TokenId(given.token)},
                      JudgeForToken);
  };
  Poll::Outcome outcome = fetch();
  if (outcome.answer.canned &&
      !outcome.verdict.info->signatures.contains(config::TokenId(given.token))) {
    given = Replaced();
    outcome = fetch();
  }
  if (const std::string text = poll.ClockText(); !text.empty()) {
    base::LogWarning("[discovery] {}", text);
  }
  const ClusterInfo& info = *outcome.verdict.info;
  const std::string& server = given.api_server_endpoint;
  const kube::KubeconfigCluster cluster = Checked(info, given.token, server);
  const auto pins = ParsePins(given.ca_cert_hashes);
  if (pins.empty()) {
    base::LogInfo(1, "[discovery] cluster-info of {} is signed; its CA was not pinned", server);
    return cluster;
  }
  Confirm(poll,
          {.connection = ConnectTo(server, PinnedPem(cluster, pins, server)),
           .token_id = config::TokenId(given.token)},
          info);
  base::LogInfo(1, "[discovery] cluster-info of {} is signed and its CA pinned", server);
  return cluster;
}

}  // namespace discovery
