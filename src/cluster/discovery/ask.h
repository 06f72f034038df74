// SPDX-License-Identifier: Apache-2.0
// Requests for a cluster's public information. The answers also carry the server's clock and the
// age of its certificate.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "kube/connection.h"

namespace discovery {

// A GET request to one server.
struct Question {
  kube::Connection connection;
  std::string path;
  std::chrono::milliseconds timeout{10'000};
  std::stop_token stop;
};

// A server's answer to a Question.
struct Answer {
  int status = 0;
  std::string body;
  std::optional<std::chrono::sys_seconds> date;  // header Date: the server's clock
  // notBefore of the server's certificate, read without verification.
  std::optional<std::chrono::sys_seconds> certificate_from;
  // True if a dry run invented the answer (canned.h).
  bool canned = false;
};

// Sends the request. Throws the errors of http::Client if no answer arrives.
using Ask = std::function<Answer(const Question& question)>;

// Sends the request to the server, without retries. Throws the errors of http::Client if no answer
// arrives.
Answer HttpAsk(const Question& question);

// The path of ConfigMap cluster-info in namespace kube-public in every cluster.
inline constexpr std::string_view kClusterInfoPath =
    "/api/v1/namespaces/kube-public/configmaps/cluster-info";

}  // namespace discovery
