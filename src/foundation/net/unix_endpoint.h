// SPDX-License-Identifier: Apache-2.0
// Endpoints of container runtimes, which are Unix sockets.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace net {

// Returns the path of the socket to which the kubelet and upstream's kubeadm connect for an
// endpoint. All of these forms give "/run/x.sock": "unix:///run/x.sock", "unix:/run/x.sock",
// "Unix:/run/x.sock", "/run/x.sock" and "unix://Unix:/run/x.sock" (written by kubeadm for the third
// form). Returns an error if an endpoint leads to no socket, or to another socket than it seems to
// name. The error also says how to write the endpoint.
std::expected<std::string, std::string> UnixSocketPath(std::string_view endpoint);

}  // namespace net
