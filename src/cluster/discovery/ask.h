// SPDX-License-Identifier: Apache-2.0
// Queries a server for a cluster's public information, with further evidence from its answer.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "kube/connection.h"

namespace discovery {

// One GET.
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
  std::optional<std::chrono::sys_seconds> date;  // by the server's clock
  // The start of the validity of the server's certificate, which is not verified for this.
  std::optional<std::chrono::sys_seconds> certificate_from;
  // Not from a server: invented by a dry run (canned.h).
  bool canned = false;
};

// Throws like http::Client without an answer.
using Ask = std::function<Answer(const Question& question)>;

// Queries a real server, once.
Answer HttpAsk(const Question& question);

// The path of ConfigMap cluster-info in namespace kube-public in every cluster.
inline constexpr std::string_view kClusterInfoPath =
    "/api/v1/namespaces/kube-public/configmaps/cluster-info";

}  // namespace discovery
