// SPDX-License-Identifier: Apache-2.0
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

kube::Connection ConnectTo(const std::string& endpoint, const std::string& ca_pem,
                           const kube::KubeconfigUser& user = {}) {
  return kube::ConnectionOf({.server = "https://" + endpoint,
                             .certificate_authority_data = ca_pem,
                             .insecure_skip_tls_verify = ca_pem.empty()},
                            user, {});
}

// Returns the settings with which a dry run continues if the fake cluster-info has no signature for
// the user's token.
config::BootstrapTokenDiscovery Replaced() {
  base::LogWarning(
      "[dryrun] No cluster answers, so discovery continues with an invented one:\n  Token: {}\n  "
      "CACertHash: {}\n  APIServerEndpoint: {}",
      kCannedToken, kCannedPin, kCannedServer);
  return {.token = std::string(kCannedToken),
          .api_server_endpoint = std::string(kCannedEndpoint),
          .ca_cert_hashes = {std::string(kCannedPin)}};
}

kube::KubeconfigCluster ClusterOf(const ClusterInfo& info, const std::string& server) {
  if (info.kubeconfig.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("cluster-info at {} is incomplete: it has no \"kubeconfig\"; make it "
                            "again with \"kubeadm init phase bootstrap-token\" on a control-plane "
                            "node",
                            server));
  }
  return base::WithContext(fmt::format("cluster-info at {}", server),
                           [&] { return PublicCluster(kube::Kubeconfig::Parse(info.kubeconfig)); });
}

// Throws unless the token's secret has signed cluster-info.
void CheckSignature(const ClusterInfo& info, const std::string& token, const std::string& server) {
  if (const auto problem = SignatureProblem(info, token)) {
    throw Error(Error::Kind::kUnauthorized,
                fmt::format("{} cannot be trusted: {}; compare the token with \"kubeadm token "
                            "list\" on a control-plane node, and the address with that node's",
                            server, *problem));
  }
}

std::string PinsOf(std::span<const pki::Certificate> certificates) {
  std::vector<std::string> pins;
  for (const pki::Certificate& certificate : certificates) {
    pins.push_back(pki::Pin(certificate));
  }
  return base::Join(pins, ", ");
}

std::vector<pki::Certificate> CasOf(const kube::KubeconfigCluster& cluster,
                                    const std::string& server) {
  return base::WithContext(fmt::format("the CA certificates in cluster-info at {}", server), [&] {
    return pki::Certificate::ChainFromPem(cluster.certificate_authority_data);
  });
}

