// SPDX-License-Identifier: Apache-2.0
// Asking a server for a cluster's public information, with what its answer shows besides.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "kube/connection.h"

namespace discovery {

// Question is one GET.
struct Question {
  kube::Connection connection;
  std::string path;
  std::chrono::milliseconds timeout{10'000};
  std::stop_token stop;
};

// Answer is what a server said to a Question.
struct Answer {
  int status = 0;
  std::string body;
  std::optional<std::chrono::sys_seconds> date;  // by the server's clock
  // Since when the server's certificate, which is not verified for this, is valid.
  std::optional<std::chrono::sys_seconds> certificate_from;
  // No server gave it: a dry run made it up (canned.h).
  bool canned = false;
};

// Ask throws as http::Client does when no answer comes.
using Ask = std::function<Answer(const Question& question)>;

// HttpAsk asks a real server, once.
Answer HttpAsk(const Question& question);

// kClusterInfoPath is where every cluster keeps it: ConfigMap cluster-info in namespace
// kube-public.
inline constexpr std::string_view kClusterInfoPath =
    "/api/v1/namespaces/kube-public/configmaps/cluster-info";

}  // namespace discovery
