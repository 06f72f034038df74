// SPDX-License-Identifier: Apache-2.0
// Transports over HTTP; for the inside of this room.
#pragma once

#include <functional>
#include <memory>

#include "kube/client.h"
#include "kube/connection.h"

namespace kube {

// NewHttpTransport talks over the connection. `on_unknown` is called, from any thread, for each
// answer by which the server says that it does not know who asks (401).
std::unique_ptr<Transport> NewHttpTransport(Connection connection,
                                            std::chrono::milliseconds timeout,
                                            std::function<void()> on_unknown);

}  // namespace kube