// Returns the CA certificates that match the pins. Leaves out certificates without a matching pin,
// because any holder of the token could have added them to the document.
std::string PinnedPem(std::span<const pki::Certificate> certificates,
                      std::span<const std::string> pins, const std::string& server) {
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

// One discovery by token. A cluster-info is trusted if it is signed with the token's secret, or if
// it came over a TLS connection verified with a pinned CA.
class TokenDiscovery {
 public:
  TokenDiscovery(host::Host& host, const Options& options)
      : options_(options),
        poll_(host, options),
        given_(*options.config.discovery.bootstrap_token),
        pins_(ParsePins(given_.ca_cert_hashes)) {}  // invalid pins are reported before any request

  kube::KubeconfigCluster Run() {
    ClusterInfo info = Fetch(pins_.empty() ? Pin::kNone : Pin::kSoon);
    if (const auto text = poll_.ClockText()) {
      base::LogWarning("[discovery] {}", *text);
    }
    for (const Pin next : {Pin::kLate, Pin::kNone}) {
      if (IsSigned(info)) {
        break;
      }
      // A missing signature is accepted only with pins.
      if (std::optional<kube::KubeconfigCluster> cluster = ByPinAlone(info, next)) {
        return *std::move(cluster);
      }
      info = Fetch(next);
    }
    // The document is verified before it is parsed.
    CheckSignature(info, given_.token, given_.api_server_endpoint);
    const kube::KubeconfigCluster cluster = ClusterOf(info, given_.api_server_endpoint);
    if (!pins_.empty()) {
      Confirm(CasOf(cluster, given_.api_server_endpoint), info);
    }
    base::LogInfo(1, "[discovery] cluster-info of {} is signed; its CA {}",
                  given_.api_server_endpoint, pins_.empty() ? "was not pinned" : "is pinned");
    return cluster;
  }

 private:
  bool IsSigned(const ClusterInfo& info) const {
    return info.signatures.contains(config::TokenId(given_.token));
  }

  Poll::Outcome Ask(Pin pin, const std::string& ca_pem) {
    return poll_.Fetch({.connection = ConnectTo(given_.api_server_endpoint, ca_pem),
                        .token_id = config::TokenId(given_.token),
                        .pin = pin},
                       JudgeForToken);
  }

  ClusterInfo Fetch(Pin pin) {
    Poll::Outcome outcome = Ask(pin, "");
    if (outcome.answer.canned && !IsSigned(*outcome.decision.info)) {
      given_ = Replaced();
      pins_ = ParsePins(given_.ca_cert_hashes);
      outcome = Ask(pin, "");
    }
    return *std::move(outcome.decision.info);
  }

  // Returns the cluster of a document without a signature; std::nullopt if discovery must wait for
  // the signature. Parses the document only after receiving it over TLS verified with a pinned CA,
  // because before that its author is unknown. If `next` is Pin::kNone, no other query follows. In
  // this case throws kNotFound if the cluster does not know the token.
  std::optional<kube::KubeconfigCluster> ByPinAlone(const ClusterInfo& info, Pin next) {
    const std::string& server = given_.api_server_endpoint;
    const std::vector<pki::Certificate> cas = PublishedCas(info.kubeconfig);
    const Token token = cas.empty() ? Token::kInDoubt : AskForToken(Confirm(cas, info));
    if (token == Token::kUnknown && next == Pin::kNone) {
      throw Error(Error::Kind::kNotFound,
                  fmt::format("the cluster at {} does not know token ID \"{}\": it was never made "
                              "there, was deleted or has expired; {}",
                              server, config::TokenId(given_.token), kAdvice));
    }
    if (token != Token::kKnown) {
      return std::nullopt;
    }
    kube::KubeconfigCluster cluster = ClusterOf(info, server);
    PinnedPem(CasOf(cluster, server), pins_, server);  // the document may contain other CAs
    base::LogInfo(1, "[discovery] cluster-info of {} is not signed yet, but its CA is pinned",
                  server);
    return cluster;
  }

  // Fetches cluster-info again, over TLS that is verified with those of the CAs that are pinned.
  // Returns these CAs.
  std::string Confirm(std::span<const pki::Certificate> cas, const ClusterInfo& info) {
    std::string ca_pem = PinnedPem(cas, pins_, given_.api_server_endpoint);
    Decision decision;
    try {
      decision = Ask(Pin::kNow, ca_pem).decision;
    } catch (Error& error) {
      if (error.kind() == Error::Kind::kUnauthorized) {
        error.Prepend("the pinned CA certificate does not verify the connection");
      }
      throw;
    }
    if (decision.info->kubeconfig != info.kubeconfig) {
      throw Error(Error::Kind::kUnauthorized,
                  fmt::format("{} cannot be trusted: its cluster-info over a verified connection "
                              "differs from that over an unverified one",
                              given_.api_server_endpoint));
    }
    return ca_pem;
  }

  // The pinned cluster's answer to the question whether it knows the token. kKnown proves as much
  // as a signature. kInDoubt: discovery waits for the signature.
  enum class Token { kKnown, kUnknown, kInDoubt };
  Token AskForToken(const std::string& ca_pem) {
    try {
      const Answer answer = options_.ask(
          {.connection = ConnectTo(given_.api_server_endpoint, ca_pem, {.token = given_.token}),
           .path = std::string(kClusterInfoPath),
           .stop = options_.stop});
      if (answer.status == 401) {
        return Token::kUnknown;
      }
      return answer.status == 200 || answer.status == 403 ? Token::kKnown : Token::kInDoubt;
    } catch (const Error&) {
      return Token::kInDoubt;
    }
  }

  const Options& options_;
  Poll poll_;
  config::BootstrapTokenDiscovery given_;
  std::vector<std::string> pins_;
};

}  // namespace

kube::KubeconfigCluster ByToken(host::Host& host, const Options& options) {
  return TokenDiscovery(host, options).Run();
}

}  // namespace discovery
