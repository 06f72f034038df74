// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/metrics_server.h"

#include <fmt/core.h>

#include <filesystem>
#include <mutex>

#include "base/error.h"
#include "pki/certificate.h"

namespace machine_approver {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::years kYear{1};
constexpr std::chrono::hours kBackdate{1};

std::chrono::sys_seconds Now(const host::Host& host) { return host.clock.NowSeconds(); }

// A self-signed certificate, which is renewed after half of its year.
class OwnIdentity {
 public:
  explicit OwnIdentity(const host::Host& host) : host_(host) {}

  http::ServerIdentity Get() {
    const std::lock_guard lock(mutex_);
    const std::chrono::sys_seconds now = Now(host_);
    if (identity_.key_pem.empty() || now - made_ > kYear / 2) {
      identity_ = NewIdentity(host_.machine.Hostname(), now);
      made_ = now;
    }
    return identity_;
  }

 private:
  const host::Host& host_;
  std::mutex mutex_;
  http::ServerIdentity identity_;  // guarded by mutex_
  std::chrono::sys_seconds made_;  // guarded by mutex_
};

std::function<http::ServerIdentity()> IdentityOf(const host::Host& host,
                                                 const MetricsOptions& options) {
  if (!options.secure) {
    return {};
  }
  if (options.cert_dir) {
    return [&host, directory = *options.cert_dir] { return FilesIdentity(host, directory); };
  }
  return [own = std::make_shared<OwnIdentity>(host)] { return own->Get(); };
}

http::ServerReply Refusal(reports::ScrapeAccess::Answer answer) {
  using Answer = reports::ScrapeAccess::Answer;
  switch (answer) {
    case Answer::kUnknown:
      return {.status = 401, .body = "show the bearer token of a user of this cluster\n"};
    case Answer::kForbidden:
      return {.status = 403, .body = "this needs the right to get the nonResourceURL /metrics\n"};
    default:
      return {.status = 503, .body = "the API server did not say who you are: ask again\n"};
  }
}

}  // namespace

http::ServerIdentity FilesIdentity(const host::Host& host, const std::string& directory) {
  return {.certificate_pem = host.files.Read(fs::path(directory) / "tls.crt"),
          .key_pem = host.files.Read(fs::path(directory) / "tls.key")};
}

std::string ExpiryMetric(const host::Host& host, const std::string& directory) {
  constexpr const char* kName =
      "machine_approver_identity_certificate_expiration_timestamp_seconds";
  try {
    const auto certificate =
        pki::Certificate::FromPem(host.files.Read(fs::path(directory) / "tls.crt"));
    return fmt::format(
        "# HELP {0} The end of validity of the endpoint's certificate.\n"
        "# TYPE {0} gauge\n{0} {1}\n",
        kName, certificate.not_after().time_since_epoch().count());
  } catch (const base::Error&) {
    return "";  // the server continues with the certificate that it has read before
  }
}

http::ServerIdentity NewIdentity(const std::string& hostname, std::chrono::sys_seconds now) {
  const pki::CertificateSpec names{
      .subject = {.common_name = hostname, .organizations = {}},
      .alt_names = {.dns_names = {hostname, "localhost"}, .ip_addresses = {"127.0.0.1", "::1"}},
      .usages = {pki::ExtendedKeyUsage::kServerAuth},
      .not_before = now - kBackdate,
      .not_after = now + kYear};
  pki::CertificateSpec signer = names;
  signer.subject.common_name += "-metrics";
  signer.alt_names = {};
  const auto ca_key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const pki::KeyPair ca{.certificate = pki::NewSelfSignedCa(signer, ca_key), .key = ca_key};
  return {.certificate_pem = pki::Sign(names, key.Public(), ca).Pem(), .key_pem = key.Pem()};
}

MetricsServer::MetricsServer(host::Host& host, const MetricsOptions& options,
                             controller::Controller& controller,
                             const controller::Clusters& clusters)
    : host_(host), controller_(controller), identity_cert_dir_(options.identity_cert_dir) {
  if (options.secure) {
    access_ = std::make_unique<reports::ScrapeAccess>(clusters.workload, host.clock);
  }
  server_ = std::make_unique<http::Server>(
      http::ServerOptions{.clock = host.clock,
                          .host = options.host,
                          .port = options.port,
                          .identity = IdentityOf(host, options),
                          .probes = {"/healthz", "/readyz"}},
      [this](const http::ServerRequest& request) { return Answer(request); });
}

http::ServerReply MetricsServer::Answer(const http::ServerRequest& request) {
  using reports::ScrapeAccess;
  if (request.path == "/metrics") {
    const ScrapeAccess::Answer answer = access_
                                            ? access_->MayGet(request.path, request.bearer_token)
                                            : ScrapeAccess::Answer::kAllowed;
    if (answer != ScrapeAccess::Answer::kAllowed) {
      return Refusal(answer);
    }
    return {.body = controller_.MetricsText() +
                    (identity_cert_dir_ ? ExpiryMetric(host_, *identity_cert_dir_) : ""),
            .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  }
  if (request.path == "/healthz") {
    return {.body = "ok\n"};
  }
  if (request.path == "/readyz") {
    return controller_.Synced() ? http::ServerReply{.body = "ok\n"}
                                : http::ServerReply{.status = 503, .body = "not synced yet\n"};
  }
  return {.status = 404, .body = "there are /metrics, /healthz and /readyz\n"};
}

}  // namespace machine_approver
