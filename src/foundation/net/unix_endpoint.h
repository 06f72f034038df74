// SPDX-License-Identifier: Apache-2.0
// Endpoints of container runtimes, which are Unix sockets.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace net {

// UnixSocketPath is the path of the socket to which the kubelet and upstream's kubeadm connect for
// an endpoint: "/run/x.sock" for "unix:///run/x.sock", "unix:/run/x.sock", "Unix:/run/x.sock",
// "/run/x.sock", and what kubeadm makes of the third ("unix://Unix:/run/x.sock"). The error says
// why an endpoint leads to no socket, or to another than its text shows, and how to write it.
std::expected<std::string, std::string> UnixSocketPath(std::string_view endpoint);

}  // namespace net
