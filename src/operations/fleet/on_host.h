// SPDX-License-Identifier: Apache-2.0
// The part of a Job's container: kubeadm on the host.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace fleet {

// Variables of the container's environment that kubeadm on the host gets, too: the credentials and
// the service of backups in S3.
inline constexpr std::array<std::string_view, 7> kPassedVariables = {
    "AWS_ACCESS_KEY_ID",  "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",  "AWS_REGION",
    "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",      "AWS_ENDPOINT_URL_S3"};

// Moves this process out of its privileged container into the namespaces of the host. There it
// copies the own program to /var/lib/slipway/fleet, and runs the copy with these arguments. It
// waits without a limit, and passes an interrupt on. Returns the exit status; after an interrupt
// 128 + N of SIGTERM, so that it is not one of a failure. Throws base::Error: kForbidden without
// the permission, kOther if the copy cannot be started.
int RunOnHost(host::Host& host, const std::vector<std::string>& arguments);

}  // namespace fleet
