// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/api_trust.h"

#include <fmt/core.h>

#include "certs/tree.h"
#include "http/client.h"

namespace ca_rotation {
namespace {

constexpr std::chrono::minutes kLifetime{30};
constexpr std::chrono::minutes kBackdate{5};
constexpr std::chrono::milliseconds kTimeout{5'000};
constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
// The name of a user without permissions.
constexpr const char* kUser = "kubeadm:rotate-ca";

}  // namespace

kube::Probe TrustProbe(const TrustQuestion& question) {
  const bool proxy = question.authority.row == certs::kFrontProxyCa;
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const pki::Certificate certificate = pki::Sign(
      {.subject = {.common_name = proxy ? "front-proxy-client" : kUser, .organizations = {}},
       .alt_names = {},
       .usages = {pki::ExtendedKeyUsage::kClientAuth},
       .not_before = question.now - kBackdate,
       .not_after = question.now + kLifetime},
      key.Public(), question.ca);
  http::Tls tls{.certificate_pem = certificate.Pem(), .key_pem = key.Pem(), .skip_verify = true};
  http::Request request{.url = question.url,
                        .headers = {},
                        .timeout = kTimeout,
                        .connect_timeout = kTimeout,
                        .proxy = ""};
  if (proxy) {
    request.headers.emplace_back("X-Remote-User", kUser);
  }
  return [tls, request,
          wanted = question.wanted](const std::stop_token& stop) -> std::optional<kube::NotYet> {
    http::Request now = request;
    now.stop = stop;
    const int status = http::Client(tls).Do(now).status;
    // Only a trusted client certificate gives 200 or 403; the user's permissions do not matter. An
    // untrusted certificate gives 401, even if anonymous access is allowed.
    const bool trusted = status == kOk || status == kForbidden;
    if (!trusted && status != kUnauthorized) {
      return kube::NotYet{fmt::format("{} answers with status {}", request.url, status)};
    }
    if (trusted == (wanted == Trust::kGiven)) {
      return std::nullopt;
    }
    return kube::NotYet{fmt::format("{} {}", request.url,
                                    trusted ? "still trusts clients of the old authority"
                                            : "does not trust clients of the new authority")};
  };
}

}  // namespace ca_rotation
