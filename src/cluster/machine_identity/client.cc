// SPDX-License-Identifier: Apache-2.0
#include "machine_identity/client.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/utf8.h"
#include "http/client.h"

namespace machine_identity {
namespace {

using base::Error;
using Kind = Error::Kind;

constexpr std::chrono::milliseconds kPause{500};
constexpr std::chrono::seconds kPatience{70};  // of one answer: a plug-in may take a minute
constexpr std::size_t kLargestAnswer = std::size_t{256} << 10U;
constexpr int kOk = 200;
constexpr int kAccepted = 202;
constexpr int kConflict = 409;
constexpr int kBusy = 500;  // and above

// A failure after which the same question may succeed.
bool IsTransient(Kind kind) { return kind == Kind::kUnavailable || kind == Kind::kTimeout; }

// Sends one question. Returns the certificate, a challenge, or the reason of the wait.
Answer Ask(const Endpoint& endpoint, http::Client& client, const Question& question) {
  const http::Response response =
      client.Do({.method = "POST",
                 .url = fmt::format("https://{}{}", endpoint.host_port, kPath),
                 .headers = {{"Content-Type", "application/json"}},
                 .body = ToJson(question),
                 .timeout = kPatience,
                 .stop = endpoint.stop,
                 .largest_body = kLargestAnswer,
                 .follow_redirects = false});
  Answer answer = ReadAnswer(response.body);
  answer.message = base::Visible(answer.message);
  if (response.status == kOk && (!answer.certificate_pem.empty() || !answer.challenge.empty())) {
    return answer;
  }
  answer.certificate_pem.clear();
  answer.challenge.clear();
  if (response.status != kAccepted && response.status != kConflict && response.status < kBusy) {
    throw Error(response.status == 400 ? Kind::kInvalid : Kind::kForbidden, answer.message);
  }
  return answer;
}

// Explains an untrusted server: the usual causes are another cluster and a missing certificate.
[[noreturn]] void RefuseServer(const Endpoint& endpoint, const Error& error) {
  throw Error(Kind::kUnauthorized,
              fmt::format("{} is not the approver's endpoint of the discovered cluster: {}. Its "
                          "certificate must be of the cluster's CA, for {}; compare the address "
                          "with --identity-endpoint",
                          endpoint.host_port, error.message(), kServerName));
}

// Sends a question, and then the answer to a challenge if the endpoint sends one.
Answer AskAndRespond(const Endpoint& endpoint, http::Client& client, const Question& question) {
  Answer answer = Ask(endpoint, client, question);
  if (answer.challenge.empty() || !endpoint.respond) {
    return answer;
  }
  Question response = question;
  const base::Wiper secret(response.secret);
  endpoint.respond(answer, response);
  return Ask(endpoint, client, response);
}

// Asks once. Returns the certificate, or sets `reason` to the reason of the wait.
std::string Attempt(const Endpoint& endpoint, http::Client& client, const Question& question,
                    std::string& reason) {
  try {
    Answer answer = AskAndRespond(endpoint, client, question);
    reason = std::move(answer.message);
    return std::move(answer.certificate_pem);
  } catch (const Error& error) {
    if (error.kind() == Kind::kUnauthorized) {
      RefuseServer(endpoint, error);
    }
    if (!IsTransient(error.kind())) {
      throw Error(error.kind(),
                  fmt::format("the approver at {} gives this machine no certificate: {}",
                              endpoint.host_port, error.message()));
    }
    reason = error.message();
    return {};
  }
}

}  // namespace

std::string RequestCertificate(const Endpoint& endpoint, const Question& question) {
  if (endpoint.ca_pem.empty()) {
    throw Error(Kind::kInvalid, "the approver's endpoint cannot be verified: no CA was discovered");
  }
  http::Client client({.ca_pem = endpoint.ca_pem,
                       .certificate_pem = {},
                       .key_pem = {},
                       .server_name = std::string(kServerName)});
  const auto end = endpoint.clock.Steady() + endpoint.limit;
  std::string reason;
  do {
    std::string now;
    if (std::string pem = Attempt(endpoint, client, question, now); !pem.empty()) {
      return pem;
    }
    if (now != reason && endpoint.progress) {
      endpoint.progress(now);
    }
    reason = std::move(now);
  } while (endpoint.clock.Sleep(kPause, endpoint.stop) && endpoint.clock.Steady() < end);
  if (endpoint.stop.stop_requested()) {
    throw base::Interrupted("waiting for the machine's certificate");
  }
  throw Error(Kind::kTimeout,
              fmt::format("the approver at {} has given this machine no certificate in time: {}",
                          endpoint.host_port, reason));
}

}  // namespace machine_identity
