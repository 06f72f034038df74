// SPDX-License-Identifier: Apache-2.0
// The entry point of a Job's container: it runs kubeadm on the host.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"
#include "otlp/collector.h"

namespace fleet {

// Environment variables that are passed from the container to kubeadm on the host. They contain the
// credentials and the service of backups in S3, the bootstrap token of `node recover`, and the
// trace that the Job belongs to.
inline constexpr std::array<std::string_view, 7> kS3Variables = {
    "AWS_ACCESS_KEY_ID",  "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",  "AWS_REGION",
    "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",      "AWS_ENDPOINT_URL_S3"};
inline constexpr std::array<std::string_view, 1> kTokenVariables = {"BOOTSTRAP_TOKEN"};
inline constexpr std::array<std::string_view, 3> kTraceVariables = {
    otlp::kTraceparentVariable, otlp::kEndpointVariable, otlp::kTracesEndpointVariable};

// The directory of kubelets in an image of Jobs (upgrade_path/kubelet_files.h), and the argument of
// kubeadm with which a task uses it.
inline constexpr std::string_view kKubelets = "/kubelets";
inline constexpr std::string_view kKubeletsArgument = "--node-packages=/kubelets";

// Moves this process out of its privileged container into the namespaces of the host. Then copies
// the process's program to /var/lib/slipway/fleet on the host, and runs the copy with these
// arguments. In kKubeletsArgument, the container's directory is replaced by a path of the host to
// the same directory. Waits without a limit, and forwards an interrupt to the copy. Returns the
// exit status. After an interrupt, a status other than 0 is replaced by 143 (128 + SIGTERM), so
// that it differs from a failure. Throws base::Error: kForbidden without the permission, kNotFound
// if the container lacks kKubelets, kOther if the copy cannot be started.
int RunOnHost(host::Host& host, const std::vector<std::string>& arguments);

}  // namespace fleet
