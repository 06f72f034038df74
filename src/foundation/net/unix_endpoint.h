// SPDX-License-Identifier: Apache-2.0
// Endpoints of container runtimes, which are Unix sockets.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace net {

// Returns the path of the socket to which the kubelet and upstream's kubeadm connect for an
// endpoint: "/run/x.sock" for "unix:///run/x.sock", "unix:/run/x.sock", "Unix:/run/x.sock",
// "/run/x.sock", and kubeadm's form of the third ("unix://Unix:/run/x.sock"). The error says why an
// endpoint leads to no socket, or not to the socket that it seems to name. It also says how to
// write the endpoint.
std::expected<std::string, std::string> UnixSocketPath(std::string_view endpoint);

}  // namespace net
