// SPDX-License-Identifier: Apache-2.0
// The joining machine's side of the approver's endpoint.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/clock.h"
#include "machine_identity/messages.h"

namespace machine_identity {

// The endpoint, and the limits of a request to it. The clock must outlive the call.
struct Endpoint {
  host::Clock& clock;
  std::string host_port;  // "10.0.0.10:9193"
  std::string ca_pem;     // the cluster's CA, as discovery has verified it; must not be empty
  std::chrono::milliseconds limit{300'000};  // of the whole wait for the certificate
  std::stop_token stop = {};
  // Receives a sentence each time the reason of the wait changes.
  std::function<void(const std::string& text)> progress = {};
  // Adds the answer to a challenge to a question; not set: the endpoint must not send challenges.
  std::function<void(const Answer& challenge, Question& question)> respond = {};
};

// Sends the question until the certificate is there, and returns it as PEM. Only a server with the
// name kServerName and a certificate of the CA gets the question.
//
// Throws base::Error: kUnauthorized if the server cannot be trusted, and kForbidden if the endpoint
// refuses the machine. Throws kInvalid if the endpoint does not understand the question, or if its
// answer is malformed. Throws kTimeout after the limit, with the last reason. Throws
// base::Interrupted on a stop request.
std::string RequestCertificate(const Endpoint& endpoint, const Question& question);

}  // namespace machine_identity
