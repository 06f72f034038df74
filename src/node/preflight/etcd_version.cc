// SPDX-License-Identifier: Apache-2.0
// The version of an external etcd (reference: preflight.md §3 row 26).
#include <fmt/core.h>

#include <chrono>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/threads.h"
#include "config/version.h"
#include "host/plain_file.h"
#include "http/client.h"
#include "pki/certificate.h"
#include "pki/key.h"
#include "preflight/judge.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

using checks::Findings;
using checks::Refuse;

using std::chrono::seconds;

constexpr int kRetries = 3;
constexpr seconds kPause{5};
constexpr seconds kTimeout{10};

// Reads a file that `parse` accepts.
template <typename Parse>
std::string ReadPem(const host::Host& host, std::string_view what, const std::string& path,
                    const Parse& parse) {
  if (path.empty()) {
    return "";
  }
  return base::WithContext(fmt::format("couldn't load external etcd's {}", what), [&] {
    host::RequirePlainFile(host.files, path);
    std::string pem = host.files.Read(path);
    if (base::Trim(pem).empty()) {  // with an empty file, the system's CAs would be trusted
      throw base::Error(base::Error::Kind::kInvalid, fmt::format("{} is empty", path));
    }
    base::WithContext(path, [&] { parse(pem); });
    return pem;
  });
}

http::Tls LoadTls(const host::Host& host, const config::ExternalEtcd& etcd) {
  const auto chain = [](const std::string& pem) { pki::Certificate::ChainFromPem(pem); };
  const auto key = [](const std::string& pem) { pki::PrivateKey::FromPem(pem); };
  return {.ca_pem = ReadPem(host, "CA certificate", etcd.ca_file, chain),
          .certificate_pem = ReadPem(host, "client certificate", etcd.cert_file, chain),
          .key_pem = ReadPem(host, "client key", etcd.key_file, key)};
}

std::string VersionUrl(std::string endpoint) {
  while (endpoint.ends_with('/')) {
    endpoint.pop_back();
  }
  return endpoint + "/version";
}

// The answer of an endpoint. `again` is true if the request failed for a reason that may be
// transient.
struct Answer {
  Findings findings;
  bool again = true;
};

Answer AskOnce(http::Client& client, const std::string& endpoint, const std::stop_token& stop) {
  const std::string url = VersionUrl(endpoint);
  try {
    const http::Response response =
        client.Do({.url = url, .timeout = kTimeout, .connect_timeout = kTimeout, .stop = stop});
    if (response.status >= 500) {
      return {{Refuse(fmt::format("{} answered with status {}", url, response.status))}};
    }
    return {
        .findings = JudgeEtcdVersion(endpoint, response.body,
                                     *base::Version::Parse(config::kMinimumExternalEtcdVersion)),
        .again = false};
  } catch (const base::Error& error) {
    return {{Refuse(fmt::format("{}: {}", url, error.message()))}};
  }
}

Findings Ask(host::Host& host, http::Client& client, const std::string& endpoint,
             const std::stop_token& stop) {
  Answer answer = AskOnce(client, endpoint, stop);
  for (int retry = 0; retry < kRetries && answer.again && !stop.stop_requested(); ++retry) {
    host.clock.Sleep(kPause, stop);
    answer = AskOnce(client, endpoint, stop);
  }
  return answer.findings;
}

}  // namespace

Findings CheckExternalEtcd(host::Host& host, const config::ExternalEtcd& etcd,
                           std::stop_token stop) {
  http::Client client(LoadTls(host, etcd));
  // If the members serve only gRPC at their endpoints, they serve /version at httpEndpoints.
  const std::vector<std::string>& urls =
      etcd.http_endpoints.empty() ? etcd.endpoints : etcd.http_endpoints;
  std::vector<Findings> answers(urls.size());
  base::Threads threads;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    threads.Add([&, i] { answers[i] = Ask(host, client, urls[i], stop); });
  }
  threads.Join();
  Findings all;
  for (Findings& answer : answers) {
    checks::Append(all, std::move(answer));
  }
  return all;
}

}  // namespace preflight
