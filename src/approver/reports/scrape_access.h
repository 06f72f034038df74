// SPDX-License-Identifier: Apache-2.0
// Authorization of metrics readers: the token must be known to the API server, and its user may get
// the path /metrics (kubernetes.io: "Authentication", TokenReview; "Authorization",
// SubjectAccessReview).
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "host/clock.h"
#include "kube/client.h"

namespace reports {

// Queries the API server and caches its answers for a while. Thread-safe.
class ScrapeAccess {
 public:
  // The API server's answer about a scraper. kUnknown: the request has no token, or an invalid
  // token. kNotKnown: the API server did not answer.
  enum class Answer { kAllowed, kForbidden, kUnknown, kNotKnown };
  static constexpr std::chrono::seconds kAllowedFor{60};
  static constexpr std::chrono::seconds kRefusedFor{10};
  static constexpr std::size_t kMostRemembered = 256;

  ScrapeAccess(std::shared_ptr<kube::Transport> transport, const host::Clock& clock)
      : transport_(std::move(transport)), clock_(clock) {}

  Answer MayGet(const std::string& path, const std::optional<std::string>& token);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Remembered {
    Answer answer;
    Time until;
  };
  Answer Ask(const std::string& path, const std::string& token) const;
  void Remember(const std::string& key, Answer answer);

  std::shared_ptr<kube::Transport> transport_;
  const host::Clock& clock_;
  std::mutex mutex_;
  std::unordered_map<std::string, Remembered> remembered_;  // guarded by mutex_: by path and token
};

}  // namespace reports
