// SPDX-License-Identifier: Apache-2.0
// The control plane's manifests as they are and as an upgrade would make them.
#pragma once

#include <string>

#include "config/types.h"
#include "host/host.h"
#include "static_pods/static_pod.h"

namespace upgrade {

// RequireManifests throws base::Error, naming the file, unless all three of the control plane are
// here: kNotFound for one that is missing, kInvalid for one that is not a regular file and leads to
// none.
void RequireManifests(const host::Files& files);

// NewManifest is the text that an upgrade to the configuration's version would write, but for the
// user's patches. Users of their own are planned, not made.
std::string NewManifest(components::Component component, const config::Init& config,
                        const host::Host& host);

}  // namespace upgrade
