// SPDX-License-Identifier: Apache-2.0
#include "discovery/ask.h"

#include "base/error.h"
#include "http/date.h"
#include "pki/certificate.h"

namespace discovery {
namespace {

// Returns notBefore of a certificate. A malformed certificate gives no evidence: returns
// std::nullopt.
std::optional<std::chrono::sys_seconds> ValidFrom(const std::string& pem) {
  try {
    return pki::Certificate::FromPem(pem).not_before();
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace

Answer HttpAsk(const Question& question) {
  http::Client client(question.connection.tls);
  http::Request request = kube::NewRequest(question.connection, question.path);
  request.timeout = question.timeout;
  request.stop = question.stop;
  request.peer_certificate = http::PeerCertificate::kReported;
  http::Response response = client.Do(request);
  Answer answer{.status = response.status, .body = std::move(response.body)};
  if (const auto date = response.headers.find("date"); date != response.headers.end()) {
    answer.date = http::ParseDate(date->second);
  }
  answer.certificate_from = ValidFrom(response.peer_certificate_pem);
  return answer;
}

}  // namespace discovery
