// SPDX-License-Identifier: Apache-2.0
// FakeCluster: a TLS server with a cluster-info for this library's tests.
#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "discovery/discover.h"
#include "host/fake_host.h"
#include "http/fake_server.h"
#include "json/rfc3339.h"
#include "kube/kubeconfig.h"
#include "pki/certificate.h"
#include "pki/crypto.h"

namespace discovery {

inline constexpr const char* kToken = "abcdef.0123456789abcdef";
inline constexpr const char* kSecret = "0123456789abcdef";

// Issues a certificate for 127.0.0.1, which has been valid for `age`. Without an issuer, issues a
// CA.
inline pki::KeyPair NewPair(const std::string& name, const pki::KeyPair* issuer,
                            std::chrono::minutes age = std::chrono::hours(48)) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const pki::CertificateSpec spec{.subject = {.common_name = name, .organizations = {}},
                                  .alt_names = {.dns_names = {}, .ip_addresses = {"127.0.0.1"}},
                                  .usages = {pki::ExtendedKeyUsage::kServerAuth},
                                  .not_before = now - age,
                                  .not_after = now + std::chrono::hours(48)};
  auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  auto certificate =
      issuer == nullptr ? pki::NewSelfSignedCa(spec, key) : pki::Sign(spec, key.Public(), *issuer);
  return {std::move(certificate), std::move(key)};
}

// Certificates for all tests of the program, because keys are slow to generate.
struct Certificates {
  pki::KeyPair ca = NewPair("kubernetes", nullptr);
  pki::KeyPair other_ca = NewPair("other", nullptr);
  pki::KeyPair server = NewPair("kube-apiserver", &ca);
  static const Certificates& Get() {
    static const Certificates certificates;
    return certificates;
  }
};

class FakeCluster {
 public:
  using Reply = http::FakeReply;

  // The server's Date header; "" for the current time. Discovery computes the age of certificates
  // from this header.
  std::string date;
  bool knows_token = true;     // if false, clients with a token get 401
  bool has_read_rules = true;  // if false, clients that query its version get 403
  // The answer to the nth request (from 0) instead of cluster-info.
  std::function<std::optional<Reply>(int n)> instead;
  std::string kubeconfig;
  std::map<std::string, std::string> signatures;
  json::Value metadata = {{"creationTimestamp", "2020-01-01T00:00:00Z"}};

  explicit FakeCluster(const pki::KeyPair& server = Certificates::Get().server)
      : server_([this](const http::FakeRequest& request) { return Handle(request); },
                {.certificate_pem = server.certificate.Pem(), .key_pem = server.key.Pem()}) {
    SetCa(Certificates::Get().ca.certificate.Pem());
  }

  // Republishes the kubeconfig with another CA, signed with kToken.
  void SetCa(const std::string& pem) {
    kube::Kubeconfig config;
    config.clusters[""] = {.server = "https://published:6443", .certificate_authority_data = pem};
    kubeconfig = config.Text();
    Sign(kSecret);
  }
  void Sign(const std::string& secret) {
    signatures = {{"abcdef", pki::DetachedJws("abcdef", secret, kubeconfig)}};
  }

  std::string Url() const { return server_.Url(); }
  std::string Endpoint() const { return Url().substr(std::string("https://").size()); }
  int requests() const {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(authorizations_.size());
  }
  // Returns the Authorization headers of all requests; "" for a request without this header.
  std::vector<std::string> authorizations() const {
    const std::scoped_lock lock(mutex_);
    return authorizations_;
  }

  // Returns a Status as the API server answers it.
  static Reply Refused(int status, const std::string& reason) {
    const json::Value body = {
        {"kind", "Status"}, {"reason", reason}, {"message", reason + " it is"}};
    return {.status = status, .body = json::Compact(body)};
  }
  Reply Info() const {
    json::Value data = {{"kubeconfig", kubeconfig}};
    for (const auto& [id, signature] : signatures) {
      data["jws-kubeconfig-" + id] = signature;
    }
    const json::Value body = {{"kind", "ConfigMap"}, {"metadata", metadata}, {"data", data}};
    return {.body = json::Compact(body)};
  }

 private:
  Reply Handle(const http::FakeRequest& request) {
    int n = 0;
    {
      const std::scoped_lock lock(mutex_);
      n = static_cast<int>(authorizations_.size());
      const auto found = request.headers.find("authorization");
      authorizations_.push_back(found == request.headers.end() ? "" : found->second);
    }
    Reply reply = Info();
    if (!knows_token && request.headers.contains("authorization")) {
      reply = Refused(401, "Unauthorized");
    } else if (request.path == "/version") {
      reply = has_read_rules ? Reply{.body = "{}"} : Refused(403, "Forbidden");
    } else if (auto other = instead ? instead(n) : std::nullopt) {
      reply = *std::move(other);
    }
    if (!date.empty()) {
      reply.headers["Date"] = date;
    }
    return reply;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> authorizations_;  // guarded by mutex_
  http::FakeServer server_;                  // last: its threads use the other members
};

// Formats a time as a Date header.
inline std::string HttpDate(std::chrono::system_clock::time_point time) {
  const std::time_t t = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&t, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text;
}
inline std::string HttpNow() { return HttpDate(std::chrono::system_clock::now()); }

// Makes the cluster a new one: created just now, without signatures.
inline void MakeNew(FakeCluster& cluster) {
  cluster.signatures.clear();
  cluster.date = HttpNow();
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  cluster.metadata["creationTimestamp"] = json::FormatRfc3339(now - std::chrono::seconds(5));
}

// Outcome of a discovery: the kubeconfig, or the error.
struct Outcome {
  kube::Kubeconfig config;
  base::Error error{"none"};
  bool failed = false;
};

// Discovers on a host whose clock advances only while discovery waits.
class Machine {
 public:
  host::FakeHost fake;
  config::JoinConfiguration join;
  std::vector<std::string> progress;
  base::Duration timeout = std::chrono::minutes(5);
  Ask ask = HttpAsk;
  kube::PluginHost plugins;
  std::stop_token stop;

  Machine() {
    fake.clock.Set(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  }

  // Creates the configuration for `kubeadm join ENDPOINT --token … HASHES`.
  void ByToken(const std::string& endpoint, std::vector<std::string> pins = {}) {
    join.discovery.bootstrap_token = config::BootstrapTokenDiscovery{
        .token = kToken, .api_server_endpoint = endpoint, .ca_cert_hashes = std::move(pins)};
    join.discovery.tls_bootstrap_token = kToken;
  }
  void ByFile(const std::string& path) {
    join.discovery.file = config::FileDiscovery{.kube_config_path = path};
  }

  Outcome Run() {
    const auto begin = fake.clock.Steady();
    Outcome outcome;
    try {
      outcome.config = Discover(
          fake.host, {.config = join,
                      .timeout = timeout,
                      .stop = stop,
                      .progress = [this](const std::string& text) { progress.push_back(text); },
                      .plugins = plugins,
                      .ask = ask});
    } catch (const base::Error& error) {
      outcome.error = error;
      outcome.failed = true;
    }
    waited = fake.clock.Steady() - begin;
    return outcome;
  }
  base::Duration waited = base::Duration::zero();
};

}  // namespace discovery
