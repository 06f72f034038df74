// SPDX-License-Identifier: Apache-2.0
// The images of new static Pods, pulled before a running Pod is replaced.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/types.h"
#include "control_plane/pod_changes.h"
#include "cri/runtime.h"
#include "host/clock.h"

namespace control_plane {

// The parameters of RequireImages.
struct PullContext {
  host::Clock& clock;  // must outlive the pulls
  cri::Runtime& runtime;
  std::string policy;                        // imagePullPolicy: with "Never" no image is pulled
  std::chrono::milliseconds limit{300'000};  // of one pull
  std::stop_token stop = {};
  // Receives the current action, "pulling IMAGE", and std::nullopt at its end; may be empty.
  std::function<void(std::optional<std::string_view> what)> progress = {};
};

// Pulls the missing images of the new Pods before any Pod is stopped. Throws base::Error, naming
// image and component: kNotFound, kTimeout, or another error of the runtime.
void RequireImages(std::span<const PodChange> changes, const PullContext& context);

}  // namespace control_plane
