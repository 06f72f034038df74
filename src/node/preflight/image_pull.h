// SPDX-License-Identifier: Apache-2.0
// Pulling the images of a control plane (reference: preflight.md §6).
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "checks/check.h"
#include "config/types.h"
#include "host/clock.h"
#include "preflight/checks.h"

namespace preflight {

// PullPolicy is imagePullPolicy of a container.
enum class PullPolicy { kIfNotPresent, kAlways, kNever };

// Parses imagePullPolicy; "" is IfNotPresent. Returns std::nullopt for any other string.
std::optional<PullPolicy> ParsePullPolicy(std::string_view text);

// The progress of one image. Events may come from several threads, one at a time.
struct PullEvent {
  enum class What { kPresent, kStarted, kFailedOnce, kPulled, kFailed } what = What::kStarted;
  std::string image;
  int attempt = 1;      // number of the attempt, for kStarted and kFailedOnce
  std::string problem;  // the error, for kFailedOnce and kFailed
};

// The images and their source.
struct PullInput {
  std::vector<std::string> images;
  std::string policy;  // as in the configuration
  // True: pulls the images one after the other, and reports an error for each. False: pulls them
  // concurrently, and reports one error for all.
  bool serial = true;
  std::string endpoint;
  std::string pause_image;  // kubeadm warns if the runtime uses another one
  std::function<void(const PullEvent&)> on_event;
};

inline constexpr int kPullAttempts = 5;

// Returns whether a retry is pointless: the error is kNotFound, kInvalid, kForbidden or
// kUnauthorized.
bool IsPermanent(const base::Error& error);

// Pulls images according to the policy. Makes up to five attempts for each image. Repeats no
// attempt that fails more than a minute after the start, measured by `clock`.
checks::Findings PullImages(const ConnectRuntime& connect, const PullInput& input,
                            const host::Clock& clock, std::stop_token stop);

// Returns the images of a node's configuration.
PullInput ImagePullInput(const config::ClusterConfiguration& cluster,
                         const config::NodeRegistration& node);

// The batch "ImagePull". The clock must outlive it.
std::vector<checks::Check> ImagePullCheck(const ConnectRuntime& connect, PullInput input,
                                          const host::Clock& clock);

}  // namespace preflight
