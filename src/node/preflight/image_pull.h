// SPDX-License-Identifier: Apache-2.0
// Getting the images that a control plane needs (reference: preflight.md §6).
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/types.h"
#include "host/clock.h"
#include "preflight/checks.h"

namespace preflight {

// PullPolicy is imagePullPolicy of a container.
enum class PullPolicy { kIfNotPresent, kAlways, kNever };

// ParsePullPolicy reads imagePullPolicy; "" is IfNotPresent. Nothing for any other text.
std::optional<PullPolicy> ParsePullPolicy(std::string_view text);

// PullEvent tells how one image gets on. Events may come from several threads, one at a time.
struct PullEvent {
  enum class What { kPresent, kStarted, kFailedOnce, kPulled, kFailed } what = What::kStarted;
  std::string image;
  int attempt = 1;      // of kStarted and kFailedOnce
  std::string problem;  // of kFailedOnce and kFailed
};

// PullInput says what to get, and from where.
struct PullInput {
  std::vector<std::string> images;
  std::string policy;  // as in the configuration
  bool serial = true;  // one after the other, each with its own error; else all at once, one error
  std::string endpoint;
  std::string pause_image;  // warned of when the runtime uses another one for sandboxes
  std::function<void(const PullEvent&)> on_event;
};

inline constexpr int kPullAttempts = 5;

// IsPermanent tells whether pulling again is pointless: an image or name that the registry does not
// have, a caller that it does not let in, or a stop.
bool IsPermanent(const base::Error& error);

// PullImages pulls what the policy asks for, each image up to five times, as long as that takes no
// more than some minutes by `clock`.
Verdict PullImages(const ConnectRuntime& connect, const PullInput& input, const host::Clock& clock,
                   std::stop_token stop);

// ImagePullInput is what a node's configuration says.
PullInput ImagePullInput(const config::ClusterConfiguration& cluster,
                         const config::NodeRegistration& node);

// ImagePullCheck is the batch "ImagePull". The clock outlives it.
std::vector<Check> ImagePullCheck(const ConnectRuntime& connect, PullInput input,
                                  const host::Clock& clock);

}  // namespace preflight
