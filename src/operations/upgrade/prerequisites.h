// SPDX-License-Identifier: Apache-2.0
// What must be so before a static Pod that runs is touched.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/types.h"
#include "cri/runtime.h"
#include "host/clock.h"
#include "upgrade/control_plane.h"

namespace upgrade {

// PullContext of RequireImages.
struct PullContext {
  host::Clock& clock;  // outlives the pulls
  cri::Runtime& runtime;
  std::string policy;                        // imagePullPolicy: with "Never" nothing is pulled
  std::chrono::milliseconds limit{300'000};  // of one pull
  std::stop_token stop = {};
  // Gets what is being done, "pulling IMAGE", and nothing when it is over; may be empty.
  std::function<void(std::optional<std::string_view> what)> progress = {};
};

// RequireImages pulls what the Pods that are replaced need and is not here: nothing is stopped
// whose successor cannot be obtained. Throws base::Error naming image and component.
void RequireImages(std::span<const PodChange> changes, const PullContext& context);

}  // namespace upgrade
